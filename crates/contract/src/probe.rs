//! Whether what a handler needs is there.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::failure::Failure;

/// What a probe finds: one line that says what is there, or the failure that the hook would have.
pub type ProbeResult = Result<String, Failure>;

/// The future of a [`ProbeResult`].
pub type ProbeFuture<'a> = Pin<Box<dyn Future<Output = ProbeResult> + Send + 'a>>;

/// Tries out what a handler needs (a model, a process), without evaluating a step.
///
/// A config can be valid while its model is gone; a probe tells before a step is at stake.
///
/// ```
/// use std::time::Duration;
/// use hookgate_contract::{Probe, ProbeFuture};
/// use hookgate_contract::{BuiltHandler, Failure, FailureClass, Verdict};
///
/// struct RulesOnDisk(std::path::PathBuf);
/// impl Probe for RulesOnDisk {
///     fn check<'a>(&'a self, _hook: &'a str, _timeout: Duration) -> ProbeFuture<'a> {
///         Box::pin(async move {
///             match self.0.is_file() {
///                 true => Ok("the rules are there".into()),
///                 false => Err(Failure::new(FailureClass::Unreachable, "there are no rules")),
///             }
///         })
///     }
/// }
///
/// let built = BuiltHandler::sync(|_| Ok(Verdict::none())).probe(RulesOnDisk("rules".into()));
/// assert!(built.probe.is_some());
/// ```
pub trait Probe: Send + Sync {
    /// Tries it out for a hook, within the time that the hook has for an answer. The engine gives up
    /// a little later, so that a probe that keeps to the time itself can say what took so long.
    ///
    /// The text says what was found, and never repeats secrets.
    ///
    /// # Errors
    /// A failure of the class in which the hook itself would fail.
    ///
    /// # Cancel safety
    /// A dropped future leaves nothing running but what the handler keeps anyway.
    fn check<'a>(&'a self, hook: &'a str, timeout: Duration) -> ProbeFuture<'a>;
}

impl fmt::Debug for dyn Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Probe")
    }
}
