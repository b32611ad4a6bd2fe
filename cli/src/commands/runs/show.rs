//! `hookgate runs show`: one run, with its attempts and what happened to it.

use std::fmt::Write as _;

use hookgate_store::{Attempt, AuditRow, RunHistory};

use super::{open, process};
use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::journal::JournalArgs;
use crate::runs::failure;
use crate::terminal::sanitize::lines;
use crate::terminal::stdout::{self, OutputArgs};
use crate::terminal::style::BOLD;
use crate::terminal::table::{self, To, cell, dim};
use crate::terminal::time::{time, took};

/// Show one run whole: its attempts, what happened to it and what its hook said for the audit
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The number of the run, as `hookgate runs list` shows it
    #[arg(value_name = "ID")]
    id: u64,
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Result<Exit, Abort> {
    let shown = open(&args.journal)?.show(args.id).map_err(|error| failure(&error))?;
    if args.output.wants_json() {
        stdout::json_line(&shown)?;
    } else {
        stdout::print(&screen(&shown))?;
    }
    Ok(Exit::Ok)
}

fn screen(shown: &RunHistory) -> String {
    let run = &shown.run;
    let mut text = format!("{BOLD}{}{BOLD:#} {} {}\n", run.id, lines(&run.hook), run.state);
    // Writing to a text does not fail.
    let _ = writeln!(text, "{}", table::facts(To::Stdout, &facts(shown)));
    if !shown.attempts.is_empty() {
        let mut table =
            table::new(To::Stdout, &["try", "began (UTC)", "process", "took", "became", "why"]);
        for attempt in &shown.attempts {
            table.add_row(attempt_row(attempt));
        }
        table::keep_whole(&mut table, &[0, 1, 2, 3, 4]);
        let _ = writeln!(text, "\n{table}");
    }
    let mut table = table::new(To::Stdout, &["when (UTC)", "what", "more"]);
    for AuditRow { time: at, what, detail, .. } in &shown.audit {
        table.add_row([dim(time(*at)), cell(what), cell(detail.as_deref().unwrap_or_default())]);
    }
    table::keep_whole(&mut table, &[0, 1]);
    let _ = writeln!(text, "\n{table}");
    text
}

fn facts(shown: &RunHistory) -> Vec<(&'static str, String)> {
    let run = &shown.run;
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let at = |at: u64| format!("{} UTC", time(at));
    let facts = [
        ("session", some(&run.session)),
        ("step", some(&run.step)),
        ("event", some(&run.event)),
        ("queued", Some(at(run.queued))),
        ("due", (!run.state.is_end()).then(|| at(run.due))),
        ("ended", run.ended.map(at)),
        ("tries", Some(format!("{} of {}", run.attempts, run.max_attempts))),
        ("process", run.holder.as_deref().map(|holder| process(holder).to_owned())),
        ("sign of life until", run.until.map(at)),
        ("why", run.why.clone()),
        ("key", some(&run.key)),
        ("input", some(&run.input_hash)),
        ("came of it", some(&run.contributions.join("\n"))),
        ("config", some(&run.config)),
    ];
    facts.into_iter().filter_map(|(name, fact)| Some((name, fact?))).collect()
}

fn attempt_row(attempt: &Attempt) -> [comfy_table::Cell; 6] {
    let why = [&attempt.class, &attempt.why].map(|text| text.clone().unwrap_or_default());
    let why: Vec<String> = why.into_iter().filter(|text| !text.is_empty()).collect();
    [
        dim(attempt.number),
        dim(time(attempt.started)),
        dim(process(&attempt.holder)),
        dim(attempt.took_us.map(took).unwrap_or_default()),
        cell(attempt.outcome.as_deref().unwrap_or("running")),
        cell(why.join(": ")),
    ]
}
