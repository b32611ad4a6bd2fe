//! A step that can be denied leaves something when it is cleared: nothing could be made without an engine.

use std::convert::Infallible;

use hookgate::contract::payload::Payload;
use hookgate::{Contract, Denied, Engine, EventKind, HookEngine, HookStep, StepContext};

#[derive(Clone, serde::Serialize)]
struct Deploy;

static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);

impl Payload for Deploy {
    fn contract(&self) -> &'static Contract {
        &DEPLOY
    }
}

impl HookStep for Deploy {
    const CONTRACT: &'static Contract = &DEPLOY;
    type Payload = Self;
    type Cleared = ();
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

fn main() {
    let engine = Engine::without_hooks();
    drop(engine.dispatch(Deploy, &StepContext::new("s")));
}
