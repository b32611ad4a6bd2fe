//! Programs that the shell itself is: they change what it knows.

use super::project_scripts::Shell;
use super::redirects::is_standard_input;
use super::start::Launch;
use super::walk::{Input, Walker};
use crate::effects::UnclearWhat;
use crate::run::CodeFrom;
use crate::word::{Word, WordPart};

mod folders;
mod variables;

/// A builtin that the reader follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Builtin {
    Cd,
    Pushd,
    Popd,
    Alias,
    Unalias,
    Eval,
    Source,
    Trap,
    Exec,
    Command,
    Declare,
    Unset,
    Set,
    Shift,
    Read,
    Mapfile,
    Printf,
    Hash,
    Enable,
    Complete,
    Bind,
    Let,
}

impl Builtin {
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "cd" | "chdir" => Self::Cd,
            "pushd" => Self::Pushd,
            "popd" => Self::Popd,
            "alias" => Self::Alias,
            "unalias" => Self::Unalias,
            "eval" => Self::Eval,
            "source" | "." => Self::Source,
            "trap" => Self::Trap,
            "exec" => Self::Exec,
            "command" | "builtin" => Self::Command,
            "declare" | "typeset" | "local" | "readonly" | "export" => Self::Declare,
            "unset" => Self::Unset,
            "set" => Self::Set,
            "shift" => Self::Shift,
            "read" | "getopts" => Self::Read,
            "mapfile" | "readarray" => Self::Mapfile,
            "printf" => Self::Printf,
            "hash" => Self::Hash,
            "enable" => Self::Enable,
            "complete" | "compgen" => Self::Complete,
            "bind" => Self::Bind,
            "let" => Self::Let,
            _ => return None,
        })
    }
}

impl Walker<'_> {
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        args: &[Word],
        by: usize,
        env: &[(String, Word)],
    ) {
        if matches!(
            builtin,
            Builtin::Declare | Builtin::Unset | Builtin::Read | Builtin::Mapfile | Builtin::Printf
        ) {
            self.names_evaluated(args, by);
        }
        match builtin {
            Builtin::Cd => self.cd(args),
            Builtin::Pushd => self.pushd(args),
            Builtin::Popd => {
                let folder = self.change().folders.pop().flatten();
                self.change().cwd = folder.filter(|_| args.is_empty());
            }
            Builtin::Alias => self.alias(args),
            Builtin::Unalias => self.forget_names(args),
            Builtin::Let => {
                args.iter().for_each(|word| self.evaluated(word, Some(by)));
                self.forget_names(args);
            }
            Builtin::Eval => self.eval(args, by),
            Builtin::Source => self.source(args, by),
            Builtin::Trap => self.trap(args, by),
            Builtin::Exec | Builtin::Command => {
                if let Some(wrapper) = super::wrappers::table::find(if builtin == Builtin::Exec {
                    "exec"
                } else {
                    "command"
                }) {
                    let name = self.name_of(by);
                    self.wrapper(wrapper, &name, args, by, env);
                }
                self.status.may_have_ended |= builtin == Builtin::Exec && !args.is_empty();
            }
            Builtin::Declare => self.declare(args, by),
            Builtin::Unset => {
                for word in args {
                    match word.known() {
                        Some(name) => {
                            let state = self.change();
                            state.functions.remove(name.as_ref());
                            state.forget(&name);
                        }
                        None => self.change().forget_all(),
                    }
                }
            }
            Builtin::Set => self.set(args),
            Builtin::Shift => self.shift(args),
            Builtin::Read => self.read_names(args),
            Builtin::Mapfile => {
                self.forget_names(args);
                self.option_with_code(args, 'C', by, "mapfile -C");
            }
            Builtin::Printf => {
                if let [option, name, ..] = args
                    && option.known().is_some_and(|option| option.starts_with("-v"))
                {
                    self.forget_names(std::slice::from_ref(name));
                    self.forget_names(std::slice::from_ref(option));
                }
            }
            Builtin::Hash => {
                if let [option, _, names @ ..] = args
                    && option.known().as_deref() == Some("-p")
                {
                    let known =
                        names.iter().filter_map(Word::known).map(std::borrow::Cow::into_owned);
                    let known: Vec<String> = known.collect();
                    self.change().renamed.extend(known);
                }
            }
            Builtin::Enable => {
                if args.iter().any(|word| word.known_prefix().starts_with("-f")) {
                    self.change().all_renamed = true;
                    self.unclear(
                        UnclearWhat::Program,
                        "`enable -f` loads code from a file",
                        Some(by),
                    );
                }
            }
            Builtin::Complete => {
                self.option_with_code(args, 'C', by, "complete -C");
                let words = args.iter().position(|word| word.known().as_deref() == Some("-W"));
                if let Some(words) = words.and_then(|at| args.get(at + 1)) {
                    self.expanded_again(words, Some(by), "compgen -W");
                }
            }
            Builtin::Bind => self.option_with_code(args, 'x', by, "bind -x"),
        }
    }

    fn alias(&mut self, args: &[Word]) {
        for word in args {
            let written = word.written();
            if let Some((name, _)) = written.split_once('=') {
                // `alias ls='ls -l'` means the same program.
                let first = written
                    .get(name.len() + 1..)
                    .unwrap_or_default()
                    .split_ascii_whitespace()
                    .next();
                if first != Some(name) {
                    self.change().renamed.insert(name.to_owned());
                }
            }
        }
    }

    fn eval(&mut self, args: &[Word], by: usize) {
        let code = joined(args.iter());
        if self.is_shell_setup(&code) {
            return self.set_up_shell(by);
        }
        self.run_by("eval", |walker| walker.code(&code, by));
        if code.known().is_none() {
            self.change().forget_all();
        }
    }

    fn source(&mut self, args: &[Word], by: usize) {
        let Some(file) = args.iter().find(|word| word.known().as_deref() != Some("--")) else {
            return;
        };
        if self.is_shell_setup(file) {
            return self.set_up_shell(by);
        }
        let input = self.input.clone();
        if is_standard_input(file) {
            match input {
                Input::Text(code) | Input::Piped(code) => {
                    self.run_by("source", |walker| walker.code(&code, by))
                }
                _ => self.code_from_input(by, true, &[]),
            }
        } else {
            self.script_of_shell(file, by, Shell::This);
        }
        let cwd = self.state.cwd.clone();
        self.change().forget_all();
        // It sets variables, and leaves the folder as it is.
        if file.known().is_some_and(|file| file.ends_with("/bin/activate")) {
            self.change().cwd = cwd;
        }
    }

    /// Notes a file of shell code that runs: its content is not seen.
    pub(super) fn script(&mut self, file: &Word, by: usize) {
        self.complete = false;
        let from = self.source_of(file).or_else(|| self.script_source(file));
        let is_stream = file.parts.iter().any(
            |part| matches!(part, WordPart::Unknown { written, .. } if written.starts_with("<(")),
        );
        let is_descriptor = file.known_prefix().starts_with("/dev/fd/")
            || file.known_prefix().starts_with("/proc/");
        let name = self.name_of(by);
        if let Some(run) = self.runs.get_mut(by) {
            run.script = Some(file.clone());
            run.code_from = from.or((is_stream || is_descriptor).then_some(CodeFrom::Stdin));
        }
        if is_stream || is_descriptor || file.known().is_none() {
            let why = format!("the code that `{name}` runs comes from `{}`", file.written());
            self.unclear(UnclearWhat::Program, why, Some(by));
        }
        self.written_script(file, by);
    }

    fn option_with_code(&mut self, args: &[Word], letter: char, by: usize, what: &str) {
        let place = args.iter().position(|word| {
            let start = word.known_prefix();
            start.starts_with('-') && !start.starts_with("--") && start.ends_with(letter)
        });
        if let Some(code) = place.and_then(|place| args.get(place + 1)) {
            self.carried_code(code, Some(by), what);
        }
    }

    /// Starts a program that another one runs.
    pub(super) fn start_by(&mut self, name: &str, words: &[Word], launch: Launch) {
        self.run_by(name, |walker| walker.start(words.to_vec(), launch));
    }
}

/// Joins words by blanks into code.
pub(super) fn joined<'w>(words: impl Iterator<Item = &'w Word>) -> Word {
    let mut code = Word::default();
    for (place, word) in words.enumerate() {
        if place > 0 {
            code.push(WordPart::Text(" ".to_owned()));
        }
        word.parts.iter().for_each(|part| code.push(part.clone()));
    }
    code
}
