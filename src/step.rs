//! Steps: typed values that cannot go on until they have been judged.
//!
//! A step is built by the runtime, consumed by a dispatch, and comes back in exactly one of the
//! states of [`Gate`]. A state that the event of the step cannot reach has the type
//! [`Infallible`], so a `match` may leave it out and cannot handle it.
//!
//! # Where a clearance comes from
//!
//! A [`Cleared`] step, and a [`ToolUse<Cleared>`](ToolUse) above all, says that an engine has judged
//! it. These are all public items that lead to one; whoever reviews a change here looks at this list
//! again:
//!
//! | item | clears when |
//! |---|---|
//! | [`HookEngine::pass`] | no hook is at the event; a [`Noop`](crate::Noop) always |
//! | [`HookEngine::dispatch`], [`Engine::dispatch_reported`](crate::Engine::dispatch_reported) | the decision is allow |
//! | [`Asked::approve`] | the same engine and generation have asked, and the user agrees; else it is judged anew |
//! | [`Gate::cleared`] | takes it out of a gate that has one |
//!
//! No other item does, and none can be added from outside. [`HookEngine`] is sealed. So are
//! [`Clear`] and [`FromVerdict`]: they have no methods that can be called, and a state of one's own cannot
//! implement them. What is cleared is neither `Clone`, `Default` nor `Deserialize`, and its payload
//! can be looked at but not changed. A cleared tool call knows which engine judged it, under which
//! generation and, where it had one, under which name; [`Engine::issue`](crate::Engine::issue) sells
//! a permit for a clearance of that engine only, and a permit names the generation that judged.
//!
//! What an event cannot express is never dropped: an outcome whose state the step does not have
//! becomes the strictest state that it has.

mod gate;
mod payloads;
mod seal;
mod states;
mod tool;

use std::convert::Infallible;

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, Contract};

#[cfg(doc)]
use crate::engine::HookEngine;
pub use gate::Gate;
pub(crate) use seal::{Clearance, Clears, Reaches, Stamp};
pub(crate) use states::added;
pub use states::{Answered, Asked, Cleared, Denied, Halted};
pub use tool::{Done, InputError, Proposed, Ran, Running, ToolResult, ToolState, ToolUse};

/// A step that hooks can judge.
///
/// The types of the built-in events implement it; an embedder implements it for its own. The
/// contract and the reachable states are compared when the dispatch is compiled.
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
/// let engine = Engine::default();
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
/// # use std::convert::Infallible;
/// # use hookgate::contract::payload::Payload;
/// # use hookgate::{Cleared, Contract, Engine, HookEngine, HookStep, EventKind, StepContext};
/// # #[derive(Clone, serde::Serialize)]
/// # struct Deploy { target: String }
/// # static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);
/// # impl Payload for Deploy {
/// #     fn contract(&self) -> &'static Contract { &DEPLOY }
/// # }
/// # impl HookStep for Deploy {
/// #     const CONTRACT: &'static Contract = &DEPLOY;
/// #     type Payload = Self;
/// #     type Cleared = Cleared<Self>;
/// type Denied = Infallible; // in `impl HookStep for Deploy`
/// #     type Asked = Infallible;
/// #     type Answered = Infallible;
/// #     type Halted = Infallible;
/// #     fn payload(&self) -> &Self { self }
/// #     fn payload_mut(&mut self) -> &mut Self { self }
/// # }
/// # let engine = Engine::default();
/// # let _ = engine.dispatch(Deploy { target: "prod".into() }, &StepContext::new("s"));
/// ```
pub trait HookStep: Sized + Send {
    /// What may be said at the event.
    const CONTRACT: &'static Contract;
    /// A second event that the step can be for, such as the failure beside the success.
    const SECOND_CONTRACT: Option<&'static Contract> = None;
    /// What handlers see.
    type Payload: AnyPayload;
    /// The step may go on.
    type Cleared: FromCleared<Self>;
    /// The step does not happen.
    type Denied: FromVerdict<Self> + Send;
    /// The user decides.
    type Asked: FromVerdict<Self> + Send;
    /// A hook supplied the result.
    type Answered: FromVerdict<Self> + Send;
    /// The run stops.
    type Halted: FromVerdict<Self> + Send;

    /// What handlers see.
    fn payload(&self) -> &Self::Payload;
    /// What rewriters change.
    fn payload_mut(&mut self) -> &mut Self::Payload;
}

/// The events of a step, as bits of the armed set.
pub(crate) const fn events<S: HookStep>() -> u64 {
    let also = match S::SECOND_CONTRACT {
        Some(contract) => contract.event.bit(),
        None => 0,
    };
    S::CONTRACT.event.bit() | also
}

/// Refuses, when it is compiled, a step whose states are not those of its contract.
pub(crate) const fn check<S: HookStep>() {
    check_contract::<S>(S::CONTRACT);
    if let Some(contract) = S::SECOND_CONTRACT {
        check_contract::<S>(contract);
    }
}

const fn check_contract<S: HookStep>(contract: &Contract) {
    assert!(
        <S::Denied as Reaches<S>>::REACHABLE == contract.deny(),
        "`Denied` of the step does not fit its contract"
    );
    assert!(
        <S::Asked as Reaches<S>>::REACHABLE == contract.ask,
        "`Asked` of the step does not fit its contract"
    );
    assert!(
        <S::Answered as Reaches<S>>::REACHABLE == contract.answer,
        "`Answered` of the step does not fit its contract"
    );
    assert!(
        <S::Halted as Reaches<S>>::REACHABLE == contract.halt,
        "`Halted` of the step does not fit its contract"
    );
}

/// What a cleared step becomes: [`Cleared`], or `()` where there is nothing to hold. Sealed: only an
/// engine clears, and nobody else can say what a clearance is.
///
/// A state of one's own does not compile:
///
/// ```compile_fail
/// # use hookgate::step::Clear;
/// struct Mine<S>(S);
/// impl<S: Send> Clear<S> for Mine<S> {}
/// ```
pub trait FromCleared<S>: Clears<S> {}

/// A state that a step may come back in: [`Denied`], [`Asked`], [`Answered`], [`Halted`], or
/// [`Infallible`] for one that it cannot. Sealed, as [`Clear`] is.
pub trait FromVerdict<S>: Reaches<S> {}

impl<S> FromVerdict<S> for Infallible {}

impl<S> Reaches<S> for Infallible {
    const REACHABLE: bool = false;

    fn reach(step: S, seal: Clearance, _: Option<Answer>) -> Result<Self, (S, Clearance)> {
        Err((step, seal))
    }
}

impl<S: Send> FromCleared<S> for () {}

impl<S: Send> Clears<S> for () {
    #[inline]
    fn clear(_: S, _: Clearance) -> Self {}
}
