//! `sh -c CODE`, `sh file`, `… | sh`.

use super::project_scripts::Shell;
use super::redirects::is_standard_input;
use super::walk::Walker;
use crate::effects::UnclearWhat;
use crate::word::Word;

impl Walker<'_> {
    pub(super) fn shell(&mut self, name: &str, args: &[Word], by: usize, env: &[(String, Word)]) {
        let mut at = 0;
        let mut runs_code = false;
        let mut reads_input = false;
        let mut runs_nothing = false;
        while let Some(word) = args.get(at) {
            let start = word.known_prefix();
            let is_option = start.starts_with(['-', '+']);
            if !is_option {
                if word.known().is_none() && (word.splits() || start.is_empty()) && !runs_code {
                    // It may be `-c` as well as a file.
                    self.script(word, by);
                    return;
                }
                break;
            }
            at += 1;
            let Some(text) = word.known() else {
                let why = format!(
                    "`{name}` has the option `{}`, which is not known before it runs",
                    word.written()
                );
                self.unclear(UnclearWhat::Program, why, Some(by));
                continue;
            };
            match text.as_ref() {
                "--" | "-" => break,
                "--rcfile" | "--init-file" => {
                    if let Some(file) = args.get(at) {
                        self.script(&file.clone(), by);
                    }
                    at += 1;
                }
                "--version" | "--help" | "--dump-strings" | "--dump-po-strings" => return,
                long if long.starts_with("--") => {
                    if long == "--command" {
                        runs_code = true;
                    }
                }
                short => {
                    let sets = short.starts_with('-');
                    let letters = short.get(1..).unwrap_or_default();
                    runs_code |= sets && letters.contains('c');
                    reads_input |= sets && letters.contains('s');
                    runs_nothing |= sets && letters.contains('n');
                    // `-o pipefail`: the letter takes a word.
                    at += letters.chars().filter(|letter| matches!(letter, 'o' | 'O')).count();
                }
            }
        }
        let takes_name = runs_nothing
            || args.iter().take(at).any(|word| word.known().as_deref() == Some("noexec"));
        if takes_name {
            return;
        }
        let rest = args.get(at..).unwrap_or_default();
        match rest {
            [code, after @ ..] if runs_code => {
                let known = !after.iter().any(Word::splits);
                let positional = known.then(|| after.get(1..).unwrap_or_default().to_vec());
                let zero = after.first().cloned().or_else(|| Some(Word::text(name)));
                let more = self.runs.get(by).is_some_and(|run| run.more_args);
                let positional = positional.filter(|_| !more);
                let zero = zero.filter(|_| !more || !after.is_empty());
                self.run_by(name, |walker| {
                    walker.code_in_new_shell(code, by, zero, positional, env)
                });
            }
            [] if runs_code => {
                // `xargs sh -c`: the words come from elsewhere.
                if self.runs.get(by).is_some_and(|run| run.more_args) {
                    self.unclear(
                        UnclearWhat::Program,
                        format!("the code that `{name}` runs is not known"),
                        Some(by),
                    );
                }
            }
            [file, ..] if !reads_input => {
                if is_standard_input(file) {
                    self.code_from_input(by, true, env);
                } else {
                    let words = rest.get(1..).unwrap_or_default();
                    self.script_of_shell(file, by, Shell::New(words, env));
                }
            }
            _ => {
                let more = self.runs.get(by).is_some_and(|run| run.more_args);
                if more {
                    self.complete = false;
                }
                self.code_from_input(by, true, env);
            }
        }
    }
}
