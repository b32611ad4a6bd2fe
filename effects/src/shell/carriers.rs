//! Options and variables by which an ordinary program runs code.

use super::start::Launch;
use super::walk::Walker;
use crate::effects::UnclearWhat;
use crate::run::Origin;
use crate::word::Word;

mod debuggers;
mod git;
mod later;
mod variables;

pub(super) use git::GIT;

/// Options of ordinary programs whose value is code: the program, its options, whether the value may be
/// cut off by a sign (`exec=` of tar).
const CODE_OPTIONS: &[(&str, &str)] = &[
    (
        "tar",
        "--to-command --use-compress-program -I --info-script --new-volume-script -F --rsh-command --checkpoint-action",
    ),
    (
        "gtar",
        "--to-command --use-compress-program -I --info-script --new-volume-script -F --rsh-command --checkpoint-action",
    ),
    ("bsdtar", "--use-compress-program"),
    ("rsync", "-e --rsh"),
    ("zip", "-TT --unzip-command"),
    ("sort", "--compress-program"),
    ("rg", "--pre --hostname-bin"),
    ("man", "-P --pager -H --html"),
    ("scp", "-S -oProxyCommand"),
    ("sftp", "-S"),
    ("wget", "--use-askpass --rejected-command"),
    ("ncat", "-e --exec -c --sh-exec"),
    ("nc", "-e -c"),
    ("netcat", "-e -c"),
    ("tcpdump", "-z"),
    ("split", "--filter"),
    ("gdb", "-ex -iex -eval-command"),
    ("vim", "-c --cmd"),
    ("vi", "-c --cmd"),
    ("nvim", "-c --cmd"),
    ("emacs", "--eval"),
    ("less", "-P"),
    ("cargo", "--config"),
    ("entr", "-c"),
    ("nodemon", "-x --exec"),
    ("ansible", "-a --args"),
];

/// The programs with options that carry code.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    const OTHERS: &str =
        "git sed gsed tmux screen make gmake at batch crontab socat expect curl scp sftp perf rr";
    OTHERS.split_ascii_whitespace().chain(CODE_OPTIONS.iter().map(|(program, _)| *program))
}

impl Walker<'_> {
    /// Options of a program that carry code.
    pub(super) fn carriers(&mut self, name: &str, args: &[Word], by: usize) {
        match name {
            "git" => self.git(args, by),
            "sed" | "gsed" => self.sed(args, by),
            "make" | "gmake" => self.make(args, by),
            "tmux" | "screen" => self.terminal(name, args, by),
            "at" | "batch" => self.scheduled(name, args, by),
            "crontab" => self.crontab(args, by),
            "socat" => self.socat(args, by),
            "expect" => self.unclear(
                UnclearWhat::Program,
                "the code that `expect` runs is not read",
                Some(by),
            ),
            "curl" => {
                for (place, word) in args.iter().enumerate() {
                    if matches!(word.known().as_deref(), Some("-K" | "--config")) {
                        let file = args.get(place + 1).map(Word::written).unwrap_or_default();
                        let why = format!("`curl` takes its options from `{file}`");
                        self.unclear(UnclearWhat::Words, why, Some(by));
                    }
                }
            }
            "scp" | "sftp" => self.ssh_options(args, by),
            "gdb" => self.debugged(args),
            "perf" | "rr" => self.watched(name, args),
            _ => {}
        }
        for (program, options) in CODE_OPTIONS.iter().filter(|(program, _)| *program == name) {
            for option in options.split_ascii_whitespace() {
                for code in values_of(args, option) {
                    self.code_option(program, option, &code, by);
                }
            }
        }
    }

    fn make(&mut self, args: &[Word], by: usize) {
        for word in args {
            if word.known_prefix().starts_with("SHELL=") {
                let shell = word.without_start("SHELL=".len());
                self.carried_code(&shell, Some(by), "make SHELL=");
            } else if word.known_prefix().starts_with("--eval") {
                let why = "`make --eval` runs code that is not read";
                self.unclear(UnclearWhat::Program, why, Some(by));
            }
        }
        let files = ["-f", "--file", "--makefile"].map(|option| values_of(args, option));
        let from_input = |file: Word| matches!(file.known().as_deref(), Some("-" | "/dev/stdin"));
        if files.into_iter().flatten().any(from_input) {
            let why = "`make` takes its rules from standard input, and runs their commands";
            self.unclear(UnclearWhat::Program, why, Some(by));
        }
    }

    fn code_option(&mut self, program: &str, option: &str, code: &Word, by: usize) {
        let what = format!("{program} {option}");
        let start = code.known_prefix().to_owned();
        match program {
            "tar" | "gtar" if option == "--checkpoint-action" => {
                if let Some(action) = start.strip_prefix("exec=") {
                    self.carried_code(
                        &code.without_start(start.len() - action.len()),
                        Some(by),
                        &what,
                    );
                }
            }
            "vim" | "vi" | "nvim" | "gdb" | "emacs" => {
                let shell = start
                    .strip_prefix('!')
                    .or_else(|| start.strip_prefix("shell "))
                    .or_else(|| start.strip_prefix(":!"));
                if let Some(shell) = shell {
                    self.carried_code(
                        &code.without_start(start.len() - shell.len()),
                        Some(by),
                        &what,
                    );
                } else if start.contains("system")
                    || start.contains('!')
                    || start.contains("python")
                    || code.has_unknown()
                {
                    self.unclear(
                        UnclearWhat::Program,
                        format!("`{what}` may run programs"),
                        Some(by),
                    );
                }
            }
            "cargo" => {
                if ["runner", "linker", "rustc", "wrapper", "alias"]
                    .iter()
                    .any(|key| start.contains(key))
                {
                    self.unclear(
                        UnclearWhat::Program,
                        format!("`{what}` may run programs"),
                        Some(by),
                    );
                }
            }
            "less" => {}
            "ansible" => self.unclear(
                UnclearWhat::Program,
                "`ansible` runs code on other machines",
                Some(by),
            ),
            _ => self.carried_code(code, Some(by), &what),
        }
    }

    pub(super) fn ssh_options(&mut self, args: &[Word], by: usize) {
        for code in values_of(args, "-o") {
            let start = code.known_prefix().to_ascii_lowercase();
            for key in ["proxycommand", "localcommand", "knownhostscommand"] {
                if start.starts_with(key) {
                    self.carried_code(&code.without_start(key.len() + 1), Some(by), "ssh -o");
                }
            }
        }
    }

    /// `sed 1e…` and `s/…/…/e` run what they match.
    fn sed(&mut self, args: &[Word], by: usize) {
        let runs = args.iter().filter(|word| !word.known_prefix().starts_with("--")).any(|word| {
            let written = word.written();
            let script = written.trim_matches(|sign: char| sign == '\'' || sign == '"');
            let substitutes = script.starts_with('s')
                && script.rsplit(['/', '|', '#', ',', '@']).next().is_some_and(|flags| {
                    flags.contains('e')
                        && flags.len() <= 4
                        && flags.chars().all(|flag| "egipmIM0123456789w".contains(flag))
                });
            let executes = script.trim_start_matches(|sign: char| {
                sign.is_ascii_digit() || sign == '$' || sign == ','
            });
            substitutes || (executes.starts_with("e ") || (executes == "e" && script != "e"))
        });
        if runs {
            self.unclear(UnclearWhat::Program, "the script of `sed` runs programs", Some(by));
        }
    }

    /// Starts a program that an option carries as words.
    pub(super) fn carried_program(&mut self, words: &[Word], what: &str) {
        let origin = std::mem::replace(&mut self.origin, Origin::Carried);
        self.in_subshell(|walker| walker.start_by(what, words, Launch::default()));
        self.origin = origin;
    }
}

/// The values of an option, long or short, wherever it stands before `--`.
pub(super) fn values_of<'w>(args: &'w [Word], option: &'w str) -> impl Iterator<Item = Word> + 'w {
    let before_end =
        args.iter().position(|word| word.known().as_deref() == Some("--")).unwrap_or(args.len());
    args.iter().take(before_end).enumerate().filter_map(move |(place, word)| {
        let start = word.known_prefix();
        if start == option && word.known().is_some() {
            return args.get(place + 1).cloned();
        }
        let is_long = option.starts_with("--");
        if is_long {
            let rest = start.strip_prefix(option)?;
            return rest.starts_with('=').then(|| word.without_start(option.len() + 1));
        }
        if option.len() == 2 && start.starts_with(option) {
            return Some(word.without_start(2));
        }
        // `-le sh`: the letter ends a bundle.
        let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1)?;
        let is_bundle =
            start.starts_with('-') && !start.starts_with("--") && start.ends_with(letter);
        (is_bundle && word.known().is_some()).then(|| args.get(place + 1).cloned()).flatten()
    })
}
