//! Steps: typed values that cannot go on until they have been judged.
//!
//! A step is built by the runtime, consumed by a dispatch, and comes back in exactly one of the
//! states of [`Gate`]. A state that the event of the step cannot reach has the type
//! [`Infallible`], so a `match` may leave it out and cannot handle it.

mod gate;
mod payloads;
mod states;
mod tool;

use std::convert::Infallible;

use hookgate_contract::payload::Payload;
use hookgate_contract::{Answer, Contract};

use crate::decision::Decision;
pub use gate::Gate;
pub(crate) use states::added;
pub use states::{Asked, Cleared, Denied, Halted};
pub use tool::{Done, InputError, Proposed, Ran, Running, ToolResult, ToolUse};

/// Proof that an engine has judged a step. Only an engine makes one.
#[derive(Debug)]
pub struct Seal {
    decision: Option<Box<Decision>>,
}

impl Seal {
    pub(crate) const fn new(decision: Option<Box<Decision>>) -> Self {
        Self { decision }
    }
}

/// A step that hooks can judge.
///
/// The types of the built-in events implement it; an embedder implements it for its own. The
/// contract and the reachable states are compared when the dispatch is compiled.
///
/// ```
/// use std::convert::Infallible;
/// use hookgate::contract::payload::Payload;
/// use hookgate::{Cleared, Contract, Denied, Engine, Gate, HookEngine, HookStep, Kind, StepContext};
///
/// #[derive(Clone, serde::Serialize)]
/// struct Deploy { target: String }
///
/// static DEPLOY: Contract = Contract::custom("x.deploy", Kind::Gate);
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
/// # use hookgate::{Cleared, Contract, Engine, HookEngine, HookStep, Kind, StepContext};
/// # #[derive(Clone, serde::Serialize)]
/// # struct Deploy { target: String }
/// # static DEPLOY: Contract = Contract::custom("x.deploy", Kind::Gate);
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
    const ALSO: Option<&'static Contract> = None;
    /// What handlers see.
    type Payload: Payload;
    /// The step may go on.
    type Cleared: Clear<Self>;
    /// The step does not happen.
    type Denied: Reach<Self> + Send;
    /// The user decides.
    type Asked: Reach<Self> + Send;
    /// A hook supplied the result.
    type Answered: Reach<Self> + Send;
    /// The run stops.
    type Halted: Reach<Self> + Send;

    /// What handlers see.
    fn payload(&self) -> &Self::Payload;
    /// What rewriters change.
    fn payload_mut(&mut self) -> &mut Self::Payload;
}

/// The events of a step, as bits of the armed set.
pub(crate) const fn events<S: HookStep>() -> u64 {
    let also = match S::ALSO {
        Some(contract) => contract.event.bit(),
        None => 0,
    };
    S::CONTRACT.event.bit() | also
}

/// Refuses, when it is compiled, a step whose states are not those of its contract.
pub(crate) const fn check<S: HookStep>() {
    check_contract::<S>(S::CONTRACT);
    if let Some(contract) = S::ALSO {
        check_contract::<S>(contract);
    }
}

const fn check_contract<S: HookStep>(contract: &Contract) {
    assert!(
        <S::Denied as Reach<S>>::REACHABLE == contract.deny(),
        "`Denied` of the step does not fit its contract"
    );
    assert!(
        <S::Asked as Reach<S>>::REACHABLE == contract.ask,
        "`Asked` of the step does not fit its contract"
    );
    assert!(
        <S::Answered as Reach<S>>::REACHABLE == contract.answer,
        "`Answered` of the step does not fit its contract"
    );
    assert!(
        <S::Halted as Reach<S>>::REACHABLE == contract.halt,
        "`Halted` of the step does not fit its contract"
    );
}

/// What a cleared step becomes.
pub trait Clear<S>: Sized + Send {
    /// Clears a step that an engine has judged.
    fn clear(step: S, seal: Seal) -> Self;
}

/// A state that a step may come back in.
pub trait Reach<S>: Sized {
    /// Whether the state can be reached at all.
    const REACHABLE: bool;

    /// Brings a judged step into this state.
    ///
    /// # Errors
    /// The step itself, where the state cannot be reached.
    fn reach(step: S, seal: Seal, answer: Option<Answer>) -> Result<Self, S>;
}

impl<S> Reach<S> for Infallible {
    const REACHABLE: bool = false;

    fn reach(step: S, _: Seal, _: Option<Answer>) -> Result<Self, S> {
        Err(step)
    }
}

impl<S: Send> Clear<S> for () {
    #[inline]
    fn clear(_: S, _: Seal) -> Self {}
}
