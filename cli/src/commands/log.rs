//! `hookgate log`: reads the journal of decisions.

pub(super) mod entries;
mod export;
pub(super) mod page;
pub(super) mod show;
mod stats;

use std::path::PathBuf;
use std::time::Duration;

use hookgate_store::{Entry, Filter, Reader};

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::interrupt::interrupted;
use crate::journal::{FilterArgs, JournalArgs, failure};
use crate::terminal::stdout::{self, JsonLines, OutputArgs};
use crate::terminal::style::DIM;

/// How many entries a table shows unless it is told otherwise.
const NEWEST: u64 = 50;

/// How often a journal is looked at that is followed.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// Show what was decided, from the journal
///
/// `[journal]` in a hooks.toml has every decision recorded; so has `hookgate run --journal FILE`. On a terminal it prints
/// a table of the newest 50 entries; piped, or with --json, every entry as one JSON object a line, the oldest first.
/// Several filters hold together.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  hookgate log --decision deny,ask --since 24h
  hookgate log --tool Bash --text 'rm -rf'
  hookgate log --follow
  hookgate log show 1234
  hookgate log stats --since 30d
  hookgate log export --format csv > decisions.csv
  hookgate log --html decisions.html --since 7d
  hookgate log --json --hook no-secrets | jq -r .report.reason"
)]
pub struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    journal: JournalArgs,
    /// Only the newest ones, so many
    #[arg(short = 'n', long, value_name = "COUNT")]
    newest: Option<u64>,
    /// Go on with what is recorded from now on, until it is interrupted
    #[arg(short, long)]
    follow: bool,
    /// Write them as one HTML page instead, with what hooks did
    #[arg(long, value_name = "FILE", conflicts_with_all = ["follow", "json", "table"])]
    html: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    // The last: its heading is that of all that come after it.
    #[command(flatten)]
    filter: FilterArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Show(show::Args),
    Stats(Box<stats::Args>),
    Export(Box<export::Args>),
}

/// Runs the verb.
///
/// # Errors
/// The journal is not there or cannot be read, or stdout takes no more.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    match &args.verb {
        Some(Verb::Show(show)) => return show::run(show),
        Some(Verb::Stats(stats)) => return stats::run(stats),
        Some(Verb::Export(export)) => return export::run(export),
        None => {}
    }
    let json = args.output.wants_json();
    let reader = args.journal.open()?;
    let filter = args.filter.read()?;
    if let Some(page) = &args.html {
        page::write(page, &args, &reader, &filter)?;
        return Ok(Exit::Ok);
    }
    let newest = args.newest.or((!json).then_some(NEWEST));
    let wanted = newest.map_or_else(|| filter.clone(), |count| filter.clone().newest(count));
    let mut list = List { reader, json, last: 0, has_head: false };
    list.last = list.reader.head().map_err(|error| failure(&error))?.seq;
    let shown = list.print(&wanted)?;
    if !args.follow {
        if shown == 0 && !json {
            stdout::print(&format!("{DIM}the journal has no such entry{DIM:#}\n"))?;
        }
        return Ok(Exit::Ok);
    }
    let follow = list.follow(&filter);
    tokio::select! {
        ended = follow => ended.map(|()| Exit::Ok),
        () = interrupted() => Ok(Exit::Ok),
    }
}

/// Entries that are printed.
struct List {
    reader: Reader,
    json: bool,
    /// The last entry that was looked at.
    last: u64,
    /// Whether the head of the table is printed.
    has_head: bool,
}

impl List {
    /// Prints the entries, and returns how many there were.
    fn print(&mut self, filter: &Filter) -> Result<u64, Abort> {
        let (mut lines, mut rows, mut count) = (JsonLines::default(), Vec::new(), 0);
        let mut written = Ok(());
        let mut add = |entry: Entry| {
            count += 1;
            if self.json {
                written = lines.add(&entry);
            } else {
                rows.push(entries::row(&entry));
            }
            written.is_ok()
        };
        self.reader.for_each(filter, &mut add).map_err(|error| failure(&error))?;
        written?;
        lines.flush()?;
        if !rows.is_empty() {
            stdout::print(&format!("{}\n", entries::table_of(rows, !self.has_head)))?;
            self.has_head = true;
        }
        Ok(count)
    }

    async fn follow(&mut self, filter: &Filter) -> Result<(), Abort> {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let head = self.reader.head().map_err(|error| failure(&error))?.seq;
            if head != self.last {
                let after = std::mem::replace(&mut self.last, head);
                self.print(&filter.clone().after(after))?;
            }
        }
    }
}
