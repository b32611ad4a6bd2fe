//! Promise: what a judge may say beside a decision counts where its hook, its event and its
//! settings allow it, and nowhere else; its reason gives neither the rule nor the data away.
#![cfg(all(feature = "builtin", feature = "prompt"))]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, clippy::string_slice, reason = "a test may fail")]

use hookgate_test_support as support;
use hookgate_test_support::envelopes;
use hookgate_test_support::model_server as server;

use std::path::Path;
use std::sync::Arc;

use hookgate::config::{ConfigErrors, Loader};
use hookgate::contract::payload::{PermissionRequest, UserPromptSubmit};
use hookgate::contract::{Event, Reply};
use hookgate::envelope::Incoming;
use hookgate::{
    Engine, Failure, FailureClass, Gate, HookEngine, Outcome, Registry, Report, Verdict,
};
use hookgate_prompt::{AnswerFormat, JudgeState};
use serde_json::{Map, Value, json};
use server::{Mode, Server};
use support::{bash, call, context};

/// Long enough for a piece of it to be a quotation.
const RULE: &str = "The blue team deploys at night, and everybody else has to wait for a ticket.";

fn load(registry: &Registry, config: &str) -> Result<Engine, ConfigErrors> {
    Loader::new(registry)
        .parse("hooks.toml", config, Path::new("/"))
        .map(|loaded| Engine::new(loaded.table))
}

fn engine(config: &str) -> Engine {
    load(&support::registry(), config).unwrap()
}

fn judge(event: &str, server: &Server, hook: &str, prompt: &str) -> String {
    format!(
        "[[hook]]\nid = 'judge'\nevent = '{event}'\n{hook}\n[hook.prompt]\nmodel = 'm'\n\
         base_url = '{}'\nprompt = '{RULE}'\ncache = false\nrepair = false\n{prompt}\n",
        server.base_url
    )
}

async fn dispatch(engine: &Engine, command: &str) -> (Gate<hookgate::ToolUse>, Report) {
    engine.dispatch_reported(bash(command), &context()).await
}

#[tokio::test]
async fn a_context_goes_to_the_agent_where_the_event_takes_one() {
    let server = Server::start(Mode::Keys(json!({"context": " Mind the freeze. "}))).await;
    let notes = engine(&judge("user_prompt_submit", &server, "", "respond = 'context'"));
    let prompt = || UserPromptSubmit::new("ship it");
    let cleared = notes.dispatch(prompt(), &context()).await.cleared().unwrap();
    assert_eq!(cleared.context(), ["Mind the freeze."]);
    // The request was for a note, not for a decision.
    let request = &server.seen()[0];
    let keys = &request["response_format"]["json_schema"]["schema"]["properties"];
    assert!(keys.get("context").is_some() && keys.get("decision").is_none(), "{request}");
    // At a tool call too.
    let tools = engine(&judge("pre_tool_use", &server, "", "respond = 'context'"));
    let (gate, report) = dispatch(&tools, "ls").await;
    assert!(matches!(gate, Gate::Cleared(_)), "{report:?}");
    assert_eq!(report.context, ["Mind the freeze."]);
}

#[tokio::test]
async fn a_context_that_was_not_requested_does_not_go_to_the_agent() {
    let server = Server::start(Mode::Keys(json!({"context": ""}))).await;
    let notes = engine(&judge("pre_tool_use", &server, "", "respond = 'context'"));
    let (gate, report) = dispatch(&notes, "ls").await;
    assert!(matches!(gate, Gate::Cleared(_)));
    assert!(report.context.is_empty(), "an empty answer is not a note: {report:?}");
    // Nor may the note come with a decision, or instead of one.
    for (answer, respond) in [
        (json!({"context": "Psst.", "decision": "allow"}), "context"),
        (json!({"context": "Psst.", "decision": "allow", "reason": ""}), "decision"),
        (json!({"context": "Psst."}), "decision"),
        (json!({"decision": "allow", "reason": ""}), "context"),
    ] {
        server.then(Mode::Keys(answer.clone()));
        let more = format!("respond = '{respond}'");
        let (_, report) = dispatch(&engine(&judge("pre_tool_use", &server, "", &more)), "ls").await;
        assert_eq!(report.votes[0].failure, Some(FailureClass::Malformed), "{answer}");
        assert_eq!(report.decision, Outcome::Deny, "{answer}");
        assert!(report.context.is_empty(), "{report:?}");
    }
    let registry = support::registry();
    let config = judge("pre_compact", &server, "", "respond = 'context'");
    let errors = load(&registry, &config).unwrap_err().to_string();
    assert!(errors.contains("no context can be added here"), "{errors}");
}

const NO_PUBLISH: &str = "[[hook]]\nid = 'no-publish'\nevent = 'pre_tool_use'\nafter = 'judge'\n\
    input = { '/command' = { regex = 'publish' } }\nbuiltin = { name = 'deny', reason = 'no' }\n";

fn rewriter(server: &Server, hook: &str) -> Engine {
    engine(&(judge("pre_tool_use", server, hook, "respond = 'rewrite'") + NO_PUBLISH))
}

fn patch(fields: &Value) -> Mode {
    Mode::Keys(json!({"patch": fields.to_string()}))
}

#[tokio::test]
async fn a_rewrite_is_what_later_guards_see_and_what_runs() {
    let server = Server::start(patch(&json!({"tool_input": {"command": "npm pack"}}))).await;
    let engine = rewriter(&server, "");
    let (gate, report) = dispatch(&engine, "npm publish").await;
    let Gate::Cleared(cleared) = gate else { panic!("{report:?}") };
    assert_eq!(cleared.call().tool_input, json!({"command": "npm pack"}));
    assert_eq!(report.patched, ["tool_input"]);
    // What the guard refuses it refuses in what the judge wrote, too.
    server.then(patch(&json!({"tool_input": {"command": "npm publish"}})));
    let (gate, report) = dispatch(&engine, "npm pack").await;
    assert!(matches!(gate, Gate::Denied(_)), "{report:?}");
    assert_eq!(report.by, ["no-publish"]);
}

#[tokio::test]
async fn without_a_rewrite_the_step_is_evaluated_as_it_came() {
    let server = Server::start(Mode::Keys(json!({"patch": ""}))).await;
    let engine = rewriter(&server, "");
    let (gate, report) = dispatch(&engine, "npm pack").await;
    let Gate::Cleared(cleared) = gate else { panic!("{report:?}") };
    assert_eq!(cleared.call().tool_input, json!({"command": "npm pack"}));
    assert!(report.patched.is_empty());
    assert_eq!(dispatch(&engine, "npm publish").await.1.by, ["no-publish"]);
    let packs = patch(&json!({"tool_input": {"command": "npm pack"}}));
    // A judge that only guards, or is only tried, changes nothing.
    server.then(packs.clone());
    let (_, report) = dispatch(&rewriter(&server, "role = 'guard'"), "npm publish").await;
    assert_eq!(report.votes[0].failure, Some(FailureClass::Illegal), "{report:?}");
    assert!(report.patched.is_empty() && report.decision == Outcome::Deny, "{report:?}");
    let (_, report) = dispatch(&rewriter(&server, "mode = 'shadow'"), "npm publish").await;
    assert_eq!((report.patched.len(), report.by.as_slice()), (0, &["no-publish".into()][..]));
    // Nor does one that patches what cannot be, or something that is not a patch.
    for (mode, class) in [
        (patch(&json!({"tool_name": "Read"})), FailureClass::Illegal),
        (patch(&json!(["tool_input"])), FailureClass::Malformed),
        (Mode::Keys(json!({"patch": {"tool_input": {}}})), FailureClass::Malformed),
    ] {
        server.then(mode.clone());
        let (_, report) = dispatch(&engine, "npm pack").await;
        assert_eq!(report.votes[0].failure, Some(class), "{mode:?}");
        assert!(report.patched.is_empty() && report.decision == Outcome::Deny, "{report:?}");
    }
}

/// An answer format that an embedder adds: a number, from which it makes a verdict.
struct Score;

impl AnswerFormat for Score {
    fn properties(&self) -> Map<String, Value> {
        Map::from_iter([("score".to_owned(), json!({"type": "integer"}))])
    }

    fn instructions(&self) -> String {
        "`score`: how much is at stake, from 0 to 9; -1 if you cannot tell.\n".to_owned()
    }

    fn read(&self, answer: &Map<String, Value>) -> Reply {
        match (answer.get("score").and_then(Value::as_i64), answer.len()) {
            (Some(-1), 1) => Err(Failure::new(FailureClass::Unsure, "it cannot tell")),
            (Some(score @ 0..=9), 1) => {
                let verdict = if score > 5 { Verdict::deny("too much") } else { Verdict::none() };
                Ok(verdict.annotate("score", score))
            }
            _ => Err(Failure::new(FailureClass::Malformed, "no score")),
        }
    }
}

#[tokio::test]
async fn a_format_of_an_embedder_works_from_the_question_to_the_decision() {
    let server = Server::start(Mode::Keys(json!({"score": 9}))).await;
    let config = judge("pre_tool_use", &server, "", "respond = 'score'");
    let registry = support::registry();
    // The control: a registry that does not know it refuses the config.
    let errors = load(&registry, &config).unwrap_err().to_string();
    assert!(errors.contains("`score` is not one of"), "{errors}");
    let state = Arc::new(JudgeState::default().with_answer_format("score", Arc::new(Score)));
    registry.register(hookgate_prompt::KIND, hookgate_prompt::factory(state)).unwrap();
    let engine = load(&registry, &config).unwrap();
    let report = dispatch(&engine, "ls").await.1;
    assert_eq!(report.decision, Outcome::Deny, "{report:?}");
    assert_eq!(report.reason.as_deref(), Some("too much"));
    assert_eq!(report.annotations["score"], 9);
    let request = &server.seen()[0];
    let schema = &request["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["properties"]["score"], json!({"type": "integer"}));
    assert!(request["messages"][0]["content"].as_str().unwrap().contains("from 0 to 9"));
    // The same judge allows, cannot tell, and cannot decide with a key that its format does not have.
    for (answer, failure, decision) in [
        (json!({"score": 2}), None, Outcome::Allow),
        (json!({"score": -1}), Some(FailureClass::Unsure), Outcome::Deny),
        (json!({"score": 10}), Some(FailureClass::Malformed), Outcome::Deny),
        (json!({"decision": "allow", "reason": ""}), Some(FailureClass::Malformed), Outcome::Deny),
    ] {
        server.then(Mode::Keys(answer.clone()));
        let report = dispatch(&engine, "ls").await.1;
        assert_eq!((report.votes[0].failure, report.decision), (failure, decision), "{answer}");
    }
    // The nonce is checked for it.
    server.then(Mode::Keys(json!({"score": 2, "nonce": "0123456789abcdef"})));
    let report = dispatch(&engine, "ls").await.1;
    assert_eq!(report.votes[0].failure, Some(FailureClass::Malformed));
}

#[tokio::test]
async fn an_allow_of_a_judge_approves_only_if_it_may_and_speaks() {
    let server = Server::start(Mode::Decision("allow")).await;
    for (may, speaks) in [(true, true), (true, false), (false, true), (false, false)] {
        let hook = format!("may_allow = {may}");
        let config =
            judge("permission_request", &server, &hook, &format!("speak_allow = {speaks}"));
        let engine = engine(&config);
        let request = || PermissionRequest::new(call("ls"));
        let cleared = engine.dispatch(request(), &context()).await.cleared().unwrap();
        let approved: &[&str] = if may && speaks { &["judge"] } else { &[] };
        assert_eq!(cleared.approved_by(), approved, "may_allow {may}, speak_allow {speaks}");
        // Whatever it may, its deny counts and its doubt is not an approval.
        server.then(Mode::Decision("deny"));
        assert!(matches!(engine.dispatch(request(), &context()).await, Gate::Denied(_)));
        server.then(Mode::Decision("unsure"));
        assert!(matches!(engine.dispatch(request(), &context()).await, Gate::Denied(_)));
        server.then(Mode::Decision("allow"));
    }
    // It weakens nothing: what a guard denies stays denied.
    let both = judge("pre_tool_use", &server, "may_allow = true", "speak_allow = true");
    let engine = engine(&(both + NO_PUBLISH));
    assert_eq!(dispatch(&engine, "npm publish").await.1.by, ["no-publish"]);
    assert_eq!(dispatch(&engine, "npm pack").await.1.by, ["judge"]);
}

#[tokio::test]
async fn a_reason_that_quotes_the_rule_or_the_data_is_not_shown() {
    let command = "curl https://example.org/very/long/path?token=abcdefghijklmnop";
    let server = Server::start(Mode::ByRule).await;
    let says =
        |decision: &str, reason: &str| Mode::Keys(json!({"decision": decision, "reason": reason}));
    let plain = engine(&judge("pre_tool_use", &server, "", ""));
    let fixed = engine(&judge("pre_tool_use", &server, "", "reason = 'ask the blue team'"));
    for (decision, default) in
        [("deny", "the judge objects to this step"), ("ask", "the judge leaves this to you")]
    {
        for (secret, quoted) in [
            ("everybody else has to wait", RULE.to_owned()),
            ("everybody else has to wait", format!("My rule is: \"{}\"", &RULE[..70])),
            ("token=abcdef", format!("It runs {command} now")),
        ] {
            server.then(says(decision, &quoted));
            let report = dispatch(&plain, command).await.1;
            assert_eq!(report.reason.as_deref(), Some(default), "{quoted}");
            assert!(!format!("{report:?}").contains(secret), "{report:?}");
            let report = dispatch(&fixed, command).await.1;
            assert_eq!(report.reason.as_deref(), Some("ask the blue team"));
        }
        // The control: its own words are shown, also where they share some with either.
        let own = "the blue team deploys with curl, which others must not do";
        server.then(says(decision, own));
        assert_eq!(dispatch(&plain, command).await.1.reason.as_deref(), Some(own));
        assert_eq!(dispatch(&fixed, command).await.1.reason.as_deref(), Some("ask the blue team"));
    }
}

/// The question that a judge with the default `show` puts about a step.
async fn question(server: &Server, event: Event, envelope: Map<String, Value>) -> String {
    let engine = engine(&judge(event.name(), server, "", ""));
    let mut incoming = Incoming::from_object(envelope).unwrap();
    let report = engine.evaluate(&mut incoming).await;
    assert_eq!(report.votes[0].failure, None, "{report:?}");
    server::user(server.seen().last().unwrap()).to_owned()
}

#[tokio::test]
async fn what_a_deny_would_stop_or_withhold_is_shown() {
    let server = Server::start(Mode::Decision("allow")).await;
    // For each event at which something can be denied: what would not happen or be seen.
    let withheld = |event: Event| -> &'static [&'static str] {
        match event {
            Event::RunStarted => &["prompt"],
            Event::RunCompleted => &["result_text"],
            Event::UserPromptSubmit => &["prompt", "attachments"],
            Event::PreLlmRequest => &["model", "messages", "provider_params"],
            Event::PostLlmResponse => &["assistant_text", "tool_call_names"],
            Event::PreToolUse | Event::PermissionRequest => &["tool_name", "tool_input"],
            Event::PostToolUse => &["tool_name", "tool_input", "tool_response", "content_blocks"],
            Event::PostToolUseFailure => &["tool_name", "tool_input", "error"],
            Event::TurnBoundary => &["reason"],
            Event::Stop => &["stop_reason", "last_assistant_message"],
            Event::SubagentStop => &["last_assistant_message"],
            Event::PreCompact => &["trigger", "custom_instructions"],
            Event::ConfigChange => &["source", "file_path"],
            Event::WorktreeCreate => &["path", "branch"],
            _ => &[],
        }
    };
    for fields in envelopes::event_fields() {
        let event = fields.event;
        if !event.contract().allows(hookgate::contract::VerdictDecision::Deny) {
            assert!(withheld(event).is_empty(), "{event}");
            continue;
        }
        assert!(!withheld(event).is_empty(), "say what a deny at {event} withholds");
        let whole = fields.whole();
        let request = question(&server, event, whole.clone()).await;
        for field in withheld(event) {
            let shown = format!("\"{field}\":{}", whole[*field]);
            assert!(request.contains(&shown), "{event}: {shown} {request}");
        }
        // A field that a step may lack is not a failure if the step lacks it.
        question(&server, event, fields.least()).await;
    }
}

#[tokio::test]
async fn every_field_of_an_event_can_be_shown_and_no_other() {
    let server = Server::start(Mode::Decision("allow")).await;
    let registry = support::registry();
    for fields in envelopes::event_fields() {
        let event = fields.event;
        if !event.contract().allows(hookgate::contract::VerdictDecision::Deny) {
            continue;
        }
        let fields = fields.required.iter().chain(&fields.optional);
        for (field, _) in fields {
            let show = format!("show = ['/{field}?', '/session_id']");
            if let Err(errors) = load(&registry, &judge(event.name(), &server, "", &show)) {
                panic!("{event} {field}: {errors}");
            }
            let wrong = format!("show = ['/{field}x']");
            let errors = load(&registry, &judge(event.name(), &server, "", &wrong)).unwrap_err();
            assert!(errors.to_string().contains("did you mean"), "{event} {field}: {errors}");
        }
    }
}

/// A pointer leads nowhere at a step: the agent may have arranged that.
#[tokio::test]
async fn a_judge_that_would_not_see_what_show_names_fails() {
    let server = Server::start(Mode::Decision("allow")).await;
    let allow = "on_failure = 'allow'";
    let show = "show = ['/tool_name', '/tool_input/command']";
    let strict = engine(&judge("pre_tool_use", &server, allow, show));
    let loose =
        engine(&judge("pre_tool_use", &server, allow, &show.replace("command", "command?")));
    for (input, fine) in [
        (json!({"command": "ls"}), true),
        (json!({"cmd": "rm -rf /"}), false),
        (json!("rm -rf /"), false),
        (json!([{"command": "rm -rf /"}]), false),
    ] {
        let envelope = json!({
            "hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": input,
        });
        let step = || Incoming::from_object(envelope.as_object().unwrap().clone()).unwrap();
        let report = strict.evaluate(&mut step()).await;
        let failure = (!fine).then_some(FailureClass::Oversize);
        let outcome = if fine { Outcome::Allow } else { Outcome::Deny };
        assert_eq!((report.votes[0].failure, report.decision), (failure, outcome), "{report:?}");
        let report = loose.evaluate(&mut step()).await;
        assert_eq!((report.votes[0].failure, report.decision), (None, Outcome::Allow));
    }
    assert_eq!(server.calls(), 1 + 4);
}

#[tokio::test]
async fn an_allow_that_is_spoken_says_why() {
    let server = Server::start(Mode::Decision("allow")).await;
    let spoken = engine(&judge("pre_tool_use", &server, "", "speak_allow = true"));
    let report = dispatch(&spoken, "ls").await.1;
    assert_eq!((report.decision, report.by.len()), (Outcome::Allow, 1));
    assert_eq!(report.reason.as_deref(), Some("by the rule: allow"));
    // It quotes no more than a deny may.
    server.then(Mode::Keys(json!({"decision": "allow", "reason": RULE})));
    let report = dispatch(&spoken, "pwd").await.1;
    assert_eq!((report.decision, report.reason), (Outcome::Allow, None));
}
