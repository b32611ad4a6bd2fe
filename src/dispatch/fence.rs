//! What keeps a handler from doing harm: its panics, its deadline, its cancellation.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hookgate_contract::{
    Ask, Cancel, Failure, FailureClass, Reply, ReplyFuture, StepHandler, SyncHandler,
};
use tokio::time::{Instant, Sleep};

/// Asks a handler that answers at once.
#[inline]
pub(crate) fn ask_now(handler: &dyn SyncHandler, ask: Ask<'_>) -> Reply {
    catch_unwind(AssertUnwindSafe(|| handler.handle(ask)))
        .unwrap_or_else(|panic| Err(panicked(&*panic)))
}

/// Asks a handler that waits. It is started when first polled; a timer is armed only if it does
/// not answer at once.
pub(crate) struct Fence<'a> {
    handler: &'a dyn StepHandler,
    ask: Ask<'a>,
    cancel: Option<&'a dyn Cancel>,
    timeout: Duration,
    deadline: Option<Instant>,
    waiting: Option<Waiting<'a>>,
}

struct Waiting<'a> {
    reply: ReplyFuture<'a>,
    /// Before the first poll, which may take its time: to start a process on a busy machine.
    since: Instant,
    sleep: Option<Pin<Box<Sleep>>>,
    cancelled: Option<Pin<Box<dyn Future<Output = ()> + Send + 'a>>>,
}

impl<'a> Fence<'a> {
    pub(crate) fn new(
        handler: &'a dyn StepHandler,
        ask: Ask<'a>,
        timeout: Duration,
        deadline: Option<Instant>,
    ) -> Self {
        Self { handler, ask, cancel: ask.context().cancel, timeout, deadline, waiting: None }
    }

    fn start(&mut self) -> Result<(), Failure> {
        let (handler, ask, since) = (self.handler, self.ask, Instant::now());
        match catch_unwind(AssertUnwindSafe(|| handler.handle(ask))) {
            Ok(reply) => {
                self.waiting = Some(Waiting { reply, since, sleep: None, cancelled: None });
                Ok(())
            }
            Err(panic) => Err(panicked(&*panic)),
        }
    }

    fn end(&mut self, reply: Reply) -> Poll<Reply> {
        let reply = self.stop().map_or(reply, Err);
        // What an unfinished answer said stands. It was noted when the future was dropped.
        Poll::Ready(reply.map_err(|failure| {
            let stands = failure.stands.max(self.ask.left());
            failure.standing(stands)
        }))
    }

    /// Drops the handler's future, which stops the handler; a panic on the way is its failure.
    fn stop(&mut self) -> Option<Failure> {
        let waiting = self.waiting.take()?;
        catch_unwind(AssertUnwindSafe(move || drop(waiting))).err().map(|panic| panicked(&*panic))
    }
}

impl Drop for Fence<'_> {
    fn drop(&mut self) {
        // Nobody is left to be told of a panic.
        let _ = self.stop();
    }
}

impl Future for Fence<'_> {
    type Output = Reply;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Reply> {
        let this = &mut *self;
        if this.waiting.is_none()
            && let Err(failure) = this.start()
        {
            return Poll::Ready(Err(failure));
        }
        let Some(waiting) = &mut this.waiting else { return Poll::Pending };
        let polled = catch_unwind(AssertUnwindSafe(|| waiting.reply.as_mut().poll(cx)));
        match polled {
            Ok(Poll::Ready(reply)) => return this.end(reply),
            Err(panic) => return this.end(Err(panicked(&*panic))),
            Ok(Poll::Pending) => {}
        }
        if let Some(cancel) = this.cancel {
            let cancelled = waiting.cancelled.get_or_insert_with(|| cancel.cancelled());
            if cancelled.as_mut().poll(cx).is_ready() {
                return this.end(Err(cancelled_failure()));
            }
        }
        if waiting.sleep.is_none() {
            let at = waiting.since + this.timeout;
            let at = this.deadline.map_or(at, |deadline| deadline.min(at));
            // Making a timer panics outside a runtime with a clock.
            match catch_unwind(AssertUnwindSafe(|| Box::pin(tokio::time::sleep_until(at)))) {
                Ok(sleep) => waiting.sleep = Some(sleep),
                Err(_) => {
                    return this.end(Err(Failure::new(
                        FailureClass::Spawn,
                        "the dispatch runs outside a tokio runtime with its clock enabled, so no \
                         deadline could be set",
                    )));
                }
            }
        }
        let elapsed =
            waiting.sleep.as_mut().is_some_and(|sleep| sleep.as_mut().poll(cx).is_ready());
        if !elapsed {
            return Poll::Pending;
        }
        let failure = timed_out(this.timeout, this.deadline);
        this.end(Err(failure))
    }
}

fn timed_out(timeout: Duration, deadline: Option<Instant>) -> Failure {
    let whole = deadline.is_some_and(|deadline| Instant::now() >= deadline);
    Failure::new(
        FailureClass::Timeout,
        if whole {
            "the deadline of the whole dispatch has passed".to_owned()
        } else {
            format!("no answer within {}", humane(timeout))
        },
    )
}

pub(crate) fn humane(duration: Duration) -> String {
    if duration.subsec_millis() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}

pub(super) fn cancelled_failure() -> Failure {
    Failure::new(FailureClass::Cancelled, "the dispatch was cancelled")
}

/// The message of a panic, short enough for a record.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a value that is no text");
    let text: String = text.chars().take(200).collect();
    Failure::new(FailureClass::Panic, format!("the handler panicked: {text}"))
}
