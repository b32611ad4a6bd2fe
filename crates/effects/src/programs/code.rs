//! Code of other languages among the words of a program: `python -c CODE`.
//!
//! It is not parsed. Only if it has a call that can start a program or open a file does it count what texts
//! stand in it.

use super::sink::Sink;
use crate::paths::expand_home;
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

/// Returns whether code has a call that can start a program.
pub(crate) fn starts_programs(code: &str) -> bool {
    STARTS.iter().any(|start| code.contains(start))
}

/// Adds what the code of an interpreter may read, write and delete: the texts in it.
pub(super) fn effects(sink: &mut Sink<'_>) {
    let Some(code) = sink.run.code.as_ref().and_then(Word::known) else { return };
    if starts_programs(&code) || TOUCHES.iter().any(|call| code.contains(call)) {
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
