//! `--analyze`: what is doubtful about the hooks together, and how long they can take.

use std::time::Duration;

use hookgate::HandlerTable;
use hookgate::analysis::{Analysis, ListedTool, Options};
use serde_json::{Map, Value};

use super::entry::Entry;
use super::tools::Tools;
use crate::terminal::phrase::{count, duration};
use crate::terminal::style::DIM;
use crate::terminal::table::{self, To, cell, dim};

/// What was found, and its entries.
pub(super) struct Analyzed {
    analysis: Analysis,
    pub(super) entries: Vec<Entry>,
}

impl Analyzed {
    /// Analyzes a table. Each of the tools must have a guard.
    pub(super) fn new(
        table: &HandlerTable,
        config: &str,
        tools: Option<&Tools>,
        longest: Option<Duration>,
    ) -> Self {
        let mut options = Options::new();
        if let Some(longest) = longest {
            options = options.longest(longest);
        }
        for (name, file, line) in tools.into_iter().flat_map(Tools::named) {
            options = options.tool(ListedTool::new(name, file, line));
        }
        let analysis = table.analyze(&options);
        let findings = analysis.findings.iter();
        let entries = findings.map(|finding| Entry::of_finding(finding, config)).collect();
        Self { analysis, entries }
    }

    /// Returns how long the steps of each event can take.
    pub(super) fn to_text(&self) -> String {
        let found = count(self.entries.len(), "finding");
        let longest = duration(self.analysis.longest);
        if self.analysis.latency.is_empty() {
            return format!("{found}; no hook is waited for\n");
        }
        let head = ["event", "tool", "longest", "of it again", "waits for"];
        let mut rows = table::new(To::Stdout, &head);
        for latency in &self.analysis.latency {
            let tool = latency.tool.as_deref().unwrap_or("any");
            let again = match latency.final_round {
                Duration::ZERO => String::new(),
                again => duration(again),
            };
            let hooks: Vec<&str> = latency.hooks.iter().map(|hook| hook.as_str()).collect();
            rows.add_row([
                cell(&latency.event),
                dim(tool),
                cell(duration(latency.worst)),
                dim(again),
                dim(hooks.join(", ")),
            ]);
        }
        table::keep_whole(&mut rows, &[0, 1, 2]);
        format!(
            "{rows}\n{DIM}sums of deadlines along the critical path; above {longest} is a warning \
             (--longest){DIM:#}\n{found}\n"
        )
    }

    /// Returns the findings and the latencies for programs, as further keys of what the verb prints.
    pub(super) fn to_json(&self) -> Map<String, Value> {
        match serde_json::to_value(&self.analysis) {
            Ok(Value::Object(found)) => found,
            _ => Map::new(),
        }
    }
}
