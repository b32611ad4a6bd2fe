//! The one way in which a hook is called.
//!
//! [`invoke`] looks at what the handler is and at what is wanted, and returns a [`Call`]: an answer
//! that is there at once, or a future that waits for it. Guards and rewriters, one after the other or
//! concurrently, observers and background hooks all go through it. (The loop in `in_order.rs` also
//! calls a sync handler directly, in the one case where nothing can be cancelled, timed or recorded:
//! it is the hot path.)
//!
//! | handler | step | what [`invoke`] returns |
//! |---|---|---|
//! | any | the host has cancelled | a failure of class `cancelled`, without a call |
//! | sync | small | the answer |
//! | sync, heavy | large | a future: the handler runs on a blocking thread |
//! | async | any | a future: the handler starts when it is first polled |

use std::future::ready;
use std::task::Context;

use hookgate_contract::{
    AsyncHandler, Envelope, Failure, FailureClass, Handler, Invocation, Reply, SyncHandler,
    Verdict, VerdictDecision,
};

use super::guarded_call::{
    Clock, GuardedCall, Operation, OperationFuture, cancellation, timeout_failure,
};
use super::offload::OwnedCall;
use crate::clock::Instant;
use crate::matcher::Holding;
use crate::panic_boundary::{catch, invoke_sync};
use crate::table::CompiledHook;

/// A call of a hook.
pub(super) enum Call<'e> {
    /// It has answered or failed.
    Answered(Reply),
    /// It waits.
    Waiting(HandlerCall<'e>),
}

/// The future of a handler's answer.
pub(super) type HandlerCall<'e> = GuardedCall<'e, Handling<'e>>;

/// The future of whether the conditions of a hook hold.
pub(super) type ConditionCall<'e> = GuardedCall<'e, Checking>;

impl Call<'_> {
    /// Waits for the answer.
    pub(super) async fn reply(self) -> Reply {
        match self {
            Self::Answered(reply) => reply,
            Self::Waiting(call) => call.await,
        }
    }
}

/// Calls the handler of a hook. With `offloaded`, a handler that answers at once runs on a blocking
/// thread.
pub(super) fn invoke<'e>(
    hook: &'e CompiledHook,
    envelope: &'e Envelope<'e>,
    offloaded: Option<OwnedCall>,
    deadline: Option<Instant>,
) -> Call<'e> {
    let answered = match &offloaded {
        None => answer_now(hook, envelope),
        Some(_) => cancellation(envelope).map(Err),
    };
    match answered {
        Some(reply) => Call::Answered(reply),
        None => Call::Waiting(handler_call(hook, envelope, offloaded, deadline)),
    }
}

/// Returns the answer of a handler that answers at once, and the failure of one that must not be called
/// any more; `None` if the handler waits.
#[inline]
pub(super) fn answer_now(hook: &CompiledHook, envelope: &Envelope<'_>) -> Option<Reply> {
    match &hook.handler {
        Handler::Sync(handler) => Some(answer(hook, &**handler, envelope)),
        Handler::Async(_) => cancellation(envelope).map(Err),
    }
}

/// Calls a handler that answers at once, unless the host has cancelled the dispatch.
#[inline]
pub(super) fn answer(
    hook: &CompiledHook,
    handler: &dyn SyncHandler,
    envelope: &Envelope<'_>,
) -> Reply {
    match cancellation(envelope) {
        None if hook.can_be_late => answer_in_time(hook, handler, envelope),
        None => invoke_sync(handler, hook.invocation(envelope)),
        Some(failure) => Err(failure),
    }
}

/// As [`answer`]: nothing stops the handler, but of what it says too late only that counts which lets nothing happen.
fn answer_in_time(
    hook: &CompiledHook,
    handler: &dyn SyncHandler,
    envelope: &Envelope<'_>,
) -> Reply {
    let begun = Instant::now();
    let verdict = invoke_sync(handler, hook.invocation(envelope))?;
    if begun.elapsed() >= hook.timeout && !Handling::counts_late(&verdict) {
        return Err(timeout_failure(hook.timeout, None));
    }
    Ok(verdict)
}

/// Returns the future of a handler that waits, or of one that is offloaded.
#[inline]
pub(super) fn handler_call<'e>(
    hook: &'e CompiledHook,
    envelope: &'e Envelope<'e>,
    offloaded: Option<OwnedCall>,
    deadline: Option<Instant>,
) -> HandlerCall<'e> {
    let handling = handling(hook, envelope, offloaded);
    GuardedCall::new(handling, envelope.context().cancel, hook.timeout, deadline)
}

/// Calls a handler that waits, and polls it for the first time. Returns the answer, or the call if it has
/// to wait; its timer is not set.
#[inline]
pub(super) fn begin_call<'e>(
    hook: &'e CompiledHook,
    envelope: &'e Envelope<'e>,
    deadline: Option<Instant>,
    clock: &mut Clock,
    cx: &mut Context<'_>,
) -> Result<Reply, Box<HandlerCall<'e>>> {
    let handling = handling(hook, envelope, None);
    GuardedCall::begin(handling, envelope.context().cancel, hook.timeout, deadline, clock, cx)
}

/// Looks on a blocking thread whether the conditions of a hook hold.
pub(super) fn check_conditions<'e>(
    hook: &CompiledHook,
    envelope: &'e Envelope<'e>,
    offloaded: OwnedCall,
    deadline: Option<Instant>,
) -> ConditionCall<'e> {
    GuardedCall::new(Checking(offloaded), envelope.context().cancel, hook.timeout, deadline)
}

/// Returns whether a hook is to be called about a step, as far as its conditions say. If so, those who
/// want to know are told: this is asked once for each hook and step.
///
/// # Errors
/// A failure of class `panic` if the payload or a registered condition panics, and of class `unclear` if
/// a registered condition cannot be told and the handler does not look for itself.
#[inline]
pub(super) fn conditions_hold(
    hook: &CompiledHook,
    envelope: &Envelope<'_>,
) -> Result<bool, Failure> {
    if !hook.checks {
        return Ok(true);
    }
    let who = if hook.conditions.has_further() { "a condition" } else { "the payload" };
    catch(who, || check(hook, envelope)).flatten()
}

fn check(hook: &CompiledHook, envelope: &Envelope<'_>) -> Result<bool, Failure> {
    hook.conditions.note_last(envelope);
    let holding = hook.conditions.holding(envelope);
    if holding == Holding::No {
        return Ok(false);
    }
    hook.note_held(envelope, holding);
    if holding == Holding::Unclear && hook.static_answer {
        let why = hook.conditions.unclear_part(envelope);
        let why = why.unwrap_or_else(|| "a condition of the hook cannot be told".to_owned());
        return Err(Failure::new(FailureClass::Unclear, shortened(why)));
    }
    Ok(true)
}

/// How many characters of the explanation of a condition are kept: it may quote a whole command.
const EXPLANATION: usize = 2000;

fn shortened(text: String) -> String {
    match text.char_indices().nth(EXPLANATION) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[inline]
fn handling<'e>(
    hook: &'e CompiledHook,
    envelope: &'e Envelope<'e>,
    offloaded: Option<OwnedCall>,
) -> Handling<'e> {
    match &hook.handler {
        Handler::Async(handler) => Handling::Async(&**handler, hook.invocation(envelope)),
        Handler::Sync(_) => Handling::Offloaded(offloaded),
    }
}

/// The run of a handler.
pub(super) enum Handling<'a> {
    /// The handler is async.
    Async(&'a dyn AsyncHandler, Invocation<'a>),
    /// The handler is sync and runs on a blocking thread. Without a call it is not run: `invoke` never
    /// makes that.
    Offloaded(Option<OwnedCall>),
}

impl<'a> Operation for Handling<'a> {
    type Output = Verdict;
    type Future = OperationFuture<'a, Verdict>;

    fn start(&mut self) -> Self::Future {
        match self {
            Self::Async(handler, invocation) => handler.handle(*invocation),
            Self::Offloaded(call) => match call.clone() {
                Some(call) => call.on_thread(answer_on_thread),
                None => Box::pin(ready(Err(not_sync()))),
            },
        }
    }

    fn counts_late(verdict: &Verdict) -> bool {
        let decision = verdict.parts().and_then(|parts| parts.decision);
        decision.is_some_and(|decision| decision > VerdictDecision::Allow)
    }

    fn overload(&self) -> Option<Failure> {
        match self {
            Self::Async(_, invocation) => invocation.take_overload(),
            Self::Offloaded(_) => None,
        }
    }

    fn salvaged(&self) -> Option<VerdictDecision> {
        match self {
            Self::Async(_, invocation) => invocation.take_salvaged(),
            Self::Offloaded(_) => None,
        }
    }
}

fn answer_on_thread(hook: &CompiledHook, envelope: &Envelope<'_>) -> Reply {
    match &hook.handler {
        Handler::Sync(handler) => invoke_sync(&**handler, hook.invocation(envelope)),
        Handler::Async(_) => Err(not_sync()),
    }
}

/// The failure of a call that `invoke` never makes: it offloads sync handlers only, with their call.
fn not_sync() -> Failure {
    Failure::new(FailureClass::Spawn, "the handler cannot be offloaded")
}

/// The evaluation of a hook's conditions on a blocking thread.
pub(super) struct Checking(OwnedCall);

impl Operation for Checking {
    type Output = bool;
    type Future = OperationFuture<'static, bool>;

    fn start(&mut self) -> Self::Future {
        self.0.clone().on_thread(conditions_hold)
    }
}
