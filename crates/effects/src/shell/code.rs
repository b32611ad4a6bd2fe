//! Code that stands in a word: `eval`, `sh -c`, `trap`, what is piped into a shell.

use std::rc::Rc;

use super::expand::MOST_COMPUTED;
use super::state::{State, Variable};
use super::status::names_dot_names;
use super::syntax::{self, MAX_DEPTH, MAX_LENGTH};
use super::walk::{Input, Walker};
use crate::effects::UnclearWhat;
use crate::run::{CodeFrom, Origin, Place};
use crate::word::{Word, WordPart};

/// The beginning of the variables that stand in code for what is not known of it. A number follows:
/// the place in [`Walker::holes`].
pub(super) const HOLE: &str = "__not_known";

impl Walker<'_> {
    /// Goes through code in this shell. `by` is the run that runs it.
    pub(super) fn code(&mut self, code: &Word, by: usize) {
        let mut text = String::new();
        let mut holes = Vec::new();
        for part in &code.parts {
            match part {
                WordPart::Text(known) | WordPart::Glob(known) => text.push_str(known),
                WordPart::Unknown { written, .. } => {
                    holes.push(written.as_str());
                    text.push_str(&format!("${{{HOLE}{}}}", self.holes.len()));
                    self.holes.push(written.clone());
                }
            }
        }
        let name = self.name_of(by);
        // The number of a process, or nothing, is no code.
        if let Some(hole) = holes.iter().find(|hole| !matches!(**hole, "$!" | "${!}")) {
            if let (Some(from), Some(run)) = (self.source_of(code), self.runs.get_mut(by)) {
                run.code_from = Some(from);
            }
            let why = format!(
                "the code that `{name}` runs holds {}, which is not known before it runs",
                quoted(hole)
            );
            self.unclear(UnclearWhat::Program, why, Some(by));
        }
        let is_computed = self.computed.iter().any(|computed| text.contains(computed.as_str()));
        if is_computed || self.computed.len() >= MOST_COMPUTED {
            let why = format!("the code that `{name}` runs is computed by another program");
            self.unclear(UnclearWhat::Program, why, Some(by));
        }
        if text.len() > MAX_LENGTH || self.depth >= MAX_DEPTH || !self.spend(64 + text.len()) {
            self.unclear(UnclearWhat::Program, syntax::Problem::Deep.why(), Some(by));
            return;
        }
        self.depth += 1;
        self.text(&text);
        self.depth -= 1;
    }

    /// Goes through something that the program `name` runs.
    pub(super) fn run_by(&mut self, name: &str, go: impl FnOnce(&mut Self)) {
        self.via.push(name.to_owned());
        go(self);
        self.via.pop();
    }

    /// Goes through code in a new shell with its own variables and arguments.
    pub(super) fn code_in_new_shell(
        &mut self,
        code: &Word,
        by: usize,
        zero: Option<Word>,
        positional: Option<Vec<Word>>,
        env: &[(String, Word)],
    ) {
        let old = &self.state;
        let mut state = State {
            cwd: old.cwd.clone(),
            doubtful: old.doubtful.clone(),
            all_renamed: old.all_renamed,
            own_path: old.own_path,
            zero,
            positional,
            variables: old
                .variables
                .iter()
                .filter(|(name, _)| old.exported.contains(*name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            exported: old.exported.clone(),
            // `bash -O dotglob -c …`
            dot_names: self.runs.get(by).is_some_and(|run| names_dot_names(&run.args)),
            ..State::default()
        };
        for (name, value) in env {
            state.assign(name, Variable::Text(value.clone()));
        }
        self.in_subshell(|walker| {
            walker.state = Rc::new(state);
            walker.code(code, by);
        });
    }

    /// Goes through code that an option or a variable carries.
    pub(super) fn carried_code(&mut self, code: &Word, by: Option<usize>, what: &str) {
        if code.known().is_none() {
            let why = format!(
                "`{what}` runs {}, which is not known before it runs",
                quoted(&code.written())
            );
            self.unclear(UnclearWhat::Program, why, by);
        }
        let text = code.known().unwrap_or_default().into_owned();
        if text.trim().is_empty() {
            return;
        }
        let origin = std::mem::replace(&mut self.origin, Origin::Carried);
        self.run_by(what, |walker| {
            walker.in_subshell(|walker| {
                if walker.depth < MAX_DEPTH && walker.spend(64 + text.len()) {
                    walker.depth += 1;
                    walker.text(&text);
                    walker.depth -= 1;
                } else {
                    walker.unclear(UnclearWhat::Program, syntax::Problem::Deep.why(), by);
                }
            });
        });
        self.origin = origin;
    }

    /// Notes that a program runs code from its standard input, or goes through that code if it is known.
    pub(super) fn code_from_input(&mut self, by: usize, is_shell: bool, env: &[(String, Word)]) {
        let name = self.name_of(by);
        match self.input.clone() {
            Input::Text(code) | Input::Piped(code) if is_shell => {
                let left = "what is left of that text".to_owned();
                let outer =
                    std::mem::replace(&mut self.input, Input::From(CodeFrom::Stdin, left, None));
                self.run_by(&name, |walker| walker.code_in_new_shell(&code, by, None, None, env));
                self.input = outer;
            }
            Input::Text(code) | Input::Piped(code) => {
                // Whether the interpreter gets all of it and nothing else is not sure with a pipe.
                self.complete &= !matches!(self.input, Input::Piped(_));
                if code.has_unknown() {
                    let why = format!("the code that `{name}` runs is not known before it runs");
                    self.unclear(UnclearWhat::Program, why, Some(by));
                }
                self.foreign_code(by, code);
            }
            Input::From(from, source, _) => {
                if let Some(run) = self.runs.get_mut(by) {
                    run.code_from = Some(from);
                }
                let why = format!("the code that `{name}` runs comes from {}", quoted(&source));
                self.unclear(UnclearWhat::Program, why, Some(by));
            }
            // What is typed later is a call of its own.
            Input::Session if !is_shell || !self.may_be_fed(by) => {}
            Input::Session => {
                if let Some(run) = self.runs.get_mut(by) {
                    run.code_from = Some(CodeFrom::Stdin);
                }
                let why = format!("the code that `{name}` runs comes from its standard input");
                self.unclear(UnclearWhat::Program, why, Some(by));
            }
        }
    }

    /// Whether somebody may write to a shell that this line does not write to: not to one in a container or on another
    /// machine, nor to one that stands in the line with nothing about it. One of another user may be there to be used.
    fn may_be_fed(&self, by: usize) -> bool {
        let stands_alone = self.via.iter().all(|via| via == "exec")
            && self.runs.get(by).is_some_and(|run| run.redirects.is_empty() && !run.more_args);
        self.place != Place::Remote && !stands_alone
    }
}

/// A piece of the command in backticks, for a sentence.
pub(super) fn quoted(text: &str) -> String {
    format!("`{text}`")
}
