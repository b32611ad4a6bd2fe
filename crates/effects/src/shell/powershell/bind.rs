//! Which value goes to which parameter of a command.

use std::collections::BTreeMap;

use super::commands::{Command, Parameter, Takes};
use super::paths;
use crate::word::Word;

/// What follows the name of a command, with its values.
#[derive(Debug, Clone)]
pub(super) enum Given {
    /// `-Name`, `-Name:value`
    Parameter { written: String, name: String, value: Option<Vec<Word>> },
    /// One word, or several with commas between them.
    Values(Vec<Word>),
}

/// The parameters of a command with their values.
#[derive(Debug, Default)]
pub(super) struct Bound {
    values: BTreeMap<String, Vec<Word>>,
    /// The words with full names, as a pattern asks for them.
    pub(super) words: Vec<Word>,
    /// Whether a parameter is not one of the command.
    pub(super) has_unknown: bool,
    /// Whether the command only says what it would do.
    pub(super) is_trial: bool,
}

/// Parameters that every command has.
const COMMON: &str = "Verbose|vb Debug|db WhatIf|wi Confirm|cf ErrorAction|ea= WarningAction|wa= InformationAction|infa= \
    ErrorVariable|ev= WarningVariable|wv= OutVariable|ov= OutBuffer|ob= PipelineVariable|pv= ProgressAction=";

/// Binds what is given to the parameters of a command.
pub(super) fn bind(command: &Command, given: Vec<Given>, home: Option<&str>) -> Bound {
    let common: Vec<Parameter> = COMMON.split_whitespace().map(Parameter::parse).collect();
    let mut bound = Bound::default();
    let mut given = given.into_iter().peekable();
    while let Some(one) = given.next() {
        match one {
            Given::Values(words) => bound.position(command, words, home),
            Given::Parameter { written, name, value } => {
                let lower = name.to_lowercase();
                let Some(parameter) =
                    find(&command.parameters, &lower).or_else(|| find(&common, &lower))
                else {
                    bound.has_unknown = true;
                    bound.words.push(Word::text(written));
                    continue;
                };
                bound.words.push(Word::text(format!("-{}", parameter.title)));
                if parameter.takes == Takes::Nothing {
                    let is_off = value.is_some_and(|words| is_false(&words));
                    if !is_off {
                        bound.is_trial |= parameter.title == "WhatIf";
                        bound.add(parameter, Vec::new(), home);
                    }
                    continue;
                }
                let next = |given: &Given| value.is_none() && matches!(given, Given::Values(_));
                let words = match given.next_if(next) {
                    Some(Given::Values(words)) => words,
                    _ => value.unwrap_or_default(),
                };
                bound.add(parameter, words, home);
            }
        }
    }
    bound
}

/// Returns the parameter of a name, which may be cut.
fn find<'p>(parameters: &'p [Parameter], name: &str) -> Option<&'p Parameter> {
    let has = |fits: &dyn Fn(&str) -> bool| {
        parameters.iter().find(|parameter| parameter.names.iter().any(|known| fits(known)))
    };
    has(&|known: &str| known == name).or_else(|| has(&|known: &str| known.starts_with(name)))
}

impl Bound {
    /// Returns the values of a parameter, `None` if it is not given.
    pub(super) fn get(&self, name: &str) -> Option<Vec<Word>> {
        self.values.get(name).cloned()
    }

    /// Gives values to a parameter that has none.
    pub(super) fn set(&mut self, name: &str, words: Vec<Word>) {
        self.values.insert(name.to_owned(), words);
    }

    /// All values of paths.
    pub(super) fn paths<'b>(&'b self, command: &'b Command) -> impl Iterator<Item = &'b Word> {
        let of_path = command.parameters.iter().filter(|parameter| parameter.takes == Takes::Path);
        of_path.filter_map(|parameter| self.values.get(parameter.names.first()?)).flatten()
    }

    fn position(&mut self, command: &Command, words: Vec<Word>, home: Option<&str>) {
        let is_free = |name: &&String| !self.values.contains_key(*name);
        let free = command.positions.iter().find(is_free).or(command.positions.last());
        let parameter = free.and_then(|name| {
            command.parameters.iter().find(|parameter| parameter.names.first() == Some(name))
        });
        match parameter {
            Some(parameter) => self.add(parameter, words, home),
            None => self.words.extend(words),
        }
    }

    fn add(&mut self, parameter: &Parameter, words: Vec<Word>, home: Option<&str>) {
        let words: Vec<Word> = match parameter.takes {
            Takes::Nothing | Takes::Text => words,
            Takes::Path => words.iter().map(|word| paths::normal(word, home)).collect(),
            Takes::Words => words.iter().flat_map(split).collect(),
        };
        self.words.extend(words.iter().cloned());
        let Some(name) = parameter.names.first() else { return };
        self.values.entry(name.clone()).or_default().extend(words);
    }
}

/// `-Confirm:$false`
fn is_false(words: &[Word]) -> bool {
    let known = words.first().and_then(Word::known);
    known.is_some_and(|known| known.eq_ignore_ascii_case("false"))
}

fn split(word: &Word) -> Vec<Word> {
    match word.known() {
        Some(known) => known.split_whitespace().map(Word::text).collect(),
        None => vec![word.clone()],
    }
}
