//! `hookgate install`: makes hookgate the hook of an agent.

mod change;
mod diff;
mod plan;
mod record;

use std::path::{Path, PathBuf};

use crate::abort::Abort;
use crate::agents::{Folders, Profile, Scope};
use crate::ask;
use crate::commands::doctor::find;
use crate::exit_code::Exit;
use crate::terminal::phrase::count;
use crate::terminal::stdout;
use crate::terminal::style::{BOLD, DIM, GOOD};
use change::Change;
use plan::Wanted;

/// Make hookgate the hook of an agent, at all its events
///
/// The hooks and settings that are there stay as they are. What changes is shown first, and written once
/// you agree. The command line that is written says no by itself if hookgate is missing, is killed or
/// takes too long.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate install --agent codex              for all your sessions
  hookgate install --agent claude --project   for all who work in this folder
  hookgate install --agent gemini --dry-run   only show what would change
  hookgate install --agent qwen --daemon 300  the same, judged by a process that stays
  hookgate install --agent gemini --remove    take it away again, byte for byte
  hookgate doctor                             see whether the agents obey")]
pub struct Args {
    /// The agent: claude, cline, codex, copilot, cursor, gemini, kimi, opencode or qwen
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// Write the hooks of the folder that this is started in
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// Write the hooks of all your sessions; this is the default
    #[arg(long)]
    user: bool,
    /// Only these events, as the agent names them
    #[arg(long, value_name = "NAME")]
    event: Vec<String>,
    /// The program that the agent starts: a name that it finds, or an absolute path
    #[arg(long, value_name = "PROGRAM")]
    bin: Option<String>,
    /// The config with the policy, in place of those that are found where the agent runs
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// After how many seconds a step is refused that is still not judged; with slow judges, give more
    #[arg(long, value_name = "SECONDS", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=590))]
    seconds: u32,
    /// Let a daemon judge the steps, which is faster: after how many seconds without a call it ends
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    daemon: Option<u32>,
    /// Take hookgate out of the config of the agent
    #[arg(long, conflicts_with_all = ["event", "bin", "config", "seconds", "daemon"])]
    remove: bool,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Write without asking
    #[arg(short, long)]
    yes: bool,
}

/// Runs the verb.
///
/// # Errors
/// There is no such agent; its config cannot be changed without harm, or cannot be written; or nobody
/// agreed.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    let profile = Profile::find(&args.agent)?;
    let folders = Folders::find()?;
    let scope = if args.project { Scope::Project } else { Scope::User };
    let place = folders.hooks(profile, scope).ok_or_else(|| {
        Abort::usage(format!("{} reads no hooks of a project", profile.name))
            .help("install for all your sessions: leave --project out")
    })?;
    let changes = if args.remove {
        plan::removal(profile, &place, &folders.state())?
    } else {
        let wanted = Wanted {
            events: &args.event,
            program: plan::program(args.bin.as_deref(), scope, args.daemon.is_some())?,
            config: plan::config(args.config.as_deref())?,
            seconds: args.seconds,
            daemon: args.daemon,
        };
        plan::addition(profile, &place, &folders.state(), &wanted)?
    };
    if changes.iter().all(Change::is_nothing) {
        let what = if args.remove { "is not installed" } else { "is installed already" };
        stdout::print(&format!("hookgate {what} in {}\n", place.display()))?;
        return Ok(Exit::Ok);
    }
    stdout::print(&diff::all(&changes))?;
    if args.dry_run {
        return Ok(Exit::Ok);
    }
    if !args.yes {
        let question = if args.remove { "Remove this?" } else { "Write this?" };
        ask::agree(question, "--dry-run")?;
    }
    for change in &changes {
        change.make(&folders.state())?;
    }
    change::remove_folders(&changes);
    let files = changes.iter().filter(|change| !change.is_nothing()).count();
    stdout::print(&conclusion(args, profile, scope, files, &folders.policy()))?;
    Ok(Exit::Ok)
}

fn conclusion(args: &Args, profile: &Profile, scope: Scope, files: usize, policy: &Path) -> String {
    let done = if args.remove { "removed from" } else { "written to" };
    let mut text = format!("{GOOD}{done}{GOOD:#} {}\n", count(files, "file"));
    if args.remove {
        return text;
    }
    for (event, why) in profile.left_out {
        if args.event.is_empty() {
            text.push_str(&format!("{DIM}left out{DIM:#} {event}: {why}; --event adds it\n"));
        }
    }
    let note = match scope {
        Scope::User => profile.user_note,
        Scope::Project => profile.project_note,
    };
    if !note.is_empty() {
        text.push_str(&format!("{BOLD}To do{BOLD:#} {note}\n"));
    }
    if scope == Scope::User && args.config.is_none() && !policy.join("hooks.toml").exists() {
        text.push_str(&format!(
            "{BOLD}To do{BOLD:#} In a folder without a hooks.toml everything is denied. A policy for all \
             your sessions: hookgate init --example guardrails --dir {}\n",
            policy.display()
        ));
    }
    if let Some(note) = find::program(profile)
        .and_then(|program| find::version(&program))
        .and_then(|version| profile.not_tried(Some(&version)))
    {
        text.push_str(&format!("{BOLD}Note{BOLD:#} {note}\n"));
    }
    text.push_str(&format!(
        "\n{BOLD}Next{BOLD:#}\n  hookgate doctor --agent {}   see whether it obeys\n",
        profile.name
    ));
    text
}
