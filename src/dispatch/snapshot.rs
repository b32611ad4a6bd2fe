//! A copy of a step that another thread, or a later moment, can read.
//!
//! An [`Envelope`] borrows: the payload, the context of the session, the id of the step. Work that
//! outlives the borrow (background hooks, conditions and handlers on a blocking thread) reads a
//! [`Snapshot`], which owns copies of all of it and lends them to an envelope of its own. A snapshot
//! costs one clone of the payload; it is made once for each version of a step and shared.

use std::borrow::Cow;

use hookgate_contract::payload::{AnyPayload, Payload};
use hookgate_contract::{
    Contract, Derived, Envelope, Event, Failure, Observed, ReasonCode, SessionEnv, Slots,
    StepContext, StepId,
};

use crate::clock;
use crate::envelope::Header;
use crate::panic_boundary::catch;

/// A copy of one version of a step, with everything that an envelope borrows.
///
/// The limit on the size of an envelope and the mark of the final round are copied too, so a handler
/// cannot tell whether it reads the step or a copy.
pub(crate) struct Snapshot {
    payload: Box<dyn AnyPayload>,
    header: Header,
    env: Option<SessionEnv>,
    slots: Option<Slots>,
    generation: u64,
    limit: usize,
    rejudge: bool,
    decision: Option<ObservedDecision>,
    /// What was derived of the step, shared with the envelope that was copied and with other copies.
    derived: Derived,
}

/// The last owner of a copy may be a task of the runtime, or its end: a panic of the payload must not reach those.
impl Drop for Snapshot {
    fn drop(&mut self) {
        let payload = std::mem::replace(&mut self.payload, Box::new(Dropped));
        let _ = catch("the payload", || drop(payload));
    }
}

/// Stands for a payload that was dropped.
#[derive(Clone, serde::Serialize)]
struct Dropped;

impl Payload for Dropped {
    fn contract(&self) -> &'static Contract {
        Event::Custom.contract()
    }
}

/// The decision in the envelope of an observer, owned.
struct ObservedDecision {
    outcome: String,
    by: Vec<String>,
    reason: Option<String>,
    patched: Vec<Cow<'static, str>>,
    reason_code: Option<ReasonCode>,
}

/// The parts of a snapshot that its envelope borrows and that must be put together first.
pub(crate) struct EnvelopeParts<'s> {
    snapshot: &'s Snapshot,
    context: StepContext<'s>,
    step_id: StepId<'s>,
    observed: Option<Observed<'s>>,
}

impl Snapshot {
    /// Copies the step of an envelope, and the decision if there is one.
    ///
    /// # Errors
    /// A failure of class `panic` if the payload panics when it is cloned.
    pub(crate) fn new(
        envelope: &Envelope<'_>,
        observed: Option<&Observed<'_>>,
    ) -> Result<Self, Failure> {
        let context = envelope.context();
        Ok(Self {
            payload: catch("the payload", || envelope.payload().snapshot())?,
            header: Header {
                step_id: Some(envelope.step_id().to_owned()),
                session_id: context.session_id.to_owned(),
                turn: context.turn,
                cwd: context.cwd.map(str::to_owned),
                agent_id: context.agent_id.map(str::to_owned),
                agent_type: context.agent_type.map(str::to_owned),
                host: context.host.cloned().unwrap_or_default(),
                no_context: context.no_context,
            },
            env: context.env.cloned(),
            slots: context.slots.cloned(),
            generation: envelope.generation(),
            limit: envelope.limit(),
            rejudge: envelope.is_rejudge(),
            derived: envelope.derived_values().clone(),
            decision: observed.map(|observed| ObservedDecision {
                outcome: observed.outcome.to_owned(),
                by: observed.by.iter().map(|&by| by.to_owned()).collect(),
                reason: observed.reason.map(str::to_owned),
                patched: observed.patched.to_vec(),
                reason_code: observed.reason_code,
            }),
        })
    }

    /// Returns the parts that an envelope of the step borrows.
    pub(crate) fn parts(&self) -> EnvelopeParts<'_> {
        let mut context = self.header.context();
        (context.env, context.slots) = (self.env.as_ref(), self.slots.as_ref());
        EnvelopeParts {
            snapshot: self,
            context,
            step_id: StepId::new(self.header.step_id.as_deref(), clock::step_id),
            observed: self.decision.as_ref().map(|decision| {
                let by = decision.by.iter().map(String::as_str).collect();
                let reason = decision.reason.as_deref();
                Observed::new(&decision.outcome, by, reason, &decision.patched)
                    .reason_code(decision.reason_code)
            }),
        }
    }
}

impl EnvelopeParts<'_> {
    /// Returns the envelope of the step.
    pub(crate) fn envelope(&self) -> Envelope<'_> {
        let Snapshot { payload, generation, limit, rejudge, derived, .. } = self.snapshot;
        let mut envelope =
            Envelope::new(&**payload, &self.context, &self.step_id, *generation, *limit)
                .sharing(derived.clone());
        if *rejudge {
            envelope = envelope.rejudge();
        }
        match &self.observed {
            Some(observed) => envelope.decided(observed),
            None => envelope,
        }
    }
}
