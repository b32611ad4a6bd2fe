//! The recorded steps.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookgate::envelope::Incoming;
use hookgate::{Event, HandlerTable};

use super::super::entry::{Entry, Level};
use super::tally::Tally;
use crate::abort::Abort;
use crate::input::envelope::{self, Unreadable};
use crate::input::lines::Lines;

/// What was recorded.
#[derive(Debug, Default)]
pub(super) struct Recording {
    pub(super) files: usize,
    pub(super) steps: u64,
    /// The tools, by name.
    pub(super) tools: BTreeMap<String, SeenTool>,
    /// The lines that are no steps.
    pub(super) unreadable: Vec<Entry>,
}

/// A tool that occurs.
#[derive(Debug)]
pub(super) struct SeenTool {
    /// How many steps are about it.
    pub(super) calls: u64,
    /// How many of them are calls that are about to be made.
    pub(super) proposed: u64,
    /// The file in which it occurs first.
    pub(super) file: String,
    /// The line, from 1.
    pub(super) line: usize,
}

/// Returns the files that some paths mean: of a folder all `*.jsonl`, in the order of their names.
pub(super) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Abort> {
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            let found = in_folder(path)?;
            if found.is_empty() {
                let message = format!("there is no recording in `{}`", path.display());
                return Err(Abort::failure(message).help("its files are named *.jsonl"));
            }
            all.extend(found);
        } else {
            all.push(path.clone());
        }
    }
    Ok(all)
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Abort> {
    let entries = folder.read_dir().map_err(|error| Abort::file("read", folder, &error))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let is_recording = |path: &PathBuf| path.extension().is_some_and(|name| name == "jsonl");
    let mut found: Vec<PathBuf> = paths.filter(is_recording).collect();
    found.sort();
    Ok(found)
}

impl Recording {
    /// Reads a file, and counts each of its steps.
    pub(super) async fn read(
        &mut self,
        file: &Path,
        table: &HandlerTable,
        tallies: &mut [Tally],
    ) -> Result<(), Abort> {
        let mut lines = Lines::open(Some(file))?;
        self.files += 1;
        let name = lines.name().to_owned();
        while let Some(line) = lines.next().await? {
            let number = usize::try_from(line.number).unwrap_or(usize::MAX);
            let read = match &line.bytes {
                Some(bytes) if bytes.trim_ascii().is_empty() => continue,
                Some(bytes) => envelope::read(bytes.trim_ascii_end(), table.limits().integers),
                None => Err(Unreadable::at_start("the line is longer than 16 MiB")),
            };
            match read {
                Ok(step) => self.add(&step, &name, number, table, tallies),
                Err(wrong) => self.unreadable.push(Entry {
                    code: "unreadable_step",
                    level: Level::Error,
                    file: name.clone(),
                    at: Some((number, wrong.column)),
                    message: format!("the step could not be read: {}", wrong.message),
                    help: None,
                }),
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        step: &Incoming,
        file: &str,
        line: usize,
        table: &HandlerTable,
        tallies: &mut [Tally],
    ) {
        self.steps += 1;
        if let Some(call) = step.payload.tool() {
            let tool = self.tools.entry(call.tool_name.to_string());
            let tool = tool.or_insert_with(|| SeenTool {
                calls: 0,
                proposed: 0,
                file: file.to_owned(),
                line,
            });
            tool.calls += 1;
            tool.proposed += u64::from(step.payload.event_name() == Event::PreToolUse.name());
        }
        for explained in table.explain(step.payload.as_ref(), &step.header.context()) {
            let tally = tallies.iter_mut().find(|tally| tally.hook == explained.hook.as_str());
            if let Some(tally) = tally {
                tally.add(&explained, step, &format!("{file}:{line}"));
            }
        }
    }
}
