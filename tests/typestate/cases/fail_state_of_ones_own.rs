//! A state of one's own would be handed the proof that an engine has judged, and could clear another
//! step with it. So nobody else can have one, and the proof has no name.

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
    fn clear(_: Trap, seal: Clearance) -> Self {
        Self(seal)
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
