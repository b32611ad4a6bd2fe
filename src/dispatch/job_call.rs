//! A call that is made later, by whoever works the queue of jobs ([`jobs`](crate::jobs)).

use std::sync::Arc;

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{
    Contract, Envelope, Failure, Handler, Observed, Parts, StepContext, StepId, Verdict,
};
use serde_json::Value;

use super::guarded_call::GuardedCall;
use super::invoke::Handling;
use super::legality::find_illegal_work;
use super::offload::OwnedCall;
use super::record::Started;
use super::snapshot::Snapshot;
use super::validate::{Version, find_wrong};
use super::{Services, contract};
use crate::clock;
use crate::events::HookEventKind;
use crate::jobs::{Job, JobDone, JobQueue, JobRefused};
use crate::log;
use crate::panic_boundary::catch;
use crate::table::{Bucket, CompiledHook, HandlerTable, HookSpec};

/// Makes the job of a hook about a step. `None` if the step cannot be written.
pub(super) fn job_of(
    table: &HandlerTable,
    spec: &HookSpec,
    envelope: &Envelope<'_>,
) -> Option<Job> {
    let value = catch("the payload", || envelope.value().cloned());
    let Ok(Ok(Value::Object(step))) = value else { return None };
    let mut job = Job::new(spec.id().clone(), spec.config_hash(), table.config_hash(), step);
    job.visible_to_user = spec.visible_to_user;
    Some(job)
}

/// Hands a job to the queue of the host.
///
/// # Errors
/// Why it is not kept. That is logged.
pub(super) fn submit_job(queue: &dyn JobQueue, job: Job) -> Result<(), JobRefused> {
    let hook = job.hook_id.clone();
    let why = match catch("the queue of jobs", || queue.submit(job)) {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(refused)) => refused,
        Err(panic) => JobRefused::NotKept(panic.detail.into_owned()),
    };
    log::job_not_kept(hook.as_str(), &why);
    Err(why)
}

/// A hook and the step of a job.
pub(crate) struct JobCall<'c> {
    pub(crate) services: &'c Services,
    pub(crate) table: &'c HandlerTable,
    pub(crate) bucket: &'c Arc<Bucket>,
    pub(crate) hook: &'c Arc<CompiledHook>,
    pub(crate) payload: &'c dyn AnyPayload,
    pub(crate) context: &'c StepContext<'c>,
    pub(crate) generation: u64,
    pub(crate) limit: usize,
    /// The decision that was made about the step.
    pub(crate) observed: Option<&'c Observed<'c>>,
}

impl JobCall<'_> {
    /// Makes the call, within the timeout of the hook. Its conditions were checked when the job was made.
    ///
    /// # Errors
    /// The failure of the hook, or that of an answer which is illegal.
    pub(crate) async fn make(self, idempotency_key: &str) -> Result<JobDone, Failure> {
        let Self { services, table, bucket, hook, payload, context, generation, limit, observed } =
            self;
        let step_id = StepId::new(context.step_id, clock::step_id);
        let envelope = Envelope::new(payload, context, &step_id, generation, limit);
        let envelope = match observed {
            Some(observed) => envelope.decided(observed),
            None => envelope,
        };
        services.places.lend(hook, table, &envelope);
        let started = services
            .stream
            .has_subscribers()
            .then(|| Started::announce(&services.stream, hook, &envelope));
        let handling = match &hook.handler {
            Handler::Async(handler) => {
                Handling::Async(&**handler, hook.invocation(&envelope).keyed(idempotency_key))
            }
            Handler::Sync(_) => {
                let snapshot = Arc::new(Snapshot::new(&envelope, observed)?);
                let call = OwnedCall::new(bucket, hook, snapshot, &services.left_behind);
                Handling::Offloaded(Some(call))
            }
        };
        let reply = GuardedCall::new(handling, context.cancel, hook.timeout, None).await;
        let version = Version { payload, is_final: false };
        let done = reply.map(Verdict::into_parts).and_then(|parts| {
            let parts = parts.map(|parts| *parts).unwrap_or_default();
            self::done(hook, contract(bucket, payload), version, parts)
        });
        let failed_attempts = envelope.take_failed_attempts(hook.id());
        let duration_us = started.map(Started::end);
        if let Err(failure) = &done {
            hook.definition.count_failure(failure.class);
        }
        if let Some(duration_us) = duration_us {
            let what = match &done {
                Ok(_) => HookEventKind::Completed { duration_us },
                Err(failure) => HookEventKind::Failed {
                    class: failure.class,
                    detail: failure.detail.to_string(),
                },
            };
            services.stream.send(hook.id(), &envelope, what);
        }
        done.map(|done| JobDone { failed_attempts, ..done })
    }
}

/// Returns what counts of an answer. Nobody waits for it any more, so even an observer may contribute what changes
/// nothing of the step: lines for the audit log, diagnostics, work.
fn done(
    hook: &CompiledHook,
    contract: &'static Contract,
    version: Version<'_>,
    mut parts: Parts,
) -> Result<JobDone, Failure> {
    let mut done = JobDone { note: parts.note.take(), ..JobDone::default() };
    done.contributions = std::mem::take(&mut parts.contributions);
    let wrong = find_wrong(hook, contract, version, &mut parts);
    match wrong.or_else(|| find_illegal_work(&done.contributions, hook)) {
        Some(failure) => Err(failure),
        None => {
            done.patch = parts.patch.into();
            Ok(done)
        }
    }
}
