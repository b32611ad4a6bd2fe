//! Entries of a journal as a table.

use comfy_table::{Cell, Table};
use hookgate::ConfigHash;
use hookgate::recorder::{DispatchEnd, ReloadEvent};
use hookgate_store::{Entry, Says};
use serde_json::Value;

use crate::html;
use crate::steps_table::{action, note};
use crate::terminal::phrase::count;
use crate::terminal::sanitize::one_line;
use crate::terminal::style::outcome_colour;
use crate::terminal::table::{self, dim};
use crate::terminal::time::time;

/// The columns.
const HEAD: [&str; 7] = ["seq", "time (UTC)", "event", "what", "decision", "by", "note"];

/// How many characters of a note are shown.
const NOTE: usize = 120;

/// What is said of an entry without its body.
pub(super) const DELETED: &str = "deleted: it was too old, or too much";

/// Returns a table of rows; one that goes on has no head.
pub(super) fn table_of(rows: Vec<[Cell; 7]>, with_head: bool) -> Table {
    table::part(&HEAD, rows, with_head, &[0, 1, 2, 4, 5])
}

/// Returns the row of an entry.
pub(super) fn row(entry: &Entry) -> [Cell; 7] {
    let (seq, time) = (dim(entry.seq), dim(time(entry.time())));
    let Some(record) = entry.record() else {
        let (kind, note) = other(entry);
        return [seq, time, dim(kind), dim(""), dim(""), dim(""), dim(one_line(&note, NOTE))];
    };
    let report = &record.report;
    let decision = report.decision;
    let said = Some(note(report)).filter(|note| !note.is_empty());
    let notes: Vec<String> = beside(entry).chain(said).collect();
    let what = match &report.envelope {
        Some(envelope) => action(envelope),
        None => record.tool_name.clone().unwrap_or_default(),
    };
    [
        seq,
        time,
        table::cell(report.event.as_deref().unwrap_or("unreadable")),
        table::cell(what),
        Cell::new(decision.name()).fg(outcome_colour(decision)),
        table::cell(report.by.join("\n")),
        Cell::new(one_line(&notes.join("; "), NOTE)),
    ]
}

/// Returns what is said of an entry beside its report: how it ended if not by a decision, and that its body is gone.
fn beside(entry: &Entry) -> impl Iterator<Item = String> {
    let end = entry.record().map(|record| record.end).filter(|end| *end != DispatchEnd::Decided);
    let gone = (!entry.has_body).then(|| DELETED.to_owned());
    end.map(|end| end.name().to_owned()).into_iter().chain(gone)
}

/// Returns the row of an entry on a page.
pub(in crate::commands) fn cells(place: html::Cell, entry: &Entry) -> Vec<html::Cell> {
    let when = time(entry.time());
    let Some(record) = entry.record() else {
        let (kind, note) = other(entry);
        let empty = html::Cell::default;
        let [when, kind, note] = [when, kind.to_owned(), note].map(html::Cell::dim);
        return vec![place, when, kind, empty(), empty(), empty(), note];
    };
    let report = &record.report;
    let tool = record.tool_name.as_deref();
    let mut cells = html::decision_cells(place, Some(when), report.envelope.as_ref(), tool, report);
    if let Some(why) = cells.last_mut() {
        let said = Some(std::mem::take(&mut why.text)).filter(|said| !said.is_empty());
        why.text = beside(entry).chain(said).collect::<Vec<_>>().join("; ");
    }
    cells
}

/// Returns as much of a hash as `--config-hash` needs to find it.
fn short(hash: &ConfigHash) -> String {
    hash.to_string().chars().take("sha256:".len() + 12).collect()
}

/// Returns the kind of an entry that is not about a step, and what it says.
pub(in crate::commands) fn other(entry: &Entry) -> (&'static str, String) {
    match &entry.says {
        Says::Reload(reload) => match reload.event {
            ReloadEvent::Reload => {
                ("reload", format!("{} is in force", short(&reload.config_hash)))
            }
            _ => ("reload failed", reload.error.clone().unwrap_or_default()),
        },
        Says::Config(config) => {
            let files: Vec<&str> = config.files.iter().map(|file| file.name.as_str()).collect();
            ("config", format!("{} {}", short(&config.config_hash), files.join(", ")))
        }
        Says::Lost { count: lost, .. } => {
            ("lost", format!("{} before this one were lost", count(lost, "record")))
        }
        Says::Retention { through, .. } => {
            ("retention", format!("the bodies of the entries up to {through} were deleted"))
        }
        _ => ("entry", serde_json::to_value(entry).unwrap_or(Value::Null).to_string()),
    }
}
