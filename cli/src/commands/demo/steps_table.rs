//! The steps of the demo as a table.

use comfy_table::{Attribute, Cell, Color, Table};
use hookgate::{Outcome, Report};
use serde_json::Value;

use super::{Step, Swap};
use crate::terminal::phrase::count;
use crate::terminal::sanitize::one_line;
use crate::terminal::style::outcome_colour;
use crate::terminal::table;
use crate::terminal::table::{To, dim};

/// How many characters of what a step does are shown.
const ACTION: usize = 44;

/// How many characters of a note are shown.
const NOTE: usize = 120;

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

/// Returns a table with a row for each step, and a line at which the hooks were swapped.
pub(super) fn table_of(before: &[Step], swap: &Swap, after: &[Step]) -> Table {
    let head = ["step", "event", "what", "decision", "by", "gen", "note"];
    let mut table = table::new(To::Stdout, &head);
    table.add_rows(before.iter().map(row));
    let cell = |text: String| Cell::new(text).fg(Color::Yellow).add_attribute(Attribute::Bold);
    table.add_row([
        cell("──".to_owned()),
        cell("hooks swapped".to_owned()),
        cell(format!("{} is in force", swap.name)),
        cell("──".to_owned()),
        cell("──".to_owned()),
        cell(swap.generation.to_string()),
        cell(format!("{} hooks; the session goes on", swap.hooks)),
    ]);
    table.add_rows(after.iter().map(row));
    table::keep_whole(&mut table, &[0, 1, 3, 4, 5]);
    table
}

fn row(step: &Step) -> [Cell; 7] {
    let decision = step.report.decision;
    let note = note(&step.report);
    let quiet = decision == Outcome::Allow && note.is_empty();
    let text = |text: String| if quiet { dim(text) } else { table::cell(text) };
    [
        dim(step.number),
        text(step.report.event.clone().unwrap_or_default()),
        text(action(&step.envelope)),
        Cell::new(decision.name()).fg(outcome_colour(decision)),
        table::cell(step.report.by.join(", ")),
        dim(step.report.generation),
        Cell::new(one_line(&note, NOTE)),
    ]
}

/// Returns what a step does, in short.
fn action(envelope: &Value) -> String {
    let field = ACTION_FIELDS.iter().find_map(|pointer| envelope.pointer(pointer)?.as_str());
    let tool = envelope.get("tool_name").and_then(Value::as_str);
    let text = [tool, field].into_iter().flatten().collect::<Vec<_>>().join(" ");
    // Paths in the folder of the session differ in what follows it.
    let cwd = envelope.get("cwd").and_then(Value::as_str).map(|cwd| format!("{cwd}/"));
    one_line(&cwd.map_or_else(|| text.clone(), |cwd| text.replace(&cwd, "")), ACTION)
}

/// Returns why a decision is as it is, and what else hooks did.
fn note(report: &Report) -> String {
    let mut notes = Vec::new();
    if let Some(command) = rewritten(report) {
        notes.push(format!("rewritten to `{command}`"));
    }
    if report.votes.iter().any(|vote| vote.round > 1) {
        notes.push("evaluated again as that".to_owned());
    }
    if let Some(number) = redacted(report) {
        notes.push(format!("redacted: {}", count(number, "secret")));
    }
    notes.extend(report.reason.clone());
    notes.extend(report.context.iter().map(|text| format!("for the model: {text}")));
    for vote in report.votes.iter() {
        if let Some(failure) = vote.failure {
            notes.push(format!("{} failed: {failure}", vote.hook));
        }
    }
    notes.join("; ")
}

/// Returns the command that a rewriter has put in place of the proposed one.
pub(super) fn rewritten(report: &Report) -> Option<&str> {
    report.final_fields.get("tool_input")?.get("command")?.as_str()
}

/// Returns how many secrets were removed.
pub(super) fn redacted(report: &Report) -> Option<usize> {
    usize::try_from(report.annotations.get("redacted")?.as_u64()?).ok()
}
