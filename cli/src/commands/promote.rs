//! `hookgate promote`: puts a config in the place of another one.

use std::fs;
use std::path::{Path, PathBuf};

use hookgate::config::{ConfigErrors, Loader, join};
use hookgate::table::Layer;
use hookgate::{ConfigHash, HandlerTable, Registry};
use hookgate_dialects::import;
use miette::Severity;
use serde_json::json;

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::replace_file::{mode_of, replace};
use crate::shell_word::quoted;
use crate::terminal::stdout::{self, OutputArgs};
use crate::terminal::{diagnostics, stderr};
use crate::trust::{State, examine_path};
use crate::{config, foreign};

/// What is added to the name of the config for the copy of what it was.
const BACKUP: &str = ".before-promote";

/// Put a config in the place of another one that it was compared with
///
/// `hookgate run --shadow-config NEW` shows what NEW would decide otherwise than the config in force, and prints the
/// command with the hash of that config. OLD is replaced as a whole, and only if NEW has no mistake, means the same in
/// the place of OLD, and OLD is still what NEW was compared with. What OLD was is kept beside it, as
/// OLD.before-promote.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 it was put there · 1 it cannot be · 2 OLD is not what NEW was compared with · 3 invalid config.

Examples:
  hookgate run -c hooks.toml --shadow-config next.toml session.jsonl
  hookgate promote next.toml --over hooks.toml --was sha256:…")]
pub struct Args {
    /// The config to put there
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// The config that is replaced
    #[arg(long, value_name = "OLD")]
    over: PathBuf,
    /// The hash of the config that NEW was compared with, as the run has printed it
    #[arg(long, value_name = "HASH")]
    was: ConfigHash,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// A config is not valid, OLD has changed, NEW would mean something else there, or a file cannot be written.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    let registry = config::registry();
    // Of a link the file that it leads to.
    let old =
        fs::canonicalize(&args.over).map_err(|error| Abort::file("find", &args.over, &error))?;
    let (old_text, new_text) = (read(&old)?, read(&args.new)?);
    let next = load(&registry, &args.new, &new_text, Mistakes::Refused)?;
    let there = load(&registry, &old, &new_text, Mistakes::Refused)?;
    if next.config_hash() != there.config_hash() {
        return Err(Abort::failure(format!(
            "`{}` would be another config in the place of `{}`: what its hooks name is looked for beside it",
            args.new.display(),
            args.over.display()
        ))
        .help("put it into the same folder, and compare again"));
    }
    let found = load(&registry, &old, &old_text, Mistakes::SetAside)?.config_hash();
    if found != args.was {
        return refuse(args, found);
    }
    let backup = backup_of(&old);
    let mode = fs::metadata(&old).map_or(0o600, |found| mode_of(&found));
    replace(&backup, &old_text, mode).map_err(|error| Abort::file("write", &backup, &error))?;
    replace(&old, &new_text, mode).map_err(|error| Abort::file("write", &old, &error))?;
    report(args, &there, &backup)?;
    say_what_must_be_trusted(&old);
    Ok(Exit::Ok)
}

/// What becomes of a config with mistakes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mistakes {
    /// It is refused.
    Refused,
    /// Its hooks are set aside, as when it is in force.
    SetAside,
}

fn read(path: &Path) -> Result<String, Abort> {
    let text = hookgate::config::read(path).map_err(|errors| invalid(path, &errors))?;
    if import::is_foreign(path, &text) {
        let text = format!("`{}` is the config of another agent", path.display());
        return Err(Abort::failure(text).help("`hookgate import` makes a hooks.toml of it"));
    }
    Ok(text)
}

/// Loads a text as if it were at this path.
fn load(
    registry: &Registry,
    path: &Path,
    text: &str,
    mistakes: Mistakes,
) -> Result<HandlerTable, Abort> {
    let loader = Loader::new(registry).allow_unverified().layer(Layer::CommandLine);
    let loader = if mistakes == Mistakes::SetAside { loader.quarantine() } else { loader };
    let read = foreign::read_text(loader, path, text, true).and_then(|file| join(vec![file]));
    read.map(|loaded| loaded.table).map_err(|errors| invalid(path, &errors))
}

fn invalid(path: &Path, errors: &ConfigErrors) -> Abort {
    diagnostics::print(errors.errors(), Severity::Error);
    Abort::invalid_config(format!("`{}` cannot be used: nothing was replaced", path.display()))
}

fn refuse(args: &Args, found: ConfigHash) -> Result<Exit, Abort> {
    let [new, old] = [&args.new, &args.over].map(|file| quoted(&file.display().to_string()));
    stderr::error(
        &format!(
            "`{}` is not what `{}` was compared with: it is {found} now",
            args.over.display(),
            args.new.display()
        ),
        Some(&format!("compare again: `hookgate run -c {old} --shadow-config {new} …`")),
    );
    Ok(Exit::Deny)
}

fn backup_of(old: &Path) -> PathBuf {
    let mut name = old.as_os_str().to_owned();
    name.push(BACKUP);
    name.into()
}

fn report(args: &Args, table: &HandlerTable, backup: &Path) -> Result<(), Abort> {
    let hash = table.config_hash();
    if args.output.wants_json() {
        stdout::json_line(&json!({
            "file": args.over,
            "hash": hash,
            "was": args.was,
            "backup": backup,
        }))?;
        return Ok(());
    }
    let (new, old) = (args.new.display(), args.over.display());
    stdout::print(&format!(
        "`{old}` has the hooks of `{new}` now: {hash}\nwhat it was is in `{}`\n",
        backup.display()
    ))?;
    Ok(())
}

/// Says which project has to be trusted again, because this is one of its configs.
fn say_what_must_be_trusted(old: &Path) {
    let Some(folder) = old.parent() else { return };
    let is_of_it = |root: &Path| root == folder || folder.parent() == Some(root);
    for project in examine_path(folder) {
        if project.state != State::Trusted && is_of_it(&project.root) {
            let root = quoted(&project.root.display().to_string());
            stderr::note(&format!(
                "its hooks are in force for an agent when you trust them: `hookgate trust {root} --diff`, then without --diff"
            ));
        }
    }
}
