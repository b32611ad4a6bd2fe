//! What a run prints of each step: a decision record, or a row for people.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use comfy_table::Cell;
use hookgate::Report;
use serde::Serialize;
use serde_json::Value;

use super::seen::Seen;
use crate::abort::Abort;
use crate::steps_table;
use crate::terminal::progress::Progress;
use crate::terminal::stdout::{self, JsonLines};
use crate::terminal::style::DIM;

/// After how many rows they are printed: a table is as wide as its widest row, and waits for that.
const ROWS: usize = 500;

/// Which steps are printed, and how.
pub(super) struct Printer {
    /// Whether to print records, one JSON object a line.
    pub(super) json: bool,
    /// Whether to print a row also for a step that was allowed as it is.
    pub(super) all: bool,
    /// Print steps only that show one of these; with none, all of them.
    pub(super) only: BTreeSet<Seen>,
    /// Whether to say which file and line a step is from.
    pub(super) places: bool,
    /// The folder that all files are in, which the table leaves out.
    pub(super) folder: PathBuf,
    pub(super) rows: Rows,
    /// The records that are not printed yet.
    pub(super) records: JsonLines,
}

/// The rows that are not printed yet.
#[derive(Default)]
pub(super) struct Rows {
    rows: Vec<[Cell; 7]>,
    begun: bool,
}

/// The place of a step.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    /// The file as it was named.
    pub(super) file: &'p str,
    /// The line, from 1.
    pub(super) line: u64,
}

/// A record of one of several files.
#[derive(Serialize)]
struct Placed<'a> {
    file: &'a str,
    line: u64,
    #[serde(flatten)]
    report: &'a Report,
}

/// Returns the folder that all files are in.
pub(super) fn folder_of(files: &[PathBuf]) -> PathBuf {
    let mut folder = files.first().and_then(|file| file.parent()).unwrap_or(Path::new(""));
    while !files.iter().all(|file| file.starts_with(folder)) {
        folder = folder.parent().unwrap_or(Path::new(""));
    }
    folder.to_owned()
}

impl Printer {
    /// Prints a step, or keeps it for the table.
    pub(super) fn add(
        &mut self,
        place: Place<'_>,
        bytes: Option<&[u8]>,
        report: &Report,
        seen: &BTreeSet<Seen>,
        progress: &Progress,
    ) -> Result<(), Abort> {
        if !self.is_wanted(seen) {
            return Ok(());
        }
        let Place { file, line } = place;
        if self.json {
            match self.places {
                true => self.records.add(&Placed { file, line, report })?,
                false => self.records.add(report)?,
            }
            return Ok(());
        }
        let envelope = bytes.and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok());
        let file = Path::new(file).strip_prefix(&self.folder).unwrap_or(Path::new(file)).display();
        let place = if self.places { format!("{file}:{line}") } else { line.to_string() };
        self.rows.rows.push(steps_table::row(&place, &envelope.unwrap_or_default(), report));
        if self.rows.rows.len() >= ROWS { self.flush_rows(progress) } else { Ok(()) }
    }

    fn is_wanted(&self, seen: &BTreeSet<Seen>) -> bool {
        (self.json && self.only.is_empty()) || self.is_notable(seen)
    }

    /// Whether a table for people shows a step.
    pub(super) fn is_notable(&self, seen: &BTreeSet<Seen>) -> bool {
        match (self.only.is_empty(), self.all) {
            (true, true) => true,
            (true, false) => seen.iter().any(|seen| *seen != Seen::Allow),
            (false, _) => !seen.is_disjoint(&self.only),
        }
    }

    /// Prints the records so far.
    pub(super) fn flush_records(&mut self) -> Result<(), Abort> {
        Ok(self.records.flush()?)
    }

    /// Prints the rows so far.
    pub(super) fn flush_rows(&mut self, progress: &Progress) -> Result<(), Abort> {
        let Rows { rows, begun } = &mut self.rows;
        if rows.is_empty() {
            return Ok(());
        }
        let table = steps_table::table_of(std::mem::take(rows), !*begun);
        *begun = true;
        progress.suspend(|| stdout::print(&format!("{table}\n")))?;
        Ok(())
    }

    /// Prints the last rows, or that there was none.
    pub(super) fn finish(&mut self, progress: &Progress) -> Result<(), Abort> {
        self.flush_records()?;
        self.flush_rows(progress)?;
        if self.json || self.rows.begun {
            return Ok(());
        }
        let text = match self.only.is_empty() {
            true => "every step was allowed as it is; `--all` shows them",
            false => "no step shows what `--only` names",
        };
        Ok(stdout::print(&format!("{DIM}{text}{DIM:#}\n"))?)
    }
}
