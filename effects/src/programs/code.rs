//! Code of other languages among the words of a program: `python -c CODE`.
//!
//! It is not parsed. Only if it has a call that can start a program or open a file does it count what texts
//! stand in it.

use super::reading::Reading;
use super::sink::Sink;
use crate::paths::expand_home;
use crate::run::Run;
use crate::word::Word;

/// Parts of calls that can start a program.
const STARTS: &[&str] = &[
    "system",
    "popen",
    "exec",
    "spawn",
    "subprocess",
    "child_process",
    "`",
    "qx",
    "shell_exec",
    "passthru",
    "Start-Process",
    "Open3",
    "do shell script",
    "Invoke-Expression",
    "iex",
    "%x",
    "pty.",
];

/// Parts of calls that can open, write or remove a file, or connect.
const TOUCHES: &[&str] = &[
    "open",
    "unlink",
    "rmtree",
    "remove",
    "rmdir",
    "readFile",
    "writeFile",
    "read_text",
    "read_bytes",
    "write_text",
    "write_bytes",
    "file_get_contents",
    "file_put_contents",
    "File.",
    "FileUtils",
    "fs.",
    "IO.",
    "Path(",
    "truncate",
    "rename",
    "copy",
    "chmod",
    "Remove-Item",
    "Get-Content",
    "Set-Content",
    "shutil",
    "request",
    "urllib",
    "fetch(",
    "http",
    "socket",
    "curl",
    "Net::",
    "<STDIN",
    "load",
    "slurp",
    "cat(",
    "rm(",
];

/// The programs with code among their words, and the options before it.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("python", &["c"]),
    ("pypy", &["c"]),
    ("node", &["e", "eval", "p", "print"]),
    ("nodejs", &["e", "eval", "p", "print"]),
    ("bun", &["e", "eval", "p", "print"]),
    ("deno", &[]),
    ("perl", &["e", "E"]),
    ("ruby", &["e"]),
    ("php", &["r", "B", "R", "E"]),
    ("lua", &["e"]),
    ("luajit", &["e"]),
    ("osascript", &["e"]),
    ("Rscript", &["e"]),
    ("julia", &["e", "E", "eval"]),
    ("awk", &[]),
    ("gawk", &[]),
    ("mawk", &[]),
    ("pwsh", &["c", "Command", "command"]),
    ("powershell", &["c", "Command", "command"]),
    ("tclsh", &[]),
    ("groovy", &["e"]),
    ("sqlite3", &[]),
    ("vim", &["c", "cmd"]),
    ("gdb", &["ex", "eval-command"]),
];

/// Returns the code among the words of a run, if its program is an interpreter of another language.
pub(crate) fn code_of(run: &Run, reading: &Reading<'_>) -> Vec<String> {
    let Some(name) = run.name() else { return Vec::new() };
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let Some((_, options)) =
        INTERPRETERS.iter().find(|(known, _)| *known == bare || *known == name)
    else {
        return Vec::new();
    };
    let known = |word: &Word| Some(word.known()?.into_owned());
    if options.is_empty() {
        return reading.operands().take(2).filter_map(known).collect();
    }
    options.iter().flat_map(|option| reading.options(option).flatten()).filter_map(known).collect()
}

/// Returns whether code has a call that can start a program.
pub(crate) fn starts_programs(code: &str) -> bool {
    STARTS.iter().any(|start| code.contains(start))
}

/// Adds what the code of an interpreter may read, write and delete: the texts in it.
pub(super) fn effects(reading: &Reading<'_>, sink: &mut Sink<'_>) {
    for code in code_of(sink.run, reading) {
        if !starts_programs(&code) && !TOUCHES.iter().any(|call| code.contains(call)) {
            continue;
        }
        for text in texts(&code) {
            // A text with a program and its words: each of them may be a path.
            for piece in text.split_ascii_whitespace() {
                let word = Word::text(piece.trim_end_matches([';', ')', ']', ',']));
                if super::hosts::scheme(&word).is_some() {
                    sink.connect(super::hosts::of_url(&word));
                } else if looks_like_path(piece) {
                    // Code knows the home folder as `~`, too.
                    sink.mention(&expand_home(&word.written(), sink.home));
                }
            }
        }
    }
}

fn looks_like_path(text: &str) -> bool {
    text.len() > 1 && (text.contains('/') || text.contains('.')) && !text.contains(['(', '{', '='])
}

/// Returns the texts in quotes of a piece of code.
pub(super) fn texts(code: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut open: Option<(char, String)> = None;
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match &mut open {
            Some((quote, text)) if c == *quote => {
                texts.push(std::mem::take(text));
                open = None;
            }
            Some((_, text)) if c == '\\' => text.extend(chars.next()),
            Some((_, text)) => text.push(c),
            None if matches!(c, '"' | '\'' | '`') => open = Some((c, String::new())),
            None => {}
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_code() {
        assert_eq!(texts(r#"open("/etc/x", 'r') + "a\"b""#), ["/etc/x", "r", "a\"b"]);
        assert_eq!(texts("open('never closed"), Vec::<String>::new());
        assert!(starts_programs("import os; os.system('x')") && !starts_programs("print(1)"));
    }
}
