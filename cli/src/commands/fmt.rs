//! `hookgate fmt`: one style for the files of hooks.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use hookgate::contract::file;
use serde_json::json;

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::formatter::format;
use crate::replace_file::replace;
use crate::terminal::phrase::count;
use crate::terminal::sanitize::line;
use crate::terminal::stdout::OutputArgs;
use crate::terminal::style::{BOLD, GOOD};
use crate::terminal::{diff, stderr, stdout};

/// The name of stdin.
const STDIN: &str = "-";

/// Write the files of hooks in one style
///
/// Only white space changes, and the comma behind the last item of an array: keys, values and comments
/// stay as they are and in their order. A file with a mistake in its syntax is left alone, and the exit
/// code is then 3. It is for any file in TOML, so for the cases of `hookgate test` as well.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate fmt                          hooks.toml in this folder
  hookgate fmt .hookgate/*.toml
  hookgate fmt --check hooks.toml       fail if it is in another style: for a CI run
  hookgate fmt --diff                   show what would change
  hookgate fmt - < hooks.toml           for an editor: the text comes out")]
pub struct Args {
    /// The files; `-` is stdin, whose text comes out on stdout
    #[arg(value_name = "FILE", default_value = "hooks.toml")]
    files: Vec<PathBuf>,
    /// Write nothing, and exit with 1 if a file would change
    #[arg(long)]
    check: bool,
    /// Write nothing, show what would change, and exit with 1 if a file would
    #[arg(long, conflicts_with = "json")]
    diff: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// A file cannot be read or written, is no TOML, or would change while nothing is to be written.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    let mut found = Found::default();
    for path in &args.files {
        found.add(one(args, path)?);
    }
    if args.output.wants_json() || args.diff || args.files.iter().any(|path| is_stdin(path)) {
        return found.exit();
    }
    let summary = found.summary();
    if !summary.is_empty() {
        stdout::print(&format!("{summary}\n"))?;
    }
    found.exit()
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is in the style already.
    Kept,
    /// It was written.
    Written,
    /// It would be written.
    Differs,
    /// It is no TOML.
    Broken,
}

impl Fate {
    const fn name(self) -> &'static str {
        match self {
            Self::Kept => "unchanged",
            Self::Written => "formatted",
            Self::Differs => "differs",
            Self::Broken => "invalid",
        }
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}

/// Formats one file, and prints what there is to say.
fn one(args: &Args, path: &Path) -> Result<Fate, Abort> {
    let text = read(path)?;
    let reads_only = args.check || args.diff;
    let fate = match format(&text) {
        Err(wrong) => {
            for (span, message) in wrong {
                stderr::error_at(&place(path, &text, span.start), &message);
            }
            Fate::Broken
        }
        Ok(after) => {
            let fate = match (after == text, reads_only) {
                (true, _) => Fate::Kept,
                (false, true) => Fate::Differs,
                (false, false) => Fate::Written,
            };
            if args.diff && fate == Fate::Differs {
                let name = line(&path.display().to_string());
                let lines = diff::lines(&text, &after);
                stdout::print(&format!("{BOLD}{name}{BOLD:#}\n{lines}\n"))?;
            }
            if !reads_only && is_stdin(path) {
                stdout::file(&after)?;
                return Ok(fate);
            }
            if fate == Fate::Written {
                // The file itself is replaced, not a link to it.
                let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
                replace(&target, &after, 0o666)
                    .map_err(|error| Abort::file("write", path, &error))?;
            }
            fate
        }
    };
    if args.diff {
        return Ok(fate);
    }
    let name = path.display().to_string();
    if args.output.wants_json() && (reads_only || !is_stdin(path)) {
        stdout::json_line(&json!({ "file": name, "result": fate.name() }))?;
    } else if matches!(fate, Fate::Written | Fate::Differs) {
        stdout::print(&format!("{} {}\n", fate.name(), line(&name)))?;
    }
    Ok(fate)
}

fn read(path: &Path) -> Result<String, Abort> {
    if !is_stdin(path) {
        return file::read_text(path, file::LIMIT)
            .map_err(|error| Abort::file("read", path, &error));
    }
    let mut text = String::new();
    let limit = file::LIMIT;
    std::io::stdin()
        .take(limit + 1)
        .read_to_string(&mut text)
        .map_err(|error| Abort::failure(format!("cannot read stdin: {error}")))?;
    if text.len() as u64 > limit {
        return Err(Abort::failure(format!("stdin has more than {limit} bytes")));
    }
    Ok(text)
}

/// Returns the place of an offset: `file:line:column`, both from 1, the column in characters.
fn place(path: &Path, text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let name = if is_stdin(path) { "stdin".to_owned() } else { path.display().to_string() };
    format!("{name}:{line}:{column}")
}

/// How many files there were of each fate.
#[derive(Debug, Default)]
struct Found {
    kept: usize,
    written: usize,
    differ: usize,
    broken: usize,
}

impl Found {
    const fn add(&mut self, fate: Fate) {
        match fate {
            Fate::Kept => self.kept += 1,
            Fate::Written => self.written += 1,
            Fate::Differs => self.differ += 1,
            Fate::Broken => self.broken += 1,
        }
    }

    fn summary(&self) -> String {
        let mut parts = Vec::new();
        if self.written > 0 {
            parts.push(format!("{} formatted", count(self.written, "file")));
        }
        if self.kept > 0 {
            parts.push(format!("{} in this style already", count(self.kept, "file")));
        }
        if parts.is_empty() {
            return String::new();
        }
        format!("{GOOD}ok{GOOD:#} {}", parts.join(", "))
    }

    fn exit(&self) -> Result<Exit, Abort> {
        if self.broken > 0 {
            let files = count(self.broken, "file");
            let message = format!("{files} with mistakes in the syntax: left as before");
            return Err(Abort::invalid_config(message));
        }
        if self.differ > 0 {
            let message = format!("{} in another style", count(self.differ, "file"));
            return Err(Abort::failure(message).help("`hookgate fmt FILE` writes it in this one"));
        }
        Ok(Exit::Ok)
    }
}
