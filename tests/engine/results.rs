//! Promise: a tool gets the arguments that were evaluated, and its result is seen by the hooks of its tool.

use hookgate::{Event, Gate, Hook, HookEngine as _, Role, ToolUse, Verdict};
use serde_json::json;

use crate::support::{Log, context, engine, sync};

/// An engine whose hooks write down which of them have seen a result.
fn engine_of_results(log: &Log) -> hookgate::Engine {
    let sees = |id: &'static str, tool: &str| {
        let log = log.clone();
        let hook = Hook::sync(id, move |_| {
            log.push(id);
            Ok(Verdict::none())
        });
        hook.events([Event::PostToolUse, Event::PostToolUseFailure]).tool(tool)
    };
    let changes = |_: hookgate::Invocation<'_>| {
        Ok(Verdict::none().patch("tool_input", json!({"command": "ls -l"})))
    };
    let changes = sync("changes", changes).tool("Bash").role(Role::Rewrite);
    engine([changes, sees("of-bash", "Bash"), sees("of-others", "Read|Write"), sees("of-all", "*")])
}

#[tokio::test]
async fn the_arguments_are_those_that_were_evaluated_and_the_result_goes_to_the_hooks_of_the_tool()
{
    for (tool, input, seen) in [
        ("Bash", json!({"command": "ls -l"}), ["of-bash", "of-all"]),
        ("Read", json!({"command": "ls"}), ["of-others", "of-all"]),
    ] {
        for fails in [false, true] {
            let log = Log::default();
            let engine = engine_of_results(&log);
            let step = ToolUse::propose(tool, r#"{"command":"ls"}"#).unwrap();
            let Gate::Cleared(cleared) = engine.dispatch(step, &context()).await else { panic!() };
            let running = cleared.start();
            assert_eq!((running.input(), &running.call().tool_input), (&input, &input));
            let result = if fails { Err("no such file") } else { Ok("a file") };
            let ran = running.finish(result);
            let Gate::Cleared(done) = engine.dispatch(ran, &context()).await else { panic!() };
            assert_eq!(done.is_error(), fails);
            assert_eq!(log.take(), seen, "{tool}");
        }
    }
}

#[tokio::test]
async fn a_result_says_whether_a_hook_has_supplied_it_and_what_hooks_decided_before_and_after() {
    let answers = |_: hookgate::Invocation<'_>| {
        Ok(Verdict::none().answer("from the cache", false).context("before"))
    };
    let answers = sync("answers", answers).tool("Read").role(Role::Rewrite);
    let adds = Hook::sync("adds", |_| Ok(Verdict::none().context("after")));
    let engine = engine([answers, adds.event(Event::PostToolUse).tool("Read")]);
    let read = || ToolUse::propose("Read", "{}").unwrap();

    let gate = engine.dispatch(read(), &context()).await;
    assert_eq!(gate.decision().unwrap().by, ["answers"]);
    let Gate::Answered(ran) = gate else { panic!() };
    assert!(ran.is_supplied());
    let gate = engine.dispatch(ran, &context()).await;
    assert_eq!(gate.decision().unwrap().context, ["after"]);
    let Gate::Cleared(done) = gate else { panic!() };
    assert_eq!(done.decision().unwrap().context, ["after"]);
    assert_eq!(done.context().collect::<Vec<_>>(), ["before", "after"]);

    // The control: a tool that ran, and about which no hook has said anything.
    let bash = ToolUse::propose("Bash", "{}").unwrap();
    let Gate::Cleared(cleared) = engine.dispatch(bash, &context()).await else { panic!() };
    let ran = cleared.start().finish(Ok::<_, String>("done"));
    assert!(!ran.is_supplied());
    let gate = engine.dispatch(ran, &context()).await;
    assert!(gate.decision().is_none());
    let Gate::Cleared(done) = gate else { panic!() };
    assert!(done.decision().is_none());
}

#[derive(serde::Deserialize)]
struct Listing {
    command: String,
}

#[derive(serde::Serialize)]
struct Listed {
    files: u8,
}

#[tokio::test]
async fn a_tool_with_types_of_its_own_gets_the_arguments_that_were_evaluated() {
    let log = Log::default();
    let engine = engine_of_results(&log);
    let cleared = async |input: &str| {
        let step = ToolUse::propose("Read", input).unwrap();
        let Gate::Cleared(cleared) = engine.dispatch(step, &context()).await else { panic!() };
        cleared
    };
    let done = async |ran: ToolUse<hookgate::step::Ran>| {
        let Gate::Cleared(done) = engine.dispatch(ran, &context()).await else { panic!() };
        (done.is_error(), done.into_message())
    };
    let ls = r#"{"command":"ls"}"#;
    let list = async |listing: Listing| match listing.command.as_str() {
        "ls" => Ok(Listed { files: 2 }),
        other => Err(format!("no {other}")),
    };
    let ran = cleared(ls).await.run_typed(list).await;
    assert_eq!(done(ran).await, (false, r#"{"files":2}"#.to_owned()));
    let ran = cleared(r#"{"command":"rm"}"#).await.run_typed(list).await;
    let (is_error, text) = done(ran).await;
    assert!(is_error && text.contains("no rm"), "{text}");
    // What does not fit is a failed tool: it is not run, and its hooks see that.
    let never = async |_: Listing| -> Result<Listed, String> { panic!("it was run") };
    let ran = cleared(r#"{"command":7}"#).await.run_typed(never).await;
    let (is_error, text) = done(ran).await;
    assert!(is_error && text.contains("the arguments do not fit the tool"), "{text}");
    // JSON has no map with such keys.
    let odd = async |_: Listing| Ok::<_, String>(std::collections::HashMap::from([((1, 2), 3)]));
    let ran = cleared(ls).await.run_typed(odd).await;
    let (is_error, text) = done(ran).await;
    assert!(is_error && text.contains("its result cannot be written"), "{text}");
    assert_eq!(log.take().len(), 8, "the hooks of the tool have seen each");
}
