//! `hookgate replay`: recorded steps, judged by the config of now.

mod groups;
mod printer;

use std::collections::BTreeMap;
use std::path::PathBuf;

use hookgate::{HookId, Outcome, Report};
use serde_json::Value;

use crate::abort::Abort;
use crate::agents::dialect_of;
use crate::config::ConfigArgs;
use crate::exit_code::Exit;
use crate::interrupt::interrupted;
use crate::journal::{FilterArgs, JournalArgs};
use crate::replay::{Change, Item, Judged, JudgingArgs, Known, RecordedStep, Replayer, Source};
use crate::terminal::phrase::count;
use crate::terminal::progress::Progress;
use crate::terminal::stderr;
use crate::terminal::style::BOLD;
use groups::{By, Groups};
use printer::Printer;

/// Judge recorded steps by the config of now, and show what would come out otherwise
///
/// The steps are those of the journal, or of files: one envelope a line, or what `hookgate log --json` has printed. Each
/// is judged at its own time, after all earlier steps of its session, so that what hooks count and mark is what it would
/// have been.
///
/// Programs, services and models are not called. They answer as they did when the step was recorded, if it is the same
/// hook and the same step; else what would come out is `unknown(≥ X)`: at least X. What was checked out is not recorded,
/// so conditions on a branch are unknown, too. Files of the disk, such as scripts that a command runs, are those of now.
///
/// On a terminal it prints the steps that come out otherwise, or all with --all; piped, or with --json, one object for
/// each step.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate replay                                  what would my hooks say to all that is recorded?
  hookgate replay -c new.toml --since 7d
  hookgate replay -c rule.toml --since 30d --by program
                                                   which of last month's steps would this rule stop?
  hookgate replay -c new.toml --stub judge=deny --fail-on weaker
  hookgate replay -c new.toml sessions/ --by tool
  hookgate replay -c new.toml --agent claude ~/.claude/projects/")]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// The steps: files of envelopes, folders with *.jsonl, journals, or `-`; without any, the journal
    #[arg(value_name = "FILE")]
    steps: Vec<PathBuf>,
    #[command(flatten)]
    journal: JournalArgs,
    /// Show also the steps that come out as they did
    #[arg(long, conflicts_with_all = ["json", "by"])]
    all: bool,
    /// Print only steps with one of these changes
    #[arg(long, value_name = "CHANGE", value_delimiter = ',')]
    only: Vec<Change>,
    /// Group the steps that are stopped now, and print the groups
    #[arg(long, value_name = "WHAT")]
    by: Option<By>,
    #[command(flatten)]
    judging: JudgingArgs,
}

/// Runs the verb.
///
/// # Errors
/// The config is not valid, there is no journal, a file cannot be read, or it was interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let judging = &args.judging;
    let replayer = Replayer::load(&args.config, &judging.external)?;
    let dialect = judging.agent.as_deref().map(dialect_of).transpose()?;
    let source = source(&args.steps, &args.journal, &judging.filter)?.of_agent(dialect);
    let json = judging.output.wants_json();
    let printer = Printer::new(json, args.all, args.only.clone());
    let groups = args.by.map(|by| Groups::new(by, &replayer.table()));
    let progress = if judging.quiet { Progress::hidden() } else { source.progress(!json) };
    let mut replay =
        Replay { replayer, source, printer, groups, summary: Summary::default(), progress };
    tokio::select! {
        ended = replay.judge_all() => ended?,
        () = interrupted() => return Err(Abort::failure("interrupted: the remaining steps were not judged")),
    }
    replay.progress.finish();
    match &replay.groups {
        Some(groups) => groups.print(json)?,
        None => replay.printer.finish()?,
    }
    if !judging.quiet {
        replay.summary.print(&replay.source);
    }
    let changes = &replay.summary.changes;
    Ok(match judging.fail_on.iter().any(|change| changes.contains_key(change)) {
        true => Exit::Deny,
        false if replay.summary.unreadable == 0 => Exit::Ok,
        false => Exit::Failure,
    })
}

/// Returns the steps that a command line means: of files, or else of the journal.
pub(super) fn source(
    files: &[PathBuf],
    journal: &JournalArgs,
    filter: &FilterArgs,
) -> Result<Source, Abort> {
    if files.is_empty() {
        return Ok(Source::journal(journal.file()?, filter.read()?));
    }
    let filter = filter.is_given().then(|| filter.read()).transpose()?;
    Source::files(files, filter.as_ref())
}

struct Replay {
    replayer: Replayer,
    source: Source,
    printer: Printer,
    groups: Option<Groups>,
    summary: Summary,
    progress: Progress,
}

impl Replay {
    async fn judge_all(&mut self) -> Result<(), Abort> {
        while let Some(item) = self.source.next(&self.progress).await? {
            match item {
                Item::Unreadable(place, why) => {
                    self.progress.suspend(|| stderr::error_at(&place, &why));
                    self.summary.unreadable += 1;
                }
                Item::Step(step) => {
                    let judged = self.replayer.judge(&step).await;
                    if step.is_wanted {
                        self.add(*step, &judged)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, step: RecordedStep, judged: &Judged) -> Result<(), Abort> {
        let change = change(&step, judged);
        self.summary.add(change, judged);
        match &mut self.groups {
            Some(groups) => groups.add(&step, judged),
            None => self.printer.add(step, judged, change, &self.progress)?,
        }
        Ok(())
    }
}

/// Returns what has changed since a step was recorded; `None` if nobody knows what was decided then.
fn change(step: &RecordedStep, judged: &Judged) -> Option<Change> {
    // What was cancelled, nobody had decided.
    let was = &step.was.as_ref()?.report;
    if was.decision == Outcome::Cancelled {
        return None;
    }
    let change = judged.outcome.since(Known::Sure(was.decision));
    Some(match change == Change::Same && !goes_on_as_it_did(step, was, &judged.report) {
        true => Change::Rewritten,
        false => change,
    })
}

/// Whether a step goes on with the same values, and with the same answer.
fn goes_on_as_it_did(step: &RecordedStep, was: &Report, now: &Report) -> bool {
    // A journal without secrets has in place of a rewritten step what became of it: its rewriter has nothing left to do.
    let became = |(field, value): (&String, &Value)| {
        step.envelope.get(field).unwrap_or(&Value::Null) == value
    };
    let is_rewritten_there = !was.patched.is_empty() && was.final_fields.iter().all(became);
    let values = match is_rewritten_there {
        true => now.patched.is_empty() || now.final_fields == was.final_fields,
        false => now.final_fields == was.final_fields,
    };
    values && now.answer == was.answer
}

/// The counts of a replay.
#[derive(Debug, Default)]
struct Summary {
    steps: u64,
    unreadable: u64,
    /// Steps of which it is not known what was decided.
    without_decision: u64,
    changes: BTreeMap<Change, u64>,
    /// The hooks of which nobody knows what they would say, with the number of steps.
    unknown: BTreeMap<HookId, u64>,
}

impl Summary {
    fn add(&mut self, change: Option<Change>, judged: &Judged) {
        self.steps += 1;
        match change {
            Some(change) => *self.changes.entry(change).or_default() += 1,
            None => self.without_decision += 1,
        }
        for hook in &judged.unknown {
            *self.unknown.entry(hook.clone()).or_default() += 1;
        }
    }

    fn print(&self, source: &Source) {
        let mut text = format!("{BOLD}{}{BOLD:#}", count(self.steps, "step"));
        for change in Change::ALL {
            if let Some(number) = self.changes.get(&change) {
                text.push_str(&format!(" · {number} {}", change.name()));
            }
        }
        if self.without_decision > 0 && self.without_decision < self.steps {
            text.push_str(&format!(
                " · {} without a decision to compare with",
                self.without_decision
            ));
        }
        stderr::print(&format!("{text}\n"));
        if !self.unknown.is_empty() {
            let hooks: Vec<String> = self
                .unknown
                .iter()
                .map(|(hook, steps)| format!("{hook} ({})", count(steps, "step")))
                .collect();
            stderr::warning(&format!(
                "nobody knows what these would say, and they were not called: {}; --stub ID=ANSWER answers for one, \
                 --live calls them",
                hooks.join(", ")
            ));
        }
        tell_counts(source);
    }
}

/// Warns of records that could not be judged.
pub(super) fn tell_counts(source: &Source) {
    let counts = source.counts();
    if counts.without_envelope > 0 {
        stderr::warning(&format!(
            "left out: {} whose step was deleted, or of which `[journal]` keeps a hash only",
            count(counts.without_envelope, "record")
        ));
    }
    if counts.earlier_without_envelope > 0 {
        stderr::warning(&format!(
            "not counted: {} of these sessions whose step was deleted; what hooks count may be less than it was",
            count(counts.earlier_without_envelope, "earlier record")
        ));
    }
}
