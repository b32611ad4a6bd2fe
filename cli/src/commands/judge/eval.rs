//! `hookgate judge eval`: the metrics of a hook on a gold set.

use std::path::PathBuf;

use crate::eval::{
    Assessment, Cases, EvalError, GoldSet, MAX_FAILURES, Theme, ThresholdResult, Thresholds,
};

use jiff::Zoned;

use super::measure::MeasureArgs;
use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::terminal::stdout::OutputArgs;
use crate::terminal::{stderr, stdout};

/// Measure a hook on labelled steps
///
/// Prints accuracy, precision, recall, false-positive rate, Cohen's kappa with its 95 % interval,
/// flip rate, latency, tokens and cost. Positive is whatever keeps a step from simply running:
/// deny, halt and ask. A failure counts as what the hook's posture makes of it. Exits with 2 if a
/// bound does not hold; that on failures is always set.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate judge eval gold.jsonl -c hooks.toml --hook careful-shell --repeats 3
  hookgate judge eval gold.jsonl -c hooks.toml --hook careful-shell --record replies.jsonl
  hookgate judge eval gold.jsonl -c hooks.toml --hook careful-shell --replay replies.jsonl \\
      --min-recall 0.9 --max-fpr 0.05 --min-kappa 0.8 --html report.html

A line of the gold set:
  {\"envelope\": {\"hook_event_name\": \"pre_tool_use\", …}, \"label\": \"deny\", \"note\": \"why\"}")]
pub(super) struct Args {
    /// The gold set: labelled steps, one a line
    #[arg(value_name = "GOLD")]
    gold: PathBuf,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    thresholds: ThresholdArgs,
    /// Write a report with plots and all steps, to be sorted and filtered: one HTML file that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print every step with what it came to and why, and not only the misjudged ones
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// The bounds of a run in CI.
#[derive(Debug, Clone, Copy, clap::Args)]
struct ThresholdArgs {
    /// Exit with 2 if fewer of the steps that should be stopped are, as a share
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    min_recall: Option<f64>,
    /// Exit with 2 if more of the steps that should run are stopped, as a share
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    max_fpr: Option<f64>,
    /// Exit with 2 if more of the evaluations fail than this, as a share; what a judge cannot tell is no failure
    #[arg(long, value_name = "SHARE", value_parser = parse_share, default_value_t = MAX_FAILURES)]
    max_failures: f64,
    /// Exit with 2 if the agreement with the labels beyond chance is less
    #[arg(long, value_name = "KAPPA", value_parser = parse_kappa, allow_negative_numbers = true)]
    min_kappa: Option<f64>,
}

fn parse_share(text: &str) -> Result<f64, String> {
    parse_number(text, 0.0)
}

fn parse_kappa(text: &str) -> Result<f64, String> {
    parse_number(text, -1.0)
}

fn parse_number(text: &str, low: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (low..=1.0).contains(&number) => Ok(number),
        _ => Err(format!("must be a number from {low} to 1")),
    }
}

impl From<ThresholdArgs> for Thresholds {
    fn from(args: ThresholdArgs) -> Self {
        let mut thresholds = Self::new().max_failures(args.max_failures);
        if let Some(share) = args.min_recall {
            thresholds = thresholds.min_recall(share);
        }
        if let Some(share) = args.max_fpr {
            thresholds = thresholds.max_false_positive_rate(share);
        }
        if let Some(kappa) = args.min_kappa {
            thresholds = thresholds.min_kappa(kappa);
        }
        thresholds
    }
}

pub(super) async fn run(args: Args) -> Result<Exit, Abort> {
    let gold = GoldSet::read(&args.gold).map_err(|error| {
        let is_file = matches!(error, EvalError::File { .. });
        let abort = Abort::from(error);
        if is_file { abort.help(NAME_A_GOLD_SET) } else { abort }
    })?;
    let run = args.measure.measure(gold.samples()).await?;
    let assessment = Assessment::new(&gold, run, &args.thresholds.into())
        .dated(Zoned::now().strftime("%Y-%m-%d %H:%M %:z").to_string());
    if let Some(path) = &args.html {
        std::fs::write(path, assessment.to_html()?)
            .map_err(|error| Abort::file("write", path, &error))?;
        stderr::note(&format!("the report is in `{}`", path.display()));
    }
    // First: whoever reads only the figures would take those of the posture for those of the judge.
    assessment.warnings().iter().for_each(|warning| stderr::warning(warning));
    if args.output.wants_json() {
        stdout::json_line(&assessment)?;
    } else {
        let cases = if args.all { Cases::All } else { Cases::Misjudged };
        stdout::print(&assessment.to_text(&Theme::coloured(), cases))?;
    }
    assessment.thresholds().iter().filter(|result| !result.holds).for_each(report_failure);
    Ok(if assessment.holds() { Exit::Ok } else { Exit::Deny })
}

const NAME_A_GOLD_SET: &str = "name a file of labelled steps, a line each: \
    {\"envelope\": {…}, \"label\": \"deny\"}; one is shipped as examples/judge-gold/shell.jsonl";

fn report_failure(result: &ThresholdResult) {
    let found = result.found.map_or("not defined".to_owned(), |found| format!("{found:.4}"));
    stderr::error(&format!("--{} {}: found {found}", result.name, result.bound), None);
}
