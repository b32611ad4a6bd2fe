//! `hookgate init`: files to begin with.

mod example;
mod files;
mod sdk;

use std::fs;
use std::path::{Path, PathBuf};

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::terminal::stdout;
use crate::terminal::style::{BOLD, DIM, GOOD};
use files::{File, IfThere, Outcome};
use sdk::{Guard, Sdk};

const CONFIG: &str = "hooks.toml";

/// The cases of the config.
const TEST: &str = "hooks_test.toml";

/// The config; its line [`GUARDS`] stands for the hooks that are programs.
const TEMPLATE: &str = include_str!("init/hooks.toml");
const GUARDS: &str = "# {guards}\n";

const PLAIN_GUARD: (&str, &str) = ("guard.py", include_str!("init/guard.py"));
const PLAIN_TEST: (&str, &str) = (TEST, include_str!("init/hooks_test.toml"));
const PLAIN_HOOK: &str = include_str!("init/guard.toml");

/// Write a hooks.toml, a guard in Python and a test of both to begin with
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
  hookgate init --example guardrails         write one of them")]
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
        None if args.sdk.is_empty() => {
            let config = File::new(CONFIG, TEMPLATE.replace(GUARDS, PLAIN_HOOK));
            let others = [PLAIN_GUARD, PLAIN_TEST].map(|(name, text)| File::new(name, text));
            write(args, &[config].into_iter().chain(others).collect::<Vec<_>>(), &[])?;
        }
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
    text.push_str(&next_steps(&config, files.iter().any(|file| file.name == TEST)));
    Ok(stdout::print(&text)?)
}

fn next_steps(config: &Path, has_test: bool) -> String {
    let config = config.display();
    let test = if has_test {
        format!("  hookgate test -c {config}       run the cases in {TEST}\n")
    } else {
        String::new()
    };
    format!(
        "\n{BOLD}Next{BOLD:#}\n  \
         hookgate check -c {config}      find everything that is wrong with it\n{test}  \
         hookgate list -c {config}       see the hooks in the order of their calls\n  \
         hookgate run -c {config} FILE   evaluate recorded steps, one JSON object a line\n"
    )
}
