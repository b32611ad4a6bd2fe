//! Programs that run code later or in a terminal of their own: `tmux`, `at`, `crontab`, `socat`.

use super::super::builtins::joined;
use super::super::walk::{Input, Walker};
use super::values_of;
use crate::effects::UnclearWhat;
use crate::word::Word;

impl Walker<'_> {
    /// `tmux new-session CMD` and `send-keys`: what is typed there is code.
    pub(super) fn terminal(&mut self, name: &str, args: &[Word], by: usize) {
        // `tmux -c CODE` runs it in the default shell, in place of a session.
        if name == "tmux"
            && let [option, code, ..] = args
            && option.known().as_deref() == Some("-c")
        {
            self.carried_code(code, Some(by), "tmux -c");
            return;
        }
        let command = args.iter().position(|word| {
            matches!(
                word.known().as_deref(),
                Some(
                    "send-keys"
                        | "send"
                        | "new-session"
                        | "new"
                        | "new-window"
                        | "neww"
                        | "split-window"
                        | "splitw"
                        | "respawn-pane"
                        | "run-shell"
                        | "run"
                        | "if-shell"
                        | "pipe-pane"
                        | "stuff"
                        | "display-popup"
                )
            )
        });
        let rest = match command {
            Some(at) => args.get(at + 1..).unwrap_or_default(),
            None if name == "screen" => args,
            None => return,
        };
        // Letters of options with a value, which may end a bundle: `-ds name`.
        const VALUES: [char; 11] = ['t', 's', 'n', 'c', 'x', 'y', 'e', 'F', 'S', 'p', 'l'];
        let mut operands = Vec::new();
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            match word.known().as_deref() {
                Some(text) if text.starts_with('-') && text.ends_with(VALUES) => {
                    words.next();
                }
                Some("Enter" | "C-m" | "ENTER" | "Space") => {}
                Some(text) if text.starts_with('-') => {}
                _ => operands.push(word.clone()),
            }
        }
        if !operands.is_empty() {
            self.carried_code(&joined(operands.iter()), Some(by), name);
        }
    }

    /// `at` and `batch` run their input later.
    pub(super) fn scheduled(&mut self, name: &str, args: &[Word], by: usize) {
        let lists = args
            .iter()
            .any(|word| matches!(word.known().as_deref(), Some("-l" | "-r" | "-d" | "-c" | "-V")));
        if lists {
            return;
        }
        match (values_of(args, "-f").next(), self.input.clone()) {
            (Some(file), _) => {
                if let Some(run) = self.runs.get_mut(by) {
                    run.script = Some(file);
                }
            }
            (None, Input::Text(code) | Input::Piped(code)) => {
                self.carried_code(&code, Some(by), name)
            }
            (None, _) => self.unclear(
                UnclearWhat::Program,
                format!("the code that `{name}` runs later is not known"),
                Some(by),
            ),
        }
    }

    /// `crontab -` takes lines with a time and code.
    pub(super) fn crontab(&mut self, args: &[Word], by: usize) {
        let reads = args.iter().any(|word| word.known().as_deref() == Some("-"));
        if !reads {
            return;
        }
        let (Input::Text(lines) | Input::Piped(lines)) = self.input.clone() else {
            self.unclear(
                UnclearWhat::Program,
                "the code that `crontab` runs later is not known",
                Some(by),
            );
            return;
        };
        for line in lines.written().lines() {
            let line = line.trim_start();
            let fields = if line.starts_with('@') { 1 } else { 5 };
            let mut code = line;
            for _ in 0..fields {
                code = code
                    .split_once([' ', '\t'])
                    .map(|(_, after)| after.trim_start())
                    .unwrap_or_default();
            }
            if !line.starts_with('#') && !code.is_empty() {
                self.carried_code(&Word::text(code), Some(by), "crontab");
            }
        }
    }

    /// `socat … EXEC:…` and `SYSTEM:…`.
    pub(super) fn socat(&mut self, args: &[Word], by: usize) {
        for word in args {
            let start = word.known_prefix().to_owned();
            let upper = start.to_ascii_uppercase();
            for key in ["EXEC:", "SYSTEM:", "SHELL:"] {
                if upper.starts_with(key) {
                    let code = word.without_start(key.len());
                    // Options of the address follow after a comma.
                    let code = match code.known() {
                        Some(text) => Word::text(
                            text.split(',').next().unwrap_or_default().trim_matches(['\'', '"']),
                        ),
                        None => code,
                    };
                    self.carried_code(&code, Some(by), "socat");
                }
            }
        }
    }
}
