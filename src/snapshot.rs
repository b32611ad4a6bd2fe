//! A step as it was, for those who look at it on another thread or later.

use std::borrow::Cow;

use crate::envelope::Header;
use hookgate_contract::envelope::{Envelope, Observed, StepId};
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Failure, StepContext};

use crate::clock;
use crate::dispatch::fenced;

/// A copy of one version of a step.
pub(crate) struct Snapshot {
    payload: Box<dyn AnyPayload>,
    header: Header,
    generation: u64,
    limit: usize,
    rejudge: bool,
    decision: Option<Told>,
}

/// The decision that observers are told.
struct Told {
    outcome: String,
    by: Vec<String>,
    reason: Option<String>,
    patched: Vec<Cow<'static, str>>,
}

/// What an envelope borrows of a snapshot.
pub(crate) struct Facts<'s> {
    snapshot: &'s Snapshot,
    context: StepContext<'s>,
    step_id: StepId<'s>,
    observed: Option<Observed<'s>>,
}

impl Snapshot {
    /// Copies a step, and the decision where there is one.
    ///
    /// # Errors
    /// A failure of class `panic` where the payload panics when it is cloned.
    pub(crate) fn of(
        envelope: &Envelope<'_>,
        observed: Option<&Observed<'_>>,
    ) -> Result<Self, Failure> {
        let context = envelope.context();
        Ok(Self {
            payload: fenced("the payload", || envelope.payload().snapshot())?,
            header: Header {
                step_id: Some(envelope.step_id().to_owned()),
                session_id: context.session_id.to_owned(),
                turn: context.turn,
                cwd: context.cwd.map(str::to_owned),
                agent_id: context.agent_id.map(str::to_owned),
                agent_type: context.agent_type.map(str::to_owned),
                host: context.host.cloned().unwrap_or_default(),
            },
            generation: envelope.generation(),
            limit: envelope.limit(),
            rejudge: envelope.is_rejudge(),
            decision: observed.map(|observed| Told {
                outcome: observed.outcome.to_owned(),
                by: observed.by.iter().map(|&by| by.to_owned()).collect(),
                reason: observed.reason.map(str::to_owned),
                patched: observed.patched.to_vec(),
            }),
        })
    }

    /// What an envelope of the step borrows.
    pub(crate) fn facts(&self) -> Facts<'_> {
        Facts {
            snapshot: self,
            context: self.header.context(),
            step_id: StepId::new(self.header.step_id.as_deref(), clock::step_id),
            observed: self.decision.as_ref().map(|told| {
                let by = told.by.iter().map(String::as_str).collect();
                Observed::new(&told.outcome, by, told.reason.as_deref(), &told.patched)
            }),
        }
    }
}

impl Facts<'_> {
    /// The envelope of the step.
    pub(crate) fn envelope(&self) -> Envelope<'_> {
        let Snapshot { payload, generation, limit, rejudge, .. } = self.snapshot;
        let mut envelope =
            Envelope::new(&**payload, &self.context, &self.step_id, *generation, *limit);
        if *rejudge {
            envelope = envelope.rejudge();
        }
        match &self.observed {
            Some(observed) => envelope.decided(observed),
            None => envelope,
        }
    }
}
