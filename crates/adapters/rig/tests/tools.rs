//! Tools of rig with hooks around them, called as rig's loop calls them.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "these are tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookgate::contract::Role;
use hookgate::testing::Captured;
use hookgate::{Engine, Event, HandlerTable, Hook, Outcome, Verdict};
use hookgate_rig::{Answer, HALTED, Judged};
use rig_core::tool::{ErasedTool, Tool, ToolContext, ToolResult};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Clone, Default)]
struct Deploy(Arc<AtomicUsize>);

#[derive(Deserialize)]
struct To {
    to: String,
}

#[derive(Debug, thiserror::Error)]
#[error("no such place")]
struct NoPlace;

impl Tool for Deploy {
    const NAME: &'static str = "deploy";
    type Args = To;
    type Output = String;
    type Error = NoPlace;

    fn description(&self) -> String {
        "deploys".to_owned()
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": { "to": { "type": "string" } } })
    }

    async fn call(&self, _: &mut ToolContext, args: To) -> Result<String, NoPlace> {
        self.0.fetch_add(1, Ordering::SeqCst);
        if args.to == "nowhere" { Err(NoPlace) } else { Ok(format!("deployed to {}", args.to)) }
    }
}

fn engine(hooks: Vec<Hook>) -> Arc<Engine> {
    let mut table = HandlerTable::builder();
    for hook in hooks {
        table.insert(hook);
    }
    Arc::new(Engine::new(table.build().unwrap()))
}

fn before(answer: fn() -> Verdict) -> Hook {
    Hook::sync("guard", move |_| Ok(answer())).event(Event::PreToolUse)
}

async fn call(tool: &impl ErasedTool, args: &str) -> ToolResult {
    tool.execute(args.to_owned(), &mut ToolContext::new()).await
}

const PROD: &str = r#"{"to":"prod"}"#;

#[tokio::test]
async fn a_cleared_tool_runs() {
    let deploy = Deploy::default();
    let judged = Judged::new(deploy.clone(), (engine(vec![before(Verdict::allow)]), "s"));
    assert_eq!(call(&judged, PROD).await.output().as_text(), Some("deployed to prod"));
    assert_eq!(deploy.0.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_denied_tool_does_not_run_and_the_model_reads_why() {
    let deploy = Deploy::default();
    let judged =
        Judged::new(deploy.clone(), (engine(vec![before(|| Verdict::deny("not today"))]), "s"));
    let result = call(&judged, PROD).await;
    assert!(result.is_refused());
    assert_eq!(result.output().as_text(), Some("denied by guard: not today"));
    assert_eq!(deploy.0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_halt_has_a_code() {
    let deploy = Deploy::default();
    let judged =
        Judged::new(deploy.clone(), (engine(vec![before(|| Verdict::halt("spent"))]), "s"));
    assert_eq!(call(&judged, PROD).await.refusal().unwrap().code(), Some(HALTED));
    assert_eq!(deploy.0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_question_is_refused_if_nobody_answers_it() {
    let deploy = Deploy::default();
    let captured = Captured::new();
    let asks = HandlerTable::builder().insert(before(|| Verdict::ask("sure?"))).build().unwrap();
    let engine = Arc::new(Engine::new(asks).with_recorder(captured.clone()));
    let judged = Judged::new(deploy.clone(), (engine, "s"));
    assert!(call(&judged, PROD).await.is_refused());
    let no = judged.clone().asks(async |_| Answer::Refuse("no".to_owned()));
    assert!(call(&no, PROD).await.is_refused());
    let denied = captured.outcomes().iter().filter(|outcome| **outcome == Outcome::Deny).count();
    assert_eq!(denied, 2, "both refusals are recorded");
    assert_eq!(deploy.0.load(Ordering::SeqCst), 0);
    let yes = judged.asks(async |request| {
        assert_eq!(
            (request.question.as_str(), &request.step["tool_input"]),
            ("sure?", &json!({ "to": "prod" }))
        );
        Answer::Approve
    });
    assert!(call(&yes, PROD).await.is_success());
    assert_eq!(deploy.0.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_tool_runs_with_what_a_hook_has_made_of_its_arguments() {
    let patch = before(|| Verdict::none().patch("tool_input", json!({ "to": "staging" })));
    let judged = Judged::new(Deploy::default(), (engine(vec![patch.role(Role::Rewrite)]), "s"));
    assert_eq!(call(&judged, PROD).await.output().as_text(), Some("deployed to staging"));
}

#[tokio::test]
async fn a_result_is_judged_as_well() {
    let withhold = Hook::sync("quiet", |_| Ok(Verdict::deny("secret"))).event(Event::PostToolUse);
    let rename = Hook::sync("rename", |_| Ok(Verdict::none().patch("error", "hidden")));
    let rename = rename.event(Event::PostToolUseFailure).role(Role::Rewrite);
    let deploy = Deploy::default();
    let judged = Judged::new(deploy.clone(), (engine(vec![withhold, rename]), "s"));
    assert_eq!(call(&judged, PROD).await.output().as_text(), Some("withheld by quiet: secret"));
    let failed = call(&judged, r#"{"to":"nowhere"}"#).await;
    assert_eq!((failed.is_error(), failed.output().as_text()), (true, Some("hidden")));
    assert_eq!(deploy.0.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn arguments_that_readers_would_read_differently_are_refused() {
    let deploy = Deploy::default();
    let judged = Judged::new(deploy.clone(), (engine(vec![before(Verdict::allow)]), "s"));
    assert!(call(&judged, r#"{"to":"prod","to":"moon"}"#).await.is_error());
    assert_eq!(deploy.0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_scope_judges_with_hooks_and_facts_of_its_own() {
    let deploy = Deploy::default();
    let no = Hook::sync("no", |call| Ok(Verdict::deny(call.envelope.value()?["cwd"].to_string())));
    let scope = engine(Vec::new()).scope("s").hook(no.event(Event::PreToolUse)).cwd("/srv/ledger");
    let result = call(&Judged::new(deploy.clone(), scope.open().unwrap()), PROD).await;
    assert_eq!(result.output().as_text(), Some(r#"denied by scope/no: "/srv/ledger""#));
    assert_eq!(deploy.0.load(Ordering::SeqCst), 0);
}
