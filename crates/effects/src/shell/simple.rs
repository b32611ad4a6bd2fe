//! Simple commands: assignments, functions, programs.

use std::rc::Rc;

use super::names;
use super::redirects::output;
use super::start::Launch;
use super::state::Variable;
use super::syntax::tree::{Assignment, Redirect, Simple};
use super::walk::{Input, Walker};
use crate::effects::UnclearWhat;
use crate::run::{CodeFrom, Origin};
use crate::word::Word;

impl Walker<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, redirects: &[Redirect]) {
        let input = self.input.clone();
        if simple.words.is_empty() {
            simple.assignments.iter().for_each(|assignment| self.assign(assignment));
            let redirects = self.redirects(redirects);
            self.keep_loose(redirects);
            self.input = input;
            return;
        }
        let mut launch = Launch::default();
        for assignment in &simple.assignments {
            let value = match self.assigned(assignment) {
                Variable::Text(word) => word,
                _ => Word::unknown(format!("${}", assignment.name), false),
            };
            launch.env.push((assignment.name.clone(), value));
        }
        let mut words = Vec::with_capacity(simple.words.len());
        for word in &simple.words {
            self.fields(word, &mut words);
        }
        self.keep_outer_values(&words, &simple.declared);
        for assignment in &simple.declared {
            self.assign(assignment);
        }
        launch.redirects = self.redirects(redirects);
        launch.output = output(redirects);
        let changes_shell = is_exec_alone(&words);
        if words.is_empty() {
            // Everything expanded to nothing.
            self.keep_loose(launch.redirects);
        } else if !self.call(&words, &mut launch) {
            self.start(words, launch);
        }
        // `exec < file` in a function or in `eval` holds behind it, too.
        if changes_shell {
            self.replace_input(&input);
        } else if !redirects.is_empty() {
            self.input = input;
        }
    }

    /// Keeps what `exec < file` has made the standard input of the shell: what is left of it when a later program
    /// reads it is not known.
    fn replace_input(&mut self, before: &Input) {
        let is_text = match &self.input {
            Input::Text(text) => !text.parts.is_empty(),
            input => matches!(input, Input::Piped(_)),
        };
        if is_text && self.input != *before {
            let what = "what `exec` made its standard input".to_owned();
            self.input = Input::From(CodeFrom::Stdin, what, None);
        }
    }

    /// In a function `local x=…` hides a variable until the function ends.
    fn keep_outer_values(&mut self, words: &[Word], declared: &[Assignment]) {
        let name = words.first().and_then(Word::known).unwrap_or_default();
        let is_local = match name.as_ref() {
            "local" => true,
            "declare" | "typeset" => {
                !words.iter().any(|word| word.known().as_deref() == Some("-g"))
            }
            _ => false,
        };
        if self.active.is_empty() || !is_local {
            return;
        }
        let plain = words.iter().skip(1).filter_map(Word::known).map(Into::into);
        let names: Vec<String> =
            plain.chain(declared.iter().map(|assignment| assignment.name.clone())).collect();
        for name in names {
            let value = self.state.variables.get(&name).cloned();
            self.locals.entry(name).or_insert(value);
        }
    }

    /// Goes through a function, if the first word names one.
    fn call(&mut self, words: &[Word], launch: &mut Launch) -> bool {
        if self.state.functions.is_empty() {
            return false;
        }
        let name = words.first().and_then(Word::known).unwrap_or_default().into_owned();
        let Some(body) = self.state.functions.get(&name).map(Rc::clone) else {
            self.not_found(&name);
            return false;
        };
        let uncertain = self.state.uncertain_functions.contains(&name);
        if self.active.iter().any(|(active, _)| *active == name) {
            // Its programs are known already, and its name stands for them.
            self.calls_itself(&name);
            return false;
        }
        if uncertain {
            let why = format!("`{name}` is a function only if a branch before it runs");
            self.unclear(UnclearWhat::Program, why, None);
        }
        for (name, value) in std::mem::take(&mut launch.env) {
            self.change().assign(&name, Variable::Text(value));
        }
        let redirects = std::mem::take(&mut launch.redirects);
        self.keep_loose(redirects);
        let arguments = words.get(1..).unwrap_or_default();
        let known = arguments.iter().all(|word| !word.splits());
        let positional = known.then(|| arguments.to_vec());
        let outer = std::mem::replace(&mut self.change().positional, positional);
        let outer_locals = std::mem::take(&mut self.locals);
        self.called(name, |walker| walker.command(&body));
        for (name, value) in std::mem::replace(&mut self.locals, outer_locals) {
            let variables = &mut self.change().variables;
            match value {
                Some(value) => variables.insert(name, value),
                None => variables.remove(&name),
            };
        }
        self.change().positional = outer;
        // With an uncertain function the program may run as well.
        !uncertain
    }

    /// A program that nobody knows may not be there: then bash calls a function that says so.
    fn not_found(&mut self, name: &str) {
        const HANDLER: &str = "command_not_found_handle";
        let is_program = name.is_empty() || name.contains('/') || names::is_known(name);
        if is_program || self.active.iter().any(|(active, _)| active == HANDLER) {
            return;
        }
        if let Some(body) = self.state.functions.get(HANDLER).map(Rc::clone) {
            let origin = std::mem::replace(&mut self.origin, Origin::Carried);
            self.in_subshell(|walker| {
                walker.called(HANDLER.to_owned(), |walker| walker.command(&body));
            });
            self.origin = origin;
        }
    }
}

/// Whether the redirections of a command are those of the shell: `exec < file`.
fn is_exec_alone(words: &[Word]) -> bool {
    let is = |word: &Word, names: &[&str]| word.known().is_some_and(|word| names.contains(&&*word));
    words.split_last().is_some_and(|(last, before)| {
        is(last, &["exec"]) && before.iter().all(|word| is(word, &["builtin", "command"]))
    })
}
