//! Promise: context that the host does not show to the model is named, in decision and record, and never lost silently.

use hookgate::{
    Event, HandlerTable, Hook, HookEngine as _, HookSpec, Outcome, Report, StepContext, Verdict,
};

use crate::support::{bash, engine, sync};

fn hooks() -> [Hook; 3] {
    [
        sync("branch", |_| Ok(Verdict::none().context("on main"))),
        sync("quiet", |_| Ok(Verdict::none().message("for the user"))),
        sync("clock", |_| Ok(Verdict::allow().context("it is noon"))),
    ]
}

#[tokio::test]
async fn the_hooks_whose_context_is_not_shown_are_named() {
    let engine = engine(hooks());
    let blind = StepContext::new("s").no_context();
    let (gate, report) = engine.dispatch_reported(bash("ls"), &blind).await;
    let decision = gate.decision().unwrap();
    assert_eq!(decision.undelivered, ["branch", "clock"]);
    assert_eq!(report.undelivered, decision.undelivered);
    assert_eq!(report.context, ["on main", "it is noon"], "the record has the texts");
    let line = serde_json::to_string(&report).unwrap();
    assert!(line.contains(r#""undelivered":["branch","clock"]"#), "{line}");
    assert_eq!(Report::from_json(line.as_bytes()).unwrap(), report);

    // The control: a host that shows context.
    let (_, report) = engine.dispatch_reported(bash("ls"), &StepContext::new("s")).await;
    assert!(report.undelivered.is_empty() && report.context.len() == 2);
    assert!(!serde_json::to_string(&report).unwrap().contains("undelivered"));
}

#[tokio::test]
async fn the_context_of_a_step_that_is_refused_can_go_with_the_reason() {
    let deny = sync("deny", |_| Ok(Verdict::deny("no")));
    let engine = engine(hooks().into_iter().chain([deny]));
    let blind = StepContext::new("s").no_context();
    let gate = engine.dispatch(bash("ls"), &blind).await;
    assert_eq!(gate.outcome(), Outcome::Deny);
    assert!(gate.decision().unwrap().undelivered.is_empty());
}

#[test]
fn a_host_is_warned_when_a_table_is_loaded() {
    let greet =
        Hook::sync("greet", |_| Ok(Verdict::none().context("hello"))).event(Event::SessionStart);
    let [branch, ..] = hooks();
    let table = HandlerTable::builder().insert(greet).insert(branch).build().unwrap();
    let ids = |event| table.undelivered_at(event).map(HookSpec::id).cloned().collect::<Vec<_>>();
    assert_eq!(ids(Event::SessionStart), ["greet"]);
    assert!(ids(Event::PreToolUse).is_empty(), "a guard that may give context is not told");
    assert!(ids(Event::Stop).is_empty());
}
