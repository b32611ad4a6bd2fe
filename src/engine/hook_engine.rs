//! The trait that a runtime is generic over, and what implements it.
//!
//! | type | hooks |
//! |---|---|
//! | [`Engine`](crate::Engine) | those of its table |
//! | [`Noop`](crate::Noop) | none, at no cost: chosen when the program is compiled |
//! | [`Option<E>`](Option) | none if it is `None`: chosen when the program starts |
//! | `&E`, [`Box<E>`](Box), [`Arc<E>`](Arc) | those of `E` |
//! | `dyn` [`DynHookEngine`] | those of whatever engine is behind it |
//!
//! The trait is sealed. What clears a step is the [`Clearance`] that its private half
//! ([`Sealed`](sealed::Sealed)) makes, so a cleared step always comes from one of these types.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, Event, StepContext};

use super::Engine;
use super::reported::Settle;
use crate::generation::Generation;
use crate::report::Report;
use crate::step::{Clearance, Clears, Gate, HookStep, Stamp, check, events, is_mismatched, own_id};

/// What an evaluation comes to: the proof that the step was evaluated, and a supplied answer.
type Clearing<'a> = Pin<Box<dyn Future<Output = (Clearance, Option<Answer>)> + Send + 'a>>;

/// As [`Clearing`], with the record.
type ReportedClearing<'a> =
    Pin<Box<dyn Future<Output = (Clearance, Option<Answer>, Report)> + Send + 'a>>;

/// The future of [`HookEngine::dispatch_reported`].
pub type ReportedFuture<'a, S> = Pin<Box<dyn Future<Output = (Gate<S>, Report)> + Send + 'a>>;

pub(crate) mod sealed {
    use super::{AnyPayload, Clearing, Engine, Generation, ReportedClearing, Settle, StepContext};

    /// A key that only this crate can make.
    ///
    /// A bound `E: HookEngine`, and a `dyn DynHookEngine`, let other code call the methods of [`Sealed`]
    /// although it cannot name the trait. Those that return a clearance therefore take this key: whoever
    /// held a clearance could clear any step with it.
    #[derive(Debug, Clone, Copy)]
    #[expect(unnameable_types, reason = "code that cannot name it cannot make one")]
    pub struct Key(());

    impl Key {
        pub(crate) const OURS: Self = Self(());
    }

    /// The half of an engine that has no generic methods, so that it works behind `dyn`.
    #[expect(unnameable_types, reason = "a type that cannot name it cannot be an engine")]
    pub trait Sealed {
        /// Returns a number that no other engine of the process has; 0 for an engine without hooks.
        fn identity(&self) -> u64;

        /// Returns the engine itself, if there is one with hooks: for what is recorded.
        fn as_engine(&self) -> Option<&Engine> {
            None
        }

        /// Returns the generation of the table in force; 0 for an engine without hooks.
        fn table_generation(&self) -> Generation;

        /// Returns the armed set and the generation in one word; see [`crate::table::word`].
        fn armed_word(&self) -> u64;

        /// Notes that a step is cleared where no hook was looked for.
        fn note_unhooked(&self) {}

        /// Evaluates a step of any type.
        fn evaluate_any<'a>(
            &'a self,
            key: Key,
            payload: &'a mut dyn AnyPayload,
            context: &'a StepContext<'a>,
            settle: Settle,
        ) -> Clearing<'a>;

        /// Evaluates a step of any type, with its record.
        fn evaluate_any_reported<'a>(
            &'a self,
            key: Key,
            payload: &'a mut dyn AnyPayload,
            context: &'a StepContext<'a>,
            settle: Settle,
        ) -> ReportedClearing<'a>;
    }
}
pub(super) use sealed::{Key, Sealed};

/// Evaluates steps: an [`Engine`](crate::Engine), or [`Noop`](crate::Noop) for a runtime without hooks.
/// It is sealed, so a cleared step was evaluated by one of the engines of this crate.
///
/// A runtime takes `E: HookEngine = Noop`:
///
/// ```
/// use hookgate::{Engine, Gate, HookEngine, Noop, StepContext, ToolUse};
///
/// struct Runtime<E: HookEngine = Noop> {
///     hooks: E,
/// }
///
/// impl<E: HookEngine> Runtime<E> {
///     async fn call_tool(&self, name: &str, arguments: &str) -> String {
///         let Ok(step) = ToolUse::propose(name, arguments) else { return "bad arguments".into() };
///         match self.hooks.dispatch(step, &StepContext::new("session-1")).await {
///             Gate::Cleared(tool) => format!("running {}", tool.call().tool_name),
///             gate => format!("not run: {}", gate.outcome().name()),
///         }
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// assert_eq!(Runtime { hooks: Noop }.call_tool("Bash", "{}").await, "running Bash");
/// assert_eq!(Runtime { hooks: Engine::without_hooks() }.call_tool("Bash", "{}").await, "running Bash");
/// // Whether there are hooks is known when the program starts: `None` has none.
/// let hooks: Option<Engine> = None;
/// assert_eq!(Runtime { hooks }.call_tool("Bash", "{}").await, "running Bash");
/// # });
/// ```
///
/// A struct that cannot be generic holds an `Arc<dyn DynHookEngine>`; see [`DynHookEngine`]. An `Arc<dyn HookEngine>`
/// does not compile (E0038).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no engine",
    label = "this evaluates no steps",
    note = "an engine is `Engine`, `Noop`, an `Option`, a reference, a `Box` or an `Arc` of one, or `Arc<dyn DynHookEngine>`"
)]
pub trait HookEngine: Sealed + Send + Sync {
    /// The future of a dispatch.
    type Dispatch<'a, S: HookStep + 'a>: Future<Output = Gate<S>> + Send + Unpin
    where
        Self: 'a;

    /// Returns whether an event has a hook. A runtime calls this before it builds a step that
    /// is costly to build.
    fn armed(&self, event: Event) -> bool;

    /// Returns the generation of the table in force: 1 for the first, one more with each swap, and 0 for
    /// an engine without hooks.
    fn generation(&self) -> Generation;

    /// Clears a step at once if its event has no hook: one load and one branch. It never waits and
    /// never allocates. A loop that must be as fast with [`Noop`](crate::Noop) as without hooks calls it
    /// before [`dispatch`](Self::dispatch); see there for the example.
    ///
    /// # Errors
    /// The step, if a hook may want to evaluate it: it must be dispatched.
    fn pass<S: HookStep>(&self, step: S) -> Result<S::Cleared, S>;

    /// Has the hooks evaluate a step. The step is consumed and comes back in one state of its [`Gate`].
    ///
    /// # Panics
    /// Never because of a handler: a handler that panics has failed. Polling the future again after
    /// it was ready panics.
    ///
    /// # Cancel safety
    /// Dropping the future stops the handlers. The step is dropped with it, uncleared.
    #[must_use = "a step is evaluated only if the future is awaited"]
    fn dispatch<'a, S: HookStep + 'a>(
        &'a self,
        step: S,
        context: &'a StepContext<'a>,
    ) -> Self::Dispatch<'a, S>;

    /// Has the hooks evaluate a step and returns its record with the gate, for a runtime that is generic
    /// over its engine. The future is boxed;
    /// [`Engine::dispatch_reported`](crate::Engine::dispatch_reported) is not.
    ///
    /// ```
    /// use hookgate::{HookEngine, Noop, Outcome, StepContext, ToolUse};
    ///
    /// async fn audited<E: HookEngine>(engine: &E) -> Outcome {
    ///     let step = ToolUse::propose("Bash", "{}").unwrap();
    ///     let (_gate, report) = engine.dispatch_reported(step, &StepContext::new("s")).await;
    ///     report.decision
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// assert_eq!(audited(&Noop).await, Outcome::Allow);
    /// # });
    /// ```
    ///
    /// # Cancel safety
    /// As [`HookEngine::dispatch`].
    #[must_use = "a step is evaluated only if the future is awaited"]
    fn dispatch_reported<'a, S: HookStep + 'a>(
        &'a self,
        mut step: S,
        context: &'a StepContext<'a>,
    ) -> ReportedFuture<'a, S> {
        const { check::<S>() };
        Box::pin(async move {
            let id = own_id(&step, context);
            let named = id.as_deref().map(|id| context.step_id(id));
            let context = named.as_ref().unwrap_or(context);
            let (clearance, answer, report) = self
                .evaluate_any_reported(
                    Key::OURS,
                    step.payload_mut(),
                    context,
                    Gate::<S>::settle_any,
                )
                .await;
            (Gate::open(step, clearance, answer), report)
        })
    }
}

/// An engine behind `dyn`, for a struct that cannot be generic. Every [`HookEngine`] is one, and
/// `Arc<dyn DynHookEngine>` is a [`HookEngine`] again.
///
/// A dispatch through it boxes its future; `pass` stays one load and one branch, behind a virtual
/// call.
///
/// ```
/// use std::sync::Arc;
/// use hookgate::engine::DynHookEngine;
/// use hookgate::{Engine, HookEngine, Noop, StepContext, ToolUse};
///
/// struct Session {
///     hooks: Arc<dyn DynHookEngine>,
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// for hooks in [Arc::new(Engine::without_hooks()) as Arc<dyn DynHookEngine>, Arc::new(Noop)] {
///     let session = Session { hooks };
///     let step = ToolUse::propose("Bash", "{}").unwrap();
///     let gate = session.hooks.dispatch(step, &StepContext::new("session-1")).await;
///     assert!(gate.is_cleared());
/// }
/// # });
/// ```
pub trait DynHookEngine: Sealed + Send + Sync {}

impl<E: HookEngine> DynHookEngine for E {}

impl std::fmt::Debug for dyn DynHookEngine + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DynHookEngine")
            .field("generation", &self.table_generation())
            .finish_non_exhaustive()
    }
}

impl<'e> HookEngine for dyn DynHookEngine + 'e {
    type Dispatch<'a, S: HookStep + 'a>
        = Pin<Box<dyn Future<Output = Gate<S>> + Send + 'a>>
    where
        Self: 'a;

    fn armed(&self, event: Event) -> bool {
        self.armed_word() & event.bit() != 0
    }

    fn generation(&self) -> Generation {
        self.table_generation()
    }

    fn pass<S: HookStep>(&self, step: S) -> Result<S::Cleared, S> {
        const { check::<S>() };
        let word = self.armed_word();
        if word & const { events::<S>() } != 0 || is_mismatched(&step) {
            Err(step)
        } else {
            if word == Stamp::NO_ENGINE.word {
                self.note_unhooked();
            }
            let stamp = Stamp { engine: self.identity(), word };
            Ok(S::Cleared::clear(step, Clearance::silent(stamp)))
        }
    }

    fn dispatch<'a, S: HookStep + 'a>(
        &'a self,
        step: S,
        context: &'a StepContext<'a>,
    ) -> Self::Dispatch<'a, S> {
        Box::pin(async move {
            let mut step = match self.pass(step) {
                Ok(cleared) => return Gate::Cleared(cleared),
                Err(step) => step,
            };
            let id = own_id(&step, context);
            let named = id.as_deref().map(|id| context.step_id(id));
            let context = named.as_ref().unwrap_or(context);
            let (clearance, answer) = self
                .evaluate_any(Key::OURS, step.payload_mut(), context, Gate::<S>::settle_any)
                .await;
            Gate::open(step, clearance, answer)
        })
    }
}

/// A pointer to an engine is an engine. The three bodies are the same, and a blanket implementation
/// over `Deref` would be open to types outside of this crate.
macro_rules! forward {
    ($($pointer:ty),*) => { $(
        impl<E: HookEngine + ?Sized> Sealed for $pointer {
            #[inline]
            fn identity(&self) -> u64 {
                (**self).identity()
            }

            fn as_engine(&self) -> Option<&Engine> {
                (**self).as_engine()
            }

            #[inline]
            fn table_generation(&self) -> Generation {
                (**self).table_generation()
            }

            #[inline]
            fn armed_word(&self) -> u64 {
                (**self).armed_word()
            }

            fn note_unhooked(&self) {
                (**self).note_unhooked();
            }

            fn evaluate_any<'a>(
                &'a self,
                key: Key,
                payload: &'a mut dyn AnyPayload,
                context: &'a StepContext<'a>,
                settle: Settle,
            ) -> Clearing<'a> {
                (**self).evaluate_any(key, payload, context, settle)
            }

            fn evaluate_any_reported<'a>(
                &'a self,
                key: Key,
                payload: &'a mut dyn AnyPayload,
                context: &'a StepContext<'a>,
                settle: Settle,
            ) -> ReportedClearing<'a> {
                (**self).evaluate_any_reported(key, payload, context, settle)
            }
        }

        impl<E: HookEngine + ?Sized> HookEngine for $pointer {
            type Dispatch<'a, S: HookStep + 'a>
                = E::Dispatch<'a, S>
            where
                Self: 'a;

            #[inline]
            fn armed(&self, event: Event) -> bool {
                (**self).armed(event)
            }

            #[inline]
            fn generation(&self) -> Generation {
                (**self).generation()
            }

            #[inline]
            fn pass<S: HookStep>(&self, step: S) -> Result<S::Cleared, S> {
                (**self).pass(step)
            }

            #[inline]
            fn dispatch<'a, S: HookStep + 'a>(
                &'a self,
                step: S,
                context: &'a StepContext<'a>,
            ) -> Self::Dispatch<'a, S> {
                (**self).dispatch(step, context)
            }
        }
    )* };
}

forward!(&E, Box<E>, Arc<E>);
