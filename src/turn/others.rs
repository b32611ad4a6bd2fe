//! What a turn takes at every event: lines for the audit log, diagnostics, work for later.

use hookgate_contract::contribution::{AuditLine, BackgroundJob, Contribution, Diagnostic};
use serde::Serialize;
use serde_json::json;

use super::Given;
use super::note::TurnNote;
use super::source::Source;
use super::tokens::Tokens;
use super::whole::{Sourced, affordable, first_of_each, within_budget};
use crate::table::ContributionLimits;

/// The slot of jobs that name no domain.
const JOBS: &str = "jobs";

/// Something that is taken at every event, and who has given it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Entry<T> {
    /// Where it comes from.
    pub source: Source,
    /// What was given.
    pub given: T,
}

impl<T> Sourced for Entry<T> {
    fn source(&self) -> &Source {
        &self.source
    }

    fn source_mut(&mut self) -> &mut Source {
        &mut self.source
    }

    fn into_source(self) -> Source {
        self.source
    }
}

/// What hooks have given beside policy, texts and tools.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Others {
    /// Lines for the audit log, in the order in which they were given. None is merged with another one.
    pub audit: Vec<Entry<AuditLine>>,
    /// What the writer of a hook or prompt should know; the same is there once.
    pub diagnostics: Vec<Entry<Diagnostic>>,
    /// Work for later, the lowest priority first. Jobs of one idempotency key are one job.
    pub jobs: Vec<Entry<BackgroundJob>>,
    /// What became of what does not count.
    pub notes: Vec<TurnNote>,
}

impl Others {
    pub(super) fn of(given: &[Given], limits: &ContributionLimits, tokens: &Tokens) -> Self {
        let mut others = Self::default();
        let (mut diagnostics, mut jobs) = (Vec::new(), Vec::new());
        for one in given {
            let source = |named: (&str, &str, i64), content| {
                Source::of_whole(&one.hook, &one.contribution, named, content, tokens)
            };
            let content = serde_json::to_value(&one.contribution).unwrap_or_default();
            match &one.contribution {
                Contribution::Audit(line) => {
                    let source = source((&line.event_kind, "audit", 0), &content);
                    others.audit.push(Entry { source, given: line.clone() });
                }
                Contribution::Diagnostic(diagnostic) => {
                    let source = source((&diagnostic.code, "diagnostics", 0), &content);
                    diagnostics.push(Entry { source, given: diagnostic.clone() });
                }
                Contribution::BackgroundJob(job) => {
                    let slot = job.domain.as_deref().unwrap_or(JOBS);
                    // With the key, so that no two jobs of a hook have the same place.
                    let content = json!([job.payload, job.idempotency_key]);
                    let source = source((&job.job_id, slot, job.priority), &content);
                    jobs.push(Entry { source, given: job.clone() });
                }
                _ => {}
            }
        }
        let notes = &mut others.notes;
        let same = |one: &Entry<Diagnostic>| one.source.digest.clone();
        let diagnostics = first_of_each(diagnostics, limits, same, "text", notes);
        others.diagnostics = within_budget(diagnostics, limits, notes);
        let same = |one: &Entry<BackgroundJob>| match &one.given.idempotency_key {
            Some(key) => (Some(key.clone()), None),
            None => {
                let Source { id, slot, digest, .. } = &one.source;
                (None, Some((id.clone(), slot.clone(), digest.clone())))
            }
        };
        let jobs = first_of_each(jobs, limits, same, "payload", notes);
        others.jobs = within_budget(jobs, limits, notes);
        others.jobs.sort_by(|a, b| a.source.by_importance(&b.source, limits));
        others.audit = affordable(std::mem::take(&mut others.audit), limits, notes);
        others
    }
}
