//! The steps that are stopped, in groups.

use std::collections::{BTreeMap, BTreeSet};

use comfy_table::CellAlignment;
use hookgate::HandlerTable;
use hookgate::Outcome;
use hookgate::contract::payload::ToolCall;
use hookgate::effects::{Effects, Manifests, PathEffect};
use serde_json::{Map, Value, json};

use crate::abort::Abort;
use crate::kinds::{manifests, surroundings};
use crate::replay::{Judged, Known, RecordedStep};
use crate::steps_table::action;
use crate::terminal::stdout::{self, JsonLines};
use crate::terminal::style::{DIM, outcome_colour};
use crate::terminal::table::{self, To, cell, dim};

/// What is said of a step that has nothing to be grouped by.
const NOTHING: &str = "(none)";

/// What steps are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum By {
    /// The tool.
    Tool,
    /// The programs that a command would run.
    Program,
    /// The files that it would write or delete, or else read.
    Path,
    /// The hosts that it would connect to.
    Host,
    /// The hook that stops it.
    Hook,
    /// The session.
    Session,
}

/// Groups of steps.
pub(super) struct Groups {
    by: By,
    manifests: Manifests,
    groups: BTreeMap<String, Group>,
}

#[derive(Default)]
struct Group {
    steps: u64,
    /// How many of them come out as what.
    outcomes: BTreeMap<Known, u64>,
    /// Where the first one is, and what it does.
    first: (String, String),
}

impl Groups {
    pub(super) fn new(by: By, table: &HandlerTable) -> Self {
        Self { by, manifests: manifests(table), groups: BTreeMap::new() }
    }

    /// Adds a step, if it is stopped.
    pub(super) fn add(&mut self, step: &RecordedStep, judged: &Judged) {
        if !judged.outcome.stops() {
            return;
        }
        let mut names = self.names(step, judged);
        if names.is_empty() {
            names.insert(NOTHING.to_owned());
        }
        for name in names {
            let group = self.groups.entry(name).or_default();
            if group.steps == 0 {
                group.first =
                    (step.place.to_string(), action(&Value::Object(step.envelope.clone())));
            }
            group.steps += 1;
            *group.outcomes.entry(judged.outcome).or_default() += 1;
        }
    }

    fn names(&self, step: &RecordedStep, judged: &Judged) -> BTreeSet<String> {
        let word = |key: &str| step.envelope.get(key).and_then(Value::as_str).map(str::to_owned);
        match self.by {
            By::Tool => word("tool_name").into_iter().collect(),
            By::Session => word("session_id").into_iter().collect(),
            By::Hook => {
                judged.report.by.iter().chain(&judged.unknown).map(ToString::to_string).collect()
            }
            By::Program | By::Path | By::Host => {
                self.effects(&step.envelope).map(|effects| self.done(&effects)).unwrap_or_default()
            }
        }
    }

    fn effects(&self, envelope: &Map<String, Value>) -> Option<Effects> {
        let tool = envelope.get("tool_name")?.as_str()?;
        let call = ToolCall::new(tool, envelope.get("tool_input").cloned().unwrap_or_default());
        let around = surroundings(envelope.get("cwd").and_then(Value::as_str));
        Some(Effects::of_call(&call.tool_name, &call.tool_input, &around, &self.manifests))
    }

    fn done(&self, effects: &Effects) -> BTreeSet<String> {
        let paths = |effects: &[PathEffect]| {
            effects.iter().map(|effect| effect.path.written()).collect::<BTreeSet<String>>()
        };
        match self.by {
            By::Program => {
                let names = effects.runs.iter().map(|run| run.program.written());
                names.map(|name| name.rsplit('/').next().unwrap_or_default().to_owned()).collect()
            }
            By::Host => effects.connects.iter().map(|to| to.host.written()).collect(),
            _ => {
                let mut changed = paths(&effects.writes);
                changed.extend(paths(&effects.deletes));
                if changed.is_empty() { paths(&effects.reads) } else { changed }
            }
        }
    }

    /// Prints the groups, the largest first.
    pub(super) fn print(&self, json: bool) -> Result<(), Abort> {
        let mut groups: Vec<(&String, &Group)> = self.groups.iter().collect();
        groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.steps));
        if json {
            let mut lines = JsonLines::default();
            for (name, group) in groups {
                let outcomes: BTreeMap<String, u64> = group
                    .outcomes
                    .iter()
                    .map(|(outcome, steps)| (outcome.to_string(), *steps))
                    .collect();
                lines.add(&json!({
                    "group": name, "steps": group.steps, "outcomes": outcomes, "first": group.first.0,
                }))?;
            }
            return Ok(lines.flush()?);
        }
        if groups.is_empty() {
            return Ok(stdout::print(&format!("{DIM}no step would be stopped{DIM:#}\n"))?);
        }
        let name = match self.by {
            By::Tool => "tool",
            By::Program => "program",
            By::Path => "path",
            By::Host => "host",
            By::Hook => "hook",
            By::Session => "session",
        };
        let mut rows = table::new(To::Stdout, &[name, "steps", "come out as", "the first", "what"]);
        for (name, group) in groups {
            let outcomes: Vec<String> = group
                .outcomes
                .iter()
                .map(|(outcome, steps)| format!("{steps} {outcome}"))
                .collect();
            let strictest = group.outcomes.keys().map(|outcome| outcome.least()).max();
            let colour = outcome_colour(strictest.unwrap_or(Outcome::Ask));
            rows.add_row([
                cell(name),
                cell(group.steps).set_alignment(CellAlignment::Right),
                cell(outcomes.join(", ")).fg(colour),
                dim(&group.first.0),
                cell(&group.first.1),
            ]);
        }
        table::keep_whole(&mut rows, &[1, 2]);
        Ok(stdout::print(&format!("{rows}\n"))?)
    }
}
