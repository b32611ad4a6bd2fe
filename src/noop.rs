//! No hooks at all.

use std::future::{Ready, ready};

use hookgate_contract::{Event, StepContext};

use crate::engine::{HookEngine, Sealed};
use crate::generation::Generation;
use crate::step::{Clearance, Clears, Gate, HookStep, Stamp};

/// An engine without hooks, for a runtime whose user wants none.
///
/// As a type parameter it compiles to nothing where the runtime asks [`pass`](HookEngine::pass) first,
/// as `match engine.pass(step) { Ok(cleared) => …, Err(step) => engine.dispatch(step, &context).await }`:
/// the machine code is that of a loop without hooks. With `dispatch(step, &context).await` alone a
/// step is moved into the future and out again, some 20 instructions for a small step and some 60
/// for a tool call. What it clears no [`Engine`](crate::Engine) takes for its own.
///
/// ```
/// use hookgate::{Gate, HookEngine, Noop, StepContext, contract::payload::SessionEnd};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let Gate::Cleared(()) = Noop.dispatch(SessionEnd::new("done"), &StepContext::new("s")).await;
/// # });
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Noop;

impl Sealed for Noop {
    #[inline(always)]
    fn identity(&self) -> u64 {
        Stamp::NOBODY.engine
    }
}

impl HookEngine for Noop {
    type Dispatch<'a, S: HookStep + 'a> = Ready<Gate<S>>;

    #[inline(always)]
    fn armed(&self, _: Event) -> bool {
        false
    }

    #[inline(always)]
    fn generation(&self) -> Generation {
        Generation::UNPUBLISHED
    }

    #[inline(always)]
    fn pass<S: HookStep>(&self, step: S) -> Result<S::Cleared, S> {
        Ok(S::Cleared::clear(step, Clearance::silent(Stamp::NOBODY)))
    }

    #[inline(always)]
    fn dispatch<'a, S: HookStep + 'a>(
        &'a self,
        step: S,
        _: &'a StepContext<'a>,
    ) -> Self::Dispatch<'a, S> {
        ready(Gate::Cleared(S::Cleared::clear(step, Clearance::silent(Stamp::NOBODY))))
    }
}
