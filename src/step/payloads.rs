//! The steps that are nothing but their payload: all but the use of a tool.
//!
//! Their states follow from the list of events in the contract: a step can be denied if the event is
//! a gate or a result, asked about, halted and answered if its rules say so. The engine compares the
//! states with the contract once more when a dispatch is compiled.
//!
//! | list in the contract | state of the step |
//! |---|---|
//! | kind `Observe` | cleared to `()`, and nothing else |
//! | kind `Gate` or `Result` | `Denied` |
//! | `may_ask`, `may_halt` | `Asked`, `Halted` |
//! | `takes_answer` | the answer of the model, as the step that follows the request |

use std::convert::Infallible;

use hookgate_contract::payload::*;
use hookgate_contract::{Answer, Contract, Event};

use super::{Asked, Clearance, Cleared, Denied, FromVerdict, Halted, HookStep, Reaches};

/// Implements the step of one event: the payload is the step, and the event decides which states it
/// can come back in. A state that it cannot reach is `Infallible`, so a `match` needs no arm for it.
macro_rules! step {
    // The use of a tool has states of its own, see `tool.rs`.
    (PreToolUse $($rest:tt)*) => {};
    (PostToolUse $($rest:tt)*) => {};
    (PostToolUseFailure $($rest:tt)*) => {};
    ($payload:ident $kind:ident $rules:tt) => {
        impl HookStep for $payload {
            const CONTRACT: &'static Contract = Event::$payload.contract();
            type Payload = Self;
            type Cleared = cleared!($kind);
            type Denied = denied!($kind);
            type Asked = if_listed!(may_ask in $rules: Asked<Self>);
            type Answered = if_listed!(takes_answer in $rules: PostLlmResponse);
            type Halted = if_listed!(may_halt in $rules: Halted<Self>);

            #[inline]
            fn payload(&self) -> &Self {
                self
            }

            #[inline]
            fn payload_mut(&mut self) -> &mut Self {
                self
            }
        }
    };
}

/// The state of a cleared step. An event that can only be observed leaves nothing behind, so that a
/// runtime can drop the gate.
macro_rules! cleared {
    (Observe) => { () };
    ($kind:ident) => { Cleared<Self> };
}

/// The state of a denied step: only gates and results can be denied.
macro_rules! denied {
    (Gate) => { Denied<Self> };
    (Result) => { Denied<Self> };
    ($kind:ident) => { Infallible };
}

/// A state if the rule that brings it is in the list, else `Infallible`.
macro_rules! if_listed {
    (may_ask in [may_ask $($rest:ident)*]: $state:ty) => { $state };
    (may_halt in [may_halt $($rest:ident)*]: $state:ty) => { $state };
    (takes_answer in [takes_answer $($rest:ident)*]: $state:ty) => { $state };
    ($rule:ident in [$other:ident $($rest:ident)*]: $state:ty) => {
        if_listed!($rule in [$($rest)*]: $state)
    };
    ($rule:ident in []: $state:ty) => { Infallible };
}

macro_rules! steps {
    ($($event:ident($payload:ident) $name:literal $kind:ident $rules:tt {$($rest:tt)*})*) => {
        $(step!($event $kind $rules);)*
    };
}

hookgate_contract::with_events!(steps);

/// A request that a hook answered is an answer of the model, to be evaluated like any other.
impl FromVerdict<PreLlmRequest> for PostLlmResponse {}

impl Reaches<PreLlmRequest> for PostLlmResponse {
    const REACHABLE: bool = true;

    fn reach(
        request: PreLlmRequest,
        seal: Clearance,
        answer: Option<Answer>,
    ) -> Result<Self, (PreLlmRequest, Clearance)> {
        let Some(answer) = answer else { return Err((request, seal)) };
        let text = match answer.content {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        let mut response = Self::new(text, Vec::new());
        response.model = Some(request.model);
        Ok(response)
    }
}
