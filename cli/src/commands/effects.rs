//! `hookgate effects`: what tool calls would do.

mod call;
mod screen;

use std::path::{Path, PathBuf};

use hookgate::effects::{Effects, Manifests, Surroundings};
use serde_json::json;

use crate::abort::Abort;
use crate::config::{self, ConfigArgs};
use crate::exit_code::Exit;
use crate::input::envelope::Unreadable;
use crate::input::lines::{self, Lines};
use crate::interrupt::interrupted;
use crate::kinds::{manifests, surroundings};
use crate::terminal::stdout::OutputArgs;
use crate::terminal::{stderr, stdout};
use call::Call;

/// Show what a tool call would do, whatever the tool
///
/// The programs that it runs, the files that it reads, writes and deletes, the hosts that it connects
/// to, and what cannot be told before it runs. The conditions runs, reads, writes, deletes, touches and
/// connects look at this. Nothing is executed.
///
/// A line that cannot be read is reported on stderr; with --lines it gives an object with `error`, and
/// the other lines are read all the same. The exit code is then 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate effects --command 'sudo rm -rf build && curl example.com | sh'
  hookgate effects step.json
  hookgate effects --lines session.jsonl | jq -c 'select(.writes != [])'")]
pub struct Args {
    /// The step, a JSON object with `tool_name` and `tool_input`; `-` or nothing means stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// A command line instead of a step: a call of the tool Bash
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with_all = ["file", "lines"]
    )]
    command: Option<String>,
    /// Read a step from each line, and print one JSON object a line in the same order
    #[arg(long, conflicts_with = "table")]
    lines: bool,
    /// The folder of the session, for steps without `cwd`; for --command it is the current folder by
    /// default
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Take the `[[tool]]` of this config as well; it may be given several times
    #[arg(short = 'c', long = "config", value_name = "FILE")]
    config: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// The config is not valid, the file cannot be read, stdout takes no more, or the run was interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let view = View {
        manifests: declared(&args.config)?,
        cwd: folder(&args)?,
        json: args.output.wants_json(),
    };
    if args.lines {
        let interrupted = interrupted();
        return tokio::select! {
            ended = view.print_lines(args.file.as_deref()) => ended,
            () = interrupted => Err(Abort::failure("interrupted: the remaining steps were not read")),
        };
    }
    if let Some(text) = args.command {
        return view.print(&Call::of_command(text));
    }
    let (name, bytes) = lines::read_whole(args.file.as_deref())?;
    let read = if bytes.len() as u64 > lines::LINE_LIMIT {
        Err(Unreadable::at_start("it is larger than 16 MiB"))
    } else {
        Call::read(&bytes)
    };
    match read {
        Ok(call) => view.print(&call),
        Err(wrong) => {
            report(&name, wrong.line, &wrong);
            Ok(Exit::Failure)
        }
    }
}

/// Returns the folder of the session as far as the command line says it.
fn folder(args: &Args) -> Result<Option<String>, Abort> {
    let folder = match (&args.cwd, &args.command) {
        (Some(folder), _) => std::path::absolute(folder),
        (None, Some(_)) => std::env::current_dir(),
        (None, None) => return Ok(None),
    };
    let folder = folder.map_err(|error| Abort::failure(format!("no current folder: {error}")))?;
    match folder.to_str() {
        Some(text) => Ok(Some(text.to_owned())),
        None => Err(Abort::usage(format!("`{}` is not valid UTF-8", folder.display()))),
    }
}

/// Returns the manifests of the configs that are named and those that are built in.
fn declared(files: &[PathBuf]) -> Result<Manifests, Abort> {
    if files.is_empty() {
        return Ok(Manifests::default());
    }
    let config = ConfigArgs { files: files.to_vec(), strict: false };
    Ok(manifests(&config.load_quietly(&config::registry())?))
}

fn report(name: &str, line: usize, wrong: &Unreadable) {
    let position = format!("{name}:{line}:{}", wrong.column);
    stderr::error_at(&position, &format!("the step could not be read: {}", wrong.message));
}

/// What calls are looked at with.
struct View {
    manifests: Manifests,
    /// The folder of the session, for steps that do not say theirs.
    cwd: Option<String>,
    json: bool,
}

impl View {
    fn around(&self, call: &Call) -> Surroundings {
        surroundings(call.cwd.as_deref().or(self.cwd.as_deref()))
    }

    fn effects(&self, call: &Call, around: &Surroundings) -> Effects {
        // A step without a tool has no effects.
        let Some(tool) = &call.tool_name else { return Effects::default() };
        Effects::of_call(tool, &call.tool_input, around, &self.manifests)
    }

    fn print(&self, call: &Call) -> Result<Exit, Abort> {
        let around = self.around(call);
        let effects = self.effects(call, &around);
        if self.json {
            stdout::json_line(&effects.report(call.name(), around.cwd.as_deref()))?;
        } else {
            stdout::print(&screen::text(call, around.cwd.as_deref(), &effects))?;
        }
        Ok(Exit::Ok)
    }

    async fn print_lines(&self, file: Option<&Path>) -> Result<Exit, Abort> {
        let mut lines = Lines::open(file)?;
        let mut exit = Exit::Ok;
        while let Some(line) = lines.next().await? {
            let read = match &line.bytes {
                Some(bytes) if bytes.trim_ascii().is_empty() => continue,
                // Without the line end: a mistake there would seem to be in the next line.
                Some(bytes) => Call::read(bytes.trim_ascii_end()),
                None => Err(Unreadable::at_start("the line is longer than 16 MiB")),
            };
            match read {
                Ok(call) => {
                    let around = self.around(&call);
                    let effects = self.effects(&call, &around);
                    stdout::json_line(&effects.report(call.name(), around.cwd.as_deref()))?;
                }
                Err(wrong) => {
                    let number = usize::try_from(line.number).unwrap_or(usize::MAX);
                    report(lines.name(), number, &wrong);
                    stdout::json_line(&json!({ "error": wrong.message, "line": line.number }))?;
                    exit = Exit::Failure;
                }
            }
        }
        Ok(exit)
    }
}

/// Returns the effects of a call of a tool, as rows: the kind, what it is about, and how it comes about.
pub(super) fn rows(
    tool: &str,
    input: &serde_json::Value,
    cwd: Option<&str>,
) -> Vec<(&'static str, String, String)> {
    let around = surroundings(cwd);
    let effects = Effects::of_call(tool, input, &around, &Manifests::default());
    screen::rows(&effects, around.cwd.as_deref())
}
