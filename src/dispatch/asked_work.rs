//! Work that hooks ask for (`background_job`) goes to the queue of the host, if that takes it.

use hookgate_contract::contribution::Contribution;
use hookgate_contract::payload::AnyPayload;

use super::DispatchState;
use super::job_call::{job_of, submit_job};
use super::observe::observed;
use crate::decision::{Contributed, Decision};

impl DispatchState<'_> {
    /// Queues the work that the hooks of a decision have asked for. The user reads of what is not kept.
    pub(super) fn queue_work(&self, payload: &dyn AnyPayload, decision: &mut Decision) {
        let Some(queue) = &self.context.services.jobs else { return };
        let asked = decision.contributions.iter().filter_map(|given| {
            let Contributed { hook, contribution: Contribution::BackgroundJob(work) } = given
            else {
                return None;
            };
            Some((hook.clone(), work.clone()))
        });
        let asked: Vec<_> = asked.collect();
        if asked.is_empty() {
            return;
        }
        let mut not_kept = Vec::new();
        let told = observed(Some(decision));
        let envelope = self.context.envelope(payload).decided(&told);
        for (hook, work) in asked {
            let work_id = work.job_id.clone();
            let spec = self.context.set.deciders.iter().map(|hook| &hook.definition.spec);
            let job = spec
                .into_iter()
                .find(|spec| *spec.id() == hook)
                .and_then(|spec| job_of(self.context.table, spec, &envelope));
            let why = match job.map(|job| submit_job(&**queue, job.contributed(work))) {
                Some(Ok(())) => continue,
                Some(Err(refused)) => refused.to_string(),
                None => "the step could not be written".to_owned(),
            };
            not_kept
                .push(format!("the job `{work_id}` that `{hook}` has asked for is lost: {why}"));
        }
        decision.messages.extend(not_kept);
    }
}
