//! A step of the embedder in one line.

/// Implements [`HookStep`](crate::HookStep) for a payload that is its own step.
///
/// It takes the type, its contract, and the states in which the step can come back: `Cleared`, and
/// those of `Denied`, `Asked`, `Answered` and `Halted` that the contract allows. A state that does not
/// fit the contract is an error when a dispatch of the step is compiled.
///
/// ```
/// use hookgate::contract::payload::Payload;
/// use hookgate::{Contract, Engine, EventKind, Gate, HookEngine, StepContext};
///
/// #[derive(Clone, serde::Serialize)]
/// struct Deploy { target: String }
///
/// static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate).may_ask();
///
/// impl Payload for Deploy {
///     fn contract(&self) -> &'static Contract { &DEPLOY }
/// }
///
/// hookgate::hook_step!(Deploy: &DEPLOY => Cleared, Denied, Asked);
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let engine = Engine::without_hooks();
/// match engine.dispatch(Deploy { target: "prod".into() }, &StepContext::new("s")).await {
///     Gate::Cleared(deploy) => assert_eq!(deploy.payload().target, "prod"),
///     Gate::Denied(denied) => println!("{denied}"),
///     Gate::Asked(asked) => println!("{}", asked.question()),
/// }
/// # });
/// ```
#[macro_export]
macro_rules! hook_step {
    ($step:ty: $contract:expr => Cleared $(, $state:ident)* $(,)?) => {
        impl $crate::HookStep for $step {
            const CONTRACT: &'static $crate::Contract = $contract;
            type Payload = Self;
            type Cleared = $crate::Cleared<Self>;
            type Denied = $crate::__hook_step_state!(Denied: $($state)*);
            type Asked = $crate::__hook_step_state!(Asked: $($state)*);
            type Answered = $crate::__hook_step_state!(Answered: $($state)*);
            type Halted = $crate::__hook_step_state!(Halted: $($state)*);

            #[inline]
            fn payload(&self) -> &Self {
                self
            }

            #[inline]
            fn payload_mut(&mut self) -> &mut Self {
                self
            }
        }

        // Here, so that `cargo check` sees a mistake, and also where the step is not dispatched.
        const _: () = $crate::step::check::<$step>();
    };
}

/// Picks one state out of a list: the state if the list has it, else [`Infallible`](std::convert::Infallible).
#[doc(hidden)]
#[macro_export]
macro_rules! __hook_step_state {
    (Denied: Denied $($rest:ident)*) => { $crate::Denied<Self> };
    (Asked: Asked $($rest:ident)*) => { $crate::Asked<Self> };
    (Answered: Answered $($rest:ident)*) => { $crate::Answered<Self> };
    (Halted: Halted $($rest:ident)*) => { $crate::Halted<Self> };
    ($state:ident: $other:ident $($rest:ident)*) => {
        $crate::__hook_step_state!($state: $($rest)*)
    };
    ($state:ident:) => { ::std::convert::Infallible };
}
