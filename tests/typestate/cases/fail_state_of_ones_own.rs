//! A state of one's own would be handed the proof that an engine has evaluated, and could clear another
//! step with it. So there are no states from outside, and the proof cannot be named.

use std::convert::Infallible;

use hookgate::contract::payload::Payload;
use hookgate::step::{FromCleared, FromVerdict, Clearance};
use hookgate::{Contract, Denied, HookStep, EventKind};

#[derive(Clone, serde::Serialize)]
struct Trap;

struct Caught(Clearance);

static TRAP: Contract = Contract::custom("x.trap", EventKind::Gate);

impl Payload for Trap {
    fn contract(&self) -> &'static Contract {
        &TRAP
    }
}

impl FromCleared<Trap> for Caught {
    fn clear(_: Trap, clearance: Clearance) -> Self {
        Self(clearance)
    }
}

impl FromVerdict<Trap> for Caught {}

impl HookStep for Trap {
    const CONTRACT: &'static Contract = &TRAP;
    type Payload = Self;
    type Cleared = Caught;
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

fn main() {}
