//! `hookgate import`: the hook config of another agent as hooks.toml.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hookgate::config::{ConfigErrors, Loader, Translation, base_of};
use hookgate_dialects::import::{Agent, Import, ImportWarning, Options};
use miette::Severity;
use serde_json::{Value, json};

use crate::abort::Abort;
use crate::config;
use crate::exit_code::Exit;
use crate::foreign;
use crate::terminal::phrase::count;
use crate::terminal::sanitize::line;
use crate::terminal::style::{BOLD, GOOD};
use crate::terminal::{diagnostics, stderr, stdout};

/// Write the hook config of another agent as hooks.toml
///
/// FILE is a config of Claude Code (.claude/settings.json, hooks/hooks.json of a plugin), Codex
/// (.codex/hooks.json, config.toml), Gemini CLI, Qwen Code, Cursor, Copilot, Kimi Code, docker agent,
/// Meerkat or defect. Whose it is, its folder and its content tell. The same files can be given to
/// check, list, eval, run and hook with -c, as they are.
///
/// The programs stay as they are: `dialect` gives them the envelope of their agent. What a failed hook
/// counts as stays as it is, too, with a comment that says so; --strict makes it a deny. Each place at
/// which the source fails open, or means less than it seems, is a warning on stderr and a comment in the
/// file: hooks that never run, time limits in the wrong unit, statuses that do not block, and so on
/// (docs/import.md).
///
/// What comes out is loaded before it is printed. It is printed even if it cannot be loaded here, as when
/// a program is missing; the exit code is then 3.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate import .claude/settings.json                     show the hooks.toml
  hookgate import .cursor/hooks.json -o hooks.toml          write it
  hookgate import .claude/settings.json --strict            a hook that fails refuses the step
  hookgate import .codex/hooks.json --json | jq -r '.warnings[].code' | sort | uniq -c")]
pub struct Args {
    /// The config
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Whose config it is, if neither its folder nor its content tells
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// A hook that fails refuses the step, wherever a step can be refused
    #[arg(long)]
    strict: bool,
    /// Replace the file that is there
    #[arg(short, long, requires = "output")]
    force: bool,
    /// Print one JSON object with the hooks.toml and the warnings
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
///
/// # Errors
/// The config cannot be read or is none, or the output cannot be written.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    let agent = args.agent.as_deref().map(agent_of).transpose()?;
    let text = hookgate::config::read(&args.file).map_err(|errors| refused(&args.file, &errors))?;
    let options = Options { agent, strict: args.strict, ..Options::default() };
    let (import, translation) = foreign::translate(&args.file, &text, &options)
        .map_err(|errors| refused(&args.file, &errors))?;
    diagnostics::print(&translation.warnings(), Severity::Warning);
    let errors = errors_of(args, &translation);
    if let Some(errors) = &errors {
        diagnostics::print(errors.errors(), Severity::Error);
    }
    if let Some(output) = &args.output {
        write(output, &import.toml, args.force)?;
    }
    if args.json {
        stdout::json_line(&to_json(&args.file, &import, errors.as_ref()))?;
    } else if args.output.is_none() {
        stdout::file(&import.toml)?;
    }
    stderr::print(&summary(args, &import));
    match errors {
        None => Ok(Exit::Ok),
        Some(_) => Err(Abort::invalid_config("what came out cannot be loaded here")
            .help("correct what the errors above name, in the source or in the hooks.toml")),
    }
}

fn agent_of(name: &str) -> Result<Agent, Abort> {
    Agent::from_name(name)
        .ok_or_else(|| Abort::unknown_name("agent", name, &Agent::ALL.map(Agent::name)))
}

fn refused(path: &Path, errors: &ConfigErrors) -> Abort {
    diagnostics::print(errors.errors(), Severity::Error);
    Abort::invalid_config(format!("`{}` cannot be imported", path.display()))
}

/// Returns what keeps the hooks.toml from being loaded where it will be.
fn errors_of(args: &Args, translation: &Translation) -> Option<ConfigErrors> {
    let base = args.output.as_deref().map_or_else(|| foreign::root_of(&args.file), base_of);
    let registry = config::registry();
    Loader::new(&registry).parse_translation(translation, &base).err()
}

/// Writes the file. One that is there is kept, unless the user wants it otherwise.
fn write(path: &Path, text: &str, force: bool) -> Result<(), Abort> {
    let fail = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Abort::failure(format!("`{}` is there already", path.display()))
                .help("--force replaces it, -o names another file")
        }
        _ => Abort::file("write", path, &error),
    };
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    if !force {
        options.create_new(true);
    }
    let mut file = options.open(path).map_err(fail)?;
    file.write_all(text.as_bytes()).map_err(fail)
}

fn summary(args: &Args, import: &Import) -> String {
    let hooks = count(import.hooks, "hook");
    let mut text = format!("{GOOD}imported{GOOD:#} {hooks} of {}", import.agent);
    if import.left_out > 0 {
        text.push_str(&format!(", {} left out", count(import.left_out, "hook")));
    }
    text.push_str(&format!(", {}", count(import.warnings.len(), "warning")));
    match &args.output {
        Some(output) => text.push_str(&format!(
            "\n  {BOLD}Next{BOLD:#}: hookgate check -c {}\n",
            line(&output.display().to_string())
        )),
        None => text.push('\n'),
    }
    text
}

fn to_json(path: &Path, import: &Import, errors: Option<&ConfigErrors>) -> Value {
    let file = path.display().to_string();
    let of_warning = |warning: &ImportWarning| {
        json!({
            "file": file,
            "line": warning.line,
            "column": warning.column,
            "code": warning.code,
            "message": warning.meaning,
            "help": warning.advice,
        })
    };
    let errors = errors.map(ConfigErrors::errors).unwrap_or_default();
    json!({
        "file": file,
        "agent": import.agent.name(),
        "hooks": import.hooks,
        "left_out": import.left_out,
        "warnings": import.warnings.iter().map(of_warning).collect::<Vec<_>>(),
        "errors": errors.iter().map(config::mistake_json).collect::<Vec<_>>(),
        "toml": import.toml,
    })
}
