//! Whether the scripts of the hooks can be parsed at all.
//!
//! A script with a syntax error fails at each step, and the first step is a bad moment to learn that.
//! The interpreter of the script is asked to read it *without running it*: Python compiles the text,
//! shells take `-n`, Node takes `--check`. Each gets a short time, an environment with `PATH` alone and
//! no input; without its interpreter a script is not checked.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookgate::{HandlerTable, HookSpec};

use super::entry::{Entry, Level};
use super::texts::Texts;
use crate::text_position::position;

/// How long an interpreter may read one script.
const LONGEST: Duration = Duration::from_secs(5);

/// How many scripts are checked.
const MOST_SCRIPTS: usize = 64;

/// How much of what an interpreter prints is read.
const OUTPUT: u64 = 4096;

/// Compiles a script without running it, and prints the first error as `line: message`.
const PYTHON: &str = "\
import sys
try:
    with open(sys.argv[1], 'rb') as script:
        compile(script.read(), sys.argv[1], 'exec')
except SyntaxError as error:
    print('line %s: %s' % (error.lineno or 1, error.msg))
except ValueError as error:
    print(error)
";

/// Returns the scripts of the hooks that have a syntax error.
/// `problem_of` says what is wrong with a script that one of these files runs.
pub(super) fn unreadable(
    texts: &mut Texts,
    table: &HandlerTable,
    problem_of: &mut dyn FnMut(&Path, &[PathBuf]) -> Option<String>,
) -> Vec<Entry> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for hook in table.specs().filter(|hook| hook.kind() == "command") {
        for script in hook.sources() {
            if seen.len() >= MOST_SCRIPTS || !seen.insert(script.clone()) {
                continue;
            }
            if let Some(problem) = problem_of(script, hook.files()) {
                let (file, text) = texts.of(hook.origin());
                let (line, column) = position_of(text, hook);
                let name = script.file_name().unwrap_or_default().to_string_lossy();
                out.push(Entry {
                    code: "script_syntax",
                    level: Level::Warning,
                    file,
                    at: Some((line, column)),
                    message: format!("`{name}` has a syntax error: {problem}"),
                    help: None,
                });
            }
        }
    }
    out
}

/// The languages that can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Python,
    Shell,
    Node,
}

impl Language {
    fn of_program(name: &str) -> Option<Self> {
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        match bare {
            "python" | "pypy" => Some(Self::Python),
            "sh" | "bash" | "dash" => Some(Self::Shell),
            "node" | "nodejs" => Some(Self::Node),
            _ => None,
        }
    }

    fn of_extension(script: &Path) -> Option<Self> {
        match script.extension()?.to_str()? {
            "py" => Some(Self::Python),
            "js" | "mjs" | "cjs" => Some(Self::Node),
            _ => None,
        }
    }

    const fn usual_program(self) -> &'static str {
        match self {
            Self::Python => "python3",
            Self::Shell => "sh",
            Self::Node => "node",
        }
    }

    fn arguments(self, script: &Path) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = match self {
            Self::Python => vec!["-I".into(), "-S".into(), "-c".into(), PYTHON.into()],
            Self::Shell => vec!["-n".into()],
            Self::Node => vec!["--check".into()],
        };
        arguments.push(script.into());
        arguments
    }
}

/// Returns the interpreter of a script: that in its first line, that of the hook, or the usual one.
fn interpreter_of(script: &Path, files: &[PathBuf]) -> Option<(Language, PathBuf)> {
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let language = |path: &Path| name(path).and_then(|name| Language::of_program(&name));
    let named = first_line(script);
    if let Some(path) = &named
        && let Some(language) = language(path)
    {
        return Some((language, path.clone()));
    }
    let of_hook = files.iter().find_map(|file| Some((language(file)?, file.clone())));
    match (of_hook, Language::of_extension(script)) {
        (Some((language, path)), None) if named.is_none() => Some((language, path)),
        (Some((language, path)), Some(own)) if own == language => Some((language, path)),
        (_, Some(own)) => Some((own, own.usual_program().into())),
        _ => None,
    }
}

/// Returns the program that the first line of a script names.
fn first_line(script: &Path) -> Option<PathBuf> {
    let mut beginning = Vec::new();
    let file = std::fs::File::open(script).ok()?;
    file.take(256).read_to_end(&mut beginning).ok()?;
    let line = beginning.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_whitespace();
    let program = Path::new(words.next()?);
    if program.file_name().is_some_and(|name| name == "env") {
        return words.find(|word| !word.starts_with('-') && !word.contains('=')).map(PathBuf::from);
    }
    Some(program.to_owned())
}

/// Returns what the interpreter of a script says is wrong with it.
pub(super) fn problem_of(script: &Path, files: &[PathBuf]) -> Option<String> {
    let (language, program) = interpreter_of(script, files)?;
    said_by(&program, language, script)
}

/// Does what [`problem_of`] does with an interpreter of the machine: that of the same name in an absolute
/// folder of `PATH`. A path that the script or the hook names is not started: nobody has asked for that who
/// only opens a file.
pub(crate) fn problem_by_name(script: &Path, files: &[PathBuf]) -> Option<String> {
    let (language, program) = interpreter_of(script, files)?;
    let name = program.file_name()?;
    let folders = std::env::var_os("PATH")?;
    let mut folders = std::env::split_paths(&folders).filter(|folder| folder.is_absolute());
    let program =
        folders.find_map(|folder| Some(folder.join(name)).filter(|path| path.is_file()))?;
    said_by(&program, language, script)
}

/// Returns what an interpreter says is wrong with a script.
fn said_by(program: &Path, language: Language, script: &Path) -> Option<String> {
    let mut child = Command::new(program)
        .args(language.arguments(script))
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let deadline = Instant::now() + LONGEST;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let status = status?;
    let mut said = String::new();
    let stream: Box<dyn std::io::Read> = match language {
        Language::Python => Box::new(child.stdout.take()?),
        _ => Box::new(child.stderr.take()?),
    };
    stream.take(OUTPUT).read_to_string(&mut said).ok()?;
    let wrong = match language {
        Language::Python => !said.trim().is_empty(),
        _ => !status.success(),
    };
    wrong.then(|| summary(&said, script, language))
}

/// Returns the line that says what is wrong, without the path of the script.
fn summary(said: &str, script: &Path, language: Language) -> String {
    let path = script.display().to_string();
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = match language {
        Language::Node => lines.find(|line| line.contains("Error")),
        _ => lines.next(),
    };
    line.unwrap_or("it cannot be read").replace(&format!("{path}: "), "")
}

/// Returns line and column of the handler of a hook, from 1.
fn position_of(text: &str, hook: &HookSpec) -> (usize, usize) {
    let span = hook.origin().span_of("command").unwrap_or_default();
    // After the key comes the value; the key of `[hook.command]` stands alone.
    let after = text.get(span.end..).unwrap_or_default();
    let value = after.trim_start_matches([' ', '\t']).strip_prefix('=').map(str::trim_start);
    let start = value.map_or(span.start, |value| text.len() - value.len());
    position(text, start)
}
