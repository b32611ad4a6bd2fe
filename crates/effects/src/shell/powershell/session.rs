//! Goes through PowerShell that was read, in the order of its text.

use std::collections::{BTreeMap, BTreeSet};

use super::super::code::HOLE;
use super::super::start::Launch;
use super::super::syntax::MAX_DEPTH;
use super::super::walk::{Input, Walker};
use super::bind::{Given, bind};
use super::commands;
use super::paths;
use super::syntax;
use super::tree::{Argument, Block, Element, Expression, Kind, Statement};
use crate::effects::UnclearWhat;
use crate::run::{Origin, Redirect, RedirectKind, Run};
use crate::word::{Word, WordPart};

/// A PowerShell that goes through code.
pub(super) struct Session<'w, 'a> {
    pub(super) walker: &'w mut Walker<'a>,
    /// Variables with a known value.
    pub(super) variables: BTreeMap<String, Vec<Word>>,
    pub(super) functions: BTreeSet<String>,
    /// In how many blocks this is that may run or not.
    inside: usize,
}

impl<'w, 'a> Session<'w, 'a> {
    pub(super) fn new(walker: &'w mut Walker<'a>) -> Self {
        let (variables, functions) = (BTreeMap::new(), BTreeSet::new());
        Self { walker, variables, functions, inside: 0 }
    }

    pub(super) fn home(&self) -> Option<String> {
        self.walker.around.home.as_deref().map(paths::folder)
    }

    /// Goes through a text.
    pub(super) fn script(&mut self, text: &str, by: Option<usize>) {
        let script = syntax::parse(text, self.walker.depth);
        if let Some(problem) = script.problem {
            self.walker.unclear(UnclearWhat::Anything, problem, by);
        }
        self.block(&script.block);
    }

    /// Goes through code that a command runs.
    pub(super) fn code(&mut self, code: &Word, by: Option<usize>) {
        let text = self.walker.text_with_holes(code, by);
        let walker = &mut *self.walker;
        if walker.depth >= MAX_DEPTH || !walker.spend(64 + text.len()) {
            return walker.unclear(UnclearWhat::Program, syntax::DEEP, by);
        }
        walker.depth += 1;
        self.script(&text, by);
        self.walker.depth -= 1;
    }

    fn block(&mut self, block: &Block) {
        for statement in block {
            self.statement(statement);
        }
    }

    /// Goes through a block that may run or not: what it sets is not known afterwards, nor in it.
    pub(super) fn maybe(&mut self, block: &Block) {
        let mut names = Vec::new();
        assigned(block, &mut names);
        for name in names {
            self.variables.remove(name);
        }
        self.inside += 1;
        self.block(block);
        self.inside -= 1;
    }

    /// Goes through statements, and returns what the last one gives, if that is known.
    pub(super) fn value_of(&mut self, block: &Block) -> Option<Vec<Word>> {
        let mut value = None;
        for statement in block {
            value = match statement {
                Statement::Pipeline(elements) => self.pipeline(elements),
                other => {
                    self.statement(other);
                    None
                }
            };
        }
        value.filter(|_| block.len() == 1)
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Pipeline(elements) => {
                let words = self.pipeline(elements);
                if let ([Element { kind: Kind::Value(value), .. }], Some(words)) =
                    (elements.as_slice(), words)
                    && value.variable().is_some_and(|name| name.starts_with("env:"))
                {
                    // A value that stands alone is shown.
                    let words = [Word::text("echo")].into_iter().chain(words).collect();
                    self.walker.run_by("$env", |walker| walker.start(words, Launch::default()));
                }
            }
            Statement::Assign { name, value } => {
                let first = self.walker.runs.len();
                let words = self.value_of(value);
                let Some(name) = name else { return };
                let words = words.unwrap_or_else(|| {
                    let written = format!("${name}");
                    if let Input::From(from, ..) = self.walker.output_of(first, &Input::Session)
                        && self.walker.runs.len() > first
                    {
                        self.walker.sources.insert(written.clone(), from);
                    }
                    vec![Word::unknown(written, false)]
                });
                if let Some(variable) = name.strip_prefix("env:") {
                    for word in &words {
                        self.walker.variable_is_set(&variable.to_uppercase(), word, None);
                    }
                }
                if self.inside == 0 {
                    self.variables.insert(name.clone(), words);
                } else {
                    self.variables.remove(name);
                }
            }
            Statement::Control(blocks) => blocks.iter().for_each(|block| self.maybe(block)),
            Statement::Function { name, body } => {
                self.functions.insert(name.clone());
                self.maybe(body);
            }
        }
    }

    /// Goes through a pipeline, and returns what it gives, if that is known.
    fn pipeline(&mut self, elements: &[Element]) -> Option<Vec<Word>> {
        let outer = self.walker.input.clone();
        let mut flow = None;
        for (place, element) in elements.iter().enumerate() {
            let (first, input) = (self.walker.runs.len(), self.walker.input.clone());
            let piped = (place > 0).then_some(flow.as_deref());
            let given = self.element(element, piped);
            self.walker.input = match &given {
                Some(words) if self.walker.runs.len() == first => {
                    Input::Piped(super::super::builtins::joined(words.iter()))
                }
                _ => self.walker.output_of(first, &input),
            };
            flow = given;
        }
        self.walker.input = outer;
        flow
    }

    /// Goes through a part of a pipeline. `piped` is what comes into it, if anything does.
    fn element(&mut self, element: &Element, piped: Option<Option<&[Word]>>) -> Option<Vec<Word>> {
        if !self.walker.spend(4) {
            return None;
        }
        let redirects = self.redirects(&element.redirects);
        if let Some(words) = piped {
            for name in ["_", "psitem"] {
                match words {
                    Some(words) => self.variables.insert(name.to_owned(), words.to_vec()),
                    None => self.variables.remove(name),
                };
            }
        }
        match &element.kind {
            Kind::Value(value) => {
                let words = self.values(value);
                self.walker.keep_loose(redirects);
                Some(words)
            }
            Kind::Command { name, arguments, .. } => {
                let names = self.values(name);
                let given = arguments.iter().map(|argument| self.given(argument)).collect();
                let [name] = names.as_slice() else {
                    self.walker.keep_loose(redirects);
                    return None;
                };
                self.command(name, given, redirects, piped)
            }
        }
    }

    fn redirects(&mut self, targets: &[Expression]) -> Vec<Redirect> {
        let home = self.home();
        let mut redirects = Vec::new();
        for target in targets {
            for word in self.values(target) {
                let target = paths::normal(&word, home.as_deref());
                if target.known().as_deref() != Some("null") {
                    redirects.push(Redirect { kind: RedirectKind::Write, target });
                }
            }
        }
        redirects
    }

    fn given(&mut self, argument: &Argument) -> Given {
        match argument {
            Argument::Value(value) => Given::Values(self.values(value)),
            Argument::Parameter { written, name, value } => Given::Parameter {
                written: written.clone(),
                name: name.clone(),
                value: value.as_ref().map(|value| self.values(value)),
            },
        }
    }
}

impl Walker<'_> {
    /// Goes through a command of PowerShell in a line that was read as bash: the shell of an agent may be
    /// PowerShell where nothing says so. False if it is none.
    pub(in crate::shell) fn cmdlet_of_line(&mut self, run: &Run) -> bool {
        let name = run.program.known().map(|known| known.to_lowercase()).unwrap_or_default();
        // An alias may be a program, or anything else.
        let Some((title, command)) = commands::cmdlet(&name).filter(|_| name.contains('-')) else {
            return false;
        };
        let given = run.args.iter().map(|word| match word.known() {
            Some(known) if known.len() > 1 && known.starts_with('-') => Given::Parameter {
                name: known.trim_start_matches('-').to_owned(),
                written: known.into_owned(),
                value: None,
            },
            _ => Given::Values(vec![word.clone()]),
        });
        let bound = bind(command, given.collect(), self.around.home.as_deref());
        let is_piped = (self.input != Input::Session).then_some(None);
        let by = self.runs.len();
        Session::new(self).cmdlet(title, command, bound, run.redirects.clone(), is_piped);
        if let Some(own) = self.runs.get_mut(by) {
            own.program = run.program.clone();
            own.args.clone_from(&run.args);
        }
        // The line itself names the command.
        for run in self.runs.iter_mut().skip(by + 1).filter(|run| run.origin == Origin::Text) {
            run.origin = Origin::Carried;
        }
        true
    }

    /// Goes through PowerShell that is the whole command.
    pub(in crate::shell) fn powershell(&mut self, text: &str) {
        Session::new(self).script(text, None);
    }

    /// Goes through PowerShell that a run gets. It has a state of its own, and what it runs is none of the
    /// programs that the command itself names.
    pub(in crate::shell) fn powershell_of(&mut self, code: &Word, by: usize) {
        let name = self.name_of(by);
        self.foreign_shell(&name, |walker| Session::new(walker).code(code, Some(by)));
    }

    /// Returns code as a text in which variables stand for what is not known of it. That is told.
    pub(in crate::shell) fn text_with_holes(&mut self, code: &Word, by: Option<usize>) -> String {
        let mut text = String::new();
        let mut first = None;
        for part in &code.parts {
            match part {
                WordPart::Text(known) | WordPart::Glob(known) => text.push_str(known),
                WordPart::Unknown { written, .. } => {
                    first.get_or_insert_with(|| written.clone());
                    self.holes.push(written.clone());
                    text.push_str(&format!("${{{HOLE}{}}}", self.holes.len()));
                }
            }
        }
        if let Some(hole) = first {
            if let (Some(from), Some(run)) =
                (self.source_of(code), by.and_then(|by| self.runs.get_mut(by)))
            {
                run.code_from = Some(from);
            }
            let name = by.map(|by| self.name_of(by)).filter(|name| !name.is_empty());
            let name = name.unwrap_or_else(|| "PowerShell".to_owned());
            let why = format!(
                "the code that `{name}` runs holds `{hole}`, which is not known before it runs"
            );
            self.unclear(UnclearWhat::Program, why, by);
        }
        text
    }
}

/// Lists the variables that a block sets.
fn assigned<'b>(block: &'b Block, names: &mut Vec<&'b str>) {
    for statement in block {
        match statement {
            Statement::Assign { name, value } => {
                names.extend(name.as_deref());
                assigned(value, names);
            }
            Statement::Control(blocks) => blocks.iter().for_each(|block| assigned(block, names)),
            Statement::Function { body, .. } => assigned(body, names),
            Statement::Pipeline(_) => {}
        }
    }
}
