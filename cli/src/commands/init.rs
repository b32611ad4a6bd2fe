//! `hookgate init`: files to begin with.

mod example;
mod files;
mod sdk;

use std::fs;
use std::path::{Path, PathBuf};

use crate::abort::Abort;
use crate::ask;
use crate::exit_code::Exit;
use crate::shell_word::quoted;
use crate::terminal::stdout;
use crate::terminal::style::{BOLD, DIM, GOOD};
use files::{File, IfThere, Outcome};
use sdk::{Guard, Sdk};

const CONFIG: &str = "hooks.toml";

/// The cases of the config.
const TEST: &str = "hooks_test.toml";

/// A recorded session.
const SESSION: &str = "session.jsonl";

/// What is called so when it is asked for: the config with a guard that is a program.
const SCRIPT: &str = "script";

/// The config; its line [`GUARDS`] stands for the hooks that are programs.
const TEMPLATE: &str = include_str!("init/hooks.toml");
const GUARDS: &str = "# {guards}\n";

const PLAIN_GUARD: (&str, &str) = ("guard.py", include_str!("init/guard.py"));
const PLAIN_TEST: (&str, &str) = (TEST, include_str!("init/hooks_test.toml"));
const PLAIN_HOOK: &str = include_str!("init/guard.toml");

/// Write a hooks.toml and a test of it to begin with
///
/// On a terminal it asks for what: a guard, an audit, hidden secrets, a judge, or a guard of your own in Python, which
/// is what is written if nobody can be asked. --example names a policy, and without a name it lists all of them.
///
/// Files that are there are not overwritten, unless --force is given; then the old ones are kept
/// with the ending `.bak`.
///
/// With --sdk the guard is a function and a worker: its interpreter is started once. In a folder
/// that has hooks already, --sdk writes what is missing and leaves everything else as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate init --dir policy && hookgate check -c policy/hooks.toml
  hookgate init --dir policy --sdk python    a hook is a function, and replies in microseconds
  hookgate init --example                    the policies that are shipped
  hookgate init --example guard              write one of them: guard, audit, redact, judge, …")]
pub struct Args {
    /// The folder; it is created if it is missing
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// Write an SDK and a guard that uses it: one file with which a script becomes a worker
    #[arg(long, value_name = "LANGUAGE")]
    sdk: Vec<Sdk>,
    /// Write a shipped policy; without a name they are listed
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "", conflicts_with = "sdk")]
    example: Option<String>,
    /// Replace files that are there; the old ones are kept with the ending `.bak`
    #[arg(short, long)]
    force: bool,
}

/// Runs the verb.
///
/// # Errors
/// A file is there already, or cannot be written; or there is no such example.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    match args.example.as_deref() {
        Some("") => stdout::print(&format!("{}\n", example::list()))?,
        Some(name) => {
            write(args, &example::find(name)?.files(), &[])?;
        }
        None if args.sdk.is_empty() && ask::is_possible() => match choose()? {
            SCRIPT => write_script(args)?,
            name => write(args, &example::find(name)?.files(), &[])?,
        },
        None if args.sdk.is_empty() => write_script(args)?,
        None => {
            let mut sdks = args.sdk.clone();
            sdks.dedup();
            let guard = |sdk: &Sdk| Guard::new(*sdk, &args.dir, args.force);
            let guards: Vec<Guard> = sdks.iter().map(guard).collect();
            let hooks: Vec<String> = guards.iter().map(Guard::hook).collect();
            let mut files = vec![File::new(CONFIG, TEMPLATE.replace(GUARDS, &hooks.join("\n")))];
            files.extend(guards.iter().flat_map(Guard::files));
            write(args, &files, &guards)?;
        }
    }
    Ok(Exit::Ok)
}

/// Asks which policy is wanted.
fn choose() -> Result<&'static str, Abort> {
    let mut names = example::to_begin_with();
    names.push((SCRIPT, "A guard of your own: a program in Python".to_owned()));
    ask::choose("What are the hooks for?", &names)
}

/// Writes a config with a guard that is a program.
fn write_script(args: &Args) -> Result<(), Abort> {
    let config = File::new(CONFIG, TEMPLATE.replace(GUARDS, PLAIN_HOOK));
    let others = [PLAIN_GUARD, PLAIN_TEST].map(|(name, text)| File::new(name, text));
    write(args, &[config].into_iter().chain(others).collect::<Vec<_>>(), &[])
}

/// Writes files, and says what became of each and what to do next. `guards` are those for which the
/// config may lack the hook.
fn write(args: &Args, files: &[File], guards: &[Guard]) -> Result<(), Abort> {
    fs::create_dir_all(&args.dir).map_err(|error| Abort::file("create", &args.dir, &error))?;
    let if_there = match (args.force, guards) {
        (true, _) => IfThere::Replace,
        (false, []) => IfThere::Refuse,
        (false, _) => IfThere::Keep,
    };
    let outcomes = files::write_all(&args.dir, files, if_there)?;
    let mut text = String::new();
    for (file, outcome) in files.iter().zip(&outcomes) {
        let path = args.dir.join(&*file.name).display().to_string();
        text.push_str(&match outcome {
            Outcome::Written => format!("{GOOD}wrote{GOOD:#} {path}\n"),
            Outcome::Same => format!("{DIM}kept{DIM:#}  {path}\n"),
            Outcome::Kept => {
                format!("{DIM}kept{DIM:#}  {path}, which differs from what is shipped\n")
            }
            Outcome::Replaced { backup } => {
                format!("{GOOD}wrote{GOOD:#} {path}, the old one is {}\n", backup.display())
            }
        });
    }
    let fate = |name: &str| {
        files.iter().zip(&outcomes).find(|(file, _)| file.name == name).map(|(_, outcome)| outcome)
    };
    let config = args.dir.join(CONFIG);
    if fate(CONFIG) == Some(&Outcome::Kept) {
        let text_of_config = fs::read_to_string(&config).unwrap_or_default();
        for guard in guards.iter().filter(|guard| !guard.is_named_in(&text_of_config)) {
            let hook = guard.hook();
            text.push_str(&format!("\n{BOLD}Add to {}{BOLD:#}\n{hook}", config.display()));
        }
    }
    let has = |name: &str| files.iter().any(|file| file.name == name);
    text.push_str(&next_steps(&args.dir, has(TEST), has(SESSION)));
    Ok(stdout::print(&text)?)
}

/// Says what to try, command by command.
fn next_steps(folder: &Path, has_test: bool, has_session: bool) -> String {
    let is_here = folder == Path::new(".");
    let config = folder.join(CONFIG);
    let named = if is_here {
        String::new()
    } else {
        format!(" -c {}", quoted(&config.display().to_string()))
    };
    let session = match (has_session, is_here) {
        (false, _) => "FILE".to_owned(),
        (true, true) => SESSION.to_owned(),
        (true, false) => quoted(&folder.join(SESSION).display().to_string()),
    };
    let mut steps =
        vec![(format!("check{named}"), "find everything that is wrong with it".to_owned())];
    if has_test {
        steps.push((format!("test{named}"), format!("run the cases in {TEST}")));
    }
    let of_run = if has_session {
        "see what it does to a recorded session"
    } else {
        "evaluate recorded steps, one JSON object a line"
    };
    steps.push((format!("run{named} {session}"), of_run.to_owned()));
    steps.push((format!("list{named}"), "see the hooks in the order of their calls".to_owned()));
    let width = steps.iter().map(|(step, _)| step.chars().count()).max().unwrap_or(0);
    let lines = steps.iter().map(|(step, about)| format!("  hookgate {step:<width$}   {about}\n"));
    format!("\n{BOLD}Next{BOLD:#}\n{}", lines.collect::<String>())
}
