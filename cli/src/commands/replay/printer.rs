//! What a replay prints of each step.

use comfy_table::{Cell, Table};
use hookgate::Outcome;
use serde_json::{Map, Value};

use crate::abort::Abort;
use crate::replay::{Change, Judged, Known, RecordedStep};
use crate::steps_table::{action, note};
use crate::terminal::progress::Progress;
use crate::terminal::sanitize::one_line;
use crate::terminal::stdout::{self, JsonLines};
use crate::terminal::style::{DIM, outcome_colour};
use crate::terminal::table::{self, cell, dim};

/// The columns.
const HEAD: [&str; 7] = ["step", "event", "what", "was", "now", "by", "note"];

/// How many characters of a note are shown.
const NOTE: usize = 100;

/// After how many rows they are printed: a table is as wide as its widest row, and waits for that.
const ROWS: usize = 500;

/// Prints steps.
pub(super) struct Printer {
    json: bool,
    all: bool,
    only: Vec<Change>,
    lines: JsonLines,
    rows: Vec<[Cell; 7]>,
    has_head: bool,
}

impl Printer {
    pub(super) fn new(json: bool, all: bool, only: Vec<Change>) -> Self {
        Self { json, all, only, lines: JsonLines::default(), rows: Vec::new(), has_head: false }
    }

    /// Prints a step, or keeps it for the table.
    pub(super) fn add(
        &mut self,
        step: RecordedStep,
        judged: &Judged,
        change: Option<Change>,
        progress: &Progress,
    ) -> Result<(), Abort> {
        if !self.is_wanted(judged, change) {
            return Ok(());
        }
        if self.json {
            return Ok(self.lines.add(&line(&step, judged, change))?);
        }
        self.rows.push(row(step, judged));
        if self.rows.len() >= ROWS { progress.suspend(|| self.flush()) } else { Ok(()) }
    }

    fn is_wanted(&self, judged: &Judged, change: Option<Change>) -> bool {
        match change {
            change if !self.only.is_empty() => {
                change.is_some_and(|change| self.only.contains(&change))
            }
            _ if self.json || self.all => true,
            Some(change) => change != Change::Same,
            None => judged.outcome != Known::Sure(Outcome::Allow),
        }
    }

    fn flush(&mut self) -> Result<(), Abort> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let table = table_of(std::mem::take(&mut self.rows), !self.has_head);
        self.has_head = true;
        Ok(stdout::print(&format!("{table}\n"))?)
    }

    /// Prints the last rows, or that there was none.
    pub(super) fn finish(&mut self) -> Result<(), Abort> {
        self.lines.flush()?;
        self.flush()?;
        if self.json || self.has_head {
            return Ok(());
        }
        Ok(stdout::print(&format!(
            "{DIM}no step comes out otherwise; `--all` shows them all{DIM:#}\n"
        ))?)
    }
}

fn table_of(rows: Vec<[Cell; 7]>, with_head: bool) -> Table {
    table::part(&HEAD, rows, with_head, &[0, 1, 3, 4, 5])
}

fn row(step: RecordedStep, judged: &Judged) -> [Cell; 7] {
    let was = match &step.was {
        Some(was) => coloured(Known::Sure(was.report.decision)),
        None => dim("–"),
    };
    let by = judged.report.by.iter().chain(&judged.unknown);
    let by: Vec<&str> = by.map(|hook| hook.as_str()).collect();
    let place = step.place.to_string();
    [
        dim(place),
        cell(judged.report.event.clone().unwrap_or_default()),
        cell(action(&Value::Object(step.envelope))),
        was,
        coloured(judged.outcome),
        cell(by.join("\n")),
        Cell::new(one_line(&note(&judged.report), NOTE)),
    ]
}

fn coloured(outcome: Known) -> Cell {
    Cell::new(outcome).fg(outcome_colour(outcome.least()))
}

/// Returns a step for programs.
fn line(step: &RecordedStep, judged: &Judged, change: Option<Change>) -> Value {
    let report = &judged.report;
    let mut line = Map::new();
    step.place.put_into(&mut line);
    line.insert("event".to_owned(), report.event.clone().into());
    line.insert("session_id".to_owned(), report.session_id.clone().into());
    if let Some(was) = &step.was {
        let said = said(Known::Sure(was.report.decision), &was.report);
        line.insert("was".to_owned(), said.into());
    }
    line.insert("now".to_owned(), said(judged.outcome, report).into());
    line.insert("change".to_owned(), change.map(Change::name).into());
    if !judged.unknown.is_empty() {
        let unknown: Vec<&str> = judged.unknown.iter().map(|hook| hook.as_str()).collect();
        line.insert("unknown".to_owned(), unknown.into());
    }
    Value::Object(line)
}

fn said(outcome: Known, report: &hookgate::Report) -> Map<String, Value> {
    let mut said = Map::new();
    outcome.put_into(&mut said);
    let by: Vec<&str> = report.by.iter().map(|hook| hook.as_str()).collect();
    said.insert("by".to_owned(), by.into());
    said.insert("reason".to_owned(), report.reason.clone().into());
    said.insert("patched".to_owned(), report.patched.clone().into());
    said
}
