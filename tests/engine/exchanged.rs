//! Promise: a hook that an edit puts in the place of another one is called for the tools that it names now, and all
//! others for those that they have named.

use hookgate::contract::payload::Payload;
use hookgate::matcher::Test;
use hookgate::{
    Contract, Engine, EventKind, Gate, HandlerTable, Hook, HookEngine as _, Mode, Outcome, Role,
    ToolUse, Verdict,
};

use crate::support::{Log, bash, context, engine, sync, waiting};

const TOOLS: [&str; 4] = ["Bash", "Read", "mcp__a_x", "Other"];

/// A hook that writes down its id when it is called.
fn hook(id: &'static str, log: &Log) -> Hook {
    let log = log.clone();
    sync(id, move |_| {
        log.push(id);
        Ok(Verdict::none())
    })
}

#[tokio::test]
async fn an_edit_of_a_tool_pattern_is_in_force_with_the_next_step() {
    let log = Log::default();
    let engine = engine([
        hook("all", &log),
        hook("edited", &log).tool("Bash"),
        hook("kept", &log).tool("Read"),
    ]);
    let called = async || {
        let mut called = Vec::new();
        for tool in TOOLS {
            let step = ToolUse::propose(tool, "{}").unwrap();
            assert!(matches!(engine.dispatch(step, &context()).await, Gate::Cleared(_)));
            called.extend(log.take().contains(&"edited".to_owned()).then_some(tool));
        }
        called
    };
    assert_eq!(called().await, ["Bash"]);
    let edited = || hook("edited", &log);
    for (to, tools) in [
        (edited().tool("Read"), &["Read"][..]),
        (edited().tool("Read").mode(Mode::Shadow), &["Read"]),
        (edited().tool("mcp__*"), &["mcp__a_x"]),
        (edited(), &TOOLS),
        (edited().tool("Bash").tool("Other"), &["Bash", "Other"]),
    ] {
        engine.edit(|table| _ = table.replace(to.clone())).unwrap();
        assert_eq!(called().await, tools);
    }
}

/// A hook that writes down when it begins and ends, and waits between.
fn slow(id: &'static str, log: &Log) -> Hook {
    let log = log.clone();
    waiting(id, move |_| {
        let log = log.clone();
        Box::pin(async move {
            log.push(format!("{id} begins"));
            for _ in 0..5 {
                tokio::task::yield_now().await;
            }
            log.push(format!("{id} ends"));
            Ok(Verdict::none())
        })
    })
}

#[tokio::test]
async fn an_edited_hook_waits_for_those_before_it_as_one_that_was_there_from_the_beginning() {
    type Change = fn(Hook) -> Hook;
    let later: Change = |hook| hook.timeout(std::time::Duration::from_secs(7));
    let rewrites: Change = |hook| hook.role(Role::Rewrite);
    let guards: Change = |hook| hook.role(Role::Guard);
    let after: Change = |hook| hook.after("a");
    let shadow: Change = |hook| hook.mode(Mode::Shadow);
    let (together, apart) = (&["a begins", "b begins"], &["a begins", "a ends"]);
    for (of_a, of_b, change, at_first, edited) in [
        (guards, guards, later, together, together),
        (guards, guards, shadow, together, together),
        (guards, guards, rewrites, together, apart),
        (guards, rewrites, guards, apart, together),
        (rewrites, guards, later, apart, apart),
        (guards, after, later, apart, apart),
        (rewrites, rewrites, guards, apart, apart),
    ] {
        let log = Log::default();
        let engine = engine([of_a(slow("a", &log)), of_b(slow("b", &log))]);
        let first_two = async || {
            assert!(engine.dispatch(bash("ls"), &context()).await.is_cleared());
            log.take().into_iter().take(2).collect::<Vec<_>>()
        };
        assert_eq!(first_two().await, at_first);
        engine.edit(|table| _ = table.replace(change(of_b(slow("b", &log))))).unwrap();
        assert_eq!(first_two().await, edited);
    }
}

#[tokio::test]
async fn an_edited_hook_is_called_where_its_order_wants_it() {
    let log = Log::default();
    let order = async |edited: Hook| {
        let engine = engine([hook("a", &log), hook("b", &log)]);
        let called = async || {
            let _ = engine.dispatch(bash("x"), &context()).await;
            engine.drain(std::time::Duration::MAX).await;
            log.take().join(" ")
        };
        assert_eq!(called().await, "a b");
        let edited = edited.build();
        let first = hook(if *edited.id() == *"a" { "a" } else { "b" }, &log);
        engine.edit(|table| _ = table.replace(edited.clone())).unwrap();
        let order = called().await;
        engine.edit(|table| _ = table.replace(first.clone())).unwrap();
        assert_eq!(called().await, "a b");
        order
    };
    let (a, b) = (|| hook("a", &log), || hook("b", &log));
    assert_eq!(order(a().after("b")).await, "b a");
    assert_eq!(order(b().before("a")).await, "b a");
    assert_eq!(order(b().priority(50)).await, "b a");
    assert_eq!(order(a().mode(Mode::Off)).await, "b");
    assert_eq!(order(a().role(Role::Observe).background(true)).await, "b a");
}

/// What runs in the background has its place among the others, too.
#[tokio::test]
async fn an_observer_that_an_edit_moves_to_the_background_is_not_waited_for() {
    let log = Log::default();
    let observer = |background: bool| {
        let hook = slow("a", &log).role(Role::Observe);
        hook.background(background)
    };
    let engine = engine([observer(false), hook("b", &log)]);
    for background in [true, false, true] {
        engine.edit(|table| _ = table.replace(observer(background))).unwrap();
        let gate = engine.dispatch(bash("x"), &context()).await;
        assert!(gate.is_cleared());
        assert_eq!(log.take().contains(&"a ends".to_owned()), !background, "{background}");
        engine.drain(std::time::Duration::MAX).await;
        log.take();
    }
}

#[test]
fn what_is_wrong_with_an_edited_hook_is_an_error() {
    let log = Log::default();
    let engine = engine([hook("a", &log), hook("b", &log)]);
    // Only an observer sees the decision.
    let wrong = hook("b", &log).payload("/decision/outcome", Test::equals("deny"));
    let edited = engine.edit(|table| _ = table.replace(wrong.clone()));
    assert!(edited.unwrap_err().to_string().contains("role = \"observe\""));
    assert_eq!(engine.table().generation().get(), 1);
}

#[test]
fn a_table_that_takes_events_of_unknown_contracts_does_so_after_an_edit() {
    let at = |id: &str, event: &str| Hook::sync(id, |_| Ok(Verdict::none())).custom_event(event);
    let mut table = HandlerTable::builder();
    table.allow_unknown_contracts().insert(at("a", "x.one"));
    let engine = Engine::new(table.build().unwrap());
    engine.edit(|table| _ = table.insert(at("b", "x.two"))).unwrap();
    engine.edit(|table| _ = table.insert(at("c", "x.three"))).unwrap();
}

static STRICT: Contract = Contract::custom("x.deploy", EventKind::Gate);
static ASKING: Contract = Contract::custom("x.deploy", EventKind::Gate).may_ask();

#[derive(Debug, Clone, serde::Serialize)]
struct Deploy {}

impl Payload for Deploy {
    fn contract(&self) -> &'static Contract {
        &ASKING
    }
}

hookgate::hook_step!(Deploy: &ASKING => Cleared, Denied, Asked);

#[tokio::test]
async fn an_edit_of_a_contract_is_in_force_with_the_next_step() {
    let asks = Hook::sync("h", |_| Ok(Verdict::ask("sure?"))).custom_event("x.deploy");
    let mut table = HandlerTable::builder();
    table.contract(&STRICT).insert(asks);
    let engine = Engine::new(table.build().unwrap());
    let outcome = async || engine.dispatch(Deploy {}, &context()).await.outcome();
    assert_eq!(outcome().await, Outcome::Deny, "of another contract");
    engine.edit(|table| _ = table.contract(&ASKING)).unwrap();
    assert_eq!(outcome().await, Outcome::Ask);
}
