//! An embedder's own step: a deployment that hooks can refuse, ask about or send elsewhere.
//!
//! `cargo run --example custom_step`

use hookgate::contract::PatchField;
use hookgate::contract::json::JsonType;
use hookgate::contract::payload::{FieldRef, Payload};
use hookgate::{
    Cleared, Contract, Engine, EventKind, Gate, HandlerTable, Hook, HookEngine, Role, StepContext,
    Verdict,
};
use serde_json::Value;

#[derive(Debug, Clone, serde::Serialize)]
struct Deploy {
    service: String,
    target: String,
}

/// What hooks may say: gates may deny; this one may also ask and set the target.
static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate)
    .may_ask()
    .takes_patch(&[PatchField::new("target", JsonType::Text)]);

impl Payload for Deploy {
    fn contract(&self) -> &'static Contract {
        &DEPLOY
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        (name == "target").then_some(FieldRef::Text(&self.target))
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        if name != "target" || value == self.target {
            return None;
        }
        value.as_str()?.clone_into(&mut self.target);
        Some("target")
    }
}

// The states in which the step can come back. The compiler compares them with the contract.
hookgate::hook_step!(Deploy: &DEPLOY => Cleared, Denied, Asked);

/// Takes a cleared deployment, so a deployment that was not evaluated does not compile.
fn deploy(cleared: &Cleared<Deploy>) -> String {
    format!("{} goes to {}", cleared.payload().service, cleared.payload().target)
}

fn freeze(invocation: hookgate::Invocation<'_>) -> hookgate::contract::Reply {
    // A handler of the same program sees the step's own type.
    let step = invocation.payload().as_any().downcast_ref::<Deploy>();
    Ok(match step.map(|step| (step.service.as_str(), step.target.as_str())) {
        Some(("ledger", "prod")) => Verdict::deny("the ledger is frozen"),
        Some((_, "prod")) => Verdict::ask("to production?"),
        Some((_, "next")) => Verdict::none().patch("target", "staging"),
        _ => Verdict::none(),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), hookgate::table::BuildErrors> {
    let hook = Hook::sync("freeze", freeze).custom_event("x.deploy").role(Role::Rewrite);
    let table = HandlerTable::builder().contract(&DEPLOY).insert(hook).build()?;
    let engine = Engine::new(table);
    let context = StepContext::new("session-1");
    for (service, target) in [("web", "next"), ("web", "prod"), ("ledger", "prod")] {
        let step = Deploy { service: service.into(), target: target.into() };
        match engine.dispatch(step, &context).await {
            Gate::Cleared(cleared) => println!("{}", deploy(&cleared)),
            Gate::Asked(asked) => println!("asked: {}", asked.question()),
            Gate::Denied(denied) => println!("{denied}"),
        }
    }
    Ok(())
}
