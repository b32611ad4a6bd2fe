//! Whether what a hook needs is there, found out before a step depends on it.
//!
//! A host runs the probes when it starts, or when a config was changed; `hookgate check --live`
//! does the same. A probe never evaluates a step: a judge asks its models a small question that is
//! always the same, a worker is started. Whatever the probe does, it ends in time, and a panic in
//! it is a failure.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;
use std::time::Duration;

use hookgate_contract::ProbeResult;
use hookgate_contract::{Failure, FailureClass};
use tokio::time::timeout;

use crate::panic_boundary::handler_panicked;
use crate::table::{HookSpec, Limits};
use crate::timer::{format_timeout, in_runtime};

/// Grace beyond the hook's timeout, so that a probe that keeps the timeout itself can report what
/// was slow.
const GRACE: Duration = Duration::from_millis(250);

impl HookSpec {
    /// Probes what the handler needs, without evaluating a step. It takes no longer than a call of
    /// the hook may: its timeout, or that of its kind.
    ///
    /// Returns `None` if the handler has no probe: it needs nothing, or only a call would tell.
    ///
    /// # Errors
    /// A failure of the class in which the hook itself would fail.
    ///
    /// # Cancel safety
    /// Dropping the future stops the probe.
    ///
    /// ```
    /// use std::time::Duration;
    /// use hookgate::contract::{ProbeFuture, Probe};
    /// use hookgate::contract::{BuiltHandler, Invocation};
    /// use hookgate::{Hook, Verdict, table::Limits};
    ///
    /// struct Database;
    ///
    /// impl Probe for Database {
    ///     fn check<'a>(&'a self, _hook: &'a str, _timeout: Duration) -> ProbeFuture<'a> {
    ///         Box::pin(async { Ok("the database answers".to_owned()) })
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let handler = BuiltHandler::sync(|_| Ok(Verdict::none())).probe(Database);
    /// let hook = Hook::new("quota", "database", handler).build();
    /// let found = hook.check_live(&Limits::default()).await;
    /// assert_eq!(found, Some(Ok("the database answers".to_owned())));
    /// # });
    /// ```
    pub async fn check_live(&self, limits: &Limits) -> Option<ProbeResult> {
        let probe = self.built().probe.as_ref()?;
        if let Err(failure) = in_runtime() {
            return Some(Err(failure));
        }
        let limit = self.timeout().unwrap_or_else(|| limits.timeout_of(self.kind()));
        let mut checked = Box::pin(async {
            timeout(limit.saturating_add(GRACE), probe.check(self.id(), limit))
                .await
                .unwrap_or_else(|_| {
                    let detail = format!("no answer within {}", format_timeout(limit));
                    Err(Failure::new(FailureClass::Timeout, detail))
                })
        });
        let result = std::future::poll_fn(move |cx| {
            catch_unwind(AssertUnwindSafe(|| checked.as_mut().poll(cx)))
                .unwrap_or_else(|panic| Poll::Ready(Err(handler_panicked(panic))))
        });
        Some(result.await)
    }
}
