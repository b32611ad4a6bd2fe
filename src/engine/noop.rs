//! An engine without hooks.

use std::future::{Future, Ready, ready};
use std::pin::Pin;

use hookgate_contract::StepId;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, Event, StepContext};

use super::hook_engine::{HookEngine, Key, Sealed};
use super::reported::Settle;
use crate::clock;
use crate::generation::Generation;
use crate::report::Report;
use crate::step::{Clearance, Clears, Gate, HookStep, Stamp};
use crate::table::HandlerTable;

/// An engine without hooks, for a runtime whose user wants none. It clears every step.
///
/// As a type parameter it compiles to nothing if the runtime calls [`pass`](HookEngine::pass) first:
/// the machine code is that of a loop without hooks. With `dispatch(step, &context).await` alone the
/// step is moved into the future and out again, some 20 instructions for a small step and some 50
/// for a tool call.
///
/// ```
/// use hookgate::contract::payload::SessionEnd;
/// use hookgate::{Gate, HookEngine, HookStep, Noop, StepContext};
///
/// async fn free<E: HookEngine, S: HookStep>(engine: &E, step: S) -> Gate<S> {
///     match engine.pass(step) {
///         Ok(cleared) => Gate::Cleared(cleared),
///         Err(step) => engine.dispatch(step, &StepContext::new("s")).await,
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let Gate::Cleared(()) = free(&Noop, SessionEnd::new("done")).await;
/// # });
/// ```
///
/// A step that it has cleared is not cleared for an [`Engine`](crate::Engine): no permit is issued
/// for it, and it does not approve what an engine has asked about.
#[derive(Debug, Clone, Copy)]
pub struct Noop;

impl Sealed for Noop {
    #[inline(always)]
    fn identity(&self) -> u64 {
        Stamp::NO_ENGINE.engine
    }

    #[inline(always)]
    fn table_generation(&self) -> Generation {
        Generation::UNPUBLISHED
    }

    #[inline(always)]
    fn armed_word(&self) -> u64 {
        Stamp::NO_ENGINE.word
    }

    fn evaluate_any<'a>(
        &'a self,
        _: Key,
        _: &'a mut dyn AnyPayload,
        _: &'a StepContext<'a>,
        _: Settle,
    ) -> Pin<Box<dyn Future<Output = (Clearance, Option<Answer>)> + Send + 'a>> {
        Box::pin(ready((Clearance::silent(Stamp::NO_ENGINE), None)))
    }

    fn evaluate_any_reported<'a>(
        &'a self,
        _: Key,
        payload: &'a mut dyn AnyPayload,
        context: &'a StepContext<'a>,
        _: Settle,
    ) -> Pin<Box<dyn Future<Output = (Clearance, Option<Answer>, Report)> + Send + 'a>> {
        let step_id = StepId::new(context.step_id, clock::step_id);
        let report = Report::begun(&HandlerTable::empty(), payload, context, &step_id);
        Box::pin(ready((Clearance::silent(Stamp::NO_ENGINE), None, report)))
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
        Ok(S::Cleared::clear(step, Clearance::silent(Stamp::NO_ENGINE)))
    }

    #[inline(always)]
    fn dispatch<'a, S: HookStep + 'a>(
        &'a self,
        step: S,
        _: &'a StepContext<'a>,
    ) -> Self::Dispatch<'a, S> {
        ready(Gate::Cleared(S::Cleared::clear(step, Clearance::silent(Stamp::NO_ENGINE))))
    }
}
