//! Entries as one HTML page.

use std::path::Path;

use hookgate_store::{Filter, Reader, Statistics};

use super::{Args, entries};
use crate::abort::Abort;
use crate::html::{self, Cell, DECISIONS, Plot, Span, Table, View};
use crate::journal::failure;
use crate::terminal::phrase::count;
use crate::terminal::time::{time, took};

/// How many entries a page shows unless it is told otherwise.
const NEWEST: u64 = 2000;

/// Writes the page.
pub(super) fn write(
    page: &Path,
    args: &Args,
    reader: &Reader,
    filter: &Filter,
) -> Result<(), Abort> {
    let newest = args.newest.unwrap_or(NEWEST);
    let statistics = reader.statistics(filter).map_err(|error| failure(&error))?;
    let all = reader.count(filter).map_err(|error| failure(&error))?;
    let found = reader.entries(&filter.clone().newest(newest)).map_err(|error| failure(&error))?;
    let [first, last] = [found.first(), found.last()]
        .map(|entry| entry.map(|entry| time(entry.time())).unwrap_or_default());
    let head = reader.head().map_err(|error| failure(&error))?;
    let decisions = Table {
        title: "Decisions".to_owned(),
        note: Some(format!("the newest {} of {all}, the newest first", found.len())),
        head: DECISIONS.to_vec(),
        rows: found
            .iter()
            .rev()
            .map(|entry| entries::cells(entry.seq.to_string().into(), entry))
            .collect(),
    };
    let view = View {
        title: "What was decided".to_owned(),
        lead: Some(sentence(&statistics)),
        facts: vec![
            ("journal", args.journal.file()?.display().to_string()),
            ("last entry", head.seq.to_string()),
            ("from", first.clone()),
            ("to", last.clone()),
        ],
        plots: plots(&statistics, &first, &last),
        tables: vec![hooks(&statistics), decisions],
        ..View::default()
    };
    html::write_report(page, view)
}

/// Says what came out of how many steps.
pub(in crate::commands) fn sentence(statistics: &Statistics) -> String {
    let outcomes: Vec<String> =
        statistics.outcomes.iter().map(|(name, number)| format!("{number} {name}")).collect();
    match outcomes.is_empty() {
        true => "the journal has no such step".to_owned(),
        false => format!("{}: {}", count(statistics.steps, "step"), outcomes.join(", ")),
    }
}

/// Draws what hooks did, from a first time to a last.
pub(in crate::commands) fn plots(statistics: &Statistics, first: &str, last: &str) -> Vec<Plot> {
    let hooks = &statistics.hooks;
    let decided: Vec<_> = hooks.iter().map(|(hook, did)| (hook.clone(), did.decided)).collect();
    let failed: Vec<_> = hooks.iter().map(|(hook, did)| (hook.clone(), did.failed)).collect();
    let times = hooks.iter().map(|(hook, did)| Span {
        name: hook.clone(),
        half: did.p50_us,
        most: did.p95_us,
    });
    let plots = [
        html::over_time("Not simply allowed, over time", &statistics.trend, first, last),
        html::bars("Decided", &decided),
        html::spans("How long hooks take: p50 · p95", times.collect(), took),
        html::bars("Failed", &failed),
    ];
    plots.into_iter().flatten().collect()
}

/// Returns what each hook did.
pub(in crate::commands) fn hooks(statistics: &Statistics) -> Table {
    let rows = statistics.hooks.iter().map(|(hook, did)| {
        let numbers = [did.asked, did.decided, did.failed, did.rewrote].map(Cell::number);
        let times = [did.p50_us, did.p95_us].map(|us| Cell::dim(took(us)));
        std::iter::once(hook.clone().into()).chain(numbers).chain(times).collect()
    });
    Table {
        title: "Hooks".to_owned(),
        head: vec!["hook", "asked", "decided", "failed", "rewrote", "p50", "p95"],
        rows: rows.collect(),
        ..Table::default()
    }
}
