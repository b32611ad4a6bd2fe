//! `hookgate runs work`: does what is due.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookgate_store::{EngineRuns, Run, RunFilter, RunSettings, RunState, RunStore, Worker};

use super::{HEAD, row};
use crate::abort::Abort;
use crate::commands::hook::{InForceHere, TableHere};
use crate::exit_code::Exit;
use crate::interrupt::interrupted;
use crate::journal::JournalArgs;
use crate::runs::failure;
use crate::terminal::phrase::count;
use crate::terminal::stdout::{self, OutputArgs};
use crate::terminal::{stderr, table};

/// How often it looks for what has become due.
const POLL: Duration = Duration::from_millis(250);

/// Do what is due, by the hooks of the configs that are in force here
///
/// `hookgate hook` and `hookgate run` queue what hooks do later, and do it when they have answered; this takes up what they
/// have left: what takes too long for them, what has failed, and what a process had that was killed. Without --once and
/// --until-empty it goes on until it is interrupted, and reads the configs again when they change.
///
/// It does runs that the same configs have queued. What an earlier version of them has queued is superseded; what other
/// configs have queued stays.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate runs work --until-empty
  hookgate runs work --once --json | jq -r 'select(.state != \"succeeded\") | .why'
  hookgate runs work -c hooks.toml --journal decisions.db --once

Exit codes: 0 nothing has ended badly · 1 operational failure · 2 a run has failed for good, or is not done: superseded,
unreadable, handler_missing · 3 invalid config.")]
pub(super) struct Args {
    /// The hooks, in place of those that are found here; several are joined
    #[arg(short = 'c', long = "config", value_name = "FILE")]
    config: Vec<PathBuf>,
    /// As `hookgate hook --strict`: what that has queued is of another config
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    journal: JournalArgs,
    /// Do what is due now, and end
    #[arg(long, conflicts_with = "until_empty")]
    once: bool,
    /// Do also what becomes due, such as what is tried again, and end when nothing is left
    #[arg(long)]
    until_empty: bool,
    #[command(flatten)]
    output: OutputArgs,
}

impl Args {
    /// Whether it has no end of its own.
    const fn goes_on(&self) -> bool {
        !self.once && !self.until_empty
    }
}

/// Runs the verb.
///
/// # Errors
/// The configs or the file cannot be used, stdout takes no more, or it was interrupted before its end.
pub(super) fn run(args: &Args) -> Result<Exit, Abort> {
    let here = InForceHere::new(args.config.clone(), args.strict)?;
    let _ = hookgate::command::become_subreaper();
    let mut work = Working { args, here: &here, told: Told::new(args), store: None };
    let goes_on = args.goes_on();
    let ended = here.runtime().block_on(async {
        let interrupted = interrupted();
        tokio::select! {
            ended = work.all() => ended,
            () = interrupted => match goes_on {
                true => Ok(()),
                false => Err(Abort::failure("interrupted: what was under way is given back")),
            },
        }
    });
    let told = work.told.finish();
    ended.and(told)?;
    work.tell_others();
    Ok(work.told.exit())
}

/// What is done, and with what.
struct Working<'a> {
    args: &'a Args,
    here: &'a InForceHere,
    told: Told,
    store: Option<RunStore>,
}

impl Working<'_> {
    async fn all(&mut self) -> Result<(), Abort> {
        let mut is_told = false;
        loop {
            let ended = self.pass().await;
            let ended = self.told.flush(false).and(ended);
            let goes_on = self.args.goes_on();
            match ended {
                Ok(is_empty) if self.args.once || (self.args.until_empty && is_empty) => {
                    return Ok(());
                }
                Ok(_) => is_told = false,
                Err(error) if !goes_on => return Err(error),
                // A config that is broken now may be mended: what waits for it goes on waiting.
                Err(error) if !is_told && !self.told.is_closed() => {
                    let _ = error.report();
                    is_told = true;
                }
                Err(error) if self.told.is_closed() => return Err(error),
                Err(_) => {}
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Does what is due. Returns whether nothing is left.
    async fn pass(&mut self) -> Result<bool, Abort> {
        let table = self.here.table().await?;
        let Some(store) = self.open(&table)? else { return Ok(true) };
        let runs = EngineRuns::new(Arc::clone(table.engine()), store.clone());
        let told = self.told.clone();
        let worker = Worker::new(store.clone(), runs.config_read(table.read))
            .telling(move |run| told.add(run));
        worker.until_idle().await.map_err(|error| failure(&error))?;
        let left = RunFilter::default()
            .states([RunState::Queued, RunState::Running])
            .scope(&table.scope)
            .newest(1);
        Ok(store.list(&left).map_err(|error| failure(&error))?.is_empty())
    }

    /// Opens the runs of these configs; there may be none yet.
    fn open(&mut self, table: &TableHere) -> Result<Option<RunStore>, Abort> {
        let journal = match self.args.journal.named().or_else(|| table.journal()) {
            Some(file) => file.to_owned(),
            None => self.args.journal.file()?,
        };
        let settings = RunSettings::beside(&journal).scope(table.scope.clone());
        let is_same = |store: &RunStore| {
            let known = store.settings();
            known.file == settings.file && known.scope == settings.scope
        };
        if !self.store.as_ref().is_some_and(is_same) {
            if !settings.file.exists() {
                self.told.note_none(&settings);
                return Ok(None);
            }
            self.store = Some(RunStore::open(settings).map_err(|error| failure(&error))?);
        }
        Ok(self.store.clone())
    }

    /// Tells of runs that wait for other configs: nobody else may do them.
    fn tell_others(&self) {
        let Some(store) = &self.store else { return };
        let others =
            RunFilter::default().states([RunState::Queued]).not_scope(&store.settings().scope);
        let others = store.list(&others).unwrap_or_default();
        let mut configs = BTreeMap::<&str, usize>::new();
        for run in &others {
            *configs.entry(run.scope.lines().next_back().unwrap_or_default()).or_default() += 1;
        }
        for (config, number) in configs {
            let runs = count(number, "run");
            stderr::note(&format!("left to other configs: {runs} of {config}"));
        }
    }
}

/// What is printed of what was done.
#[derive(Clone)]
struct Told(Arc<Mutex<Printed>>);

struct Printed {
    json: bool,
    /// Whether there is no end at which a table could be printed.
    in_parts: bool,
    rows: Vec<Run>,
    has_head: bool,
    has_any: bool,
    has_failed: bool,
    noted_none: bool,
    closed: Option<io::Error>,
    is_closed: bool,
}

impl Told {
    fn new(args: &Args) -> Self {
        Self(Arc::new(Mutex::new(Printed {
            json: args.output.wants_json(),
            in_parts: args.goes_on(),
            rows: Vec::new(),
            has_head: false,
            has_any: false,
            has_failed: false,
            noted_none: false,
            closed: None,
            is_closed: false,
        })))
    }

    fn with<T>(&self, act: impl FnOnce(&mut Printed) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes what a run has become: a line at once, a row of a table with the next ones.
    fn add(&self, run: &Run) {
        self.with(|printed| {
            printed.has_any = true;
            printed.has_failed |= has_failed(run.state);
            if !printed.json {
                printed.rows.push(run.clone());
            } else if let Err(error) = stdout::json_line(run) {
                printed.closed.get_or_insert(error);
            }
        });
    }

    fn note_none(&self, settings: &RunSettings) {
        self.with(|printed| {
            if !std::mem::replace(&mut printed.noted_none, true) {
                stderr::note(&format!("there are no runs yet: `{}`", settings.file.display()));
            }
        });
    }

    /// Prints the rows so far, unless they are printed as one table at the end.
    fn flush(&self, is_end: bool) -> Result<(), Abort> {
        self.with(|printed| {
            if let Some(error) = printed.closed.take() {
                printed.is_closed = true;
                return Err(error.into());
            }
            if printed.rows.is_empty() || !(is_end || printed.in_parts) {
                return Ok(());
            }
            let rows = printed.rows.drain(..);
            let rows = rows.map(|run| row(&run)).collect();
            let part = table::part(&HEAD, rows, !printed.has_head, &[0, 1, 3, 4, 5]);
            printed.has_head = true;
            let written = stdout::print(&format!("{part}\n"));
            printed.is_closed = written.is_err();
            Ok(written?)
        })
    }

    fn finish(&self) -> Result<(), Abort> {
        self.flush(true)?;
        let says_nothing =
            self.with(|printed| !printed.json && !printed.has_any && !printed.noted_none);
        if says_nothing {
            stdout::print("nothing was due\n")?;
        }
        Ok(())
    }

    /// Whether stdout takes no more.
    fn is_closed(&self) -> bool {
        self.with(|printed| printed.is_closed)
    }

    fn exit(&self) -> Exit {
        self.with(|printed| if printed.has_failed { Exit::Deny } else { Exit::Ok })
    }
}

/// Whether a run has ended without being done.
const fn has_failed(state: RunState) -> bool {
    !matches!(
        state,
        RunState::Queued
            | RunState::Running
            | RunState::Succeeded
            | RunState::Skipped
            | RunState::Cancelled
    )
}
