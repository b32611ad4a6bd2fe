//! Code of other languages: what it may do is told by a few words in it.

use super::super::redirects::{another_descriptor, is_descriptor, is_standard_input};
use super::super::syntax::MAX_DEPTH;
use super::super::walk::Walker;
use super::more_code;
use super::open_mode::opens_to_write;
use super::python::{self, CodeEffect};
use crate::effects::UnclearWhat;
use crate::programs::hosts;
use crate::run::{CodeFrom, Redirect, RedirectKind};
use crate::word::Word;

impl Walker<'_> {
    /// Notes code of another language.
    pub(in crate::shell) fn foreign_code(&mut self, by: usize, code: Word) {
        let name = self.name_of(by);
        let from = self.source_of(&code);
        if code.has_unknown() {
            let why = format!("the code that `{name}` runs is not known before it runs");
            self.unclear(UnclearWhat::Program, why, Some(by));
        }
        let text = code.written();
        let awk = matches!(&*name, "awk" | "gawk" | "mawk" | "nawk");
        let is_python = name.starts_with("python") || name.starts_with("pypy") || name == "py";
        let more = more_code::of(&name, &text);
        let mut is_told = false;
        match python::effect_of(&text).filter(|_| is_python) {
            Some(CodeEffect::StartsPrograms) => self.starts_others(&name, by),
            Some(CodeEffect::ChangesFiles) => self.changes_some_files(&name, by),
            Some(CodeEffect::Opens { read, written, started }) => {
                is_told = true;
                let read = read.into_iter().map(|file| (RedirectKind::Read, file));
                let written = written.into_iter().map(|file| (RedirectKind::Write, file));
                if let Some(run) = self.runs.get_mut(by) {
                    run.redirects.extend(
                        read.chain(written)
                            .map(|(kind, file)| Redirect { kind, target: Word::text(file) }),
                    );
                }
                for words in started {
                    let words: Vec<Word> = words.into_iter().map(Word::text).collect();
                    self.carried_program(&words, &name);
                }
            }
            None if more.is_made || starts_programs(&text, awk) => self.starts_others(&name, by),
            None if awk => match awk_files(&text) {
                Some(files) => self.writes_files(files, by),
                None => self.changes_some_files(&name, by),
            },
            None if changes_files(&text) => self.changes_some_files(&name, by),
            None => {}
        }
        if let Some(run) = self.runs.get_mut(by) {
            run.code_from = run.code_from.or(from);
            run.code_is_told = is_told && (run.code.is_none() || run.code_is_told);
            match &mut run.code {
                Some(all) => {
                    all.push(crate::word::WordPart::Text("\n".to_owned()));
                    code.parts.into_iter().for_each(|part| all.push(part));
                }
                none => *none = Some(code),
            }
        }
        for file in more.files {
            let file = Word::text(file);
            if let Some(run) = self.runs.get_mut(by) {
                run.redirects.push(Redirect { kind: RedirectKind::Read, target: file.clone() });
            }
            self.loaded(&file, by);
        }
    }

    fn starts_others(&mut self, name: &str, by: usize) {
        self.unclear_beside(format!("the code that `{name}` runs starts programs"), Some(by));
    }

    fn writes_files(&mut self, files: Vec<String>, by: usize) {
        let Some(run) = self.runs.get_mut(by) else { return };
        let targets = files.into_iter().map(Word::text);
        run.redirects.extend(targets.map(|target| Redirect { kind: RedirectKind::Write, target }));
    }

    fn changes_some_files(&mut self, name: &str, by: usize) {
        for what in [UnclearWhat::Writes, UnclearWhat::Deletes] {
            self.unclear(what, format!("the code that `{name}` runs changes files"), Some(by));
        }
    }

    pub(in crate::shell) fn foreign_script(&mut self, file: &Word, by: usize) {
        if is_standard_input(file) {
            return self.code_from_input(by, false, &[]);
        }
        if is_descriptor(file) {
            let outer = std::mem::replace(&mut self.input, another_descriptor());
            self.code_from_input(by, false, &[]);
            self.input = outer;
        }
        if let Some(run) = self.runs.get_mut(by) {
            run.script = Some(file.clone());
        }
        if file.has_unknown() {
            let name = self.name_of(by);
            let why = format!("the code that `{name}` runs comes from `{}`", file.written());
            self.unclear(UnclearWhat::Program, why, Some(by));
        }
        self.loaded(file, by);
    }

    /// Notes where the code of a file comes from, and the code itself if the line has written it.
    fn loaded(&mut self, file: &Word, by: usize) {
        let is_fetched = hosts::scheme(file).is_some_and(|scheme| scheme != "file");
        let fetched = is_fetched.then_some(CodeFrom::Network);
        let from = fetched.or_else(|| self.source_of(file)).or_else(|| self.script_source(file));
        if let Some(run) = self.runs.get_mut(by) {
            run.code_from = run.code_from.or(from);
        }
        // A file may load itself.
        if self.depth >= MAX_DEPTH || !self.spend(64) {
            return;
        }
        self.depth += 1;
        for code in self.script_texts(file) {
            self.foreign_code(by, code);
        }
        self.depth -= 1;
    }
}

/// Whether code of some language has a call that starts programs.
fn starts_programs(code: &str, awk: bool) -> bool {
    const CALLS: &[&str] = &[
        "system",
        "popen",
        "exec",
        "spawn",
        "subprocess",
        "child_process",
        "`",
        "qx",
        "fork(",
        "Popen",
        "shell_exec",
        "passthru",
        "proc_open",
        "do shell script",
        "pty.",
        "ctypes",
        "%x",
        "Kernel.",
        "Process.",
        "Open3",
        "run(",
        "importlib",
        // Emacs
        "shell-command",
        "call-process",
        "start-process",
        // Elixir, Erlang, Clojure, Janet, Raku, Haskell
        "System.cmd",
        "System.shell",
        "os:cmd",
        "(sh ",
        "/sh ",
        "babashka.process",
        "ProcessBuilder",
        "os/execute",
        "os/shell",
        "shell(",
        "shell \"",
        "shell '",
        "callCommand",
        "readProcess",
        "Deno.Command",
        // Lisp, OCaml, Scala, Raku
        "run-program",
        "Sys.command",
        "sys.process",
        "run \"",
        "run '",
        "Bun.$",
    ];
    let names = CALLS.iter().any(|call| code.contains(call));
    (names && (!awk || code.contains("system")))
        || (awk && awk_has_pipe(code))
        || ["eval(", "(eval)", "eval pack", "eval URI", "new Function(", "__import__"]
            .iter()
            .any(|call| code.contains(call))
}

/// Whether code of some language has a call that changes files.
fn changes_files(code: &str) -> bool {
    const CALLS: &[&str] = &[
        "rmtree",
        "unlink",
        "remove(",
        "rename(",
        "rmdir",
        "chmod",
        "chown",
        "writeFile",
        "appendFile",
        "createWriteStream",
        "rmSync",
        ".rm(",
        "write_text",
        "write_bytes",
        "copyfile",
        "copy(",
        "move(",
        "File.write",
        "File.delete",
        "FileUtils",
        "file_put_contents",
        "truncate",
        "symlink",
        "openSync",
        // Elixir, Clojure, Deno, Bun, Haskell, Janet, Raku
        "File.rm",
        "File.cp",
        "rm_rf",
        "delete-tree",
        "delete-if-exists",
        "removeSync",
        "Deno.remove",
        "writeTextFile",
        "Bun.write",
        // Kotlin, Java, Crystal, Swift, Nim
        "deleteRecursively",
        "deleteIfExists",
        "Files.delete",
        "Dir.delete",
        "removeItem",
        "removeDir",
        "removeFile",
        "removeDirectory",
        "os/rm",
        "(spit ",
        "spurt",
        // Emacs
        "delete-file",
        "delete-directory",
        "rename-file",
        "copy-file",
        "write-region",
        "write-file",
        "save-buffer",
        "with-temp-file",
        "set-file-modes",
    ];
    // Tcl: `[open FILE w]`, `file delete FILE`.
    let opens_in_tcl = code.contains("[open ")
        && ["w]", "w+]", "a]", "a+]", "r+]"].iter().any(|end| code.contains(end));
    let opens = opens_in_tcl
        || code.contains("file delete")
        || code.contains("open(") && opens_to_write(code);
    // Julia; `form(` is another function.
    let mut removals = code.match_indices("rm(");
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_' || sign == '$';
    let removes =
        removals.any(|(at, _)| !code.get(..at).is_some_and(|text| text.ends_with(is_name)));
    opens || removes || CALLS.iter().any(|call| code.contains(call))
}

/// Whether code of awk has a pipe: a `|` that stands in no text, no regular expression and no comment.
fn awk_has_pipe(code: &str) -> bool {
    const BEFORE_PATTERN: [&str; 5] = ["print", "printf", "return", "in", "case"];
    // What the text or the regular expression ends with that is open.
    let (mut end, mut is_escaped, mut has_pattern) = (None, false, false);
    for (at, sign) in code.char_indices() {
        let before = code.get(..at).unwrap_or_default();
        match (sign, end) {
            _ if is_escaped => is_escaped = false,
            ('\\', _) => is_escaped = true,
            (sign, Some(last)) => end = Some(last).filter(|last| *last != sign),
            ('"', None) => end = Some('"'),
            ('#', None) => end = Some('\n'),
            ('/', None) => {
                let before = before.trim_end_matches([' ', '\t']);
                let word = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next();
                let divides = before.ends_with("++")
                    || before.ends_with("--")
                    || before
                        .ends_with(|c: char| c.is_ascii_alphanumeric() || "_)]$\"".contains(c));
                if !divides || word.is_some_and(|word| BEFORE_PATTERN.contains(&word)) {
                    (end, has_pattern) = (Some('/'), true);
                }
            }
            ('|', None) => {
                let after = code.get(at + 1..).unwrap_or_default();
                if !before.ends_with('|') && !after.starts_with('|') {
                    return true;
                }
            }
            _ => {}
        }
    }
    // Where a regular expression ends may be told wrongly.
    code.contains("| getline") || has_pattern && code.contains("| \"")
}

/// The files that code of awk prints to; `None` if the name of one does not stand in it. After `print`, a `>` that stands
/// in no brackets and no text is no comparison.
fn awk_files(code: &str) -> Option<Vec<String>> {
    let mut files = Vec::new();
    for statement in code.split("print").skip(1) {
        let (mut depth, mut is_text, mut is_escaped, mut has_slash) =
            (0_usize, false, false, false);
        for (at, letter) in statement.char_indices() {
            match letter {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => is_text = !is_text,
                _ if is_text => {}
                '/' => has_slash = true,
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                // It may stand in a regular expression.
                '>' if depth == 0 && has_slash => return None,
                '>' if depth == 0 => {
                    files.push(awk_file(statement.get(at + 1..)?)?);
                    break;
                }
                // What ends the statement may stand in a regular expression.
                ';' | '}' | '\n' if !has_slash => break,
                _ => {}
            }
        }
        // The statement goes on: a text of it holds `print`.
        if is_text && code.contains('>') {
            return None;
        }
    }
    Some(files)
}

/// The file behind `>` if it is one text, and nothing is joined to it.
fn awk_file(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix('>').unwrap_or(rest).trim_start_matches([' ', '\t']);
    let (file, after) = rest.strip_prefix('"')?.split_once('"')?;
    let after = after.trim_start_matches([' ', '\t']);
    let ends = after.is_empty() || after.starts_with([';', '}', '\n']);
    // `gawk` connects to `/inet/tcp/0/HOST/PORT`.
    let is_file = !file.contains('\\') && !file.starts_with("/inet");
    (ends && is_file).then(|| file.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{awk_files, awk_has_pipe};

    #[test]
    fn a_pipe_of_awk_is_no_sign_of_a_pattern() {
        for code in [
            "BEGIN{\"rm -rf x\"|getline}",
            "{\"id\" |& getline x}",
            "{print|\"sh\"}",
            "{print $0 | c}",
            "{print $1/2 | c}",
            "{print i++ / 2 | c}",
            "/a/ {print | c}",
            "{print # \"\n | c}",
            "/\"/ {print | \"sh\"}",
        ] {
            assert!(awk_has_pipe(code), "{code}");
        }
        for code in [
            "$1 ~ /a|b/ {print}",
            "/a|b/{print $1} /c|d/",
            "{print ($1 || $2)}",
            "{print $1 \" | \" $2}",
            "{gsub(/x|y/, \"\"); print /a|b/ # a|b\n}",
        ] {
            assert!(!awk_has_pipe(code), "{code}");
        }
    }

    #[test]
    fn a_comparison_is_no_file() {
        for code in [
            "NR>1{print $2}",
            "{print $1, ($2 > 3)}",
            "{if ($1>m) m=$1} END {print m}",
            "{print \"a > b\"}",
        ] {
            assert_eq!(awk_files(code), Some(Vec::new()), "{code}");
        }
    }

    #[test]
    fn files_that_awk_prints_to() {
        for (code, files) in [
            ("{print > \"f\"}", Some(vec!["f"])),
            ("{print $1 >> \"f\" }", Some(vec!["f"])),
            ("{printf(\"%s\", $1) > \"a\"; print > \"b\"\n}", Some(vec!["a", "b"])),
            ("{print \"\\\"\" > \"f\"}", Some(vec!["f"])),
            ("{printf(\"%s\", $1) > $2}", None),
            ("{print > \"a\" $1}", None),
            ("{print > \"a\" \"b\"}", None),
            ("{print > \"\\057etc/x\"}", None),
            ("{print > \"/inet/tcp/0/h/80\"}", None),
            ("{print /a}/ > \"f\"}", None),
            ("{print /a> \"x\"}/ > $1}", None),
            ("{print \"no print\" > \"f\"}", None),
        ] {
            let files = files.map(|files| files.into_iter().map(str::to_owned).collect());
            assert_eq!(awk_files(code), files, "{code}");
        }
    }
}
