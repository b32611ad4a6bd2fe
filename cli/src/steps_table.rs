//! Steps and what was decided about them, as a table for people.

use comfy_table::{Cell, Table};
use hookgate::contract::VerdictDecision;
use hookgate::decision::VoteOutcome;
use hookgate::{Outcome, Report};
use serde_json::Value;

use crate::terminal::phrase::count;
use crate::terminal::sanitize::one_line;
use crate::terminal::style::outcome_colour;
use crate::terminal::table::{self, dim};

/// How many characters of what a step does are shown.
const ACTION: usize = 44;

/// How many characters of a note are shown.
const NOTE: usize = 120;

/// The columns.
const HEAD: [&str; 7] = ["step", "event", "what", "decision", "by", "gen", "note"];

/// The fields that say most about a step, the best first.
const ACTION_FIELDS: [&str; 11] = [
    "/tool_input/command",
    "/tool_input/file_path",
    "/tool_input/pattern",
    "/prompt",
    "/assistant_text",
    "/result_text",
    "/message",
    "/last_assistant_message",
    "/approval_decision",
    "/source",
    "/reason",
];

/// Returns a table of rows, for stdout; one that goes on has no head.
pub(crate) fn table_of(rows: Vec<[Cell; 7]>, with_head: bool) -> Table {
    table::part(&HEAD, rows, with_head, &[0, 1, 3, 4, 5])
}

/// Returns the row of a step. `step` says which one it is.
pub(crate) fn row(step: &str, envelope: &Value, report: &Report) -> [Cell; 7] {
    let decision = report.decision;
    let note = note(report);
    let quiet = decision == Outcome::Allow && note.is_empty();
    let text = |text: String| if quiet { dim(text) } else { table::cell(text) };
    [
        dim(step),
        text(report.event.clone().unwrap_or_default()),
        text(action(envelope)),
        Cell::new(decision.name()).fg(outcome_colour(decision)),
        table::cell(report.by.join("\n")),
        dim(report.generation),
        Cell::new(one_line(&note, NOTE)),
    ]
}

/// Returns what a step does, in short.
pub(crate) fn action(envelope: &Value) -> String {
    let field = ACTION_FIELDS.iter().find_map(|pointer| envelope.pointer(pointer)?.as_str());
    let tool = envelope.get("tool_name").and_then(Value::as_str);
    let text = [tool, field].into_iter().flatten().collect::<Vec<_>>().join(" ");
    // Paths in the folder of the session differ in what follows it.
    let cwd = envelope.get("cwd").and_then(Value::as_str).map(|cwd| format!("{cwd}/"));
    one_line(&cwd.map_or_else(|| text.clone(), |cwd| text.replace(&cwd, "")), ACTION)
}

/// Returns why a decision is as it is, and what else hooks did.
pub(crate) fn note(report: &Report) -> String {
    let mut notes = Vec::new();
    match rewritten(report) {
        Some(command) => notes.push(format!("rewritten to `{command}`")),
        None if redacted(report).is_none() && !report.patched.is_empty() => {
            notes.push(format!("rewritten: {}", report.patched.join(", ")));
        }
        None => {}
    }
    if report.votes.iter().any(|vote| vote.round > 1) {
        notes.push("evaluated again as that".to_owned());
    }
    if let Some(number) = redacted(report) {
        notes.push(format!("redacted: {}", count(number, "secret")));
    }
    notes.extend(report.reason.clone());
    notes.extend(report.context.iter().map(|text| format!("for the model: {text}")));
    for vote in &report.votes {
        if let Some(failure) = vote.failure {
            notes.push(format!("{} failed: {failure}", vote.hook));
        }
        if vote.outcome == VoteOutcome::Would {
            let would = vote.decision.map_or("rewrite or add", VerdictDecision::name);
            notes.push(format!("{} would {would}", vote.hook));
        }
    }
    notes.join("; ")
}

/// Returns the command that a rewriter has put in place of the proposed one.
pub(crate) fn rewritten(report: &Report) -> Option<&str> {
    report.final_fields.get("tool_input")?.get("command")?.as_str()
}

/// Returns how many secrets were removed.
pub(crate) fn redacted(report: &Report) -> Option<usize> {
    usize::try_from(report.annotations.get("redacted")?.as_u64()?).ok()
}
