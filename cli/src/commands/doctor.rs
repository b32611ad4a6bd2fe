//! `hookgate doctor`: which configs count here, and which guards are really enforced in the agents of this machine.

mod canary;
mod examine;
mod faults;
pub(super) mod find;
mod hooks;
mod machine;
mod policy;
mod project;
mod report;
mod screen;
mod settings;
mod trust;

use serde_json::{Value, json};

use crate::abort::Abort;
use crate::agents::{Folders, PROFILES, Profile};
use crate::exit_code::Exit;
use crate::terminal::stdout::{self, OutputArgs};
use machine::MachineReport;
use report::{AgentReport, Level};

/// Tell which guards are really enforced in the agents of this machine
///
/// Looks at the configs that count in this folder: whether they can be read, who else can change them, whether
/// their programs are there. Then finds the agents and their configs, runs the very command lines that are
/// written there with a step that must be denied, and looks for what would let a step pass unseen: hooks that
/// nobody has reviewed, switches, misspelt events, time limits that the agent does not take.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 all is well · 1 hookgate denies everything, since it cannot work · 2 something fails open.

Examples:
  hookgate doctor                  all agents that are here
  hookgate doctor --agent codex    one of them, which must be guarded")]
pub struct Args {
    /// Only this agent, which must be guarded
    #[arg(long, value_name = "NAME")]
    agent: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// There is no such agent, or stdout takes no more.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    let folders = Folders::find()?;
    let asked = args.agent.iter().map(|name| Profile::find(name)).collect::<Result<Vec<_>, _>>()?;
    let all = PROFILES.iter().collect();
    let profiles: Vec<&Profile> = if asked.is_empty() { all } else { asked };
    // With an agent it is about that one only.
    let machine = args.agent.is_empty().then(|| machine::look(folders.project()));
    let mut reports = Vec::new();
    for profile in profiles {
        let report = examine::agent(profile, &folders, !args.agent.is_empty())?;
        if !args.agent.is_empty() || report.is_here() {
            reports.push(report);
        }
    }
    if args.output.wants_json() {
        if let Some(machine) = &machine {
            stdout::json_line(machine)?;
        }
        for report in &reports {
            stdout::json_line(report)?;
        }
    } else {
        stdout::print(&screen::all(machine.as_ref(), &reports))?;
    }
    Ok(exit(machine.as_ref(), &reports))
}

/// Looks at this machine and at the agents that are here, and returns what `--json` prints.
pub(super) fn look() -> Result<Vec<Value>, Abort> {
    let folders = Folders::find()?;
    let mut all = vec![json!(machine::look(folders.project()))];
    for profile in PROFILES {
        let report = examine::agent(profile, &folders, false)?;
        all.extend(report.is_here().then(|| json!(report)));
    }
    Ok(all)
}

fn exit(machine: Option<&MachineReport>, reports: &[AgentReport]) -> Exit {
    let has = |level| {
        machine.is_some_and(|machine| machine.has(level))
            || reports.iter().any(|report| report.has(level))
    };
    if has(Level::Open) {
        Exit::Deny
    } else if has(Level::Broken) {
        Exit::Failure
    } else {
        Exit::Ok
    }
}
