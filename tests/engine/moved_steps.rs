//! Promise: the hooks that have evaluated a step are those of its event and its tool, also if a patch changes either.

use hookgate::contract::json::JsonType;
use hookgate::contract::payload::{Payload, ToolCall};
use hookgate::contract::{Contract, PatchField};
use hookgate::{
    Cleared, Denied, Engine, EventKind, Gate, HandlerTable, Hook, HookEngine, HookStep, Role,
    Verdict, hook_step,
};
use serde::Serialize;
use serde_json::Value;

use crate::support::context;

const FIELDS: &[PatchField] =
    &[PatchField::new("tool_name", JsonType::Text), PatchField::new("command", JsonType::Text)];
static RUN: Contract = Contract::custom("x.run", EventKind::Gate).about_tool().takes_patch(FIELDS);
const TARGET: &[PatchField] = &[PatchField::new("target", JsonType::Text)];
static PLAN: Contract = Contract::custom("x.plan", EventKind::Gate).takes_patch(TARGET);
static SHIP: Contract = Contract::custom("x.ship", EventKind::Gate).takes_patch(TARGET);

fn denies(event: &str) -> Hook {
    Hook::sync("denies", |_| Ok(Verdict::deny("no"))).custom_event(event)
}

fn sets(event: &str, field: &'static str, value: &'static str) -> Hook {
    Hook::sync("sets", move |_| Ok(Verdict::none().patch(field, value)))
        .custom_event(event)
        .role(Role::Rewrite)
}

fn engine(hooks: impl IntoIterator<Item = Hook>) -> Engine {
    let mut table = HandlerTable::builder();
    table.contract(&RUN).contract(&PLAN).contract(&SHIP);
    for hook in hooks {
        table.insert(hook);
    }
    Engine::new(table.build().unwrap())
}

fn reason<S: HookStep<Denied = Denied<S>>>(gate: Gate<S>) -> String {
    match gate {
        Gate::Denied(denied) => denied.feedback(),
        other => panic!("{}", other.outcome().name()),
    }
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
struct Deploy {
    target: String,
}

impl Payload for Deploy {
    fn contract(&self) -> &'static Contract {
        if self.target == "prod" { &SHIP } else { &PLAN }
    }

    fn set(&mut self, _: &str, value: Value) -> Option<&'static str> {
        self.target = value.as_str()?.to_owned();
        Some("target")
    }
}

impl HookStep for Deploy {
    const CONTRACT: &'static Contract = &PLAN;
    const SECOND_CONTRACT: Option<&'static Contract> = Some(&SHIP);
    type Payload = Self;
    type Cleared = Cleared<Self>;
    type Denied = Denied<Self>;
    type Asked = std::convert::Infallible;
    type Answered = std::convert::Infallible;
    type Halted = std::convert::Infallible;

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
    let moved = engine([guard(), sets("x.run", "tool_name", "Deploy")]);
    let text = reason(moved.dispatch(run(), &context()).await);
    assert!(text.contains("`sets`") && text.contains("another"), "{text}");
    // The control: a patch of another field, and the tool itself.
    let other = engine([guard(), sets("x.run", "command", "pwd")]);
    let cleared = other.dispatch(run(), &context()).await.cleared().unwrap();
    assert_eq!(cleared.payload().command, "pwd");
    let deploy = Run { call: ToolCall::new("Deploy", Value::Null), ..run() };
    assert_eq!(reason(other.dispatch(deploy, &context()).await), "denied by denies: no");
}

#[tokio::test]
async fn a_patch_makes_no_step_of_another_event() {
    let deploy = |target: &str| Deploy { target: target.to_owned() };
    let moved = engine([denies("x.ship"), sets("x.plan", "target", "prod")]);
    let text = reason(moved.dispatch(deploy("dev"), &context()).await);
    assert!(text.contains("`sets`") && text.contains("another"), "{text}");
    let other = engine([denies("x.ship"), sets("x.plan", "target", "test")]);
    assert!(other.dispatch(deploy("dev"), &context()).await.is_cleared());
    assert_eq!(reason(other.dispatch(deploy("prod"), &context()).await), "denied by denies: no");
}
