//! Runs one case, in a session and with hooks of its own.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookgate::decision::{Vote, VoteOutcome};
use hookgate::envelope::Incoming;
use hookgate::table::BuildErrors;
use hookgate::{ConfigHash, Engine, HandlerTable, HookSpec, Report};

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

/// A table under test, whose hooks do what a case says.
pub(super) struct Bench {
    harness: Harness,
    engine: Engine,
}

impl Bench {
    /// Puts a table on it. With `really`, external handlers without a substitute are called, too.
    ///
    /// # Errors
    /// The table cannot be built again.
    pub(super) fn new(table: HandlerTable, really: bool) -> Result<Self, Abort> {
        Self::with(&Arc::new(table), None, really)
            .map_err(|errors| Abort::failure(format!("the hooks cannot be wrapped: {errors}")))
    }

    /// Puts a table on it in which one hook is another one.
    ///
    /// # Errors
    /// The table cannot be built with it.
    pub(super) fn with(
        table: &Arc<HandlerTable>,
        in_place: Option<&HookSpec>,
        really: bool,
    ) -> Result<Self, BuildErrors> {
        let harness = Harness::default();
        let table = harness.wrap(table, in_place, really)?;
        Ok(Self { harness, engine: Engine::new(table) })
    }

    /// Returns the hash of its table.
    pub(super) fn hash(&self) -> ConfigHash {
        self.engine.table().config_hash()
    }

    /// Runs the steps of a case. What tables remember is nothing to a case with a session of its own: `apart`
    /// is added to the ids of its sessions.
    ///
    /// # Errors
    /// A step is no envelope any more.
    pub(super) async fn run(&self, case: &Case, apart: &str) -> Result<Came, Abort> {
        let mut came = Came::default();
        for (index, step) in case.steps.iter().enumerate() {
            self.harness.set(&step.substitutes);
            let mut incoming = Incoming::from_object(step.in_session(apart))
                .map_err(|error| Abort::failure(format!("`{}`: {error}", case.name)))?;
            let report = self.engine.evaluate(&mut incoming).await;
            self.engine.drain(DRAIN).await;
            let called = self.harness.take_called();
            let missing = self.harness.take_missing().into_iter();
            let mut found: Vec<Difference> =
                missing.map(|(hook, kind)| not_run(&hook, &kind)).collect();
            found.extend(step.expected.differences(&report, &called));
            came.called.extend(called);
            came.differences.extend(found.into_iter().map(|difference| (index + 1, difference)));
            came.reports.push(report);
        }
        Ok(came)
    }
}

/// What came of the steps of a case.
#[derive(Debug, Default)]
pub(super) struct Came {
    /// What is not as expected, each with its step, from 1.
    pub(super) differences: Vec<(usize, Difference)>,
    /// What came out of each step.
    reports: Vec<Report>,
    /// The hooks whose handlers were called.
    called: BTreeSet<String>,
}

/// The difference that a handler would have had to be run.
fn not_run(hook: &str, kind: &str) -> Difference {
    Difference {
        what: NOT_RUN,
        expected: format!("a stub or a fault for `{hook}`"),
        got: format!(
            "none, and a {kind} handler is not run by a test: add `stub = {{ {hook} = {{ verdict = \
             \"allow\" }} }}` or `fault = {{ {hook} = \"timeout\" }}`, or use --run"
        ),
    }
}

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
    let Came { differences, reports, called } = Bench::new(table, really)?.run(case, "").await?;
    (run.differences, run.reports, run.called) = (differences, reports, called);
    run.status = match (run.differences.is_empty(), &case.todo) {
        (true, _) => Status::Passed,
        (false, Some(_)) => Status::Todo,
        (false, None) => Status::Failed,
    };
    run.duration = began.elapsed();
    Ok(run)
}
