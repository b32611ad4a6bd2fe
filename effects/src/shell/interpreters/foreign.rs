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
        match python::effect_of(&text).filter(|_| is_python) {
            Some(CodeEffect::StartsPrograms) => self.starts_others(&name, by),
            Some(CodeEffect::ChangesFiles) => self.changes_some_files(&name, by),
            Some(CodeEffect::Opens { read, written }) => {
                let read = read.into_iter().map(|file| (RedirectKind::Read, file));
                let written = written.into_iter().map(|file| (RedirectKind::Write, file));
                if let Some(run) = self.runs.get_mut(by) {
                    run.redirects.extend(
                        read.chain(written)
                            .map(|(kind, file)| Redirect { kind, target: Word::text(file) }),
                    );
                }
            }
            None if more.is_made || starts_programs(&text, awk) => self.starts_others(&name, by),
            None if changes_files(&text, awk) => self.changes_some_files(&name, by),
            None => {}
        }
        if let Some(run) = self.runs.get_mut(by) {
            run.code_from = run.code_from.or(from);
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
        || (awk && (code.contains("| getline") || code.contains("| \"")))
        || ["eval(", "(eval)", "eval pack", "eval URI", "new Function(", "__import__"]
            .iter()
            .any(|call| code.contains(call))
}

/// Whether code of some language has a call that changes files.
fn changes_files(code: &str, awk: bool) -> bool {
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
    if awk {
        return awk_writes(code);
    }
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

/// Whether code of awk prints to a file: after `print`, a `>` that stands in no brackets and no text is no comparison.
fn awk_writes(code: &str) -> bool {
    code.split("print").skip(1).any(|statement| {
        let (mut depth, mut is_text, mut is_escaped, mut has_slash) =
            (0_usize, false, false, false);
        for letter in statement.chars() {
            match letter {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => is_text = !is_text,
                _ if is_text => {}
                '/' => has_slash = true,
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                '>' if depth == 0 => return true,
                // What ends the statement may stand in a regular expression.
                ';' | '}' | '\n' if !has_slash => return false,
                _ => {}
            }
        }
        // The statement goes on: a text of it holds `print`.
        is_text && code.contains('>')
    })
}

#[cfg(test)]
mod tests {
    use super::awk_writes;

    #[test]
    fn a_comparison_is_no_file() {
        for code in [
            "NR>1{print $2}",
            "{print $1, ($2 > 3)}",
            "{if ($1>m) m=$1} END {print m}",
            "{print \"a > b\"}",
        ] {
            assert!(!awk_writes(code), "{code}");
        }
        for code in [
            "{print > \"f\"}",
            "{print $1 >> \"f\"}",
            "{printf(\"%s\", $1) > $2}",
            "{print /a}/ > \"f\"}",
            "{print \"no print\" > \"f\"}",
            "{print \"\\\"\" > \"f\"}",
        ] {
            assert!(awk_writes(code), "{code}");
        }
    }
}
