//! `hookgate runs`: what hooks have to do later, and what became of it.

mod show;
mod work;

use std::io;
use std::path::PathBuf;

use comfy_table::{Cell, Color};
use hookgate_store::{
    Run, RunError, RunFilter, RunReader, RunSettings, RunState, RunStore, Visibility,
};

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::journal::JournalArgs;
use crate::runs::failure;
use crate::terminal::sanitize::one_line;
use crate::terminal::stdout::{self, JsonLines, OutputArgs};
use crate::terminal::style::DIM;
use crate::terminal::table::{self, cell, dim};
use crate::terminal::time::time;

/// The columns.
const HEAD: [&str; 7] = ["run", "queued (UTC)", "hook", "event", "state", "tries", "note"];

/// How many runs a table shows unless it is told otherwise.
const NEWEST: u64 = 50;

/// How many characters of a note are shown.
const NOTE: usize = 120;

/// Show what hooks do later, and have it tried again
///
/// A hook that nothing waits for, and a job that a hook has asked for, are runs: they are queued in a file beside the
/// journal, and outlive the process. docs/runs.md says what the states mean.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    List(ListArgs),
    Show(show::Args),
    Work(work::Args),
    Retry(ChangeArgs),
    Cancel(ChangeArgs),
}

/// List runs: on a terminal the newest 50; piped, or with --json, every one as a JSON object a line
///
/// Several filters hold together.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate runs list --state dead_lettered,orphaned
  hookgate runs list --hook notify --session session-1
  hookgate runs list --json | jq -r 'select(.state == \"failed\") | .id'")]
struct ListArgs {
    #[command(flatten)]
    journal: JournalArgs,
    /// Only the newest ones, so many
    #[arg(short = 'n', long, value_name = "COUNT")]
    newest: Option<u64>,
    #[command(flatten)]
    output: OutputArgs,
    /// In one of these states: queued, running, succeeded, failed, timed_out, skipped, cancelled, orphaned, superseded,
    /// dead_lettered, unreadable, handler_missing
    #[arg(long, value_name = "STATE", value_delimiter = ',', value_parser = state, help_heading = "Filters")]
    state: Vec<RunState>,
    /// Of this hook
    #[arg(long, value_name = "ID", help_heading = "Filters")]
    hook: Option<String>,
    /// Of this session
    #[arg(long, value_name = "ID", help_heading = "Filters")]
    session: Option<String>,
    /// Of interest to the user of the agent, or to its operator only
    #[arg(long, alias = "visible", value_name = "WHOM", value_parser = visibility, help_heading = "Filters")]
    visibility: Option<Visibility>,
}

/// Which run is changed.
#[derive(Debug, clap::Args)]
struct ChangeArgs {
    /// The number of the run, as `hookgate runs list` shows it
    #[arg(value_name = "ID")]
    id: u64,
    #[command(flatten)]
    journal: JournalArgs,
}

/// Runs the verb.
///
/// # Errors
/// The runs are not there or cannot be read or changed, or stdout takes no more.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    match &args.verb {
        Verb::List(args) => list(args),
        Verb::Show(args) => show::run(args),
        Verb::Work(args) => work::run(args),
        Verb::Retry(args) => change(args, |store| store.retry(args.id).map(|()| RunState::Queued)),
        Verb::Cancel(args) => change(args, |store| store.cancel(args.id)),
    }
}

fn list(args: &ListArgs) -> Result<Exit, Abort> {
    let json = args.output.wants_json();
    let mut filter = RunFilter::default().states(args.state.iter().copied());
    if let Some(hook) = &args.hook {
        filter = filter.hook(hook);
    }
    if let Some(session) = &args.session {
        filter = filter.session(session);
    }
    if let Some(visibility) = args.visibility {
        filter = filter.visibility(visibility);
    }
    if let Some(newest) = args.newest.or((!json).then_some(NEWEST)) {
        filter = filter.newest(newest);
    }
    let runs = open(&args.journal)?.list(&filter).map_err(|error| failure(&error))?;
    if json {
        let mut lines = JsonLines::default();
        for run in &runs {
            lines.add(run)?;
        }
        lines.flush()?;
    } else if runs.is_empty() {
        stdout::print(&format!("{DIM}there is no such run{DIM:#}\n"))?;
    } else {
        let rows = runs.iter().map(row).collect();
        stdout::print(&format!("{}\n", table::part(&HEAD, rows, true, &[0, 1, 3, 4, 5])))?;
    }
    Ok(Exit::Ok)
}

fn row(run: &Run) -> [Cell; 7] {
    [
        dim(run.id),
        dim(time(run.queued)),
        cell(&run.hook),
        cell(&run.event),
        Cell::new(run.state.name()).fg(colour(run.state)),
        dim(format!("{}/{}", run.attempts, run.max_attempts)),
        cell(one_line(&note(run), NOTE)),
    ]
}

/// Returns what is said of a run in a line.
fn note(run: &Run) -> String {
    match (&run.holder, &run.why) {
        (Some(holder), _) => format!("process {}", process(holder)),
        (None, Some(why)) => why.clone(),
        (None, None) => String::new(),
    }
}

/// Returns the number of the process of a holder.
fn process(holder: &str) -> &str {
    holder.split('-').next().unwrap_or(holder)
}

const fn colour(state: RunState) -> Color {
    match state {
        RunState::Queued | RunState::Running => Color::Cyan,
        RunState::Succeeded => Color::Green,
        RunState::Skipped | RunState::Cancelled | RunState::Superseded => Color::Yellow,
        _ => Color::Red,
    }
}

fn change(
    args: &ChangeArgs,
    act: impl FnOnce(&RunStore) -> Result<RunState, RunError>,
) -> Result<Exit, Abort> {
    // What is not there is not made.
    drop(open(&args.journal)?);
    let store = RunStore::open(RunSettings::beside(&args.journal.file()?));
    let state = store.and_then(|store| act(&store)).map_err(|error| failure(&error))?;
    let says = match state {
        RunState::Queued => "is queued again",
        RunState::Running => "is stopped as soon as its process gives its next sign of life",
        _ => "is cancelled",
    };
    stdout::print(&format!("run {} {says}\n", args.id))?;
    Ok(Exit::Ok)
}

/// Opens the runs that are beside a journal.
fn open(journal: &JournalArgs) -> Result<RunReader, Abort> {
    let file: PathBuf = RunSettings::beside(&journal.file()?).file;
    RunReader::open(&file).map_err(|error| match error {
        RunError::File { error, .. } if error.kind() == io::ErrorKind::NotFound => {
            Abort::failure(format!("there are no runs `{}`", file.display())).help(
                "a hook with `background = \"record\"` queues one where `hookgate run --journal` or a library has decisions recorded; \
                 docs/runs.md says how",
            )
        }
        error => failure(&error),
    })
}

fn state(name: &str) -> Result<RunState, String> {
    RunState::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = RunState::ALL.iter().map(|state| state.name()).collect();
        format!("a state is one of {}", names.join(", "))
    })
}

fn visibility(name: &str) -> Result<Visibility, String> {
    match name {
        "user" => Ok(Visibility::User),
        "operator" => Ok(Visibility::Operator),
        _ => Err("it is user or operator".to_owned()),
    }
}
