//! A run as one HTML page.

use std::path::PathBuf;

use hookgate::{HandlerTable, Report};
use serde_json::Value;

use super::printer::Place;
use super::summary::Summary;
use crate::abort::Abort;
use crate::html::{self, Cell, DECISIONS, Table, View};

/// How many steps a page shows at most.
const MOST: usize = 5000;

/// The page of a run.
pub(super) struct Page {
    file: PathBuf,
    rows: Vec<Vec<Cell>>,
    left_out: u64,
}

impl Page {
    pub(super) const fn new(file: PathBuf) -> Self {
        Self { file, rows: Vec::new(), left_out: 0 }
    }

    /// Adds a step.
    pub(super) fn add(&mut self, place: Place<'_>, bytes: Option<&[u8]>, report: &Report) {
        if self.rows.len() >= MOST {
            self.left_out += 1;
            return;
        }
        let envelope = bytes.and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok());
        let place = format!("{}:{}", place.file, place.line);
        self.rows.push(html::decision_cells(place.into(), None, envelope.as_ref(), None, report));
    }

    /// Writes the page.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(self, summary: &mut Summary, table: &HandlerTable) -> Result<(), Abort> {
        summary.add_uncalled(table);
        let mut head = DECISIONS.to_vec();
        if let Some(when) = head.get_mut(1) {
            *when = "took";
        }
        let note = match (self.rows.is_empty(), self.left_out) {
            (true, _) => Some("no step was anything but simply allowed".to_owned()),
            (false, 0) => None,
            (false, more) => Some(format!("the first {MOST}; {more} more are left out")),
        };
        let steps = Table { title: "Steps".to_owned(), note, head, rows: self.rows };
        let view = View {
            title: "What hooks said to a session".to_owned(),
            lead: Some(summary.sentence()),
            facts: vec![("config", table.config_hash().to_string())],
            plots: summary.plots(),
            tables: vec![summary.table_of_page(), steps],
            ..View::default()
        };
        html::write_report(&self.file, view)
    }
}
