//! Promise: a step is of one event, one tool and one type, whatever it says of itself and whatever a patch makes of it:
//! the hooks that have evaluated it are those of that event and tool.

use std::convert::Infallible;

use hookgate::contract::json::JsonType;
use hookgate::contract::payload::{Payload, ToolCall};
use hookgate::contract::{Contract, PatchField};
use hookgate::envelope::Unregistered;
use hookgate::{
    Cleared, Denied, Engine, EventKind, HandlerTable, Hook, HookEngine, HookStep, Outcome, Verdict,
    hook_step,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::own_steps::{DEPLOY, RELEASE, TARGET, no_prod, reason, set, table};
use crate::support::context;

const FIELDS: &[PatchField] =
    &[PatchField::new("tool_name", JsonType::Text), PatchField::new("command", JsonType::Text)];
static RUN: Contract = Contract::custom("x.run", EventKind::Gate).about_tool().takes_patch(FIELDS);
static PLAN: Contract = Contract::custom("x.plan", EventKind::Gate).takes_patch(TARGET);
static SHIP: Contract = Contract::custom("x.ship", EventKind::Gate).takes_patch(TARGET);

fn denies(event: &str) -> Hook {
    Hook::sync("denies", |_| Ok(Verdict::deny("no"))).custom_event(event)
}

fn engine(hooks: impl IntoIterator<Item = Hook>) -> Engine {
    let mut table = HandlerTable::builder();
    table.contract(&RUN).contract(&PLAN).contract(&SHIP);
    for hook in hooks {
        table.insert(hook);
    }
    Engine::new(table.build().unwrap())
}

/// A tool whose name a patch may set.
#[derive(Debug, Clone, Serialize)]
struct Run {
    #[serde(flatten)]
    call: ToolCall,
    command: String,
}

impl Payload for Run {
    fn contract(&self) -> &'static Contract {
        &RUN
    }

    fn tool(&self) -> Option<&ToolCall> {
        Some(&self.call)
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        let Value::String(text) = value else { return None };
        match name {
            "tool_name" => self.call.tool_name = text,
            _ => self.command = text,
        }
        Some("command")
    }
}

hook_step!(Run: &RUN => Cleared, Denied);

/// A step of one event before its target is set, and of another one after.
#[derive(Debug, Clone, Serialize)]
struct Moving {
    target: String,
}

impl Payload for Moving {
    fn contract(&self) -> &'static Contract {
        if self.target == "prod" { &SHIP } else { &PLAN }
    }

    fn set(&mut self, _: &str, value: Value) -> Option<&'static str> {
        self.target = value.as_str()?.to_owned();
        Some("target")
    }
}

impl HookStep for Moving {
    const CONTRACT: &'static Contract = &PLAN;
    const SECOND_CONTRACT: Option<&'static Contract> = Some(&SHIP);
    type Payload = Self;
    type Cleared = Cleared<Self>;
    type Denied = Denied<Self>;
    type Asked = Infallible;
    type Answered = Infallible;
    type Halted = Infallible;

    fn payload(&self) -> &Self {
        self
    }

    fn payload_mut(&mut self) -> &mut Self {
        self
    }
}

#[tokio::test]
async fn a_patch_makes_no_step_of_another_tool() {
    let run = || Run { call: ToolCall::new("Bash", Value::Null), command: "ls".to_owned() };
    let guard = || denies("x.run").tool("Deploy");
    let moved = engine([guard(), set("x.run", "tool_name", json!("Deploy"))]);
    let text = reason(moved.dispatch(run(), &context()).await);
    assert!(text.contains("`set`") && text.contains("another"), "{text}");
    // The control: a patch of another field, and the tool itself.
    let other = engine([guard(), set("x.run", "command", json!("pwd"))]);
    let cleared = other.dispatch(run(), &context()).await.cleared().unwrap();
    assert_eq!(cleared.payload().command, "pwd");
    let deploy = Run { call: ToolCall::new("Deploy", Value::Null), ..run() };
    assert_eq!(reason(other.dispatch(deploy, &context()).await), "denied by denies: no");
}

#[tokio::test]
async fn a_patch_makes_no_step_of_another_event() {
    let deploy = |target: &str| Moving { target: target.to_owned() };
    let moved = engine([denies("x.ship"), set("x.plan", "target", json!("prod"))]);
    let text = reason(moved.dispatch(deploy("dev"), &context()).await);
    assert!(text.contains("`set`") && text.contains("another"), "{text}");
    let other = engine([denies("x.ship"), set("x.plan", "target", json!("test"))]);
    assert!(other.dispatch(deploy("dev"), &context()).await.is_cleared());
    assert_eq!(reason(other.dispatch(deploy("prod"), &context()).await), "denied by denies: no");
}

/// A step that says of itself what a test wants.
#[derive(Debug, Clone, Serialize)]
struct Odd<const CASE: u8> {
    target: &'static str,
}

static OTHER_RULES: Contract = Contract::custom("x.deploy", EventKind::Gate).may_halt();
static SAME_RULES: Contract = Contract::custom("x.deploy", EventKind::Gate).takes_patch(TARGET);

impl<const CASE: u8> Payload for Odd<CASE> {
    fn contract(&self) -> &'static Contract {
        match CASE {
            1 => &RELEASE,
            2 => hookgate::Event::Stop.contract(),
            3 => &OTHER_RULES,
            4 => &SAME_RULES,
            _ => &DEPLOY,
        }
    }
}

impl<const CASE: u8> HookStep for Odd<CASE> {
    const CONTRACT: &'static Contract = &DEPLOY;
    type Payload = Self;
    type Cleared = Cleared<Self>;
    type Denied = Denied<Self>;
    type Asked = Infallible;
    type Answered = Infallible;
    type Halted = Infallible;

    fn payload(&self) -> &Self {
        self
    }

    fn payload_mut(&mut self) -> &mut Self {
        self
    }
}

async fn denied_everywhere<const CASE: u8>(words: [&str; 2]) {
    let odd = || Odd::<CASE> { target: "dev" };
    let unarmed = Engine::without_hooks();
    let armed = table(|table| {
        table.contract(&DEPLOY).contract(&RELEASE).insert(no_prod("x.deploy"));
    });
    for engine in [&unarmed, &armed] {
        assert!(engine.pass(odd()).is_err());
        let text = reason(engine.dispatch(odd(), &context()).await);
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
        let (gate, report) = engine.dispatch_reported(odd(), &context()).await;
        assert_eq!((reason(gate), report.decision), (text.clone(), Outcome::Deny));
        let shared: &dyn hookgate::engine::DynHookEngine = engine;
        assert!(shared.pass(odd()).is_err());
        assert_eq!(reason(shared.dispatch(odd(), &context()).await), text);
    }
}

async fn cleared_everywhere<const CASE: u8>() {
    let odd = || Odd::<CASE> { target: "dev" };
    let engine = Engine::without_hooks();
    let shared: &dyn hookgate::engine::DynHookEngine = &engine;
    assert!(engine.pass(odd()).is_ok() && shared.pass(odd()).is_ok());
    assert!(engine.dispatch(odd(), &context()).await.is_cleared());
}

#[tokio::test]
async fn a_step_that_names_two_events_is_denied() {
    denied_everywhere::<1>(["`x.deploy`", "`x.release`"]).await;
    denied_everywhere::<2>(["`x.deploy`", "`stop`"]).await;
    denied_everywhere::<3>(["`x.deploy`", "different rules"]).await;
    // The controls: the same step that names one, and one that names a copy of it.
    cleared_everywhere::<0>().await;
    cleared_everywhere::<4>().await;
}

/// A step that shows handlers a value of another event.
#[derive(Debug, Clone, Serialize)]
struct Posing {
    target: &'static str,
    #[serde(skip)]
    shown: Unregistered,
}

impl Payload for Posing {
    fn contract(&self) -> &'static Contract {
        &DEPLOY
    }

    fn typed(&self) -> &dyn std::any::Any {
        &self.shown
    }
}

hook_step!(Posing: &DEPLOY => Cleared, Denied);

/// A step that hands on to a payload of the engine what it can.
#[derive(Debug, Clone, Serialize)]
struct Wrapping {
    target: String,
    #[serde(skip)]
    inner: ToolCall,
}

impl Payload for Wrapping {
    fn contract(&self) -> &'static Contract {
        &DEPLOY
    }

    fn engine_type(&self) -> Option<std::any::TypeId> {
        self.inner.engine_type()
    }

    fn set(&mut self, _: &str, value: Value) -> Option<&'static str> {
        self.target = value.as_str().unwrap_or_default().to_owned();
        None
    }
}

hook_step!(Wrapping: &DEPLOY => Cleared, Denied);

#[tokio::test]
async fn a_step_around_a_payload_of_the_engine_is_none_of_the_engine() {
    let engine = table(|table| {
        let sets = set("x.deploy", "target", json!("prod"));
        table.contract(&DEPLOY).insert(no_prod("x.deploy")).insert(sets);
    });
    let inner = ToolCall::new("Bash", Value::Null);
    let step = Wrapping { target: "dev".to_owned(), inner };
    assert!(reason(engine.dispatch(step, &context()).await).contains("not to prod"));
}

#[tokio::test]
async fn the_name_of_an_event_is_that_of_its_contract_whatever_a_step_shows() {
    let engine = table(|table| {
        table.contract(&DEPLOY).insert(no_prod("x.deploy"));
    });
    let posing = |target| Posing {
        target,
        shown: Unregistered::new("x.another".to_owned(), serde_json::Map::new()),
    };
    assert!(engine.pass(posing("prod")).is_err());
    reason(engine.dispatch(posing("prod"), &context()).await);
    assert!(engine.dispatch(posing("dev"), &context()).await.is_cleared());
}

static CONTEXT_ONLY: Contract = Contract::custom("x.deploy", EventKind::Context);
static DEPLOY_IS_CONTEXT: Contract = Contract::custom("x.gate", EventKind::Context);
static GATE: Contract = Contract::custom("x.gate", EventKind::Gate);

/// A step at which nothing is refused, as far as it knows.
#[derive(Debug, Clone, Serialize)]
struct Open;

impl Payload for Open {
    fn contract(&self) -> &'static Contract {
        &CONTEXT_ONLY
    }
}

hook_step!(Open: &CONTEXT_ONLY => Cleared);

/// A step that can be denied, and that panics if it is told to.
#[derive(Debug, Clone, Serialize)]
struct Gated {
    panics: bool,
}

impl Payload for Gated {
    fn contract(&self) -> &'static Contract {
        &GATE
    }

    fn tool(&self) -> Option<&ToolCall> {
        assert!(!self.panics, "which tool?");
        None
    }
}

hook_step!(Gated: &GATE => Cleared, Denied);

/// An engine whose table has a contract, with one hook that says what it is told to.
fn registered(contract: &'static Contract, verdict: fn() -> Verdict) -> Engine {
    table(|table| {
        let hook = Hook::sync("hook", move |_| Ok(verdict()));
        table.contract(contract).insert(hook.custom_event(contract.name));
    })
}

#[tokio::test]
async fn a_step_whose_rules_are_not_those_of_the_table_is_denied_whatever_hooks_say() {
    for panics in [false, true] {
        for verdict in [Verdict::none as fn() -> Verdict, || Verdict::none().context("mind")] {
            let engine = registered(&DEPLOY_IS_CONTEXT, verdict);
            let step = || Gated { panics };
            let text = reason(engine.dispatch(step(), &context()).await);
            assert!(text.contains("`x.gate`") && text.contains("the table"), "{text}");
            let (gate, report) = engine.dispatch_reported(step(), &context()).await;
            assert_eq!((reason(gate), report.decision), (text.clone(), Outcome::Deny));
            let shared: &dyn hookgate::engine::DynHookEngine = &engine;
            assert_eq!(reason(shared.dispatch(step(), &context()).await), text);
        }
    }
    // The control: the table has the contract of the step.
    let engine = registered(&GATE, Verdict::none);
    assert!(engine.dispatch(Gated { panics: false }, &context()).await.is_cleared());
}

#[tokio::test]
async fn a_step_that_cannot_be_refused_says_that_the_table_has_it_as_one_that_can() {
    let engine = registered(&DEPLOY, || Verdict::deny("no"));
    let gate = engine.dispatch(Open, &context()).await;
    let messages = gate.decision().unwrap().messages.join("\n");
    let words = ["`deny` cannot be expressed", "a gate with other rules by the one of the table"];
    assert!(words.iter().all(|word| messages.contains(word)), "{messages}");
    // The control: with its own contract nothing is said, and a deny is a mistake of the hook.
    let engine = registered(&CONTEXT_ONLY, Verdict::none);
    assert!(engine.dispatch(Open, &context()).await.decision().is_none());
}
