//! Assignments, and loops over words that are known.

use super::state::{State, Variable};
use super::syntax::tree::{Assigned, Assignment, Command, Kind, List, Word as Written};
use super::walk::Walker;
use crate::run::{Origin, Run};
use crate::variables::variables_in;
use crate::word::{Word, WordPart};

/// The most rounds of a loop that are followed.
const ROUNDS: usize = 16;

impl Walker<'_> {
    /// Returns the value of an assignment, without making it.
    pub(super) fn assigned(&mut self, assignment: &Assignment) -> Variable {
        if let Some(subscript) = &assignment.subscript {
            self.arithmetic(subscript);
        }
        match &assignment.value {
            Assigned::Word(word) => Variable::Text(self.single(word)),
            Assigned::Array(words) => {
                let mut fields = Vec::new();
                let mut is_list = true;
                for word in words {
                    // `[key]=value` is no list.
                    let has_key = word.pieces.first().is_some_and(begins_with_bracket);
                    is_list &= !has_key;
                    if has_key {
                        let key = self.single_quiet(word);
                        self.evaluated(&key, None);
                    }
                    self.fields(word, &mut fields);
                }
                let is_list =
                    is_list && !fields.iter().any(|word| word.splits() || word.has_glob());
                if is_list { Variable::Array(fields) } else { Variable::Unknown }
            }
        }
    }

    /// Makes an assignment in this shell.
    pub(super) fn assign(&mut self, assignment: &Assignment) {
        let value = self.assigned(assignment);
        let value = if assignment.subscript.is_some() {
            Variable::Unknown
        } else if assignment.append {
            self.appended(&assignment.name, value)
        } else {
            value
        };
        if let Variable::Text(word) = &value {
            let word = word.clone();
            self.variable_is_set(&assignment.name, &word, None);
            if self.state.numbers.contains(&assignment.name) {
                self.evaluated(&word, None);
            }
        }
        self.change().assign(&assignment.name, value);
    }

    fn appended(&self, name: &str, value: Variable) -> Variable {
        match (self.state.variables.get(name), value) {
            (Some(Variable::Text(old)), Variable::Text(new)) => {
                let mut whole = old.clone();
                new.parts.into_iter().for_each(|part| whole.push(part));
                Variable::Text(whole)
            }
            (Some(Variable::Array(old)), Variable::Array(new)) => {
                Variable::Array(old.iter().cloned().chain(new).collect())
            }
            _ => Variable::Unknown,
        }
    }

    /// `for name in words`: each round is followed if all words are known and few.
    pub(super) fn for_loop(&mut self, name: &str, words: Option<&[Written]>, body: &List) {
        let mut values = Vec::new();
        match words {
            Some(words) => words.iter().for_each(|word| self.fields(word, &mut values)),
            None => match self.state.positional.clone() {
                Some(words) => values = words,
                None => values.push(Word::unknown("$@", true)),
            },
        }
        let known = !values.is_empty()
            && values.len() <= ROUNDS
            && values.iter().all(|word| !word.splits());
        self.forget_changes(&[body]);
        let before = std::rc::Rc::clone(&self.state);
        let origin = self.origin;
        if known {
            let mut first = 0..0;
            let first_loose = self.loose.len();
            let mut loose = 0;
            for (round, value) in values.into_iter().enumerate() {
                if round > 0 && self.origin == Origin::Text {
                    self.origin = Origin::Round;
                }
                if !self.spend(4) {
                    break;
                }
                self.change().assign(name, Variable::Text(value));
                let start = self.runs.len();
                self.apart(|walker| walker.list(body));
                self.forget_changes(&[body]);
                if round == 0 {
                    first = start..self.runs.len();
                    loose = self.loose.len() - first_loose;
                } else if self.same_runs(first.clone(), start) {
                    self.runs.truncate(start);
                    // Other values may still give other runs: `a` and `a` are the same, `b` is not.
                    if round == 1 && !self.depends(name, body, first.clone(), loose) {
                        break;
                    }
                }
            }
        } else {
            let found = from_variables(&values).or_else(|| self.one_of_found(&values));
            match found.or_else(|| one_of_numbers(name, &values)) {
                Some(value) => self.change().assign(name, Variable::Text(value)),
                None => self.change().forget(name),
            }
            self.apart(|walker| walker.list(body));
        }
        self.origin = origin;
        self.merge(&before);
        self.change().forget(name);
    }

    /// The value of a loop over what a search finds, or git names: `for f in $(find .)`.
    fn one_of_found(&self, values: &[Word]) -> Option<Word> {
        let [value] = values else { return None };
        let [part @ WordPart::Unknown { written, .. }] = value.parts.as_slice() else {
            return None;
        };
        let is_found = self.searches.get(written).is_some_and(Option::is_some);
        (is_found || part.is_plain_name()).then(|| Word::unknown(written, false))
    }

    /// Whether what a body does depends on a variable: it is gone through with a value that is not known.
    fn depends(
        &mut self,
        name: &str,
        body: &List,
        first: std::ops::Range<usize>,
        loose: usize,
    ) -> bool {
        if loose > 0 {
            return true;
        }
        let (runs, unclear, complete) = (self.runs.len(), self.unclear.len(), self.complete);
        self.change().forget(name);
        self.apart(|walker| walker.list(body));
        self.forget_changes(&[body]);
        let depends = !self.same_runs(first, runs) || self.unclear.len() > unclear;
        self.runs.truncate(runs);
        if self.exhausted {
            return true;
        }
        self.unclear.truncate(unclear);
        self.complete = complete;
        depends
    }

    /// Whether the runs from a place on are those of the first round: the body does not use the variable.
    fn same_runs(&self, first: std::ops::Range<usize>, later: usize) -> bool {
        let first = self.runs.get(first).unwrap_or_default();
        let later = self.runs.get(later..).unwrap_or_default();
        let same = |(one, other): (&Run, &Run)| {
            one.program == other.program
                && one.args == other.args
                && one.redirects == other.redirects
                && one.env == other.env
        };
        first.len() == later.len() && first.iter().zip(later).all(same)
    }

    /// Makes unknown what some lists may change: they may have run before, in an earlier round.
    pub(super) fn forget_changes(&mut self, lists: &[&List]) {
        let state = std::rc::Rc::clone(&self.state);
        let first = state.positional.as_ref().and_then(|words| words.first());
        let first = first.and_then(Word::known).map(std::borrow::Cow::into_owned);
        let mut changes = Changes { first, ..Changes::of(&state) };
        for list in lists {
            changes.in_list(list);
        }
        let changes = changes.changed;
        drop(state);
        if changes.anything {
            self.change().forget_all();
            return;
        }
        if changes.variables {
            self.change().forget_variables();
        }
        if changes.positional {
            self.change().positional = None;
        }
        if changes.folder && self.state.cwd.is_some() {
            self.change().cwd = None;
        }
        for name in changes.names {
            self.change().forget(&name);
        }
    }
}

/// The value of a loop over more numbers than are followed: what arithmetic gives is a number as well.
fn one_of_numbers(name: &str, values: &[Word]) -> Option<Word> {
    let is_digit = |sign: u8| sign.is_ascii_digit();
    let is_number = |word: &Word| word.known().is_some_and(|word| word.bytes().all(is_digit));
    let are_numbers = values.len() > ROUNDS && values.iter().all(is_number);
    are_numbers.then(|| Word::unknown(format!("$(({name}))"), false))
}

/// What `for x in $A $B` gives to `x`: a part of these variables; `None` if it is no variable.
fn from_variables(words: &[Word]) -> Option<Word> {
    let mut value = Word::default();
    for part in words.iter().flat_map(|word| &word.parts) {
        let WordPart::Unknown { written, .. } = part else { return None };
        value.push(WordPart::Unknown { written: written.clone(), splits: false, plain: false });
    }
    (variables_in(&value).count() == value.parts.len() && value.has_unknown()).then_some(value)
}

fn begins_with_bracket(piece: &super::syntax::tree::Piece) -> bool {
    matches!(piece, super::syntax::tree::Piece::Glob(text) | super::syntax::tree::Piece::Bare(text) if text.starts_with('['))
}

/// What a list may change in its shell.
#[derive(Debug, Default)]
struct Changed {
    names: Vec<String>,
    folder: bool,
    /// Any variable.
    variables: bool,
    positional: bool,
    anything: bool,
}

/// The search for what a list may change.
struct Changes<'s> {
    changed: Changed,
    /// The first positional parameter before it, if it is known.
    first: Option<String>,
    state: &'s State,
    /// The functions that were gone through.
    seen: Vec<String>,
}

impl<'s> Changes<'s> {
    fn of(state: &'s State) -> Self {
        Self { changed: Changed::default(), first: None, state, seen: Vec::new() }
    }

    /// A function of the line changes what its body does.
    fn in_function(&mut self, name: &str) {
        let Some(body) = self.state.functions.get(name).map(std::rc::Rc::clone) else { return };
        if self.seen.iter().any(|seen| seen == name) {
            return;
        }
        self.seen.push(name.to_owned());
        let first = self.first.take();
        self.in_command(&body);
        self.first = first;
    }

    fn in_list(&mut self, list: &List) {
        for item in list {
            if item.background || item.pipeline.commands.len() > 1 {
                // Only the last part of a pipeline may be this shell.
                if let (false, Some(last)) = (item.background, item.pipeline.commands.last()) {
                    self.in_command(last);
                }
                continue;
            }
            item.pipeline.commands.iter().for_each(|command| self.in_command(command));
        }
    }

    fn in_command(&mut self, command: &Command) {
        match &command.kind {
            Kind::Simple(simple) => {
                let assignments = simple.assignments.iter().chain(&simple.declared);
                self.changed.names.extend(assignments.map(|assignment| assignment.name.clone()));
                let program = match simple.words.first() {
                    Some(word) if is_all_parameters(word) => Some(self.first.clone()),
                    _ => program_word(&simple.words),
                };
                match program.as_ref().map(Option::as_deref) {
                    None => {}
                    Some(Some("cd" | "pushd" | "popd")) => self.changed.folder = true,
                    Some(Some("shift")) => self.changed.positional = true,
                    Some(Some("let" | "getopts")) => self.changed.variables = true,
                    Some(Some(
                        "eval" | "source" | "." | "unset" | "set" | "command" | "builtin",
                    )) => {
                        self.changed.anything = true;
                    }
                    // Only behind `-v` stands a name.
                    Some(Some("printf"))
                        if simple.words.get(1).is_some_and(|format| {
                            format.literal().is_some_and(|format| !format.starts_with('-'))
                        }) => {}
                    Some(Some(
                        "read" | "mapfile" | "readarray" | "printf" | "declare" | "local"
                        | "export" | "typeset" | "readonly",
                    )) => {
                        for word in &simple.words {
                            match word.bare() {
                                Some(text) => self.changed.names.push(text.to_owned()),
                                None => {
                                    self.changed.anything |= word.pieces.iter().any(is_expansion)
                                }
                            }
                        }
                    }
                    Some(Some(name)) => self.in_function(name),
                    Some(None) => self.changed.anything = true,
                }
            }
            Kind::Subshell(_) | Kind::Function(..) | Kind::Test(_) | Kind::Coprocess(_) => {}
            Kind::Group(list) => self.in_list(list),
            Kind::If(arms, otherwise) => {
                for (condition, body) in arms {
                    self.in_list(condition);
                    self.in_list(body);
                }
                self.in_list(otherwise);
            }
            Kind::While { condition, body, .. } => {
                self.in_list(condition);
                self.in_list(body);
            }
            Kind::For { name, body, .. } => {
                self.changed.names.push(name.clone());
                self.in_list(body);
            }
            Kind::ForArithmetic(_, body) => {
                self.changed.variables = true;
                self.in_list(body);
            }
            Kind::Case(_, arms) => arms.iter().for_each(|(_, body)| self.in_list(body)),
            Kind::Arithmetic(_) => self.changed.variables = true,
        }
    }
}

/// The program of a simple command without its quotes, behind `command` and `builtin`; `Some(None)` if it
/// is not known.
fn program_word(words: &[Written]) -> Option<Option<String>> {
    use super::syntax::tree::Piece;
    let is_glob = |word: &Written| word.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)));
    let literals = words.iter().map(|word| word.literal().filter(|_| !is_glob(word)));
    let mut named = literals
        .skip_while(|word| matches!(word.as_deref(), Some("command" | "builtin" | "-p" | "--")));
    named.next()
}

/// Whether a word is `"$@"`.
fn is_all_parameters(word: &Written) -> bool {
    use super::syntax::tree::Piece;
    let is_empty = |piece: &&Piece| matches!(piece, Piece::Quoted(text) if text.is_empty());
    let mut pieces = word.pieces.iter().filter(|piece| !is_empty(piece));
    let (Some(Piece::Parameter(parameter)), None) = (pieces.next(), pieces.next()) else {
        return false;
    };
    parameter.name == "@" && parameter.quoted && !parameter.changed && parameter.subscript.is_none()
}

fn is_expansion(piece: &super::syntax::tree::Piece) -> bool {
    use super::syntax::tree::Piece;
    matches!(piece, Piece::Parameter(_) | Piece::Command(_))
}
