//! `hookgate log stats`: what each hook did.

use hookgate_store::{HookStatistics, Statistics};

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::journal::{FilterArgs, JournalArgs, failure};
use crate::terminal::phrase::count;
use crate::terminal::stdout::{self, OutputArgs};
use crate::terminal::style::DIM;
use crate::terminal::table::{self, To, cell};

/// The signs of a small plot, from nothing to the most.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Count what each hook did: asked, decided, failed, and how long it took
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    output: OutputArgs,
    // The last: its heading is that of all that come after it.
    #[command(flatten)]
    filter: FilterArgs,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Result<Exit, Abort> {
    let found = args.journal.open()?.statistics(&args.filter.read()?);
    let found = found.map_err(|error| failure(&error))?;
    if args.output.wants_json() {
        stdout::json_line(&found)?;
    } else {
        stdout::print(&screen(&found))?;
    }
    Ok(Exit::Ok)
}

fn screen(found: &Statistics) -> String {
    let outcomes: Vec<String> =
        found.outcomes.iter().map(|(outcome, number)| format!("{number} {outcome}")).collect();
    let mut text = count(found.steps, "step");
    if !outcomes.is_empty() {
        text.push_str(&format!(": {}", outcomes.join(", ")));
    }
    text.push('\n');
    if found.trend.iter().any(|number| *number > 0) {
        text.push_str(&format!(
            "{DIM}not simply allowed, over time{DIM:#} {}\n",
            plot(&found.trend)
        ));
    }
    if found.hooks.is_empty() {
        return text;
    }
    let head = ["hook", "asked", "decided", "failed", "rewrote", "p50 µs", "p95 µs"];
    let mut table = table::new(To::Stdout, &head);
    for (hook, HookStatistics { asked, decided, failed, rewrote, p50_us, p95_us, .. }) in
        &found.hooks
    {
        let numbers = [asked, decided, failed, rewrote, p50_us, p95_us];
        table.add_row(std::iter::once(cell(hook)).chain(numbers.map(cell)));
    }
    table::keep_whole(&mut table, &[0, 1, 2, 3, 4, 5, 6]);
    format!("{text}\n{table}\n")
}

fn plot(parts: &[u64]) -> String {
    let most = parts.iter().copied().max().unwrap_or_default().max(1);
    let level = |part: &u64| {
        let level = (part * (LEVELS.len() as u64 - 1)).div_ceil(most);
        usize::try_from(level).ok().and_then(|level| LEVELS.get(level)).copied().unwrap_or(' ')
    };
    parts.iter().map(level).collect()
}
