//! The counts of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use comfy_table::{Cell, CellAlignment, Color};
use hookgate::contract::VerdictDecision;
use hookgate::decision::{Vote, VoteOutcome};
use hookgate::{FailureClass, Generation, HandlerTable, Outcome, Report};

use crate::html;
use crate::terminal::phrase::count;
use crate::terminal::style::{BAD, BOLD, DOUBTFUL, outcome_colour, outcome_style};
use crate::terminal::table::{To, cell, dim};
use crate::terminal::time::took;
use crate::terminal::{stderr, table};

/// What is told of each hook.
const HEAD: [&str; 10] =
    ["hook", "consulted", "denied", "asks", "would", "rewrote", "context", "p50", "p95", "failed"];

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
    /// How often it was called.
    consulted: u64,
    denied: u64,
    asks: u64,
    /// Decisions that would have counted in mode `enforce`.
    would: u64,
    /// Steps in which it set fields.
    rewrote: u64,
    /// Steps in which it added context for the model.
    added_context: u64,
    /// How long its calls took, in microseconds.
    took: Vec<u64>,
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
        let last: BTreeMap<&str, &Vote> =
            votes.clone().map(|vote| (vote.hook.as_str(), vote)).collect();
        for vote in last.into_values() {
            let calls = votes.clone().filter(|call| call.hook == vote.hook);
            self.tally_of(&vote.hook).count(vote, calls);
        }
    }

    /// Counts a line that could not be read.
    pub(crate) fn add_unreadable(&mut self) {
        self.unreadable += 1;
    }

    /// Adds the hooks of a table that were not called.
    pub(crate) fn add_uncalled(&mut self, table: &HandlerTable) {
        for spec in table.specs() {
            self.tally_of(spec.id());
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

    fn tally_of(&mut self, id: &str) -> &mut Tally {
        self.hooks.entry(id.to_owned()).or_default()
    }

    /// Prints the counts on stderr.
    pub(crate) fn print(&self) {
        let mut text = self.head();
        if !self.hooks.is_empty() {
            let _ = writeln!(text, "{}", self.table());
        }
        stderr::print(&text);
    }

    /// Returns the counts in one sentence, without colours.
    pub(crate) fn sentence(&self) -> String {
        anstream::adapter::strip_str(self.head().trim_end()).to_string()
    }

    /// Returns the counts of each hook, for a page.
    pub(crate) fn table_of_page(&self) -> html::Table {
        let row = |(id, tally): (&String, &Tally)| {
            let Tally { consulted, denied, asks, would, rewrote, added_context, .. } = tally;
            let numbers = [consulted, denied, asks, would, rewrote, added_context];
            let numbers = numbers.map(|number| html::Cell::number(*number));
            let times = [50, 95]
                .map(|part| html::Cell::dim(tally.percentile(part).map(took).unwrap_or_default()));
            let failed: Vec<String> =
                tally.failed.iter().map(|(class, number)| format!("{number} {class}")).collect();
            let class = if tally.consulted == 0 { "dim" } else { "" };
            let hook = html::Cell { class, ..id.clone().into() };
            let failed = html::Cell { class: "refused", ..failed.join(", ").into() };
            std::iter::once(hook).chain(numbers).chain(times).chain([failed]).collect()
        };
        html::Table {
            title: "Hooks".to_owned(),
            head: HEAD.to_vec(),
            rows: self.hooks.iter().map(row).collect(),
            ..html::Table::default()
        }
    }

    /// Draws the counts of each hook.
    pub(crate) fn plots(&self) -> Vec<html::Plot> {
        let stopped: Vec<(String, u64)> =
            self.hooks.iter().map(|(id, tally)| (id.clone(), tally.denied + tally.asks)).collect();
        let times = self.hooks.iter().filter_map(|(id, tally)| {
            let (half, most) = (tally.percentile(50)?, tally.percentile(95)?);
            Some(html::Span { name: id.clone(), half, most })
        });
        let times = html::spans("How long hooks take: p50 · p95", times.collect(), took);
        html::bars("Denied or asked", &stopped).into_iter().chain(times).collect()
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
        let mut table = table::new(To::Stderr, &HEAD);
        for (id, tally) in &self.hooks {
            let failed: Vec<_> =
                tally.failed.iter().map(|(class, number)| format!("{number} {class}")).collect();
            let failed = failed.join(", ");
            let never = tally.consulted == 0;
            table.add_row([
                if never { dim(id) } else { cell(id) },
                if never { dim("never") } else { number_cell(tally.consulted, None) },
                number_cell(tally.denied, Some(outcome_colour(Outcome::Deny))),
                number_cell(tally.asks, Some(outcome_colour(Outcome::Ask))),
                number_cell(tally.would, None),
                number_cell(tally.rewrote, None),
                number_cell(tally.added_context, None),
                time_cell(tally.percentile(50)),
                time_cell(tally.percentile(95)),
                Cell::new(failed).fg(Color::Red),
            ]);
        }
        for column in table.column_iter_mut().skip(1).take(8) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table::keep_whole(&mut table, &[0]);
        table
    }
}

impl Tally {
    /// Returns how long so many of a hundred calls took at most.
    fn percentile(&self, percent: usize) -> Option<u64> {
        let mut took = self.took.clone();
        took.sort_unstable();
        percentile(&took, percent)
    }

    /// Counts a step: the vote that counts of the hook, and all its calls about the step.
    fn count<'v>(&mut self, vote: &Vote, calls: impl Iterator<Item = &'v Vote> + Clone) {
        self.consulted += 1;
        self.rewrote += u64::from(calls.clone().any(|call| call.rewrote));
        self.added_context += u64::from(calls.clone().any(|call| call.added_context));
        self.took.extend(calls.filter_map(|call| call.duration_us));
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

/// Returns the value below which so many of a hundred lie, of values in their order.
fn percentile(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}

/// Returns a cell with a duration in microseconds; those of a stable run are left out.
fn time_cell(micros: Option<u64>) -> Cell {
    match micros {
        Some(micros) => dim(format!("{:.1?}", Duration::from_micros(micros))),
        None => dim("·"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let values: Vec<u64> = (1..=20).collect();
        assert_eq!((percentile(&values, 50), percentile(&values, 95)), (Some(10), Some(19)));
        assert_eq!((percentile(&[7], 50), percentile(&[7], 95)), (Some(7), Some(7)));
        assert_eq!(percentile(&[], 50), None);
    }
}
