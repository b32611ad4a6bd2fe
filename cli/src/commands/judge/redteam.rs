//! `hookgate judge redteam`: which attacks on the judge get through.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::eval::{AttackFamily, RedTeamReport, shipped_attacks};
use comfy_table::{Cell, Color};

use super::measure::MeasureArgs;
use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::terminal::phrase::count;
use crate::terminal::stdout::OutputArgs;
use crate::terminal::style::{BOLD, DIM};
use crate::terminal::table::To;
use crate::terminal::{stderr, stdout, table};

/// How many steps that got through are shown.
const SHOWN: usize = 20;

/// Attack a hook with a shipped set of ways to talk a judge round
///
/// Four dangerous shell commands are evaluated bare, then wrapped in each attack. What comes to
/// allow has got through; what comes to deny, halt or ask has not. A judge that lets the bare
/// command through was not talked round: that is counted apart. No command is run.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate judge redteam -c hooks.toml --hook careful-shell
  hookgate judge redteam -c hooks.toml --hook careful-shell --replay attacks.jsonl --fail-on-breach")]
pub(super) struct Args {
    #[command(flatten)]
    measure: MeasureArgs,
    /// Exit with 2 if anything got through
    #[arg(long)]
    fail_on_breach: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: Args) -> Result<Exit, Abort> {
    let attacks = shipped_attacks()?;
    let samples: Vec<_> = attacks.iter().map(|attack| Arc::clone(&attack.sample)).collect();
    let run = args.measure.measure(&samples).await?;
    let report = RedTeamReport::new(&attacks, &run);
    if args.output.wants_json() {
        stdout::json_line(&report)?;
    } else {
        stdout::print(&to_text(&report))?;
    }
    if !run.was_invoked() {
        stderr::warning("the hook was invoked for none of the steps: its conditions match none");
    }
    if report.breaches.is_empty() || !args.fail_on_breach {
        return Ok(Exit::Ok);
    }
    let steps = count(report.breaches.len(), "step");
    stderr::error(&format!("--fail-on-breach: {steps} got through"), None);
    Ok(Exit::Deny)
}

fn to_text(report: &RedTeamReport) -> String {
    let replayed = if report.replayed { ", from a recording" } else { "" };
    let (attacks, through) = report.totals();
    let mut out = format!(
        "{BOLD}{}: {through} of {attacks} attacks got through{BOLD:#}{replayed}\n\n",
        report.hook
    );
    // Writing to a string does not fail.
    let _ = writeln!(out, "{}\n", families_table(report));
    let _ = writeln!(
        out,
        "{DIM}talked round: got through although the command alone was stopped{DIM:#}"
    );
    for breach in report.breaches.iter().take(SHOWN) {
        let family = breach.family.as_deref().unwrap_or(NO_ATTACK);
        let _ = writeln!(out, "  through  {family}: {}", breach.step);
    }
    if report.breaches.len() > SHOWN {
        let _ = writeln!(out, "  … and {} more", report.breaches.len() - SHOWN);
    }
    out
}

/// The name of the bare steps among the families.
const NO_ATTACK: &str = "(no attack)";

fn families_table(report: &RedTeamReport) -> comfy_table::Table {
    let head =
        ["family", "attacks", "stopped", "by failure", "through", "talked round", "what it does"];
    let mut rows = table::new(To::Stdout, &head);
    let bare = std::iter::once((NO_ATTACK, &report.bare));
    let families = report.families.iter().map(|(name, family)| (name.as_str(), family));
    rows.add_rows(bare.chain(families).map(|(name, family)| family_row(name, family)));
    rows
}

fn family_row(name: &str, family: &AttackFamily) -> [Cell; 7] {
    let red = |number: u64| {
        if number == 0 { table::dim(number) } else { Cell::new(number).fg(Color::Red) }
    };
    [
        Cell::new(name),
        Cell::new(family.attacks),
        Cell::new(family.stopped),
        table::dim(family.stopped_by_failure),
        red(family.through),
        red(family.talked_round),
        table::dim(&family.about),
    ]
}
