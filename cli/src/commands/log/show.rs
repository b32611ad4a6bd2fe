//! `hookgate log show`: one entry, whole.

use std::fmt::Write as _;

use hookgate::Report;
use hookgate::recorder::Record;
use hookgate_store::{Entry, Reader};

use super::entries;
use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::html::said;
use crate::journal::{JournalArgs, failure};
use crate::terminal::sanitize::{escape_json, lines};
use crate::terminal::stdout::{self, OutputArgs};
use crate::terminal::style::{BOLD, DIM, outcome_style};
use crate::terminal::table::{self, To, cell, dim};
use crate::terminal::time::{time, took};

/// Show one decision whole: the step, each hook that was asked, and why
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The number of the entry, as `hookgate log` shows it
    #[arg(value_name = "SEQ")]
    seq: u64,
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Result<Exit, Abort> {
    let reader = args.journal.open()?;
    let entry = reader.entry(args.seq).map_err(|error| failure(&error))?;
    let Some(entry) = entry else { return Err(missing(args.seq, &reader)) };
    if args.output.wants_json() {
        stdout::json_line(&entry)?;
    } else {
        stdout::print(&screen(&entry))?;
    }
    Ok(Exit::Ok)
}

fn missing(seq: u64, reader: &Reader) -> Abort {
    let last = reader.head().map(|head| head.seq).unwrap_or_default();
    let help = match last {
        0 => "the journal is empty".to_owned(),
        last => format!("its entries are 1 to {last}; `hookgate log` lists them"),
    };
    Abort::failure(format!("the journal has no entry {seq}")).help(help)
}

fn screen(entry: &Entry) -> String {
    let Some(record) = entry.record() else {
        let (kind, says) = entries::other(entry);
        let time = time(entry.time());
        return format!(
            "{BOLD}{} {kind}{BOLD:#} {DIM}{time}{DIM:#}\n{}\n",
            entry.seq,
            lines(&says)
        );
    };
    let report = &record.report;
    let style = outcome_style(report.decision);
    let event = report.event.as_deref().unwrap_or("unreadable");
    let mut text =
        format!("{BOLD}{}{BOLD:#} {event} {style}{}{style:#}\n", entry.seq, report.decision.name());
    // Writing to a text does not fail.
    let _ = writeln!(text, "{}", table::facts(To::Stdout, &facts(entry, record)));
    if !report.votes.is_empty() {
        let _ = writeln!(text, "\n{}", votes(report));
    }
    let parts = [("step", &report.envelope), ("data", &report.payload)];
    for (name, value) in parts {
        if let Some(value) = value {
            let _ = writeln!(text, "\n{DIM}{name}{DIM:#}\n{}", pretty(value));
        }
    }
    if !report.final_fields.is_empty() {
        let fields = pretty(&report.final_fields);
        let _ = writeln!(text, "\n{DIM}rewritten to{DIM:#}\n{fields}");
    }
    text
}

/// Returns a value as JSON in lines, in which nothing is hidden.
pub(in crate::commands) fn pretty(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.lines().map(escape_json).collect::<Vec<_>>().join("\n")
}

/// Returns what is known of a decision beside its votes and its step.
pub(in crate::commands) fn facts(entry: &Entry, record: &Record) -> Vec<(&'static str, String)> {
    let report = &record.report;
    let mut facts = vec![("time", format!("{} UTC", time(record.time)))];
    let mut add = |name, value: Option<String>| facts.extend(value.map(|value| (name, value)));
    add("session", Some(report.session_id.clone()).filter(|id| !id.is_empty()));
    add("step", report.step_id.clone());
    add("turn", (record.turn > 0).then(|| record.turn.to_string()));
    add("agent", record.agent_id.clone());
    add("tool", record.tool_name.clone());
    add("ended", Some(record.end.name().to_owned()));
    add("by", (!report.by.is_empty()).then(|| report.by.join(", ")));
    add("reason", report.reason.clone());
    add("for the model", (!report.context.is_empty()).then(|| report.context.join("\n")));
    add("for the user", (!report.messages.is_empty()).then(|| report.messages.join("\n")));
    add("took", report.duration_us.map(took));
    add(
        "config",
        report.config_hash.map(|hash| format!("{hash}, generation {}", report.generation)),
    );
    add("body", (!entry.has_body).then(|| "deleted: it was too old, or too much".to_owned()));
    facts
}

fn votes(report: &Report) -> comfy_table::Table {
    let mut table = table::new(To::Stdout, &["hook", "kind", "said", "took", "why"]);
    for vote in &report.votes {
        let took = vote.duration_us.map(took).unwrap_or_default();
        let why = [vote.reason.clone(), vote.detail.clone()];
        let why: Vec<String> = why.into_iter().flatten().collect();
        table.add_row([
            cell(&vote.hook),
            dim(&vote.kind),
            cell(said(vote)),
            dim(took),
            cell(why.join("; ")),
        ]);
    }
    table::keep_whole(&mut table, &[0, 1, 2, 3]);
    table
}
