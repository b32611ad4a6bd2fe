//! An engine or none: whether there are hooks is known when the program starts, not when it is compiled.
//!
//! `Option<E>` is the middle between a type parameter, which costs nothing but fixes the choice in the
//! program, and `Arc<dyn DynHookEngine>`, which boxes every dispatch. `None` does what [`Noop`] does, and
//! a dispatch stays without an allocation: the future is one of two, side by side.
//!
//! ```
//! use hookgate::{Engine, HandlerTable, HookEngine, StepContext, ToolUse};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! // The user has no hooks.toml. One with mistakes is an error, and no `None`: do not write `.ok()` here.
//! let config: Option<HandlerTable> = None;
//! let hooks: Option<Engine> = config.map(Engine::new);
//! let step = ToolUse::propose("Bash", "{}").unwrap();
//! assert!(hooks.dispatch(step, &StepContext::new("s")).await.is_cleared());
//! // What only an engine has (a table to swap, events) is behind the option.
//! if let Some(engine) = &hooks {
//!     println!("{} hooks", engine.table().len());
//! }
//! # });
//! ```

use std::fmt;
use std::future::{Future, Ready};
use std::pin::Pin;
use std::sync::Once;
use std::task::{Context, Poll};

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, Event, StepContext};

use super::Engine;
use super::hook_engine::{HookEngine, Key, Sealed};
use super::noop::Noop;
use super::reported::Settle;
use crate::generation::Generation;
use crate::log;
use crate::report::Report;
use crate::step::{Clearance, Gate, HookStep};

/// The future of a dispatch of an [`Option<E>`](Option): that of the engine, or one that is ready.
///
/// # Cancel safety
/// As [`HookEngine::dispatch`].
#[must_use = "a step is evaluated only if the future is awaited"]
pub struct OptionDispatch<F, S: HookStep>(Either<F, S>);

enum Either<F, S: HookStep> {
    Engine(F),
    Noop(Ready<Gate<S>>),
}

impl<F, S: HookStep> fmt::Debug for OptionDispatch<F, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hooks = matches!(self.0, Either::Engine(_));
        f.debug_struct("OptionDispatch").field("hooks", &hooks).finish_non_exhaustive()
    }
}

impl<F: Future<Output = Gate<S>> + Unpin, S: HookStep> Future for OptionDispatch<F, S> {
    type Output = Gate<S>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Gate<S>> {
        match &mut self.0 {
            Either::Engine(dispatch) => Pin::new(dispatch).poll(cx),
            Either::Noop(ready) => Pin::new(ready).poll(cx),
        }
    }
}

/// The future of an engine is `Unpin`, and so is a gate that is ready.
impl<F: Unpin, S: HookStep> Unpin for OptionDispatch<F, S> {}

/// Says once in a process that steps are cleared without hooks: the host may have lost them by `.ok()`.
#[inline]
fn note_none() {
    static NOTED: Once = Once::new();
    if !NOTED.is_completed() {
        NOTED.call_once(log::no_engine);
    }
}

impl<E: HookEngine> Sealed for Option<E> {
    fn identity(&self) -> u64 {
        self.as_ref().map_or_else(|| Noop.identity(), E::identity)
    }

    fn as_engine(&self) -> Option<&Engine> {
        self.as_ref().and_then(E::as_engine)
    }

    fn table_generation(&self) -> Generation {
        self.as_ref().map_or_else(|| Noop.table_generation(), E::table_generation)
    }

    fn armed_word(&self) -> u64 {
        self.as_ref().map_or_else(|| Noop.armed_word(), E::armed_word)
    }

    fn note_unhooked(&self) {
        match self {
            Some(engine) => engine.note_unhooked(),
            None => note_none(),
        }
    }

    fn evaluate_any<'a>(
        &'a self,
        key: Key,
        payload: &'a mut dyn AnyPayload,
        context: &'a StepContext<'a>,
        settle: Settle,
    ) -> Pin<Box<dyn Future<Output = (Clearance, Option<Answer>)> + Send + 'a>> {
        match self {
            Some(engine) => engine.evaluate_any(key, payload, context, settle),
            None => {
                note_none();
                Noop.evaluate_any(key, payload, context, settle)
            }
        }
    }

    fn evaluate_any_reported<'a>(
        &'a self,
        key: Key,
        payload: &'a mut dyn AnyPayload,
        context: &'a StepContext<'a>,
        settle: Settle,
    ) -> Pin<Box<dyn Future<Output = (Clearance, Option<Answer>, Report)> + Send + 'a>> {
        match self {
            Some(engine) => engine.evaluate_any_reported(key, payload, context, settle),
            None => {
                note_none();
                Noop.evaluate_any_reported(key, payload, context, settle)
            }
        }
    }
}

/// `None` has no hooks: it clears every step, as [`Noop`] does. The first step of the process that it clears is
/// logged as a warning: that there are no hooks may be an error that somebody has thrown away.
impl<E: HookEngine> HookEngine for Option<E> {
    type Dispatch<'a, S: HookStep + 'a>
        = OptionDispatch<E::Dispatch<'a, S>, S>
    where
        Self: 'a;

    #[inline]
    fn armed(&self, event: Event) -> bool {
        self.as_ref().is_some_and(|engine| engine.armed(event))
    }

    #[inline]
    fn generation(&self) -> Generation {
        self.as_ref().map_or_else(|| Noop.generation(), E::generation)
    }

    #[inline]
    fn pass<S: HookStep>(&self, step: S) -> Result<S::Cleared, S> {
        match self {
            Some(engine) => engine.pass(step),
            None => {
                note_none();
                Noop.pass(step)
            }
        }
    }

    #[inline]
    fn dispatch<'a, S: HookStep + 'a>(
        &'a self,
        step: S,
        context: &'a StepContext<'a>,
    ) -> Self::Dispatch<'a, S> {
        OptionDispatch(match self {
            Some(engine) => Either::Engine(engine.dispatch(step, context)),
            None => {
                note_none();
                Either::Noop(Noop.dispatch(step, context))
            }
        })
    }
}
