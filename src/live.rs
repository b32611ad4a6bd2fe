//! Whether what a hook needs is there, before a step is at stake.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use hookgate_contract::probe::ProbeResult;
use hookgate_contract::{Failure, FailureClass};
use tokio::time::timeout;

use crate::panic_boundary::handler_panicked;
use crate::table::{HookSpec, Limits};
use crate::timer::{format_timeout, in_runtime};

/// How much longer is waited. A check that minds its time itself says more of what took so long.
const LATER: Duration = Duration::from_millis(250);

impl HookSpec {
    /// Tries out what the handler needs, without judging a step: a judge asks its models a small
    /// question, a worker is started. It takes no longer than the hook has for a step: its timeout,
    /// or that of its kind.
    ///
    /// None where nothing can be tried out: the handler needs nothing, or to ask it would be to
    /// have it judge.
    ///
    /// # Errors
    /// A failure of the class in which the hook itself would fail.
    ///
    /// # Cancel safety
    /// A dropped future stops the check.
    pub async fn check_live(&self, limits: &Limits) -> Option<ProbeResult> {
        let check = self.built().probe.as_ref()?;
        if let Err(failure) = in_runtime() {
            return Some(Err(failure));
        }
        let limit = self.timeout.unwrap_or_else(|| limits.timeout_of(self.kind()));
        let mut tried = Box::pin(async {
            timeout(limit.saturating_add(LATER), check.check(self.id(), limit))
                .await
                .unwrap_or_else(|_| {
                    let detail = format!("no answer within {}", format_timeout(limit));
                    Err(Failure::new(FailureClass::Timeout, detail))
                })
        });
        let found = std::future::poll_fn(move |cx| {
            catch_unwind(AssertUnwindSafe(|| tried.as_mut().poll(cx)))
                .unwrap_or_else(|panic| std::task::Poll::Ready(Err(handler_panicked(&*panic))))
        });
        Some(found.await)
    }
}
