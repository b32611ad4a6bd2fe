//! The counts of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use comfy_table::{Cell, CellAlignment, Color};
use hookgate::contract::VerdictDecision;
use hookgate::decision::{Vote, VoteOutcome};
use hookgate::{FailureClass, Generation, HandlerTable, Outcome, Report};

use crate::terminal::phrase::count;
use crate::terminal::style::{BAD, BOLD, DOUBTFUL, outcome_colour, outcome_style};
use crate::terminal::table::{To, cell, dim};
use crate::terminal::{stderr, table};

/// Counts of decisions and votes.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    steps: u64,
    unreadable: u64,
    outcomes: BTreeMap<Outcome, u64>,
    generations: BTreeSet<Generation>,
    hooks: BTreeMap<String, Tally>,
}

/// Counts of one hook.
#[derive(Debug, Default)]
struct Tally {
    kind: String,
    called: u64,
    denied: u64,
    asks: u64,
    /// Decisions that would have counted in mode `enforce`.
    would: u64,
    failed: BTreeMap<FailureClass, u64>,
}

impl Summary {
    /// Counts a step that was evaluated.
    pub(crate) fn add(&mut self, report: &Report) {
        self.steps += 1;
        *self.outcomes.entry(report.decision).or_default() += 1;
        self.generations.insert(report.generation);
        let votes = report.votes.iter().filter(|vote| vote.outcome != VoteOutcome::Cancelled);
        // A hook that was called again for the rewritten step counts once, with its later vote.
        let last: BTreeMap<&str, &Vote> = votes.map(|vote| (vote.hook.as_str(), vote)).collect();
        for vote in last.into_values() {
            self.tally_of(&vote.hook, &vote.kind).count(vote);
        }
    }

    /// Counts a line that could not be read.
    pub(crate) fn add_unreadable(&mut self) {
        self.unreadable += 1;
    }

    /// Adds the hooks of a table that were not called.
    pub(crate) fn add_uncalled(&mut self, table: &HandlerTable) {
        for spec in table.specs() {
            self.tally_of(spec.id(), spec.kind());
        }
    }

    /// Returns how many lines could not be read.
    pub(crate) const fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Returns how many steps were evaluated.
    pub(crate) const fn steps(&self) -> u64 {
        self.steps
    }

    fn tally_of(&mut self, id: &str, kind: &str) -> &mut Tally {
        self.hooks
            .entry(id.to_owned())
            .or_insert_with(|| Tally { kind: kind.to_owned(), ..Tally::default() })
    }

    /// Prints the counts on stderr.
    pub(crate) fn print(&self) {
        let mut text = self.head();
        if !self.hooks.is_empty() {
            let _ = writeln!(text, "{}", self.table());
        }
        stderr::print(&text);
    }

    fn head(&self) -> String {
        let mut text = format!("{BOLD}{}{BOLD:#}", count(self.steps, "step"));
        for (&outcome, number) in &self.outcomes {
            let style = outcome_style(outcome);
            let _ = write!(text, " · {style}{number} {}{style:#}", outcome.name());
        }
        if self.unreadable > 0 {
            let _ = write!(text, " · {BAD}{} unreadable{BAD:#}", self.unreadable);
        }
        match (self.generations.first(), self.generations.last()) {
            (Some(first), Some(last)) if first != last => {
                let _ = write!(text, " · generations {first} to {last}");
            }
            (Some(only), _) => {
                let _ = write!(text, " · generation {only}");
            }
            _ => {}
        }
        let failures: u64 = self.hooks.values().flat_map(|tally| tally.failed.values()).sum();
        if failures > 0 {
            let _ = write!(text, " · {DOUBTFUL}{}{DOUBTFUL:#}", count(failures, "hook failure"));
        }
        text.push('\n');
        text
    }

    fn table(&self) -> comfy_table::Table {
        let head = ["hook", "kind", "called", "denied", "asks user", "would", "failed"];
        let mut table = table::new(To::Stderr, &head);
        for (id, tally) in &self.hooks {
            let failed: Vec<_> =
                tally.failed.iter().map(|(class, number)| format!("{number} {class}")).collect();
            let failed = failed.join(", ");
            table.add_row([
                if tally.called == 0 { dim(id) } else { cell(id) },
                dim(&tally.kind),
                if tally.called == 0 { dim("never") } else { number_cell(tally.called, None) },
                number_cell(tally.denied, Some(outcome_colour(Outcome::Deny))),
                number_cell(tally.asks, Some(outcome_colour(Outcome::Ask))),
                number_cell(tally.would, None),
                Cell::new(failed).fg(Color::Red),
            ]);
        }
        for column in table.column_iter_mut().skip(2).take(4) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }
}

impl Tally {
    fn count(&mut self, vote: &Vote) {
        self.called += 1;
        if let Some(class) = vote.failure {
            *self.failed.entry(class).or_default() += 1;
        }
        match (vote.outcome, vote.decision) {
            (VoteOutcome::Would, _) => self.would += 1,
            // What a failure counts as is not a decision of the hook.
            (VoteOutcome::Verdict, Some(VerdictDecision::Deny | VerdictDecision::Halt)) => {
                self.denied += 1
            }
            (VoteOutcome::Verdict, Some(VerdictDecision::Ask)) => self.asks += 1,
            _ => {}
        }
    }
}

/// Returns a cell with a number; a zero can be overlooked.
fn number_cell(number: u64, colour: Option<Color>) -> Cell {
    match (number, colour) {
        (0, _) => dim("·"),
        (_, Some(colour)) => Cell::new(number).fg(colour),
        _ => Cell::new(number),
    }
}
