//! A step that lists other states than its contract has. It is never dispatched.

use hookgate::contract::payload::Payload;
use hookgate::{Contract, EventKind, hook_step};

static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);
static NOTE: Contract = Contract::custom("x.note", EventKind::Observe);

#[derive(Clone, serde::Serialize)]
struct Deploy;

impl Payload for Deploy {
    fn contract(&self) -> &'static Contract {
        &DEPLOY
    }
}

#[derive(Clone, serde::Serialize)]
struct Note;

impl Payload for Note {
    fn contract(&self) -> &'static Contract {
        &NOTE
    }
}

hook_step!(Deploy: &DEPLOY => Cleared);
hook_step!(Note: &NOTE => Cleared, Denied);

fn main() {}
