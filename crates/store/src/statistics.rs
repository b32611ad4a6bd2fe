//! What hooks did, counted over many records.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hookgate::Outcome;
use hookgate::decision::VoteOutcome;
use rusqlite::params_from_iter;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::filter::Filter;
use crate::reader::Reader;

/// What the records of a journal come to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Statistics {
    /// How many steps.
    pub steps: u64,
    /// How many steps of each outcome.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// What each hook did.
    pub hooks: BTreeMap<String, HookStatistics>,
    /// How many steps were not simply allowed, in equal parts of the time from the first to the last.
    pub trend: Vec<u64>,
}

/// What one hook did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct HookStatistics {
    /// How often it was asked.
    pub asked: u64,
    /// How often the outcome was its own.
    pub decided: u64,
    /// How often it failed.
    pub failed: u64,
    /// How often it rewrote the step.
    pub rewrote: u64,
    /// Half of its calls took no longer, in microseconds.
    pub p50_us: u64,
    /// Of its calls, 95 in a hundred took no longer, in microseconds.
    pub p95_us: u64,
    #[serde(skip)]
    durations: Vec<u64>,
}

/// How many parts the trend has.
const PARTS: usize = 24;

/// What of a record is counted: all of it is in the chain, so that it is known also when the body is gone.
#[derive(Deserialize)]
struct Counted<'t> {
    time: u64,
    #[serde(borrow)]
    report: CountedReport<'t>,
}

#[derive(Deserialize)]
struct CountedReport<'t> {
    decision: Outcome,
    #[serde(borrow)]
    by: Vec<Cow<'t, str>>,
    #[serde(borrow)]
    votes: Vec<CountedVote<'t>>,
}

#[derive(Deserialize)]
struct CountedVote<'t> {
    #[serde(borrow)]
    hook: Cow<'t, str>,
    outcome: VoteOutcome,
    #[serde(default)]
    rewrote: bool,
    duration_us: Option<u64>,
}

impl Reader {
    /// Counts over the records that are asked for.
    ///
    /// # Errors
    /// As [`Reader::entries`].
    pub fn statistics(&self, filter: &Filter) -> Result<Statistics, StoreError> {
        let mut found = Statistics::default();
        let (mut first, mut last, mut refused) = (u64::MAX, 0, Vec::new());
        let (query, values) = filter.clone().of_steps().query("record.seq, record.text");
        let mut query = self.database.prepare(&query).map_err(|error| self.refused(error))?;
        let mut rows =
            query.query(params_from_iter(values)).map_err(|error| self.refused(error))?;
        while let Some(row) = rows.next().map_err(|error| self.refused(error))? {
            let seq = row.get(0).map_err(|error| self.refused(error))?;
            let text = row.get_ref(1).and_then(|text| Ok(text.as_str()?));
            let text = text.map_err(|error| self.refused(error))?;
            let record: Counted<'_> =
                serde_json::from_str(text).map_err(|error| StoreError::Entry { seq, error })?;
            found.add(&record);
            (first, last) = (first.min(record.time), last.max(record.time));
            if record.report.decision != Outcome::Allow {
                refused.push(record.time);
            }
        }
        for hook in found.hooks.values_mut() {
            hook.durations.sort_unstable();
            (hook.p50_us, hook.p95_us) = (part(&hook.durations, 50), part(&hook.durations, 95));
        }
        found.trend = trend(&refused, first, last);
        Ok(found)
    }
}

impl Statistics {
    fn add(&mut self, record: &Counted<'_>) {
        self.steps += 1;
        *self.outcomes.entry(record.report.decision.name()).or_default() += 1;
        for vote in &record.report.votes {
            let hook = self.of(&vote.hook);
            hook.asked += 1;
            hook.failed += u64::from(vote.outcome == VoteOutcome::Failed);
            hook.rewrote += u64::from(vote.rewrote);
            hook.durations.extend(vote.duration_us);
        }
        for hook in &record.report.by {
            self.of(hook).decided += 1;
        }
    }

    fn of(&mut self, hook: &str) -> &mut HookStatistics {
        self.hooks.entry(hook.to_owned()).or_default()
    }
}

/// Returns the value that so many in a hundred do not exceed; 0 if there are none.
fn part(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

/// Counts times in equal parts of a span.
fn trend(times: &[u64], first: u64, last: u64) -> Vec<u64> {
    let mut parts = vec![0; PARTS];
    let span = u128::from(last.saturating_sub(first)) + 1;
    for time in times {
        let place = u128::from(time.saturating_sub(first)) * PARTS as u128 / span;
        if let Some(count) = usize::try_from(place).ok().and_then(|place| parts.get_mut(place)) {
            *count += 1;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_a_value_that_was_there() {
        let values: Vec<u64> = (1..=100).collect();
        assert_eq!((part(&values, 50), part(&values, 95)), (50, 95));
        assert_eq!((part(&[7], 50), part(&[7], 95), part(&[], 50)), (7, 7, 0));
    }

    #[test]
    fn the_first_and_the_last_time_have_a_part() {
        let parts = trend(&[10, 10, 33], 10, 33);
        assert_eq!((parts[0], parts[23]), (2, 1));
        assert_eq!(trend(&[5], 5, 5)[0], 1, "all at one time");
    }
}
