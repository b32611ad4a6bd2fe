//! What names mean: files beside the config, variables, modules.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Variables that list folders in which programs and their parts are looked for.
const LISTS: &[&str] = &[
    "PATH",
    "PYTHONPATH",
    "NODE_PATH",
    "PERL5LIB",
    "PERLLIB",
    "RUBYLIB",
    "LD_LIBRARY_PATH",
    "CLASSPATH",
    "AWKPATH",
    "AWKLIBPATH",
    "CDPATH",
    "FPATH",
    "PSModulePath",
    "DYLD_LIBRARY_PATH",
];

/// Variables that name a file which is run or loaded.
const FILES: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "ZDOTDIR",
    "LD_PRELOAD",
    "LD_AUDIT",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "DYLD_INSERT_LIBRARIES",
];

/// Variables that hold options of an interpreter.
const OPTIONS: &[&str] = &["PERL5OPT", "RUBYOPT"];

/// Whether a variable lists folders.
pub(crate) fn is_list(name: &str) -> bool {
    LISTS.contains(&name)
}

/// An entry of a variable that would mean the folder of the session.
pub(crate) fn relative_entry(name: &str, value: &str) -> Option<String> {
    let relative = |entry: &&str| !Path::new(entry).is_absolute() && !entry.starts_with('$');
    if is_list(name) {
        value.split(':').find(relative).map(str::to_owned)
    } else if FILES.contains(&name) {
        value.split([':', ' ']).filter(|entry| !entry.is_empty()).find(relative).map(str::to_owned)
    } else if OPTIONS.contains(&name) {
        value.split_whitespace().find(|word| is_relative_option(word)).map(str::to_owned)
    } else {
        None
    }
}

/// Whether an option names a folder or a file by a relative path.
fn is_relative_option(word: &str) -> bool {
    let value = word.split_once('=').map(|(_, value)| value);
    let value = value.or_else(|| word.strip_prefix("-I")).unwrap_or(word);
    let is_path = word.starts_with("-I") || word.contains("lib=") || value.contains('/');
    is_path && !value.starts_with('/')
}

/// The name and the value of `NAME=value`.
pub(super) fn assigned(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let mut letters = name.chars();
    let is_name = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, value))
}

/// Whether a path means stdin.
pub(super) fn is_stdin(word: &str) -> bool {
    matches!(word, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// Whether a path is made of `.` and `..` only.
pub(super) fn is_dots(text: &str) -> bool {
    Path::new(text)
        .components()
        .all(|part| matches!(part, Component::CurDir | Component::ParentDir))
}

/// The file of the config's folder that a relative path names, or the folder where it can be
/// nothing else.
pub(super) fn beside(text: &str, base: &Path, after_option: bool) -> Option<PathBuf> {
    if text.is_empty() || text.starts_with('/') || text.contains("://") || is_dots(text) {
        return None;
    }
    let path = base.join(text);
    let found = path.metadata().ok()?;
    let means_it = found.is_file() || found.is_dir() && (text.contains('/') || after_option);
    // Without `./` in the middle: the path stands in messages.
    means_it.then(|| path.components().collect())
}

/// Where the value in a word begins: behind `--option=`, `name=` and `-f`.
pub(super) fn value_start(word: &str) -> usize {
    if let Some((name, _)) = word.split_once('=')
        && !name.contains(['/', ' '])
    {
        return name.len() + 1;
    }
    let mut letters = word.chars();
    let glued = letters.next() == Some('-')
        && letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.as_str().contains(['/', '.']);
    if glued { 2 } else { 0 }
}

/// Whether a module is a part of the interpreter, or is found without the folder of the session.
pub(super) fn is_builtin_module(interpreter: &[&str], module: &str) -> bool {
    let is = |name: &str| interpreter.contains(&name);
    if is("ruby") {
        return !module.starts_with('.') && !module.contains('/');
    }
    if is("deno") {
        return ["npm:", "jsr:", "node:", "https://"].iter().any(|at| module.starts_with(at));
    }
    if is("lua") {
        return false;
    }
    module.starts_with("node:")
        || module.starts_with("data:")
        || module.starts_with("file:///")
        || NODE.contains(&module)
}

/// The modules of Node that nobody can replace.
const NODE: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "timers",
    "tls",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "worker_threads",
    "zlib",
];

/// What stands behind `#!` in the first line of a file.
pub(crate) fn first_line(program: &Path) -> Option<String> {
    let mut beginning = [0; 256];
    let mut file = std::fs::File::open(program).ok()?;
    let count = file.read(&mut beginning).ok()?;
    let line = beginning.get(..count)?.strip_prefix(b"#!")?;
    let line = line.split(|byte| *byte == b'\n').next()?;
    Some(std::str::from_utf8(line).ok()?.trim().to_owned()).filter(|line| !line.is_empty())
}
