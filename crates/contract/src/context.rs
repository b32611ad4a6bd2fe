//! The facts of a session that are in the header of every envelope.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde_json::{Map, Value};

use crate::decision::VerdictDecision;
use crate::session_env::SessionEnv;
use crate::slots::Slots;

/// A signal that a dispatch is no longer needed, for instance because the user pressed Escape.
///
/// A cancelled dispatch drops the calls that are under way. With the feature `tokio-util` it is implemented for `tokio_util::sync::CancellationToken`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot cancel a dispatch",
    note = "for the `CancellationToken` of `tokio_util`, turn on the feature `tokio-util` of hookgate; for a signal of your \
            own, implement `hookgate::contract::Cancel`"
)]
pub trait Cancel: Send + Sync {
    /// Tells whether the dispatch is cancelled.
    fn is_cancelled(&self) -> bool;

    /// Waits until the dispatch is cancelled.
    fn cancelled<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}

impl fmt::Debug for dyn Cancel + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cancel")
    }
}

#[cfg(feature = "tokio-util")]
impl Cancel for tokio_util::sync::CancellationToken {
    fn is_cancelled(&self) -> bool {
        self.is_cancelled()
    }

    fn cancelled<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(self.cancelled())
    }
}

/// What the runtime knows about the session at a step. It borrows everything, so making one costs
/// nothing, and it is `Copy`.
///
/// ```
/// use hookgate_contract::StepContext;
///
/// let context = StepContext::new("session-1").turn(3).cwd("/srv/ledger");
/// assert_eq!(context.turn, 3);
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct StepContext<'a> {
    /// The session.
    pub session_id: &'a str,
    /// The turn, from 1; 0 before the first.
    pub turn: u64,
    /// The folder that the session works in.
    pub cwd: Option<&'a str>,
    /// The agent, if there are several.
    pub agent_id: Option<&'a str>,
    /// What kind of agent it is.
    pub agent_type: Option<&'a str>,
    /// Facts of the host that have no field here.
    pub host: Option<&'a Map<String, Value>>,
    /// Environment variables of the session. No envelope and no record has them.
    pub env: Option<&'a SessionEnv>,
    /// Values that hooks in Rust share over the steps of one call.
    pub slots: Option<&'a Slots>,
    /// The step, if the host has a name for it; else one is generated when it is needed.
    pub step_id: Option<&'a str>,
    /// The signal that cancels the dispatch.
    pub cancel: Option<&'a dyn Cancel>,
    /// Whether the host shows the model no context that hooks give at this step.
    pub no_context: bool,
    /// What has refused the step before it is dispatched, so that nobody clears it.
    #[doc(hidden)]
    pub refusal: Option<&'a Refusal>,
}

/// The refusal of a step by a hook that has seen a part of it before the whole is dispatched.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The hook.
    pub hook: String,
    /// Deny, or halt.
    pub decision: VerdictDecision,
    /// Why.
    pub reason: String,
}

impl<'a> StepContext<'a> {
    /// Makes the context of a session.
    #[must_use]
    pub const fn new(session_id: &'a str) -> Self {
        Self {
            session_id,
            turn: 0,
            cwd: None,
            agent_id: None,
            agent_type: None,
            host: None,
            env: None,
            slots: None,
            step_id: None,
            cancel: None,
            no_context: false,
            refusal: None,
        }
    }

    /// Sets the turn.
    #[must_use]
    pub const fn turn(mut self, turn: u64) -> Self {
        self.turn = turn;
        self
    }

    /// Sets the folder that the session works in.
    #[must_use]
    pub const fn cwd(mut self, cwd: &'a str) -> Self {
        self.cwd = Some(cwd);
        self
    }

    /// Sets the agent.
    #[must_use]
    pub const fn agent(mut self, agent_id: &'a str, agent_type: &'a str) -> Self {
        self.agent_id = Some(agent_id);
        self.agent_type = Some(agent_type);
        self
    }

    /// Adds facts of the host.
    #[must_use]
    pub const fn host(mut self, host: &'a Map<String, Value>) -> Self {
        self.host = Some(host);
        self
    }

    /// Sets environment variables of the session: see [`SessionEnv`].
    #[must_use]
    pub const fn env(mut self, env: &'a SessionEnv) -> Self {
        self.env = Some(env);
        self
    }

    /// Sets the values that hooks share over the steps of one call: see [`Slots`].
    #[must_use]
    pub const fn slots(mut self, slots: &'a Slots) -> Self {
        self.slots = Some(slots);
        self
    }

    /// Names the step.
    #[must_use]
    pub const fn step_id(mut self, step_id: &'a str) -> Self {
        self.step_id = Some(step_id);
        self
    }

    /// Sets the signal that cancels the dispatch.
    #[must_use]
    pub const fn cancel(mut self, cancel: &'a dyn Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Says that the host shows the model no context at this step, although the event takes it: decision and record
    /// then name the hooks whose context is undelivered.
    #[must_use]
    pub const fn no_context(mut self) -> Self {
        self.no_context = true;
        self
    }
}
