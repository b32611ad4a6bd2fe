//! Options and variables by which an ordinary program runs code.

use super::builtins::joined;
use super::start::{Launch, changes_path};
use super::walk::{Input, Walker};
use crate::effects::UnclearWhat;
use crate::run::Origin;
use crate::word::Word;

mod git;

/// Variables whose value is code that some program runs later.
const CODE_VARIABLES: &str = "GIT_SSH_COMMAND GIT_SSH GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF \
    GIT_ASKPASS GIT_PROXY_COMMAND SSH_ASKPASS SUDO_ASKPASS PAGER MANPAGER SYSTEMD_PAGER AWS_PAGER GH_PAGER BAT_PAGER \
    EDITOR VISUAL KUBE_EDITOR SUDO_EDITOR FCEDIT LESSOPEN LESSCLOSE PROMPT_COMMAND RSYNC_RSH CVS_RSH RUSTC_WRAPPER \
    RUSTC_WORKSPACE_WRAPPER BROWSER NPM_CONFIG_SCRIPT_SHELL npm_config_script_shell GIT_TEMPLATE_COMMAND CARGO_BUILD_RUSTC_WRAPPER";

/// Variables by which code is loaded that is not seen.
const LOADING_VARIABLES: &str = "LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH BASH_ENV \
    ENV PYTHONSTARTUP PERL5DB GCONV_PATH GIT_EXEC_PATH GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT \
    GIT_CONFIG_PARAMETERS GIT_TEMPLATE_DIR ZDOTDIR INPUTRC PYTHONHOME";

/// Variables with options of a program, and what in them runs code.
const OPTION_VARIABLES: &[(&str, &[&str])] = &[
    (
        "NODE_OPTIONS",
        &["--require", "-r ", "--import", "--loader", "--eval", "-e ", "--experimental-loader"],
    ),
    ("PERL5OPT", &["-M", "-m", "-I"]),
    ("PERL5LIB", &["/"]),
    ("RUBYOPT", &["-r", "-I"]),
    ("RUBYLIB", &["/"]),
    ("PYTHONPATH", &["/tmp", "/dev", "/var"]),
    ("NODE_PATH", &["/tmp", "/dev", "/var"]),
    ("JAVA_TOOL_OPTIONS", &["-agent", "-javaagent", "-XX:OnError", "-Xrun", "@"]),
    ("_JAVA_OPTIONS", &["-agent", "-javaagent", "-XX:OnError", "-Xrun", "@"]),
    ("JDK_JAVA_OPTIONS", &["-agent", "-javaagent", "-XX:OnError", "-Xrun", "@"]),
    ("MAKEFLAGS", &["SHELL", "--eval", "-f"]),
    ("TAR_OPTIONS", &["command", "exec", "program", "-I", "-F", "--info-script"]),
    ("RUSTFLAGS", &["linker"]),
    ("PS4", &["$(", "`"]),
    ("PS1", &["$(", "`"]),
];

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
        "git sed gsed tmux screen make gmake at batch crontab socat expect curl scp sftp";
    OTHERS.split_ascii_whitespace().chain(CODE_OPTIONS.iter().map(|(program, _)| *program))
}

impl Walker<'_> {
    /// A variable is set, for one run or for the shell: its value may be code.
    pub(super) fn variable_is_set(&mut self, name: &str, value: &Word, by: Option<usize>) {
        // Nearly all variables begin with none of the letters below or are short.
        let has = |list: &str| list.split_ascii_whitespace().any(|known| known == name);
        if name == "PATH" {
            if by.is_none() && changes_path(value) {
                self.change().all_renamed = true;
            }
            return;
        }
        if has(CODE_VARIABLES) {
            if value.known().as_deref() != Some("0") {
                self.carried_code(value, by, name);
            }
        } else if has(LOADING_VARIABLES) {
            if value.known().as_deref() != Some("")
                && !matches!(value.known().as_deref(), Some("/dev/null"))
            {
                self.loads(name, value, by);
            }
        } else if let Some((_, signs)) = OPTION_VARIABLES.iter().find(|(known, _)| *known == name) {
            let written = value.written();
            if signs.iter().any(|sign| written.contains(sign)) {
                self.loads(name, value, by);
            }
        }
    }

    fn loads(&mut self, name: &str, value: &Word, by: Option<usize>) {
        let why = format!("`{name}={}` may load code that is not seen", value.written());
        self.unclear(UnclearWhat::Program, why, by);
    }

    /// Options of a program that carry code.
    pub(super) fn carriers(&mut self, name: &str, args: &[Word], by: usize) {
        match name {
            "git" => self.git(args, by),
            "sed" | "gsed" => self.sed(args, by),
            "make" | "gmake" => {
                for word in args {
                    if let Some(code) = word.known_prefix().strip_prefix("SHELL=") {
                        let _ = code;
                        self.carried_code(
                            &word.without_start("SHELL=".len()),
                            Some(by),
                            "make SHELL=",
                        );
                    } else if word.known_prefix().starts_with("--eval") {
                        self.unclear(
                            UnclearWhat::Program,
                            "`make --eval` runs code that is not read",
                            Some(by),
                        );
                    }
                }
            }
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

    /// `tmux new-session CMD` and `send-keys`: what is typed there is code.
    fn terminal(&mut self, name: &str, args: &[Word], by: usize) {
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
    fn scheduled(&mut self, name: &str, args: &[Word], by: usize) {
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
    fn crontab(&mut self, args: &[Word], by: usize) {
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
    fn socat(&mut self, args: &[Word], by: usize) {
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
