//! The page: tables of all that was measured, and links to the plots.

mod behind;
mod built;
mod reasons;
mod table;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::cases::{BUILDS, QUIET, READS, SILENT, SPEAKS};
use crate::error::PeersError;
use crate::plots;
use crate::report::Report;
use table::Table;

/// What differs between the systems, by heading: equal verdicts do not mean equal promises.
const DIFFERENCES: [(&str, &str); 5] = [
    (
        QUIET,
        "Engines for programs without hooks: `Noop` of hookgate, `NoopHookEngine` of defect; the others have none. \
         Hooks of Meerkat are about events, never about tools. CPEX takes the name of the tool twice, in the payload \
         and for its routes; it remembers names, as hookgate does. defect looks at each hook at each call, and \
         compiles a glob each time that it compares it.",
    ),
    (
        SILENT,
        "hookgate has hooks that answer at once and hooks that may wait; all hooks of the others are futures, so the \
         same hook stands in the rows of both. defect makes the call a `Value` for each hook, Meerkat copies it for \
         each hook and returns a report, CPEX keeps state for each hook. All have deadlines; only defect and \
         hookgate survive a hook that panics.",
    ),
    (
        SPEAKS,
        "A deny of defect ends the turn; those of the others end the call. Only hookgate and Meerkat tell an allow \
         from silence: the others say nothing in that row. hookgate checks what a hook may rewrite and shows the \
         result to all hooks that may deny; the others take what they get. Hooks of Meerkat cannot rewrite.",
    ),
    (
        READS,
        "What a hook reads differs: hookgate writes an envelope with a header, once for all hooks. A hook of defect \
         gets a `Value` and makes bytes of it by itself; hooks of CPEX and Meerkat serialise what they are called \
         with, CPEX without a header. From 4 KB on, the calls are made before and dropped after the time that counts.",
    ),
    (
        BUILDS,
        "hookgate checks hooks against the contract of their event, orders them and joins their patterns; the others \
         check next to nothing, and defect and Meerkat keep patterns or names as they are. A manager of CPEX and an \
         engine of Meerkat are built anew, and the host swaps a pointer. CPEX replaces the plugin behind a route that \
         stays; defect and Meerkat build everything anew to replace one hook.",
    ),
];

/// Writes the page and its plots into a folder.
///
/// # Errors
/// A file cannot be written.
pub fn write(report: &Report, folder: &Path) -> Result<(), PeersError> {
    let drawn = folder.join("performance");
    let cannot = |path: &Path| {
        let path = path.to_owned();
        move |source| PeersError::File { path, source }
    };
    fs::create_dir_all(&drawn).map_err(cannot(&drawn))?;
    for plot in &report.plots {
        plots::draw(plot, &drawn.join(format!("{}.svg", plot.name)))?;
    }
    let page = folder.join("performance.md");
    fs::write(&page, text(report)).map_err(cannot(&page))
}

fn text(report: &Report) -> String {
    let mut page = String::from(BEGINNING);
    page += &machine(report);
    page += READING;
    page += &behind::section(report);
    for (heading, differences) in DIFFERENCES {
        let cases: Vec<_> = report.cases.iter().filter(|case| case.group == heading).collect();
        let _ = write!(page, "\n## {heading}\n\n{differences}\n");
        let table = Table { report, cases: &cases };
        page += &table.times();
        page += &table.cold();
        page += &table.counts();
    }
    page += &kept(report);
    page += &built::footprints(report);
    page += &threads(report);
    page += &policies(report);
    page += GROWTH;
    for plot in &report.plots {
        let _ = write!(page, "\n![{}](performance/{}.svg)\n", plot.title, plot.name);
    }
    page
}

const BEGINNING: &str = "# Performance

This page was written by `benches/peers/run`, which builds hookgate and its peers from the registry, proves that each \
gives the same verdicts and runs its hooks, measures all of them in one run, and writes what came out: here, in \
[results.json](performance/results.json) and in the plots below. What hooks cost that are programs or ask a model is \
in [performance/handlers.md](performance/handlers.md); what CI holds hookgate to, in [benches](../benches/README.md).

";

const READING: &str = "
**Instructions and allocations are exact, times are noisy.** Instructions are counted by callgrind, allocations by an \
allocator: however busy the machine is, the counts are those of what ran. What runs is not quite the same each time, \
since tables of the standard library hash anew and memory lies elsewhere: up to some percent where a call is large. \
Times are the median of turns in which all systems alternate in one process, which starts a short case seven times, \
each time with its stack and its memory elsewhere: that alone makes a call some 20 ns faster or slower. Trust the \
ratios, which are medians of the same turns, and not single figures. *hot*: the same call again and again. *cold*: one \
call after 32 MiB of other memory was walked through, which is closer to an agent that thinks between two calls.

Each figure is for one tool call, without making the call (its strings and arguments). *floor*: the same hooks called \
by a loop that knows them, through pointers; a load and a branch where none runs; one pass of serde_json where hooks \
read JSON. *lead*: what the best peer takes over what hookgate takes; below 1 the peer is ahead. ±: half of the turns were \
within that of the median, where it is more than 15 %. An empty cell: the \
system has no such thing, or it takes longer than a second.

What the numbers do not show: other machines; programs as hooks, HTTP and models, which take thousands of times as \
long; what the systems do beside hooks; whether anyone would notice, since a call of a model takes seconds.
";

const GROWTH: &str = "
## How it grows

Both axes are logarithmic. A line that ends early was too slow to go on; over events, the system has no more of them \
(CPEX lets its host say which there are: here as many as hookgate has). Threads that are more than the cores take turns, \
so from as many threads as cores on a flat line is all that can be expected.
";

fn machine(report: &Report) -> String {
    let machine = &report.machine;
    let peers: Vec<_> =
        report.systems.iter().map(|(name, version)| format!("{name} ({version})")).collect();
    format!(
        "Measured on {date} at commit `{commit}`, on {cores} cores ({processor}), {rustc}; load of the machine {before} \
         at the beginning, {after} at the end. Systems: {systems}. Everything on the measured path is built with \
         `opt-level = 3`, the same for all, without LTO; benches/peers/Cargo.toml lists it.{parts}\n",
        parts = built::parts(report),
        date = machine.date,
        commit = machine.commit,
        cores = machine.cores,
        processor = machine.processor,
        rustc = machine.rustc,
        before = machine.load.0,
        after = machine.load.1,
        systems = peers.join(", "),
    )
}

fn kept(report: &Report) -> String {
    let mut text = String::from(
        "\n## Memory\n\nBytes that an engine keeps once it has evaluated one call, and what each of a thousand hooks \
         adds.\n\n| | engine without hooks | a hook for all tools | a hook for one tool |\n|---|--:|--:|--:|\n",
    );
    for (name, _) in &report.systems {
        if let Some(kept) = report.kept.get(name) {
            let tool = kept.tool_hook.map(table::count).unwrap_or_default();
            let (engine, hook) = (table::count(kept.engine), table::count(kept.hook));
            let _ = writeln!(text, "| {name} | {engine} | {hook} | {tool} |");
        }
    }
    text
}

fn threads(report: &Report) -> String {
    let mut text = String::from(
        "\n## Threads and swaps\n\nTwo threads with one engine evaluate so many times the calls of one thread (2 is \
         the most there is); and a call while another thread builds and swaps a table of ten hooks without a pause. \
         Managers of CPEX and engines of Meerkat are not swapped while they are in use. An empty cell in the first \
         column: no two processors were free at once.\n\n| | two threads | a call during swaps | swaps a second \
         |\n|---|--:|--:|--:|\n",
    );
    for (name, _) in &report.systems {
        if let Some(threads) = report.threads.get(name) {
            let two = threads.two.map(|two| format!("{two:.2}")).unwrap_or_default();
            let swapped = threads.swapped.map(table::time).unwrap_or_default();
            let swaps = threads.swaps.map(table::count).unwrap_or_default();
            let _ = writeln!(text, "| {name} | {two} | {swapped} | {swaps} |");
        }
    }
    text
}

fn policies(report: &Report) -> String {
    let mut text = String::from(
        "\n## Ten rules on recorded steps\n\nFrom the line of a step to its record: ten rules (three on names of tools, \
         seven on a command, a path or a URL as well) in the words of each engine, of which one in eight steps meets \
         one. All must deny the same steps, or nothing is timed. Cedar is a program of its own, since it changes how \
         serde_json is built; the quotient is with parsing and writing alone in the same program.\n\n\
         | | a step | of parse and write |\n|---|--:|--:|\n",
    );
    for step in report.policies.iter().flatten() {
        let (time, ratio) = (table::time(step.nanoseconds), step.ratio);
        let _ = writeln!(text, "| {} | {time} | {ratio:.2} |", step.name);
    }
    text
}
