//! Runs one case, in a session and with hooks of its own.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hookgate::decision::{Vote, VoteOutcome};
use hookgate::envelope::Incoming;
use hookgate::{Engine, Report};

use super::expectation::Difference;
use super::substitute::Harness;
use super::suite::Case;
use crate::abort::Abort;
use crate::config::{self, Configs};

/// How long background hooks may go on after a step.
const DRAIN: Duration = Duration::from_secs(10);

/// What became of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Passed,
    Failed,
    /// It was not run.
    Skipped,
    /// It failed, as it is known to do.
    Todo,
}

impl Status {
    /// Returns the name in records.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Todo => "todo",
        }
    }
}

/// A run of a case.
#[derive(Debug)]
pub(super) struct CaseRun {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) name: String,
    /// Which of the repeated runs it is, from 1.
    pub(super) round: u32,
    pub(super) status: Status,
    /// Why it is skipped or known to fail.
    pub(super) why: Option<String>,
    /// What is not as expected, each with its step, from 1.
    pub(super) differences: Vec<(usize, Difference)>,
    /// What came out of each step.
    pub(super) reports: Vec<Report>,
    /// The hooks whose handlers were called.
    called: BTreeSet<String>,
    /// How many steps the case has.
    pub(super) steps: usize,
    pub(super) duration: Duration,
}

impl CaseRun {
    /// Whether only decisions and hooks differ, which an update can write down.
    pub(super) fn is_decided(&self) -> bool {
        !self.differences.iter().any(|(_, difference)| difference.what == NOT_RUN)
    }

    fn votes(&self) -> impl Iterator<Item = &Vote> {
        self.reports.iter().flat_map(|report| &report.votes)
    }

    /// Returns the hooks that were called, or that voted without a call: because it cannot be told
    /// whether they are about the step.
    pub(super) fn called(&self) -> BTreeSet<&str> {
        let voted = self.votes().map(|vote| vote.hook.as_str());
        voted.chain(self.called.iter().map(String::as_str)).collect()
    }

    /// Returns the hooks that decided, changed or added something, or failed.
    pub(super) fn acted(&self) -> BTreeSet<&str> {
        let acted = |vote: &&Vote| {
            matches!(vote.outcome, VoteOutcome::Verdict | VoteOutcome::Would | VoteOutcome::Failed)
        };
        self.votes().filter(acted).map(|vote| vote.hook.as_str()).collect()
    }
}

/// What the difference is called that a handler was not run.
const NOT_RUN: &str = "handler";

/// Runs a case. With `really`, external handlers are called, too.
///
/// # Errors
/// The config is not valid any more.
pub(super) async fn run(
    case: &Case,
    file: String,
    round: u32,
    configs: &Configs,
    really: bool,
) -> Result<CaseRun, Abort> {
    let began = Instant::now();
    let mut run = CaseRun {
        file,
        line: case.line,
        name: case.name.clone(),
        round,
        status: Status::Skipped,
        why: case.skip.clone().or_else(|| case.todo.clone()).filter(|why| !why.is_empty()),
        differences: Vec::new(),
        reports: Vec::new(),
        called: BTreeSet::new(),
        steps: case.steps.len(),
        duration: Duration::ZERO,
    };
    if case.skip.is_some() {
        return Ok(run);
    }
    // Loaded for each case: marks, counts and limits of one session are nothing to another.
    let table = configs.load_quietly(&config::registry_at(case.now))?;
    let harness = Harness::default();
    let table = harness
        .wrap(table, really)
        .map_err(|errors| Abort::failure(format!("the hooks cannot be wrapped: {errors}")))?;
    let engine = Engine::new(table);
    for (index, step) in case.steps.iter().enumerate() {
        harness.set(&step.substitutes);
        let mut incoming = Incoming::from_object(step.envelope.clone())
            .map_err(|error| Abort::failure(format!("`{}`: {error}", case.name)))?;
        let report = engine.evaluate(&mut incoming).await;
        engine.drain(DRAIN).await;
        let mut found: Vec<Difference> = Vec::new();
        for (hook, kind) in harness.take_missing() {
            found.push(Difference {
                what: NOT_RUN,
                expected: format!("a stub or a fault for `{hook}`"),
                got: format!(
                    "none, and a {kind} handler is not run by a test: add `stub = {{ {hook} = {{ verdict = \
                     \"allow\" }} }}` or `fault = {{ {hook} = \"timeout\" }}`, or use --run"
                ),
            });
        }
        found.extend(step.expected.differences(&report));
        run.differences.extend(found.into_iter().map(|difference| (index + 1, difference)));
        run.reports.push(report);
    }
    run.called = harness.called();
    run.status = match (run.differences.is_empty(), &case.todo) {
        (true, _) => Status::Passed,
        (false, Some(_)) => Status::Todo,
        (false, None) => Status::Failed,
    };
    run.duration = began.elapsed();
    Ok(run)
}
