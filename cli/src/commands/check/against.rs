//! `--against`: the hooks beside recorded steps. Nothing is called.

mod pointers;
mod recording;
mod tally;

use std::path::PathBuf;

use hookgate::HandlerTable;
use hookgate::analysis::{FindingCode, ListedTool, Options};
use hookgate::contract::suggest::Suggestion;
use serde_json::{Value, json};

use super::entry::{Entry, Level};
use super::texts::Texts;
use super::tool_names;
use crate::abort::Abort;
use crate::terminal::phrase::count;
use crate::terminal::table::{self, To, cell, dim};
use recording::Recording;
use tally::Tally;

/// What the comparison has found.
pub(super) struct Against {
    recording: Recording,
    tallies: Vec<Tally>,
    pub(super) entries: Vec<Entry>,
}

impl Against {
    /// Reads all steps, and looks which hooks they would call.
    pub(super) async fn read(
        paths: &[PathBuf],
        config: &str,
        texts: &mut Texts,
        table: &HandlerTable,
    ) -> Result<Self, Abort> {
        let mut tallies = Tally::of_all(table);
        let mut recording = Recording::default();
        for file in recording::files(paths)? {
            recording.read(&file, table, &mut tallies).await?;
        }
        let mut entries = recording.unreadable.clone();
        entries.extend(unseen_tools(texts, table, &recording));
        entries.extend(tallies.iter().flat_map(|tally| tally.unseen_pointers(texts)));
        entries.extend(tallies.iter().filter_map(|tally| tally.never_fires(config)));
        entries.extend(uncovered_tools(config, table, &recording));
        Ok(Self { recording, tallies, entries })
    }

    /// Returns how often each hook fires, and how near it comes.
    pub(super) fn to_text(&self) -> String {
        let head = ["hook", "steps", "fires", "unclear", "all conditions but one"];
        let mut rows = table::new(To::Stdout, &head);
        for tally in &self.tallies {
            let near = tally.nearest().map(|(condition, near)| {
                format!("{}: {condition} ({})", count(near.steps, "step"), near.first)
            });
            let unclear =
                if tally.unclear == 0 { String::new() } else { tally.unclear.to_string() };
            rows.add_row([
                cell(&tally.hook),
                dim(tally.steps),
                cell(tally.fires),
                dim(unclear),
                dim(near.unwrap_or_default()),
            ]);
        }
        table::keep_whole(&mut rows, &[0, 1, 2]);
        let Recording { files, steps, tools, .. } = &self.recording;
        let (files, tools) = (count(files, "file"), count(tools.len(), "tool"));
        format!("{rows}\n{} of {files}, with {tools}\n", count(steps, "step"))
    }

    /// Returns the same for programs.
    pub(super) fn to_json(&self) -> Value {
        let Recording { files, steps, tools, unreadable } = &self.recording;
        let tools = tools.iter().map(|(name, tool)| {
            json!({ "name": name, "calls": tool.calls, "first": format!("{}:{}", tool.file, tool.line) })
        });
        json!({
            "files": files,
            "steps": steps,
            "unreadable": unreadable.len(),
            "tools": tools.collect::<Vec<_>>(),
            "hooks": self.tallies.iter().map(Tally::to_json).collect::<Vec<_>>(),
            "findings": self.entries.iter().map(Entry::to_json).collect::<Vec<_>>(),
        })
    }

    /// Returns the error of a recording that could not be read as a whole.
    pub(super) fn error(&self) -> Option<Abort> {
        let lines = self.recording.unreadable.len();
        (lines > 0).then(|| {
            let lines = count(lines, "step");
            Abort::failure(format!("{lines} could not be read, and the others were compared"))
        })
    }
}

/// Returns the names of tools in conditions that no step has.
fn unseen_tools(texts: &mut Texts, table: &HandlerTable, recording: &Recording) -> Vec<Entry> {
    let seen: Vec<&str> = recording.tools.keys().map(String::as_str).collect();
    let mut out = Vec::new();
    for hook in table.specs() {
        let names = tool_names::named(hook.matcher());
        let unseen = names.iter().filter(|(name, _)| !seen.contains(&name.as_str()));
        for (name, named) in unseen.filter(|(_, named)| !named.excluded) {
            let near = Suggestion::nearest(name, &seen);
            let origin = hook.origin();
            let (file, text) = texts.of(origin);
            out.push(Entry {
                code: "tool_never_seen",
                level: Level::Note,
                file,
                at: Some(tool_names::position_of(text, origin.span_of(named.key), name)),
                message: format!(
                    "`{}` names the tool `{name}`, which no recorded step has{near}",
                    hook.id()
                ),
                help: None,
            });
        }
    }
    out
}

/// Returns the tools whose calls are made without a guard.
fn uncovered_tools(config: &str, table: &HandlerTable, recording: &Recording) -> Vec<Entry> {
    let mut options = Options::new();
    for (name, tool) in recording.tools.iter().filter(|(_, tool)| tool.proposed > 0) {
        options = options.tool(ListedTool::new(name, &tool.file, tool.line));
    }
    let analysis = table.analyze(&options);
    let uncovered =
        analysis.findings.iter().filter(|finding| finding.code == FindingCode::UncoveredTool);
    let entry = |finding| {
        let mut entry = Entry::of_finding(finding, config);
        let tool = recording
            .tools
            .values()
            .find(|tool| tool.file == entry.file && Some((tool.line, 1)) == entry.at);
        if let Some(tool) = tool {
            entry.message.push_str(&format!(" ({} recorded)", count(tool.proposed, "call")));
        }
        entry
    };
    uncovered.map(entry).collect()
}
