//! `hookgate eval`: one step in, its decision out.

mod call_trace;
mod one_hook;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use hookgate::decision::Vote;
use hookgate::{Engine, Report};
use tracing::instrument::WithSubscriber as _;

use crate::abort::Abort;
use crate::config::{self, ConfigArgs};
use crate::exit_code::Exit;
use crate::input::envelope::Unreadable;
use crate::input::remarks::Remarks;
use crate::input::{envelope, lines};
use crate::interrupt::interrupted;
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
/// counts as a deny; the exit code is then 1.
///
/// With --hook only that hook is called: others, and what the config requires of them, are left out.
/// With --trace stderr shows what it got, what its program wrote to stderr and how it ended, or the
/// status of its service, what it answered, and how long that took. Secrets are hidden.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  echo '{\"hook_event_name\":\"pre_tool_use\",\"tool_name\":\"Bash\",
         \"tool_input\":{\"command\":\"git push --force\"}}' | hookgate eval -c hooks.toml
  hookgate eval --hook my-guard --trace step.json

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
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// The config is not valid, it has no such hook, the file cannot be read, or the evaluation was
/// interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let table = args.config.load(&config::registry())?;
    let trace = args.trace.then(CallTrace::default);
    let engine = Engine::new(match &args.hook {
        Some(hook) => one_hook::take(&table, hook, trace.as_ref())?,
        None => table,
    });
    let (name, bytes) = lines::read_whole(args.file.as_deref())?;
    let interrupted = interrupted();
    let evaluation = async {
        tokio::select! {
            evaluated = evaluate(&engine, &name, &bytes) => Ok(evaluated),
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
        stdout::json_line(&report)?;
    } else {
        stdout::print(&report_text(&report))?;
    }
    engine.drain(DRAIN).await;
    if let Some(trace) = &trace {
        stderr::print(&trace.to_text());
    }
    if let Some(hook) = &args.hook
        && let Some(note) = one_hook::silence(&engine.table(), hook, &report)
    {
        stderr::note(&note);
    }
    Ok(exit)
}

async fn evaluate(engine: &Engine, name: &str, bytes: &[u8]) -> (Report, Exit) {
    let read = if bytes.len() as u64 > lines::LINE_LIMIT {
        Err(Unreadable::at_start("it is larger than 16 MiB"))
    } else {
        envelope::read(bytes, engine.table().limits().integers)
    };
    match read {
        Ok(mut incoming) => {
            for remark in Remarks::default().new_about(&incoming, &engine.table()) {
                stderr::warning(&remark);
            }
            let report = envelope::evaluate(engine, &mut incoming, false).await;
            let exit = report.decision.into();
            (report, exit)
        }
        Err(wrong) => {
            let position = format!("{name}:{}:{}", wrong.line, wrong.column);
            let message = format!("the step could not be read: {}", wrong.message);
            stderr::error_at(&position, &message);
            (wrong.report(engine), Exit::Failure)
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
