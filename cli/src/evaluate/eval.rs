//! `hookgate judge eval`: the figures of a hook on a gold set.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use crate::abort::Abort;
use crate::colour;
use crate::evaluate::figures::Figures;
use crate::evaluate::gates::{Gate, GateArgs};
use crate::evaluate::session::SessionArgs;
use crate::evaluate::{gold, html, printed};
use crate::exit_code::Exit;
use crate::output::{self, OutputArgs};

/// Measure a hook on labelled steps
///
/// Prints accuracy, precision, recall, false-positive rate, Cohen's kappa with its 95 % interval,
/// flip rate, latency, tokens and cost. Positive is whatever keeps a step from simply running:
/// deny, halt and ask. A failure counts as what the hook's posture makes of it. Exits with 2 where
/// a bound is not held.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate judge eval gold.jsonl -c hooks.toml --hook careful-shell --repeats 3
  hookgate judge eval gold.jsonl -c hooks.toml --hook careful-shell --record replies.jsonl
  hookgate judge eval gold.jsonl -c hooks.toml --hook careful-shell --replay replies.jsonl \\
      --min-recall 0.9 --max-fpr 0.05 --min-kappa 0.8 --html report.html

A line of the gold set:
  {\"envelope\": {\"hook_event_name\": \"pre_tool_use\", …}, \"label\": \"deny\", \"note\": \"why\"}")]
pub(crate) struct Args {
    /// The gold set: labelled steps, one a line
    #[arg(value_name = "GOLD")]
    gold: PathBuf,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    gates: GateArgs,
    /// Write a report with plots: one file that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// What is printed as JSON.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    figures: &'a Figures,
    gates: &'a [Gate],
}

pub(crate) async fn run(args: Args) -> Result<Exit, Abort> {
    let gold = gold::read(&args.gold)?;
    let (mut cases, mut notes, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for gold in gold {
        cases.push(Arc::new(gold.case));
        notes.push(gold.note);
        labels.push(gold.label);
    }
    let session = args.session.judge(cases.clone()).await?;
    let figures = Figures::new(&session, &labels);
    let gates = args.gates.check(&figures);

    if let Some(path) = &args.html {
        let rows = cases.iter().zip(&notes).zip(&labels).zip(&session.trials);
        let steps: Vec<html::Step<'_>> = rows
            .map(|(((case, note), &label), trials)| html::Step { case, note, label, trials })
            .collect();
        let page = html::page(&figures, &gates, &steps, &session);
        std::fs::write(path, page).map_err(|error| Abort::file("write", path, &error))?;
        colour::note(&format!("the report stands in `{}`", path.display()));
    }
    if args.output.wants_json() {
        output::json_line(&Printed { figures: &figures, gates: &gates })?;
    } else {
        output::text(&printed::figures(&figures, &gates))?;
        output::text(&printed::misjudged(&cases, &labels, &session))?;
    }
    warn(&figures);
    Ok(verdict(&gates))
}

/// Says what makes the figures less than they seem.
fn warn(figures: &Figures) {
    if figures.not_asked == figures.judgements {
        colour::warning("the hook was asked for none of the steps: its conditions match none");
    }
    if figures.failed() == figures.judgements && figures.judgements > 0 {
        colour::warning(
            "every judgement failed: these are the figures of the posture, not of the judge",
        );
    }
    let positives = |stops| {
        let rows = figures.confusion.iter().filter(move |(label, _)| label.stops() == stops);
        rows.flat_map(|(_, row)| row.values()).sum::<u64>()
    };
    if positives(true) == 0 || positives(false) == 0 {
        colour::warning(
            "the gold set needs steps to stop and steps to let run: without both, a judge that \
             does not look is perfect",
        );
    }
}

fn verdict(gates: &[Gate]) -> Exit {
    let mut exit = Exit::Ok;
    for gate in gates.iter().filter(|gate| !gate.holds) {
        let found = gate.found.map_or("not defined".to_owned(), |found| format!("{found:.4}"));
        colour::error(&format!("--{} {}: found {found}", gate.gate, gate.bound), None);
        exit = Exit::Deny;
    }
    exit
}
