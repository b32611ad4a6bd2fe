//! What the demo has shown, and in which steps.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hookgate::Outcome;
use hookgate::decision::VoteOutcome;
use serde_json::Value;

use super::Step;
use crate::steps_table;
use crate::terminal::style::{BOLD, DIM, GOOD, outcome_style};

/// What can be shown, and how it is described, in this order.
const DESCRIPTIONS: [(Point, &str); 9] = [
    (Point::Allow, "nothing objected, and the step went on"),
    (Point::DenyBuiltin, "a builtin denied: no program was started for it"),
    (Point::DenyCommand, "a program in Python denied"),
    (Point::Ask, "the user was asked"),
    (Point::Rewrite, "a program wrote the command out, and the guards evaluated what it wrote"),
    (Point::DenyRewritten, "a guard that had let the short form pass denied the long one"),
    (Point::Redact, "secrets were removed before the model read them"),
    (Point::Tighten, "the new hooks deny what the old ones let pass"),
    (Point::Loosen, "the new hooks let pass what the old ones denied"),
];

/// One thing that hooks can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Point {
    Allow,
    DenyBuiltin,
    DenyCommand,
    Ask,
    Rewrite,
    DenyRewritten,
    Redact,
    Tighten,
    Loosen,
}

/// What the steps have shown.
#[derive(Debug, Default)]
pub(super) struct Highlights {
    steps: BTreeMap<Point, Vec<usize>>,
    outcomes: BTreeMap<Outcome, usize>,
    /// The last decision about each tool call.
    calls: BTreeMap<String, Outcome>,
}

impl Highlights {
    /// Adds what a step shows.
    pub(super) fn add(&mut self, step: &Step) {
        let report = &step.report;
        *self.outcomes.entry(report.decision).or_default() += 1;
        let mut points = Vec::new();
        match report.decision {
            Outcome::Allow => points.push(Point::Allow),
            Outcome::Ask => points.push(Point::Ask),
            _ => {}
        }
        let rewritten = steps_table::rewritten(report).is_some();
        if rewritten {
            points.push(Point::Rewrite);
        }
        if steps_table::redacted(report).is_some() {
            points.push(Point::Redact);
        }
        let denied = report
            .votes
            .iter()
            .filter(|vote| vote.outcome == VoteOutcome::Verdict && report.by.contains(&vote.hook));
        for vote in denied.filter(|_| report.decision >= Outcome::Deny) {
            match vote.kind.as_str() {
                "builtin" => points.push(Point::DenyBuiltin),
                "command" => points.push(Point::DenyCommand),
                _ => {}
            }
            if rewritten && vote.round > 1 {
                points.push(Point::DenyRewritten);
            }
        }
        points.extend(self.compare(step));
        for point in points {
            let steps = self.steps.entry(point).or_default();
            if steps.last() != Some(&step.number) {
                steps.push(step.number);
            }
        }
    }

    /// Compares a step with an earlier one that proposed the same call.
    fn compare(&mut self, step: &Step) -> Option<Point> {
        if step.report.event.as_deref() != Some("pre_tool_use") {
            return None;
        }
        let part = |name| step.envelope.get(name).map(Value::to_string).unwrap_or_default();
        let call = part("tool_name") + &part("tool_input");
        let before = self.calls.insert(call, step.report.decision)?;
        match (before, step.report.decision) {
            (Outcome::Allow, Outcome::Deny) => Some(Point::Tighten),
            (Outcome::Deny, Outcome::Allow) => Some(Point::Loosen),
            _ => None,
        }
    }

    /// Returns what was shown.
    pub(super) fn to_text(&self) -> String {
        let total: usize = self.outcomes.values().sum();
        let mut text = format!("{BOLD}{total} steps{BOLD:#}");
        // Writing to a string does not fail.
        for (&outcome, number) in &self.outcomes {
            let style = outcome_style(outcome);
            let _ = write!(text, " · {style}{number} {}{style:#}", outcome.name());
        }
        let _ = writeln!(text, "\n\n{BOLD}What this has shown{BOLD:#}");
        for (point, description) in DESCRIPTIONS {
            let Some(steps) = self.steps.get(&point) else { continue };
            let _ = writeln!(
                text,
                "  {GOOD}✓{GOOD:#} {description} {DIM}({}){DIM:#}",
                step_numbers(steps)
            );
        }
        let _ = writeln!(
            text,
            "\nNext: `hookgate init` writes hooks to begin with; `hookgate events` shows at which events they can be."
        );
        text
    }
}

/// Returns the numbers of the first few steps.
fn step_numbers(steps: &[usize]) -> String {
    let first: Vec<_> = steps.iter().take(4).map(ToString::to_string).collect();
    let more = if steps.len() > first.len() { ", …" } else { "" };
    let noun = if steps.len() == 1 { "step" } else { "steps" };
    format!("{noun} {}{more}", first.join(", "))
}
