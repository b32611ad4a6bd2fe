//! How often each reason occurs in a file of steps.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hookgate::{HookId, HookSpec};
use serde::Serialize;

use super::because::Because;
use super::finding::Finding;
use crate::terminal::phrase::count;
use crate::terminal::sanitize::{line, one_line};
use crate::terminal::style::{BOLD, DIM};
use crate::terminal::table::{self, To, cell, dim};

/// How many lines are named for each reason.
const LINES: usize = 10;

/// How many characters of an example are shown in the table.
const EXAMPLE: usize = 160;

/// The reasons of a hook, over the steps of a file.
pub(super) struct Counts {
    hook: HookId,
    steps: u64,
    /// The first finding, which is all if there is no other.
    first: Option<Finding>,
    groups: BTreeMap<(Because, String), Group>,
}

/// The steps with the same reason.
#[derive(Debug, Serialize)]
pub(super) struct Group {
    hook: HookId,
    ran: Option<bool>,
    because: Because,
    /// The condition, or the hook that decided.
    what: String,
    count: u64,
    /// The first lines.
    lines: Vec<u64>,
    /// The reason in full for the first of them.
    why: String,
}

impl Counts {
    /// Begins to count.
    pub(super) fn new(hook: &HookSpec) -> Self {
        let hook = hook.id().clone();
        Self { hook, steps: 0, first: None, groups: BTreeMap::new() }
    }

    /// Counts a step.
    pub(super) fn add(&mut self, finding: Finding) {
        self.steps += 1;
        let key = (finding.because, finding.what.clone());
        let group = self.groups.entry(key).or_insert_with(|| Group {
            hook: finding.hook.clone(),
            ran: finding.ran,
            because: finding.because,
            what: finding.what.clone(),
            count: 0,
            lines: Vec::new(),
            why: finding.why.clone(),
        });
        group.count += 1;
        if group.lines.len() < LINES {
            group.lines.push(finding.line);
        }
        self.first.get_or_insert(finding);
    }

    /// Returns the finding if there is one only.
    pub(super) fn only(&self) -> Option<&Finding> {
        self.first.as_ref().filter(|_| self.steps == 1)
    }

    /// Returns the reasons, the most frequent first.
    pub(super) fn groups(&self) -> Vec<&Group> {
        let mut groups: Vec<&Group> = self.groups.values().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        groups
    }

    /// Returns the reasons for people.
    pub(super) fn to_text(&self) -> String {
        if self.steps == 0 {
            return "there is no step to ask about\n".to_owned();
        }
        let ran: u64 =
            self.groups.values().filter(|group| group.ran == Some(true)).map(|g| g.count).sum();
        let (hook, steps) = (line(self.hook.as_str()), count(self.steps, "step"));
        let mut out = format!("{BOLD}{hook}{BOLD:#} ran at {ran} of {steps}\n\n");
        let mut rows = table::new(To::Stdout, &["steps", "ran", "why", "lines"]);
        for group in self.groups() {
            let lines: Vec<String> = group.lines.iter().take(4).map(u64::to_string).collect();
            let more = if group.count as usize > lines.len() { ", …" } else { "" };
            let ran = match group.ran {
                Some(true) => cell("yes"),
                Some(false) => dim("no"),
                None => dim("?"),
            };
            rows.add_row([
                cell(group.count),
                ran,
                cell(one_line(&group.why, EXAMPLE)),
                dim(lines.join(", ") + more),
            ]);
        }
        table::keep_whole(&mut rows, &[0, 1]);
        let _ = writeln!(out, "{rows}");
        let _ = writeln!(out, "\n{DIM}`--line N` shows the conditions of one of them{DIM:#}");
        out
    }
}
