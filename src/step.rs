//! Steps: typed values that cannot go on until they have been evaluated.
//!
//! A step is built by the runtime, consumed by a dispatch, and comes back in exactly one of the
//! states of [`Gate`]. A state that the event of the step cannot reach has the type
//! [`Infallible`], so a `match` needs no arm for it and cannot have one.
//!
//! ```text
//!                      ┌─ Cleared ── may go on; a tool: run, then dispatch the result
//!                      ├─ Answered ─ a hook supplied the result
//! Proposed ─dispatch──▶┼─ Asked ──── approve: Cleared, or evaluated anew · refuse: Denied
//!                      ├─ Denied ─── does not happen
//!                      └─ Halted ─── the whole run stops
//! ```
//!
//! # Where a clearance comes from
//!
//! A [`Cleared`] step, and a [`ToolUse<Cleared>`](ToolUse) above all, states that an engine has evaluated
//! it. These are all public items that lead to one. A change here is reviewed against this list:
//!
//! | item | clears when |
//! |---|---|
//! | [`HookEngine::pass`](crate::HookEngine::pass) | no hook is at the event; a [`Noop`](crate::Noop) always |
//! | [`HookEngine::dispatch`](crate::HookEngine::dispatch), [`dispatch_reported`](crate::HookEngine::dispatch_reported) | the decision is allow |
//! | [`Asked::approve`] | the same engine and hooks have asked, in this session, and the user agrees; else it is evaluated anew |
//! | [`Gate::cleared`] | takes it out of a gate that has one |
//! | [`IssueError::into_step`](crate::engine::permit::IssueError::into_step) | gives back the one that was handed in |
//!
//! No other item does, and none can be added from outside. `HookEngine` is sealed. So are
//! [`FromCleared`] and [`FromVerdict`]: they have no methods that can be called, and a state of one's
//! own cannot implement them. What is cleared is neither `Clone`, `Default` nor `Deserialize`, and its
//! payload can be looked at but not changed. A cleared tool call keeps which engine evaluated it, under
//! which generation and, if it had one, under which step id.
//! [`Engine::issue`](crate::Engine::issue) issues a permit for a clearance of that engine only.
//!
//! What an event cannot express is never dropped: an outcome whose state the step does not have
//! becomes the strictest state that it has.

mod answered;
mod asked;
mod clearance;
mod cleared;
mod custom;
mod gate;
mod mismatch;
mod payloads;
mod refused;
mod tool;

use std::convert::Infallible;

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, Contract, StepContext};

pub use answered::Answered;
pub use asked::Asked;
pub(crate) use asked::USER;
pub(crate) use clearance::{Clearance, Clears, Reaches, Stamp, session_word};
pub use cleared::Cleared;
pub use gate::Gate;
pub(crate) use mismatch::{is_mismatched, unlike_table};
pub use refused::{Denied, Halted};
pub use tool::{Done, InputError, Proposed, Ran, Running, ToolResult, ToolState, ToolUse};

/// A step that hooks can evaluate.
///
/// The types of the built-in events implement it. An embedder implements it for an event of its own
/// with [`hook_step!`](crate::hook_step), or by hand as here, if the payload is not the step itself.
/// The contract and the reachable states are compared when a dispatch is compiled.
///
/// ```
/// use std::convert::Infallible;
/// use hookgate::contract::payload::Payload;
/// use hookgate::{Cleared, Contract, Denied, Engine, Gate, HookEngine, HookStep, EventKind, StepContext};
///
/// #[derive(Clone, serde::Serialize)]
/// struct Deploy { target: String }
///
/// static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);
///
/// impl Payload for Deploy {
///     fn contract(&self) -> &'static Contract { &DEPLOY }
/// }
///
/// impl HookStep for Deploy {
///     const CONTRACT: &'static Contract = &DEPLOY;
///     type Payload = Self;
///     type Cleared = Cleared<Self>;
///     type Denied = Denied<Self>;
///     type Asked = Infallible;
///     type Answered = Infallible;
///     type Halted = Infallible;
///     fn payload(&self) -> &Self { self }
///     fn payload_mut(&mut self) -> &mut Self { self }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let engine = Engine::without_hooks();
/// match engine.dispatch(Deploy { target: "prod".into() }, &StepContext::new("s")).await {
///     Gate::Cleared(deploy) => assert_eq!(deploy.payload().target, "prod"),
///     Gate::Denied(denied) => panic!("{denied}"),
/// }
/// # });
/// ```
///
/// A step that could not be denied, although its contract says so, does not compile:
///
/// ```compile_fail
/// # use hookgate::contract::payload::Payload;
/// # use hookgate::{Contract, Engine, HookEngine, EventKind, StepContext};
/// # #[derive(Clone, serde::Serialize)]
/// # struct Deploy { target: String }
/// # static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);
/// # impl Payload for Deploy {
/// #     fn contract(&self) -> &'static Contract { &DEPLOY }
/// # }
/// hookgate::hook_step!(Deploy: &DEPLOY => Cleared); // `Denied` is missing
/// # let engine = Engine::without_hooks();
/// # let _ = engine.dispatch(Deploy { target: "prod".into() }, &StepContext::new("s"));
/// ```
///
/// Nor does one that can be denied and whose `Cleared` is `()`, of which nothing is left when it is cleared: that could
/// be made without an engine. It is `Cleared<Self>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no step that hooks evaluate",
    label = "this is no step",
    note = "steps of the engine are the payloads in `hookgate::contract::payload` and `ToolUse`; a type of your own becomes \
            one by `hookgate::hook_step!`"
)]
pub trait HookStep: Sized + Send {
    /// The contract of the event: what a verdict may say.
    const CONTRACT: &'static Contract;
    /// The contract of a second event that the step can be for: the failure beside the success.
    const SECOND_CONTRACT: Option<&'static Contract> = None;
    /// What handlers read and rewriters change.
    type Payload: AnyPayload;
    /// The state of a step that may go on: [`Cleared`], or `()` if nothing is left of it.
    type Cleared: FromCleared<Self>;
    /// The state of a step that does not happen, or [`Infallible`].
    type Denied: FromVerdict<Self> + Send;
    /// The state of a step that waits for the user, or [`Infallible`].
    type Asked: FromVerdict<Self> + Send;
    /// The state of a step whose result a hook supplied, or [`Infallible`].
    type Answered: FromVerdict<Self> + Send;
    /// The state of a step at which the run stops, or [`Infallible`].
    type Halted: FromVerdict<Self> + Send;

    /// Returns what handlers read.
    fn payload(&self) -> &Self::Payload;
    /// Returns what rewriters change: the payload itself, the one that [`payload`](Self::payload) returns. One that is
    /// another value would be judged in place of the step.
    fn payload_mut(&mut self) -> &mut Self::Payload;
    /// Returns the id of the step that this one goes on with, if an engine knows it: the result of a tool has that of the
    /// call. It is used unless the host names the step ([`StepContext::step_id`](crate::StepContext::step_id)).
    fn step_id(&self) -> Option<&str> {
        None
    }
}

/// Returns the id that a step brings with it, if the host has not named the step.
#[inline]
pub(crate) fn own_id<S: HookStep>(step: &S, context: &StepContext<'_>) -> Option<String> {
    match context.step_id {
        Some(_) => None,
        None => step.step_id().map(str::to_owned),
    }
}

/// Returns the events of a step, as bits of the armed set.
pub(crate) const fn events<S: HookStep>() -> u64 {
    let second = match S::SECOND_CONTRACT {
        Some(contract) => contract.event.bit(),
        None => 0,
    };
    S::CONTRACT.event.bit() | second
}

/// Refuses a step whose states are not those of its contract, when the program is compiled: where `hook_step!` stands,
/// and where a step is dispatched.
#[doc(hidden)]
pub const fn check<S: HookStep>() {
    check_contract::<S>(S::CONTRACT);
    if let Some(contract) = S::SECOND_CONTRACT {
        check_contract::<S>(contract);
    }
}

const fn check_contract<S: HookStep>(contract: &Contract) {
    assert!(
        <S::Cleared as Clears<S>>::IS_PROOF || !contract.deny(),
        "the contract of the step allows a deny, and its state `()` proves nothing, since anybody can make a \
         `Gate::Cleared(())`: write `type Cleared = Cleared<Self>`"
    );
    check_state(
        <S::Denied as Reaches<S>>::REACHABLE,
        contract.deny(),
        "the step has no state `Denied`, and its contract allows a deny: add `Denied` to `hook_step!`",
        "the step has a state `Denied`, and its contract allows no deny: take `Denied` out of `hook_step!`",
    );
    check_state(
        <S::Asked as Reaches<S>>::REACHABLE,
        contract.ask,
        "the step has no state `Asked`, and its contract allows an ask: add `Asked` to `hook_step!`",
        "the step has a state `Asked`, and its contract allows no ask: take `Asked` out of `hook_step!`",
    );
    check_state(
        <S::Answered as Reaches<S>>::REACHABLE,
        contract.answer,
        "the step has no state `Answered`, and its contract allows an answer: add `Answered` to `hook_step!`",
        "the step has a state `Answered`, and its contract allows no answer: take `Answered` out of `hook_step!`",
    );
    check_state(
        <S::Halted as Reaches<S>>::REACHABLE,
        contract.halt,
        "the step has no state `Halted`, and its contract allows a halt: add `Halted` to `hook_step!`",
        "the step has a state `Halted`, and its contract allows no halt: take `Halted` out of `hook_step!`",
    );
}

/// # Panics
/// If there is a state that cannot be reached, or none for what can: the program does not compile then.
const fn check_state(is_there: bool, is_reached: bool, missing: &str, needless: &str) {
    assert!(is_there || !is_reached, "{}", missing);
    assert!(is_reached || !is_there, "{}", needless);
}

/// What a cleared step becomes: [`Cleared`], or `()` if nothing is left of it. It is sealed, because only
/// an engine clears.
///
/// A state of one's own does not compile:
///
/// ```compile_fail
/// # use hookgate::step::FromCleared;
/// struct Mine<S>(S);
/// impl<S: Send> FromCleared<S> for Mine<S> {}
/// ```
pub trait FromCleared<S>: Clears<S> {}

/// A state in which a step can come back: [`Denied`], [`Asked`], [`Answered`], [`Halted`], or
/// [`Infallible`] for one in which it cannot. It is sealed, as [`FromCleared`] is.
pub trait FromVerdict<S>: Reaches<S> {}

impl<S> FromVerdict<S> for Infallible {}

impl<S> Reaches<S> for Infallible {
    const REACHABLE: bool = false;

    fn reach(step: S, clearance: Clearance, _: Option<Answer>) -> Result<Self, (S, Clearance)> {
        Err((step, clearance))
    }
}

impl<S: Send> FromCleared<S> for () {}

impl<S: Send> Clears<S> for () {
    const IS_PROOF: bool = false;

    #[inline]
    fn clear(_: S, _: Clearance) -> Self {}
}
