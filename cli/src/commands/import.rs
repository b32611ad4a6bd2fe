//! `hookgate import`: the hook config of another agent as hooks.toml.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hookgate_dialects::import::{self, Agent, Import, ImportError, ImportWarning, Options};
use serde_json::{Value, json};

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::terminal::phrase::count;
use crate::terminal::sanitize::line;
use crate::terminal::style::{BOLD, DIM, DOUBTFUL, GOOD, HELP};
use crate::terminal::{stderr, stdout};

/// The largest config that is read.
const LARGEST: u64 = 4 << 20;

/// Write the hook config of another agent as hooks.toml
///
/// FILE is a config of Claude Code (.claude/settings.json, hooks/hooks.json of a plugin), Codex
/// (.codex/hooks.json, config.toml), Gemini CLI, Qwen Code, Cursor, Copilot, Kimi Code, docker agent,
/// Meerkat or defect. Whose it is, its folder and its content tell.
///
/// The programs stay as they are: `dialect` gives them the envelope of their agent. What a failed hook
/// counts as stays as it is, too, with a comment that says so; --strict makes it a deny. Each place at
/// which the source fails open, or means less than it seems, is a warning on stderr and a comment in the
/// file: hooks that never run, time limits in the wrong unit, statuses that do not block, and so on.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate import .claude/settings.json                     show the hooks.toml
  hookgate import .cursor/hooks.json -o policy/hooks.toml   write it
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
    let text = read(&args.file)?;
    let options = Options { agent, strict: args.strict, ..Options::default() };
    let import = import::import(&args.file, &text, &options)
        .map_err(|error| not_imported(&args.file, &error))?;
    for warning in &import.warnings {
        warn(&args.file, warning);
    }
    if let Some(output) = &args.output {
        write(output, &import.toml, args.force)?;
    }
    if args.json {
        stdout::json_line(&to_json(&args.file, &import))?;
    } else if args.output.is_none() {
        stdout::print(&import.toml)?;
    }
    stderr::print(&summary(args, &import));
    Ok(Exit::Ok)
}

fn agent_of(name: &str) -> Result<Agent, Abort> {
    Agent::from_name(name)
        .ok_or_else(|| Abort::unknown_name("agent", name, &Agent::ALL.map(Agent::name)))
}

fn read(path: &Path) -> Result<String, Abort> {
    let fail = |error: std::io::Error| Abort::file("read", path, &error);
    if fs::metadata(path).map_err(fail)?.len() > LARGEST {
        return Err(Abort::failure(format!("`{}` is larger than 4 MiB", path.display())));
    }
    fs::read_to_string(path).map_err(fail)
}

fn not_imported(path: &Path, error: &ImportError) -> Abort {
    match error {
        ImportError::Syntax { line, column, message } => {
            stderr::error_at(&format!("{}:{line}:{column}", path.display()), message);
            Abort::invalid_config(format!("`{}` cannot be read", path.display()))
                .help("correct the file; no agent runs a hook of a file that it cannot read")
        }
        other => Abort::invalid_config(format!("`{}`: {other}", path.display()))
            .help("`--agent NAME` says whose config it is"),
    }
}

/// Writes the file. One that is there is kept, unless the user wants it otherwise.
fn write(path: &Path, text: &str, force: bool) -> Result<(), Abort> {
    let fail = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
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

/// Prints a warning as compilers do, with what to do on a line of its own.
fn warn(path: &Path, warning: &ImportWarning) {
    let ImportWarning { line: row, column, code, meaning, advice, .. } = warning;
    let file = line(&path.display().to_string());
    stderr::print(&format!(
        "{BOLD}{file}:{row}:{column}:{BOLD:#} {DOUBTFUL}warning:{DOUBTFUL:#} {} {DIM}[{code}]{DIM:#}\n  \
         {HELP}help:{HELP:#} {}\n",
        line(meaning),
        line(advice),
    ));
}

fn summary(args: &Args, import: &Import) -> String {
    let mut text = format!(
        "{GOOD}imported{GOOD:#} {} of {}",
        count(import.hooks, "hook"),
        import.agent
    );
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

fn to_json(path: &Path, import: &Import) -> Value {
    let warnings = import.warnings.iter().map(|warning| {
        json!({
            "file": path.display().to_string(),
            "line": warning.line,
            "column": warning.column,
            "code": warning.code,
            "message": warning.meaning,
            "help": warning.advice,
        })
    });
    json!({
        "file": path.display().to_string(),
        "agent": import.agent.name(),
        "hooks": import.hooks,
        "left_out": import.left_out,
        "warnings": warnings.collect::<Vec<_>>(),
        "toml": import.toml,
    })
}
