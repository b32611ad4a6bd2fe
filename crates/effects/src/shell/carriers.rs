//! Options and variables by which an ordinary program runs code.

use super::redirects::is_standard_input;
use super::start::Launch;
use super::walk::Walker;
use crate::effects::UnclearWhat;
use crate::programs::tar;
use crate::run::Origin;
use crate::word::Word;

mod debuggers;
mod editors;
mod git;
mod later;
mod patches;
mod sftp;
mod variables;

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
    ("lldb", "-o --one-line -O --one-line-before-file -k --one-line-on-crash"),
    ("ex", "-c --cmd"),
    ("vi", "-c --cmd"),
    ("vim", "-c --cmd"),
    ("nvim", "-c --cmd"),
    ("view", "-c --cmd"),
    ("vimdiff", "-c --cmd"),
    ("emacs", "--eval -eval --execute"),
    ("less", "-P"),
    ("cargo", "--config"),
    ("entr", "-c"),
    ("nodemon", "-x --exec"),
    ("chokidar", "-c --command"),
    ("bpftrace", "-c"),
    ("sbatch", "--wrap"),
    ("ansible", "-a --args"),
    ("repo", "-c"),
];

/// The programs with options that carry code.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    const OTHERS: &str = "git patch gpatch sed gsed ed red tmux screen make gmake at batch crontab socat less more expect curl scp sftp perf rr py-spy rename prename \
         file-rename perl-rename cmake gcc g++ cc c++ just capsh";
    OTHERS.split_ascii_whitespace().chain(CODE_OPTIONS.iter().map(|(program, _)| *program))
}

impl Walker<'_> {
    /// Options of a program that carry code.
    pub(super) fn carriers(&mut self, name: &str, args: &[Word], by: usize) {
        let written;
        let args = if name.ends_with("tar") {
            written = tar::new_style(args);
            &written
        } else {
            args
        };
        match name {
            "git" => self.git(args, by),
            "sed" | "gsed" => self.sed(by),
            "patch" | "gpatch" => self.patched(by),
            "ed" | "red" => self.ed(by),
            "ex" | "vi" | "vim" | "nvim" | "view" | "vimdiff" => self.vi(name, args, by),
            "make" | "gmake" => self.make(args, by),
            "tmux" | "screen" => self.terminal(name, args, by),
            "at" | "batch" => self.scheduled(name, args, by),
            "crontab" => self.crontab(args, by),
            "socat" => self.socat(args, by),
            "less" | "more" => self.pager(args, by),
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
            // The first word is an expression of Perl, or a plain text for the `rename` of util-linux.
            "rename" | "prename" | "file-rename" | "perl-rename" => {
                if let Some(code) = args.iter().find(|word| !word.known_prefix().starts_with('-')) {
                    self.foreign_code(by, code.clone());
                }
            }
            "cmake" => {
                if let [option, rest @ ..] = args
                    && option.known().as_deref() == Some("-E")
                {
                    self.carried_program(rest, "cmake -E");
                }
            }
            "gcc" | "g++" | "cc" | "c++" => {
                for code in values_of(args, "-wrapper") {
                    let words = code.written();
                    let words: Vec<Word> = words.split(',').map(Word::text).collect();
                    self.carried_program(&words, "gcc -wrapper");
                }
            }
            "scp" => self.ssh_options(args, by),
            "sftp" => {
                self.ssh_options(args, by);
                self.sftp(args, by);
            }
            "gdb" | "lldb" => self.debugged(name, args),
            "just" => {
                let is_command =
                    |word: &Word| matches!(word.known().as_deref(), Some("-c" | "--command"));
                if let Some(at) = args.iter().position(is_command) {
                    self.carried_program(args.get(at + 1..).unwrap_or_default(), "just --command");
                }
            }
            // What stands behind `--` are words of bash.
            "capsh" => {
                let is_end = |word: &Word| matches!(word.known().as_deref(), Some("--" | "=="));
                if let Some(at) = args.iter().position(is_end) {
                    let behind = args.get(at + 1..).unwrap_or_default();
                    let words: Vec<Word> =
                        std::iter::once(Word::text("bash")).chain(behind.iter().cloned()).collect();
                    self.carried_program(&words, "capsh");
                }
            }
            "perf" | "rr" | "py-spy" => self.watched(name, args),
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

    /// `less +!COMMAND`
    fn pager(&mut self, args: &[Word], by: usize) {
        for word in args {
            let start = word.known_prefix();
            let command = start.trim_start_matches('+');
            if let Some(code) = command.strip_prefix('!').filter(|_| command != start) {
                let code = word.without_start(start.len() - code.len());
                self.carried_code(&code, Some(by), "less +!");
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
        let from_input = |file: Word| {
            file.known().as_deref() == Some("-")
                || is_standard_input(&file)
                || file.written().starts_with("<(")
        };
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
            "ex" | "vi" | "vim" | "nvim" | "view" | "vimdiff" => {
                self.ex_commands(program, code, by)
            }
            "emacs" => self.foreign_code(by, code.clone()),
            "gdb" | "lldb" => {
                let shell = ["!", ":!", "shell ", "platform shell "]
                    .iter()
                    .find_map(|before| start.strip_prefix(before));
                if let Some(shell) = shell {
                    self.carried_code(
                        &code.without_start(start.len() - shell.len()),
                        Some(by),
                        &what,
                    );
                } else if start.contains("system")
                    || start.contains('!')
                    || start.contains("python")
                    || start.contains("script")
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
            "ansible" if self.only_asks_machines(code, by) => {}
            "ansible" => self.unclear(
                UnclearWhat::Program,
                "`ansible` runs code on other machines",
                Some(by),
            ),
            _ => self.carried_code(code, Some(by), &what),
        }
    }

    /// Whether `ansible` runs a module that changes nothing, and its arguments hold no code of a template, which would
    /// run here.
    fn only_asks_machines(&self, arguments: &Word, by: usize) -> bool {
        const ASK: [&str; 5] = ["ping", "setup", "debug", "stat", "gather_facts"];
        let args = self.runs.get(by).map_or(&[][..], |run| run.args.as_slice());
        let modules: Vec<Word> = ["-m", "--module-name"]
            .into_iter()
            .flat_map(|option| values_of(args, option))
            .collect();
        let asks = |module: &Word| {
            let module = module.known().unwrap_or_default();
            ASK.contains(&module.strip_prefix("ansible.builtin.").unwrap_or(&module))
        };
        !modules.is_empty()
            && modules.iter().all(asks)
            && arguments.known().is_some_and(|text| !text.contains("{{") && !text.contains("{%"))
    }

    pub(super) fn ssh_options(&mut self, args: &[Word], by: usize) {
        // `-qvoProxyCommand=…`: in a bundle the value stands behind the letter.
        let in_bundle = |word: &Word| {
            let (flags, _) = word.known_prefix().strip_prefix('-')?.split_once('o')?;
            let are_flags =
                !flags.is_empty() && flags.bytes().all(|sign| sign.is_ascii_alphanumeric());
            are_flags.then(|| word.without_start(flags.len() + 2))
        };
        for code in values_of(args, "-o").chain(args.iter().filter_map(in_bundle)) {
            let start = code.known_prefix().to_ascii_lowercase();
            for key in ["proxycommand", "localcommand", "knownhostscommand"] {
                if start.starts_with(key) {
                    self.carried_code(&code.without_start(key.len() + 1), Some(by), "ssh -o");
                }
            }
        }
    }

    /// Starts a program that an option carries as words.
    pub(super) fn carried_program(&mut self, words: &[Word], what: &str) {
        let origin = std::mem::replace(&mut self.origin, Origin::Carried);
        self.in_subshell(|walker| walker.start_by(what, words, Launch::default()));
        self.origin = origin;
    }
}

/// Whether a long option is the one that is asked for, perhaps cut: most programs take as much of a name as is
/// needed to tell it from others.
fn is_cut(written: &str, option: &str) -> bool {
    written == option || (written.len() >= "--xyz".len() && option.starts_with(written))
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
            let (name, attached) =
                start.split_once('=').map_or((start, false), |(name, _)| (name, true));
            if !is_cut(name, option) {
                return None;
            }
            return if attached {
                Some(word.without_start(name.len() + 1))
            } else {
                word.known().and_then(|_| args.get(place + 1)).cloned()
            };
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
