//! What the engine logs, all of it: events of `tracing`, target `hookgate`, beside the span of a dispatch. Without a listener
//! nothing of it is made, and without the feature `tracing` it is not compiled in.
//!
//! They name hooks, events, sessions and steps. The content of a step and what hooks answered is in none of them: logs
//! travel further than records.
//!
//! | level | what |
//! |---|---|
//! | `DEBUG` | the span `hookgate.dispatch`: event, session, step, generation, outcome |
//! | `INFO` | failures of hooks, slow hooks, swaps of the table |
//! | `WARN` | guards that were not enforced, background calls that were dropped or lost |
//! | `ERROR` | what a host or a handler did wrong, and what is lost for it |
#![cfg_attr(not(feature = "tracing"), allow(unused_variables, reason = "nobody listens"))]

use std::fmt::Display;
use std::time::Duration;

/// An event with the target of the engine. A macro, since `tracing` makes what it needs of an event where that is written.
macro_rules! event {
    ($level:ident, $($fields:tt)*) => {
        #[cfg(feature = "tracing")]
        tracing::$level!(target: "hookgate", $($fields)*)
    };
}

/// Returns whether hooks are timed, so that slow ones can be logged.
#[inline]
pub(crate) fn times_hooks() -> bool {
    #[cfg(feature = "tracing")]
    return tracing::enabled!(target: "hookgate", tracing::Level::INFO);
    #[cfg(not(feature = "tracing"))]
    false
}

/// Returns work that runs inside the span that is current now, on whatever thread.
pub(crate) fn in_current_span<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    #[cfg(feature = "tracing")]
    {
        let span = tracing::Span::current();
        move || span.in_scope(work)
    }
    #[cfg(not(feature = "tracing"))]
    work
}

pub(crate) fn no_engine() {
    event!(
        warn,
        "steps are cleared without hooks: the engine is `None`. `Noop` says that this is meant"
    );
}

pub(crate) fn swapped(generation: u64, hooks: usize) {
    event!(info, generation, hooks, "a table was put in force");
}

pub(crate) fn reload_failed(generation: u64, error: &dyn Display) {
    event!(warn, generation, %error, "a reload failed, the table in force stays");
}

pub(crate) fn handler_panicked_at_drop() {
    event!(error, "a handler panicked when the table that held it was given up");
}

pub(crate) fn required_hook_redefined(hook: &str) {
    event!(
        warn,
        hook,
        "a hook that is required is defined otherwise than before; `Require::definition` requires it as it is"
    );
}

pub(crate) fn scope_fails(why: &str) {
    event!(error, why, "the hooks of a session fail from now on");
}

#[cfg(feature = "watch")]
pub(crate) fn not_followed(why: &str) {
    event!(error, why, "the config is not followed any more");
}

/// A hook failed where that is no surprise: it says what it counts as, or it only observes.
pub(crate) fn hook_failed(hook: &str, event: &str, class: &str, counts_as: Option<&str>) {
    event!(info, hook, event, class, counts_as, "a hook failed");
}

pub(crate) fn background_hook_failed(hook: &str, event: &str, class: &str) {
    event!(warn, hook, event, class, "a background hook failed");
}

pub(crate) fn guard_not_enforced(hook: &str, event: &str, class: &str) {
    event!(warn, hook, event, class, "a hook failed and was not enforced");
}

pub(crate) fn slow_hook(hook: &str, event: &str, took_us: u64, timeout: Duration) {
    let (took_ms, timeout_ms) = (took_us / 1000, timeout.as_millis());
    event!(info, hook, event, took_ms, timeout_ms, "a hook is slow");
}

pub(crate) fn thread_left_behind(hook: &str) {
    event!(warn, hook, "a call whose time is over keeps its thread until it ends by itself");
}

pub(crate) fn background_not_awaited(pending: u64, why: &str) {
    event!(warn, pending, why, "background calls are not waited for");
}

pub(crate) fn background_lost(calls: usize, why: &dyn Display) {
    event!(warn, calls, why = %why, "background calls were lost");
}

pub(crate) fn background_dropped(hook: &str, so_far: u64, why: &dyn Display) {
    event!(warn, hook, so_far, why = %why, "a background call was dropped");
}

pub(crate) fn background_unrecorded(hook: &str, so_far: u64) {
    event!(warn, hook, so_far, "a background call is not recorded: there is no job queue");
}

pub(crate) fn job_not_kept(hook: &str, why: &dyn Display) {
    event!(warn, hook, why = %why, "a job was not kept");
}

pub(crate) fn dead_hook_set_aside(hook: &str, why: &str) {
    event!(warn, hook, why, "a dead hook was set aside");
}

pub(crate) fn hook_works_again(hook: &str) {
    event!(info, hook, "a hook that was set aside works again");
}

/// Only debug builds look.
#[cfg(debug_assertions)]
pub(crate) fn payload_changed(event: &str) {
    event!(
        error,
        event,
        "a payload has changed while hooks evaluated it: it must hold no shared or interior state"
    );
}

pub(crate) fn illegal_step(event: Option<&str>, problem: &str) {
    event!(error, event, problem, "a step is illegal");
}

pub(crate) fn no_record(event: &str, problem: &str) {
    event!(error, event, "{problem}");
}

pub(crate) fn tool_unfinished(tool: &str, step_id: Option<&str>) {
    event!(
        warn,
        tool,
        step_id,
        "a tool was started and its result was not handed to `finish`: no hook has seen what it did"
    );
}

pub(crate) fn recorder_panicked() {
    event!(error, "the recorder panicked, a record is lost");
}

pub(crate) fn recorder_dispatched() {
    event!(error, "the recorder has dispatched a step at its own engine, a record is lost");
}

pub(crate) fn shadow_taker_panicked() {
    event!(error, "what takes the deltas of a shadow panicked, one is lost");
}
