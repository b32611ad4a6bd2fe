//! `hookgate log export`: decisions for other programs.

mod csv;
mod ocsf;
mod otlp;

use std::io::Write;

use hookgate::recorder::Record;
use hookgate_store::Entry;
use serde_json::Value;

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::journal::otlp::together;
use crate::journal::{FilterArgs, JournalArgs, failure};

/// How many decisions are together in one line of OTLP.
const TOGETHER: usize = 512;

/// Write decisions in a format of other programs
///
/// `jsonl` has every entry as it is, as `hookgate log --json`. The others have one decision each, without its step: who,
/// when, which tool, what came out, by which hooks and why.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate log export --format csv --since 30d > decisions.csv
  hookgate log export --format ocsf --decision deny,halt > findings.jsonl
  hookgate log export --format otlp-json > logs.jsonl")]
pub(super) struct Args {
    /// The format
    #[arg(long, value_enum)]
    format: Format,
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    filter: FilterArgs,
}

/// A format of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One entry of the journal a line
    Jsonl,
    /// Comma-separated values with a head (RFC 4180)
    Csv,
    /// One event of the class API Activity a line (OCSF 1.1)
    Ocsf,
    /// Logs of OpenTelemetry, many in a line: what its collector reads from a file
    OtlpJson,
}

/// Runs the verb.
///
/// # Errors
/// The journal is not there or cannot be read, or stdout takes no more.
pub(super) fn run(args: &Args) -> Result<Exit, Abort> {
    let reader = args.journal.open()?;
    let filter = args.filter.read()?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if args.format == Format::Csv {
        csv::write_head(&mut out)?;
    }
    let (mut logs, mut written) = (Vec::new(), Ok(()));
    let add = |entry: Entry| {
        let record = entry.record();
        written = match (args.format, record) {
            (Format::Jsonl, _) => write_line(&mut out, &entry),
            (_, None) => Ok(()),
            (Format::Csv, Some(record)) => csv::write(&mut out, entry.seq, record),
            (Format::Ocsf, Some(record)) => write_line(&mut out, &ocsf::event(entry.seq, record)),
            (Format::OtlpJson, Some(record)) => {
                logs.push(otlp::log(entry.seq, record));
                let is_full = logs.len() >= TOGETHER;
                if is_full {
                    write_line(&mut out, &together(std::mem::take(&mut logs)))
                } else {
                    Ok(())
                }
            }
        };
        written.is_ok()
    };
    reader.for_each(&filter, add).map_err(|error| failure(&error))?;
    written?;
    if !logs.is_empty() {
        write_line(&mut out, &together(logs))?;
    }
    out.flush()?;
    Ok(Exit::Ok)
}

fn write_line(out: &mut impl Write, value: &impl serde::Serialize) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// The names of what every format has of a decision.
const NAMES: [&str; 13] = [
    "seq",
    "time",
    "session_id",
    "step_id",
    "event",
    "tool_name",
    "agent_id",
    "decision",
    "by",
    "reason",
    "reason_code",
    "config_hash",
    "duration_us",
];

/// Returns what every format has of a decision, each with its name.
fn fields(seq: u64, record: &Record) -> Vec<(&'static str, Value)> {
    let report = &record.report;
    let by: Vec<&str> = report.by.iter().map(|hook| hook.as_str()).collect();
    let values: [Value; 13] = [
        seq.into(),
        record.time.into(),
        report.session_id.clone().into(),
        report.step_id.clone().into(),
        report.event.clone().into(),
        record.tool_name.clone().into(),
        record.agent_id.clone().into(),
        report.decision.name().into(),
        by.join(" ").into(),
        report.reason.clone().into(),
        report.reason_code.map(|code| code.name()).into(),
        report.config_hash.map(|hash| hash.to_string()).into(),
        report.duration_us.into(),
    ];
    NAMES.into_iter().zip(values).collect()
}
