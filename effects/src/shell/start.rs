//! A program is started: it is noted, and looked into if it runs others.

use super::code::quoted;
use super::names;
use super::roles::{self, Role};
use super::syntax::{MAX_DEPTH, Problem};
use super::walk::Walker;
use crate::effects::UnclearWhat;
use crate::run::{CodeFrom, Place, Redirect, Run};
use crate::word::Word;

/// How a program is started, besides its words.
#[derive(Debug, Clone, Default)]
pub(super) struct Launch {
    /// Variables for this run.
    pub(super) env: Vec<(String, Word)>,
    pub(super) redirects: Vec<Redirect>,
    /// Whether more words than the known ones follow.
    pub(super) more_args: bool,
}

impl Walker<'_> {
    /// Notes a program and goes through what it runs itself.
    pub(super) fn start(&mut self, words: Vec<Word>, launch: Launch) {
        if self.depth > MAX_DEPTH {
            self.unclear(UnclearWhat::Anything, Problem::Deep.why(), None);
            return;
        }
        self.depth += 1;
        self.start_here(words, launch);
        self.depth -= 1;
    }

    fn start_here(&mut self, words: Vec<Word>, launch: Launch) {
        let mut words = words.into_iter();
        let Some(program) = words.next() else {
            return;
        };
        let args: Vec<Word> = words.collect();
        if !self.spend(2 + args.len()) {
            return;
        }
        let mut run =
            Run { program, args, more_args: launch.more_args, env: launch.env, ..Run::default() };
        run.redirects = launch.redirects;
        let Some(name) = run.name() else {
            self.start_unknown(run);
            return;
        };
        run.renamed =
            self.state.all_renamed || self.state.renamed.contains(&name) || sets_path(&run.env);
        if run
            .program
            .known()
            .is_some_and(|path| self.fetched.iter().any(|file| same_file(file, &path)))
        {
            run.code_from = Some(CodeFrom::Network);
        }
        if self.state.renamed.contains(&name) {
            let why = format!("`{name}` has been given another meaning before");
            self.unclear(UnclearWhat::Program, why, Some(self.runs.len()));
        }
        let is_path = run.program.known_prefix().contains('/');
        let role = roles::of(&name, is_path);
        let args = match role {
            Role::Other => None,
            _ => Some(run.args.clone()),
        };
        let env = run.env.clone();
        let by = self.push_run(run);
        for (variable, value) in &env {
            self.variable_is_set(variable, value, Some(by));
        }
        let Some(args) = args else {
            self.unlisted_wrapper(by, &name);
            self.note_fetched(by);
            return;
        };
        match role {
            Role::Builtin(builtin) => self.builtin(builtin, &args, by, &env),
            Role::Shell => self.shell(&name, &args, by, &env),
            Role::Wrapper(wrapper) => self.wrapper(wrapper, &name, &args, by, &env),
            Role::Interpreter(interpreter) => self.interpreter(interpreter, &args, by),
            Role::Special(special) => self.special(special, &name, &args, by, &env),
            Role::Carrier | Role::Other => {
                self.carriers(&name, &args, by);
                self.note_fetched(by);
            }
        }
    }

    fn start_unknown(&mut self, run: Run) {
        let written = run.program.written();
        let from = self.source_of(&run.program);
        let by = self.push_run(run);
        if let (Some(from), Some(run)) = (from, self.runs.get_mut(by)) {
            run.code_from = Some(from);
        }
        let why = format!("{} is not known before it runs", quoted(&written));
        self.unclear(UnclearWhat::Program, why, Some(by));
    }

    /// An unknown program that gets the name of a dangerous one as a word may run it.
    fn unlisted_wrapper(&mut self, by: usize, name: &str) {
        if names::is_known(name) {
            return;
        }
        let Some(run) = self.runs.get(by) else { return };
        let Some(word) =
            run.args.iter().find_map(|word| word.known().filter(|word| names::is_dangerous(word)))
        else {
            return;
        };
        let why = format!("`{name}` may run `{word}`, which is one of its words");
        self.unclear(UnclearWhat::Program, why, Some(by));
    }

    /// Remembers the files that a download writes.
    fn note_fetched(&mut self, by: usize) {
        let Some(run) = self.runs.get(by) else { return };
        let from_network = match run.name().as_deref() {
            Some("curl" | "wget" | "http" | "xh" | "aria2c") => true,
            Some("tee" | "cat") => {
                matches!(self.input, super::walk::Input::From(CodeFrom::Network, _))
            }
            _ => return,
        };
        if !from_network {
            return;
        }
        let mut files: Vec<String> = Vec::new();
        files.extend(
            run.redirects.iter().filter_map(|redirect| redirect.target.known().map(Into::into)),
        );
        let mut words = run.args.iter();
        while let Some(word) = words.next() {
            let Some(text) = word.known() else { continue };
            if let Some((_, value)) = text.split_once('=').filter(|_| text.starts_with("--output"))
            {
                files.push(value.to_owned());
            } else if text.starts_with('-') && !text.starts_with("--") && text.ends_with(['o', 'O'])
                || text == "--output"
            {
                files.extend(words.clone().next().and_then(Word::known).map(Into::into));
                // `curl -O URL`: the last name of the address.
                files.extend(
                    words.clone().next().and_then(Word::known).and_then(|url| last_name(&url)),
                );
            } else if let Some(value) = text.strip_prefix("-o").or_else(|| text.strip_prefix("-O"))
            {
                files.push(value.to_owned());
            } else if run.name().as_deref() == Some("tee") {
                files.push(text.into_owned());
            } else if run.name().as_deref() == Some("wget") {
                files.extend(last_name(&text));
            }
        }
        self.fetched.extend(files);
        self.fetched.truncate(64);
    }

    /// Where a script comes from, if it was fetched before.
    pub(super) fn script_source(&self, script: &Word) -> Option<CodeFrom> {
        let path = script.known()?;
        self.fetched.iter().any(|file| same_file(file, &path)).then_some(CodeFrom::Network)
    }

    /// Goes through something that runs on another machine.
    pub(super) fn remotely(&mut self, go: impl FnOnce(&mut Self)) {
        let place = std::mem::replace(&mut self.place, Place::Remote);
        let complete = self.complete;
        self.in_subshell(|walker| {
            walker.change().cwd = None;
            walker.input = super::walk::Input::Session;
            go(walker);
        });
        // What is not known of the other machine leaves the programs of this one complete.
        self.complete = complete;
        self.place = place;
    }
}

fn sets_path(env: &[(String, Word)]) -> bool {
    env.iter().any(|(name, value)| name == "PATH" && changes_path(value))
}

/// Whether a value of `PATH` may give names another meaning: what comes first in it is neither the old
/// value nor a folder of the system.
pub(super) fn changes_path(value: &Word) -> bool {
    let written = value.written();
    let known = |folder: &str| {
        matches!(folder, "$PATH" | "${PATH}" | "/bin" | "/sbin")
            || matches!(
                folder,
                "/usr/bin"
                    | "/usr/sbin"
                    | "/usr/local/bin"
                    | "/usr/local/sbin"
                    | "/opt/homebrew/bin"
                    | "/snap/bin"
            )
    };
    for folder in written.split(':') {
        if matches!(folder, "$PATH" | "${PATH}") {
            return false;
        }
        if !known(folder) {
            return true;
        }
    }
    false
}

fn same_file(one: &str, other: &str) -> bool {
    let plain = |path: &str| path.trim_start_matches("./").to_owned();
    plain(one) == plain(other)
}

fn last_name(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next()?;
    let name = path.rsplit('/').next()?;
    (path.contains('/') && !name.is_empty()).then(|| name.to_owned())
}
