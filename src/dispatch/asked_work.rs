//! Work that hooks ask for (`background_job`) goes to the queue of the host, if that takes it.

use hookgate_contract::Envelope;
use hookgate_contract::contribution::Contribution;

use super::Services;
use super::job_call::{job_of, submit_job};
use super::observe::observed;
use crate::decision::{Contributed, Decision, Outcome};
use crate::table::HandlerTable;

/// Queues the work that the hooks of a decision have asked for, unless the user is still to be asked: then nothing is
/// decided. The user reads of what is not kept.
pub(crate) fn queue_work(
    services: &Services,
    table: &HandlerTable,
    envelope: Envelope<'_>,
    decision: &mut Decision,
) {
    let Some(queue) = services.jobs.as_deref() else { return };
    if decision.outcome == Outcome::Ask {
        return;
    }
    let asked = decision.contributions.iter().filter_map(|given| {
        let Contributed { hook, contribution: Contribution::BackgroundJob(work) } = given else {
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
    let envelope = envelope.decided(&told);
    for (hook, work) in asked {
        let work_id = work.job_id.clone();
        let spec = table.specs().find(|spec| *spec.id() == hook);
        let job = spec.and_then(|spec| job_of(table, spec, &envelope));
        let why = match job.map(|job| submit_job(queue, job.contributed(work))) {
            Some(Ok(())) => continue,
            Some(Err(refused)) => refused.to_string(),
            None => "the step could not be written".to_owned(),
        };
        not_kept.push(format!("the job `{work_id}` that `{hook}` has asked for is lost: {why}"));
    }
    decision.messages.extend(not_kept);
}
