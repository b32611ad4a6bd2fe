//! Decisions as rows of a table.

use hookgate::decision::Vote;
use hookgate::{Mode, Outcome, Report};
use serde_json::Value;

use super::view::Cell;
use crate::steps_table::{action, note};
use crate::terminal::sanitize::one_line;
use crate::terminal::time::took;

/// The columns.
pub(crate) const HEAD: [&str; 7] = ["#", "when", "event", "what", "decision", "by", "why"];

/// How many characters of a note are shown.
const NOTE: usize = 240;

/// Returns the row of a decision. `place` says which one it is, `when` is its time or how long it took.
pub(crate) fn cells(
    place: Cell,
    when: Option<String>,
    envelope: Option<&Value>,
    tool: Option<&str>,
    report: &Report,
) -> Vec<Cell> {
    let what = envelope.map(action).or_else(|| tool.map(str::to_owned)).unwrap_or_default();
    let by: Vec<&str> = report.by.iter().map(|hook| hook.as_str()).collect();
    let event = report.event.clone().unwrap_or_else(|| "unreadable".to_owned());
    vec![
        place,
        Cell::dim(when.or_else(|| report.duration_us.map(took)).unwrap_or_default()),
        Cell::dim(event),
        Cell::code(what),
        Cell { class: class(report.decision), ..report.decision.name().to_owned().into() },
        by.join(", ").into(),
        one_line(&note(report), NOTE).into(),
    ]
}

/// Returns how a decision looks.
fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Allow => "dim",
        Outcome::Ask => "ask",
        Outcome::Deny | Outcome::Halt => "refused",
        _ => "other",
    }
}

/// Returns what a hook has said, in one word or two.
pub(crate) fn said(vote: &Vote) -> String {
    let decision = vote.decision.map(|decision| decision.name());
    let said = match (vote.failure, decision) {
        (Some(failure), Some(decision)) => format!("{decision} (failed: {failure})"),
        (Some(failure), None) => format!("failed: {failure}"),
        (None, Some(decision)) => decision.to_owned(),
        (None, None) if vote.rewrote => "rewrote".to_owned(),
        (None, None) => "nothing".to_owned(),
    };
    match vote.mode {
        Mode::Enforce => said,
        mode => format!("{said} ({})", mode.name()),
    }
}
