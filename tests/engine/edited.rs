//! Promise: a step that the user approves with other arguments is judged again as it will run; what he has been asked
//! counts as answered, and nothing else does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookgate::approval::EditProblem;
use hookgate::{
    Asked, Engine, Gate, Hook, HookEngine as _, Noop, Outcome, StepContext, ToolUse, Verdict,
};
use serde_json::{Map, Value, json};

use crate::support::{bash, command, context, engine, sync};

fn edit(command: &str) -> Map<String, Value> {
    fields(&json!({"tool_input": {"command": command}}))
}

fn fields(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn asks(id: &str) -> Hook {
    sync(id, |_| Ok(Verdict::ask("sure?")))
}

/// A guard that denies a command that has a word.
fn denies(id: &str, word: &'static str) -> Hook {
    sync(id, move |call| match command(call).contains(word) {
        true => Ok(Verdict::deny(format!("no {word}"))),
        false => Ok(Verdict::none()),
    })
}

async fn ask(engine: &Engine, context: &StepContext<'_>) -> Asked<ToolUse> {
    let Gate::Asked(asked) = engine.dispatch(bash("make"), context).await else { panic!() };
    asked
}

#[tokio::test]
async fn what_runs_is_what_the_user_made_of_it_and_every_guard_has_seen_that() {
    let engine = engine([asks("ask"), denies("no-force", "--force")]);
    let asked = ask(&engine, &context()).await;
    let gate = asked.approve_with(edit("make -n"), &engine, &context()).await.unwrap();
    assert_eq!(gate.decision().unwrap().by, ["the user"]);
    assert_eq!(gate.cleared().unwrap().call().tool_input["command"], "make -n");

    let asked = ask(&engine, &context()).await;
    let gate = asked.approve_with(edit("make --force"), &engine, &context()).await.unwrap();
    assert_eq!(
        (gate.outcome(), &*gate.decision().unwrap().by),
        (Outcome::Deny, &["no-force".into()][..])
    );
}

#[tokio::test]
async fn a_hook_that_has_not_asked_before_is_a_new_question() {
    let second = sync("second", |call| match command(call).contains("prod") {
        true => Ok(Verdict::ask("really prod?")),
        false => Ok(Verdict::none()),
    });
    let engine = engine([asks("first"), second]);
    let asked = ask(&engine, &context()).await;
    let gate = asked.approve_with(edit("make prod"), &engine, &context()).await.unwrap();
    let Gate::Asked(again) = gate else { panic!("{gate:?}") };
    assert_eq!(again.decision().by, ["first", "second"]);
    let gate = again.approve(&engine, &context()).await;
    assert_eq!(gate.cleared().unwrap().call().tool_input["command"], "make prod");
}

#[tokio::test]
async fn the_step_keeps_its_id_so_what_counts_steps_counts_it_once() {
    let ids = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&ids);
    let hook = sync("ask", move |call| {
        seen.lock().unwrap().push(call.envelope.step_id().to_owned());
        Ok(Verdict::ask("sure?"))
    });
    let engine = engine([hook]);
    let asked = ask(&engine, &context()).await;
    assert!(asked.approve_with(edit("ls"), &engine, &context()).await.unwrap().is_cleared());
    let ids = ids.lock().unwrap();
    assert!(ids.len() == 2 && ids[0] == ids[1], "{ids:?}");
}

#[tokio::test]
async fn an_edit_that_the_contract_refuses_leaves_the_question_open() {
    let calls = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&calls);
    let hook = sync("ask", move |_| {
        seen.fetch_add(1, Ordering::Relaxed);
        Ok(Verdict::ask("sure?"))
    });
    let engine = engine([hook]);
    let mut asked = ask(&engine, &context()).await;
    for (bad, told) in [
        (
            json!({"tool_name": "Read"}),
            "`tool_name` cannot be changed at `pre_tool_use`: tool_input can",
        ),
        (json!({"tool_input": null}), "`tool_input` must be a value other than null"),
        (json!({"tool_input": {"n": 9_007_199_254_740_993_u64}}), "`tool_input` cannot be used: "),
    ] {
        let error = asked.approve_with(fields(&bad), &engine, &context()).await.unwrap_err();
        assert!(error.to_string().starts_with(told), "{error}");
        assert!(!matches!(error.problem(), EditProblem::Untaken(_)));
        asked = error.into_asked();
    }
    assert_eq!(calls.load(Ordering::Relaxed), 1, "no hook was asked");
    let cleared = asked.approve(&engine, &context()).await.cleared().unwrap();
    assert_eq!(cleared.call().tool_input["command"], "make", "as it was");
}

#[tokio::test]
async fn an_engine_without_hooks_cannot_clear_it_with_an_edit() {
    let engine = engine([asks("ask")]);
    let asked = ask(&engine, &context()).await;
    let gate = asked.approve_with(edit("ls"), &Noop, &context()).await.unwrap();
    assert_eq!(gate.outcome(), Outcome::Deny);
}

#[tokio::test]
async fn another_engine_or_other_hooks_ask_anew() {
    let (first, other) = (engine([asks("ask")]), engine([asks("ask")]));
    let asked = ask(&first, &context()).await;
    let gate = asked.approve_with(edit("ls"), &other, &context()).await.unwrap();
    assert_eq!(gate.outcome(), Outcome::Ask);

    let asked = ask(&first, &context()).await;
    first
        .edit(|table| {
            table.insert(denies("no-force", "--force"));
        })
        .unwrap();
    let gate = asked.approve_with(edit("ls"), &first, &context()).await.unwrap();
    let Gate::Asked(again) = gate else { panic!("{gate:?}") };
    assert!(again.approve(&first, &context()).await.is_cleared());

    let asked = ask(&first, &context()).await;
    let gate = asked.approve_with(edit("ls"), &first, &StepContext::new("other")).await.unwrap();
    assert_eq!(gate.outcome(), Outcome::Ask);
}

#[tokio::test]
async fn what_a_rewriter_makes_of_the_edit_is_a_new_question() {
    let wet = sync("wet", |call| match command(call).as_str() {
        "make -n" => Ok(Verdict::none().patch("tool_input", json!({"command": "make install"}))),
        _ => Ok(Verdict::none()),
    });
    let engine = engine([wet.role(hookgate::Role::Rewrite), asks("ask")]);
    let asked = ask(&engine, &context()).await;
    let gate = asked.approve_with(edit("make -n"), &engine, &context()).await.unwrap();
    let Gate::Asked(again) = gate else { panic!("nobody has agreed to this: {gate:?}") };
    assert_eq!(again.payload().tool_input["command"], "make install");
    // The control: what is left as the user has made it is his.
    let asked = ask(&engine, &context()).await;
    let gate = asked.approve_with(edit("ls"), &engine, &context()).await.unwrap();
    assert_eq!(gate.cleared().unwrap().call().tool_input["command"], "ls");
}

#[tokio::test]
async fn a_hook_that_was_changed_while_the_recorder_had_no_room_asks_anew() {
    let (channel, mut records) = hookgate::recorder::Channel::waiting(1);
    let engine = engine([asks("ask")]).with_recorder(channel);
    // Its record takes the room.
    let asked = ask(&engine, &context()).await;
    let context = context();
    let approve = asked.approve_with(edit("ls"), &engine, &context);
    let change = async {
        tokio::task::yield_now().await;
        engine
            .edit(|table| {
                table.remove("ask");
                table.insert(sync("ask", |_| Ok(Verdict::ask("what others ask"))));
            })
            .unwrap();
        for _ in 0..2 {
            drop(records.next().await);
        }
    };
    let (gate, ()) = tokio::join!(approve, change);
    let Gate::Asked(again) = gate.unwrap() else { panic!("the changed hook was not answered") };
    assert_eq!(again.question(), "what others ask");
}

#[tokio::test]
async fn a_guard_that_cannot_judge_the_edit_is_a_new_question() {
    let flaky = sync("flaky", |call| match command(call).as_str() {
        "make" => Ok(Verdict::ask("sure?")),
        _ => Err(hookgate::Failure::new(hookgate::FailureClass::Unclear, "what is this?")),
    });
    let engine = engine([flaky.on_failure(hookgate::Posture::Ask)]);
    let asked = ask(&engine, &context()).await;
    let gate = asked.approve_with(edit("ls"), &engine, &context()).await.unwrap();
    let Gate::Asked(again) = gate else { panic!("nobody has judged it: {gate:?}") };
    assert!(again.question().contains("what is this?"), "{}", again.question());
    assert!(again.approve(&engine, &context()).await.is_cleared());
}
