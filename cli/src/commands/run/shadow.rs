//! A second config, which judges every step of a run, and what it would decide otherwise.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use comfy_table::{Cell, CellAlignment};
use hookgate::contract::json;
use hookgate::engine::shadow::{ShadowCounts, ShadowDelta, ShadowTable};
use hookgate::{ConfigHash, HookId, Outcome, Registry, Report};
use serde::Serialize;

use super::printer::Place;
use crate::abort::Abort;
use crate::config::ConfigArgs;
use crate::input::envelope;
use crate::shell_word::quoted;
use crate::steps_table;
use crate::terminal::phrase::count;
use crate::terminal::stderr;
use crate::terminal::style::{BOLD, HELP, outcome_colour};
use crate::terminal::table::{self, To, cell, dim};

/// The config in shadow.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "A second config in shadow")]
pub(super) struct ShadowArgs {
    /// Judge every step by this config as well, and show what it would decide otherwise; it changes no decision. It may
    /// be given several times, as --config. Programs, services and models of its hooks are not called, unless the hook
    /// says `pure = true`
    #[arg(long, value_name = "FILE")]
    shadow_config: Vec<PathBuf>,
    /// Write each step that it would decide otherwise into this file, one JSON object a line
    #[arg(long, value_name = "FILE", requires = "shadow_config")]
    shadow_out: Option<PathBuf>,
}

/// A change that a config would make: from what to what, and by which hooks.
type Change = (Outcome, Outcome, Vec<HookId>);

/// A config in shadow, and what it has shown so far.
pub(super) struct ShadowRun {
    table: ShadowTable,
    files: Vec<PathBuf>,
    counts: ShadowCounts,
    /// How many steps would change so, and the first of them.
    changes: BTreeMap<Change, (u64, String)>,
    out: Option<(PathBuf, BufWriter<File>)>,
}

/// A delta with the place of its step.
#[derive(Serialize)]
struct Placed<'d> {
    file: &'d str,
    line: u64,
    #[serde(flatten)]
    delta: &'d ShadowDelta,
}

impl ShadowArgs {
    /// Loads the config, if there is one. Its hooks keep what they count and remember in this registry.
    ///
    /// # Errors
    /// It is not valid, or the file for its deltas cannot be written.
    pub(super) fn load(
        self,
        registry: &Registry,
        strict: bool,
    ) -> Result<Option<ShadowRun>, Abort> {
        let Self { shadow_config: files, shadow_out } = self;
        if files.is_empty() {
            return Ok(None);
        }
        let configs = ConfigArgs { files: files.clone(), strict }.find()?;
        let table = configs.load_aside(registry)?;
        let table = ShadowTable::new(table).map_err(|error| Abort::failure(error.to_string()))?;
        let open = |path: PathBuf| match File::create(&path) {
            Ok(file) => Ok((path, BufWriter::new(file))),
            Err(error) => Err(Abort::file("write", &path, &error)),
        };
        let out = shadow_out.map(open).transpose()?;
        let (counts, changes) = (ShadowCounts::default(), BTreeMap::new());
        Ok(Some(ShadowRun { table, files, counts, changes, out }))
    }
}

impl ShadowRun {
    /// Judges a step that was read, and compares with what was decided.
    ///
    /// # Errors
    /// The file for the deltas takes no more.
    pub(super) async fn judge(
        &mut self,
        place: Place<'_>,
        bytes: &[u8],
        live: &Report,
    ) -> Result<(), Abort> {
        let integers = self.table.table().limits().integers;
        let Ok(step) = envelope::object(bytes.trim_ascii_end(), integers) else {
            self.counts.unreadable += 1;
            return Ok(());
        };
        let action = steps_table::action(&step.clone().into());
        let Ok(delta) = self.table.judge(step, live).await else {
            self.counts.unreadable += 1;
            return Ok(());
        };
        self.counts.add(&delta);
        if delta.is_empty() {
            return Ok(());
        }
        let Place { file, line } = place;
        let (from, to) = (delta.live.decision, delta.shadow.decision);
        // Who decides more strictly is the cause, be it a hook that is new or one that is gone.
        let by = if to < from { &delta.live.by } else { &delta.shadow.by };
        let example = || format!("{file}:{line} {action}");
        self.changes.entry((from, to, by.clone())).or_insert_with(|| (0, example())).0 += 1;
        if let Some((path, out)) = &mut self.out {
            let written = write(out, &Placed { file, line, delta: &delta });
            written.map_err(|error| Abort::file("write", path, &error))?;
        }
        Ok(())
    }

    /// Writes the last deltas.
    ///
    /// # Errors
    /// The file takes no more.
    pub(super) fn finish(&mut self) -> Result<(), Abort> {
        let Some((path, out)) = &mut self.out else { return Ok(()) };
        out.flush().map_err(|error| Abort::file("write", path, &error))
    }

    /// Prints how many steps would change, and how, on stderr. `live` is the one config that decides, with its hash.
    pub(super) fn print(&self, live: Option<(&Path, ConfigHash)>) {
        let name = self.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>();
        let ShadowCounts { judged, different, incomplete, unreadable, .. } = self.counts;
        let mut text = format!(
            "{BOLD}in shadow, {}{BOLD:#}: {different} of {} would change\n",
            name.join(", "),
            count(judged, "step"),
        );
        if !self.changes.is_empty() {
            text.push_str(&format!("{}\n", self.changes_table()));
        }
        stderr::print(&text);
        if unreadable > 0 {
            stderr::warning(&format!("{} could not be read by it", count(unreadable, "step")));
        }
        if incomplete > 0 {
            let hooks: Vec<_> = self.table.not_called().map(|hook| format!("`{hook}`")).collect();
            stderr::warning(&format!(
                "of {} it is not known what {} would have said: hooks that reach outside are not called in shadow, unless \
                 they say `pure = true`",
                count(incomplete, "step"),
                hooks.join(", "),
            ));
        }
        if let ([file], Some((live, hash))) = (self.files.as_slice(), live) {
            let [file, live] = [file, live].map(|file| quoted(&file.display().to_string()));
            let verb = format!("hookgate promote {file} --over {live} --was {hash}");
            stderr::print(&format!("to put it in force: {HELP}{verb}{HELP:#}\n"));
        }
    }

    fn changes_table(&self) -> comfy_table::Table {
        let mut table = table::new(To::Stderr, &["from", "to", "by", "steps", "the first"]);
        let outcome = |outcome: Outcome| Cell::new(outcome.name()).fg(outcome_colour(outcome));
        for ((from, to, by), (number, example)) in &self.changes {
            let to = if from == to { cell("other values") } else { outcome(*to) };
            let by = by.iter().map(HookId::as_str).collect::<Vec<_>>().join("\n");
            table.add_row([outcome(*from), to, cell(by), Cell::new(number), dim(example)]);
        }
        if let Some(column) = table.column_mut(3) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table::keep_whole(&mut table, &[0, 1, 2]);
        table
    }
}

fn write(out: &mut impl io::Write, delta: &impl Serialize) -> io::Result<()> {
    let mut line = Vec::new();
    json::write(&mut line, delta)?;
    line.push(b'\n');
    out.write_all(&line)
}
