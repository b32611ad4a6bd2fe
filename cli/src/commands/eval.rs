//! `hookgate eval`: one step in, its decision out.

mod call_trace;
mod one_hook;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use hookgate::decision::Vote;
use hookgate::envelope::Incoming;
use hookgate::{Engine, HandlerTable, Report};
use serde::Serialize;
use tracing::instrument::WithSubscriber as _;

use crate::abort::Abort;
use crate::config::{self, ConfigArgs};
use crate::exit_code::Exit;
use crate::explained::Explained;
use crate::input::envelope::Unreadable;
use crate::input::now::NowArgs;
use crate::input::remarks::Remarks;
use crate::input::{envelope, lines};
use crate::interrupt::interrupted;
use crate::overrides::OverrideArgs;
use crate::terminal::sanitize::line;
use crate::terminal::stdout::OutputArgs;
use crate::terminal::style::{BAD, BOLD, DIM, outcome_style};
use crate::terminal::{log, stderr, stdout};
use call_trace::CallTrace;

/// How long background hooks may go on after the decision.
const DRAIN: Duration = Duration::from_secs(10);

/// Evaluate one step, and exit by its decision
///
/// Exits with 0 for allow and answered, 2 for deny and halt, 4 for ask. A step that cannot be read
/// counts as a deny, and the exit code says so; a config or a file that cannot be read ends with another one.
///
/// A hook with a mistake is reported with its place and set aside: if the step is one that it is about, the step
/// gets its posture, a deny unless it says otherwise. --strict refuses the config instead.
///
/// With --hook only that hook is called: others, and what the config requires of them, are left out.
/// With --trace stderr shows what it got, what its program wrote to stderr and how it ended, or the
/// status of its service, what it answered, and how long that took. Secrets are hidden.
///
/// With --explain each condition of each hook at the event is evaluated, also those after one that is
/// false: true, false or cannot tell, and why. This is about the step as it came in: a hook that
/// rewrites it may change what later hooks see. With --dry no hook is called, and the exit code says
/// only whether the step could be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  echo '{\"hook_event_name\":\"pre_tool_use\",\"tool_name\":\"Bash\",
         \"tool_input\":{\"command\":\"git push --force\"}}' | hookgate eval -c hooks.toml
  hookgate eval --hook my-guard --trace step.json
  hookgate eval --explain --dry step.json        why is a hook called, or not?
  hookgate eval --now 2026-12-24T09:00:00+01:00 step.json

HOOKGATE_LOG=debug shows what all hooks write to stderr.")]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// The envelope, a JSON object; `-` or nothing means stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Call this hook only
    #[arg(long, value_name = "ID")]
    hook: Option<String>,
    /// Show what the hook got, what it did and what it answered
    #[arg(long, requires = "hook")]
    trace: bool,
    /// Show each condition of each hook: true, false or cannot tell, why, and where it is written
    #[arg(long)]
    explain: bool,
    /// Call no hook: explain only, and show what would be called
    #[arg(long, conflicts_with = "trace")]
    dry: bool,
    #[command(flatten)]
    overrides: OverrideArgs,
    #[command(flatten)]
    now: NowArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// The config is not valid, it has no such hook, the file cannot be read, or the evaluation was
/// interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let registry = config::registry_at(args.now.now);
    let (_, loaded) = args.config.load_in_part(&registry)?;
    let table = args.overrides.apply(loaded.table, &registry)?;
    let trace = args.trace.then(CallTrace::default);
    let engine = Engine::new(match &args.hook {
        Some(hook) => one_hook::take(&table, hook, trace.as_ref())?,
        None => table,
    });
    let (name, bytes) = lines::read_whole(args.file.as_deref())?;
    let mut read = read_step(&engine.table(), &name, &bytes);
    // Before the evaluation, which sets marks and counts.
    let explained = match &read {
        Ok(step) if args.explain || args.dry => {
            Some(Explained::new(&engine.table(), step, args.hook.as_deref()))
        }
        _ => None,
    };
    if args.dry {
        return end_dry(&args, &engine.table(), explained.as_ref());
    }
    let interrupted = interrupted();
    let evaluation = async {
        tokio::select! {
            evaluated = evaluate(&engine, &mut read) => Ok(evaluated),
            () = interrupted => Err(Abort::failure("interrupted: there is no decision")),
        }
    };
    let (mut report, exit) = match &trace {
        Some(trace) => {
            let subscriber = log::also_to(trace.clone(), call_trace::TARGETS);
            evaluation.with_subscriber(subscriber).await
        }
        None => evaluation.await,
    }?;
    if let Some(hook) = &args.hook {
        // Hooks that it watches have nothing to say.
        report.votes.retain(|vote| vote.hook == *hook || vote.failure.is_some());
    }
    if args.output.wants_json() {
        stdout::json_line(&Record { report: &report, explain: explained.as_ref() })?;
    } else {
        let explained = explained.map(|explained| explained.to_text() + "\n");
        stdout::print(&(explained.unwrap_or_default() + &report_text(&report)))?;
    }
    engine.drain(DRAIN).await;
    if let Some(trace) = &trace {
        stderr::print(&trace.to_text());
    }
    if let (Some(hook), Some(event)) = (&args.hook, &report.event)
        && !report.votes.iter().any(|vote| vote.hook == *hook)
        && let Some(note) = one_hook::silence(&engine.table(), hook, event)
    {
        stderr::note(&note);
    }
    Ok(exit)
}

/// A decision record, with what the conditions said.
#[derive(Serialize)]
struct Record<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<&'a Explained>,
}

/// What there is of a dry run.
#[derive(Serialize)]
struct DryRecord<'a> {
    dry: bool,
    explain: &'a Explained,
}

/// Prints what would be called; there is nothing to print about a step that could not be read.
fn end_dry(
    args: &Args,
    table: &HandlerTable,
    explained: Option<&Explained>,
) -> Result<Exit, Abort> {
    let Some(explained) = explained else { return Ok(Exit::Failure) };
    if args.output.wants_json() {
        stdout::json_line(&DryRecord { dry: true, explain: explained })?;
    } else {
        stdout::print(&(explained.to_text() + "\n" + &explained.dry_text()))?;
    }
    if let Some(hook) = &args.hook
        && explained.is_empty()
        && let Some(note) = one_hook::silence(table, hook, explained.event())
    {
        stderr::note(&note);
    }
    Ok(Exit::Ok)
}

/// Reads the step; what is wrong with it is printed.
fn read_step(table: &HandlerTable, name: &str, bytes: &[u8]) -> Result<Incoming, Unreadable> {
    let read = if bytes.len() as u64 > lines::LINE_LIMIT {
        Err(Unreadable::at_start("it is larger than 16 MiB"))
    } else {
        envelope::read(bytes, table.limits().integers)
    };
    match &read {
        Ok(step) => {
            for remark in Remarks::default().new_about(step, table) {
                stderr::warning(&remark);
            }
        }
        Err(wrong) => {
            let position = format!("{name}:{}:{}", wrong.line, wrong.column);
            let message = format!("the step could not be read: {}", wrong.message);
            stderr::error_at(&position, &message);
        }
    }
    read
}

async fn evaluate(engine: &Engine, step: &mut Result<Incoming, Unreadable>) -> (Report, Exit) {
    match step {
        Ok(step) => {
            let report = envelope::evaluate(engine, step, false).await;
            let exit = report.decision.into();
            (report, exit)
        }
        Err(wrong) => {
            let report = wrong.report(engine);
            let exit = report.decision.into();
            (report, exit)
        }
    }
}

/// Returns the decision for people: the outcome, why, what was changed, and the vote of each hook.
fn report_text(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write_report(report, &mut out);
    out
}

fn write_report(report: &Report, out: &mut String) -> std::fmt::Result {
    let style = outcome_style(report.decision);
    let event = line(report.event.as_deref().unwrap_or("unreadable step"));
    write!(out, "{style}{}{style:#}  {BOLD}{event}{BOLD:#}", report.decision.name())?;
    if !report.by.is_empty() {
        write!(out, "  by {}", line(&report.by.join(", ")))?;
    }
    writeln!(out, "  {DIM}generation {}{DIM:#}", report.generation)?;
    let field = |out: &mut String, name: &str, text: &str| {
        writeln!(out, "  {DIM}{name:<9}{DIM:#} {}", line(text))
    };
    if let Some(reason) = &report.reason {
        field(out, "reason", reason)?;
    }
    for (name, value) in &report.final_fields {
        field(out, "rewritten", &format!("{name} = {value}"))?;
    }
    if let Some(answer) = &report.answer {
        field(out, "answer", &serde_json::to_string(answer).unwrap_or_default())?;
    }
    for text in &report.context {
        field(out, "context", text)?;
    }
    for text in &report.messages {
        field(out, "message", text)?;
    }
    report.votes.iter().try_for_each(|vote| write_vote(vote, out))
}

/// Writes the vote of one hook.
fn write_vote(vote: &Vote, out: &mut String) -> std::fmt::Result {
    let outcome = serde_json::to_value(vote.outcome).unwrap_or_default();
    let mut text = format!("{} {}", line(&vote.hook), outcome.as_str().unwrap_or_default());
    if let Some(decision) = vote.decision {
        write!(text, " {decision}")?;
    }
    if let Some(failure) = vote.failure {
        write!(text, " {BAD}{failure}{BAD:#}")?;
    }
    if vote.round > 1 {
        text.push_str(" (on the rewritten step)");
    }
    if let Some(detail) = &vote.detail {
        write!(text, ": {}", line(detail))?;
    }
    writeln!(out, "  {DIM}vote{DIM:#}      {text}")
}
