//! Editors whose commands run programs: `sed e`, `!` of ed, ex and vim.

use super::super::walk::{Input, Walker};
use crate::effects::UnclearWhat;
use crate::programs::{SedCommand, read, sed_commands};
use crate::word::Word;

/// What a command of an editor runs.
#[derive(Debug, PartialEq, Eq)]
enum Runs {
    Nothing,
    /// Code of a shell.
    Code(String),
    /// It writes a file: `w FILE`.
    Write(String),
    /// It reads one: `r FILE`.
    Read(String),
    /// Perhaps a program: code of another language, a command that is not read.
    Perhaps,
}

impl Walker<'_> {
    /// `sed 'e rm x'`, and `e` alone, which runs the lines that are read.
    pub(super) fn sed(&mut self, by: usize) {
        let Some(run) = self.runs.get(by) else { return };
        let scripts: Vec<String> = {
            let reading = read(run);
            let given = |name| reading.options(name).flatten();
            let mut scripts: Vec<Word> = given("e").chain(given("expression")).cloned().collect();
            let files: Vec<&Word> = given("f").chain(given("file")).collect();
            if scripts.is_empty() && files.is_empty() {
                scripts.extend(reading.operands().next().cloned());
            }
            for file in files {
                scripts.extend(self.script_texts(file));
            }
            // `-e 1e -e x` is one script.
            scripts.iter().map(Word::written).collect()
        };
        for command in sed_commands(&scripts.join("\n")) {
            match command {
                SedCommand::Runs(code) => self.carried_code(&Word::text(code), Some(by), "sed e"),
                SedCommand::RunsLine => match self.input.clone() {
                    Input::Text(lines) | Input::Piped(lines) => {
                        self.carried_code(&lines, Some(by), "sed e");
                    }
                    Input::From(..) | Input::Session => {
                        let why = "`sed` runs the lines that it reads";
                        self.unclear(UnclearWhat::Program, why, Some(by));
                    }
                },
                SedCommand::RunsResult => {
                    let why = "the script of `sed` runs programs";
                    self.unclear(UnclearWhat::Program, why, Some(by));
                }
                SedCommand::Reads(_) | SedCommand::Writes(_) => {}
            }
        }
    }

    /// `ed` reads its commands from its input.
    pub(super) fn ed(&mut self, by: usize) {
        match self.input.clone() {
            Input::Text(lines) | Input::Piped(lines) => self.ex_commands("ed", &lines, by),
            Input::From(_, from, _) => {
                let why = format!("the commands that `ed` gets come from `{from}`");
                self.unclear(UnclearWhat::Program, why, Some(by));
            }
            Input::Session => {}
        }
    }

    /// The words `+COMMAND` of vi, and its input if it is no screen that it works on: `ex`, `vim -es`.
    pub(super) fn vi(&mut self, name: &str, args: &[Word], by: usize) {
        for word in args.iter().filter(|word| word.known_prefix().starts_with('+')) {
            self.ex_commands(name, &word.without_start(1), by);
        }
        let is_mode = |word: &Word| {
            word.known().is_some_and(|word| {
                word.starts_with('-') && !word.starts_with("--") && word.contains(['e', 'E', 's'])
            })
        };
        if name != "ex" && !args.iter().any(is_mode) {
            return;
        }
        if let Input::Text(lines) | Input::Piped(lines) = self.input.clone() {
            self.ex_commands(name, &lines, by);
        }
    }

    /// Commands of ed, ex or vim, one a line.
    pub(super) fn ex_commands(&mut self, name: &str, commands: &Word, by: usize) {
        for line in commands.written().lines() {
            match ex_command(line) {
                Runs::Nothing => {}
                Runs::Code(code) => self.carried_code(&Word::text(code), Some(by), name),
                Runs::Write(file) => self.opened("tee", &file, name),
                Runs::Read(file) => self.opened("cat", &file, name),
                Runs::Perhaps => {
                    let why = format!("the command `{line}` of `{name}` may run programs");
                    self.unclear(UnclearWhat::Program, why, Some(by));
                }
            }
        }
        if commands.has_unknown() {
            let why = format!("the commands that `{name}` gets are not known before it runs");
            self.unclear(UnclearWhat::Program, why, Some(by));
        }
    }
}

impl Walker<'_> {
    /// A file that a command of an editor opens: `tee FILE` and `cat FILE` do the same.
    fn opened(&mut self, program: &str, file: &str, by: &str) {
        self.carried_program(&[Word::text(program), Word::text(file)], by);
    }
}

/// The file of `w FILE`, `r FILE`, `e FILE`, `1,3w >> FILE`.
fn opened_file(line: &str) -> Option<Runs> {
    let range = |sign: char| sign.is_ascii_digit() || ":,.$%\'<>+-; \t".contains(sign);
    let (word, file) = line.trim_start_matches(range).split_once([' ', '\t'])?;
    let word = word.trim_end_matches('!');
    let file = file.trim_start_matches(['>', ' ', '\t']).trim_end();
    if file.is_empty() || file.contains(['|', '!']) {
        return None;
    }
    match word {
        "W" | "wq" | "x" | "xit" | "sav" | "saveas" | "up" | "update" => {
            Some(Runs::Write(file.to_owned()))
        }
        word if is_cut(word, "write") => Some(Runs::Write(file.to_owned())),
        word if is_cut(word, "read") || is_cut(word, "edit") || word == "E" => {
            Some(Runs::Read(file.to_owned()))
        }
        _ => None,
    }
}

/// What one command runs. A `!` runs the rest of the line if it stands at the beginning, behind a range of
/// lines, behind a bar, or behind `r` and `w `; behind another letter it means "by force".
fn ex_command(line: &str) -> Runs {
    for (at, _) in line.match_indices('!') {
        let before = line.get(..at).unwrap_or_default();
        let code = || Runs::Code(line.get(at + 1..).unwrap_or_default().to_owned());
        let start = before.rsplit('|').next().unwrap_or_default();
        let start = start.trim_start_matches(|sign: char| {
            sign.is_ascii_digit() || ":,.$%\'<>+-; \t".contains(sign)
        });
        let word = start.trim_end();
        let has_blank = word.len() < start.len();
        if word.is_empty() || is_cut(word, "read") {
            return code();
        }
        if has_blank && (is_cut(word, "write") || word.starts_with("sil") || is_cut(word, "edit")) {
            return code();
        }
        if word.starts_with(['g', 'v']) && word.contains('/') {
            return Runs::Perhaps;
        }
    }
    if let Some(opened) = opened_file(line) {
        return opened;
    }
    const OTHERS: &[&str] = &[
        "system(",
        "job_start",
        "termopen",
        "jobstart",
        "python",
        "py3",
        "lua ",
        "perl ",
        "ruby ",
        "terminal",
        "execute",
        "delete(",
        "writefile(",
        "rename(",
        "feedkeys(",
        "setfperm(",
    ];
    if OTHERS.iter().any(|other| line.contains(other)) { Runs::Perhaps } else { Runs::Nothing }
}

/// Whether a word is a command or the beginning of one: `r`, `re`, `read`.
fn is_cut(word: &str, command: &str) -> bool {
    !word.is_empty() && command.starts_with(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exclamation_mark_runs_a_program_where_no_force_is_meant() {
        for line in [
            "!rm x",
            ":!rm x",
            "%!rm x",
            "1,$!rm x",
            "r !rm x",
            "r!rm x",
            "0read !rm x",
            "w !rm x",
            "%w !rm x",
            "%s/a/b/|!rm x",
            "silent !rm x",
            ".!rm x",
            "'<,'>!rm x",
            "e !rm x",
        ] {
            assert_eq!(ex_command(line), Runs::Code("rm x".into()), "{line}");
        }
        for line in
            ["wq!", "q!", "w!", "e!", "%s/a/b!/", "a", "text with! it", "x", "set nu!", "1d"]
        {
            assert_eq!(ex_command(line), Runs::Nothing, "{line}");
        }
        assert_eq!(ex_command("w /etc/x"), Runs::Write("/etc/x".into()));
        assert_eq!(ex_command("1,$w! >> f"), Runs::Write("f".into()));
        assert_eq!(ex_command("0r .env"), Runs::Read(".env".into()));
        for line in ["g/x/!rm y", "call system('rm x')", "python3 import os", "execute '!' . x"] {
            assert_eq!(ex_command(line), Runs::Perhaps, "{line}");
        }
    }
}
