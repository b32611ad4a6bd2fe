//! What one shell process knows at a point of the text: variables, functions, its folder.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::syntax::tree::Command;
use crate::run::Doubt;
use crate::word::Word;

/// The longest value of a variable that is followed.
const LONGEST_VALUE: usize = 4096;

/// A variable whose last assignment was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Variable {
    Text(Word),
    Array(Vec<Word>),
    /// It was assigned, but nobody knows what.
    Unknown,
}

/// What a shell process knows.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) variables: BTreeMap<String, Variable>,
    pub(super) functions: BTreeMap<String, Rc<Command>>,
    /// Functions of a branch: the name may as well be the program.
    pub(super) uncertain_functions: BTreeSet<String>,
    /// Names that `alias` or `hash -p` gave another meaning.
    pub(super) renamed: BTreeSet<String>,
    /// Whether any name may mean another program: a changed `PATH`.
    pub(super) all_renamed: bool,
    /// Variables that programs get, too.
    pub(super) exported: BTreeSet<String>,
    /// `$1` and so on; `None` if they are not known.
    pub(super) positional: Option<Vec<Word>>,
    /// Whether `PATH` begins with a folder that is not one of the system.
    pub(super) own_path: bool,
    /// `$0`
    pub(super) zero: Option<Word>,
    pub(super) cwd: Option<String>,
    /// The folders of `pushd`; `None` if they are not known.
    pub(super) folders: Vec<Option<String>>,
    /// Attributes of `declare`: whether values become lower or upper case.
    pub(super) cased: BTreeMap<String, bool>,
    /// Folders to which a `cd` may have failed, and nothing has asked: `cwd` is right only if they are there.
    pub(super) doubtful: Vec<Doubt>,
    /// Variables in code that waits for the end of the shell: it runs with their values of then, whenever that is.
    pub(super) trapped: BTreeSet<String>,
    /// Whether such code calls a function, which may have any variable in it.
    pub(super) all_trapped: bool,
    /// `set -e`
    pub(super) errexit: bool,
    /// `set -o pipefail`
    pub(super) pipefail: bool,
    /// `shopt -s dotglob`: a star means names that begin with a dot, too.
    pub(super) dot_names: bool,
    /// Variables whose values are evaluated as numbers: `declare -i`.
    pub(super) numbers: BTreeSet<String>,
    /// Names of other variables: `declare -n`. What is assigned to such a name is that of the other one, which may not be
    /// known.
    pub(super) references: BTreeMap<String, Option<String>>,
}

impl State {
    /// Notes that `cwd` is right only if a folder is there.
    pub(super) fn doubt(&mut self, doubt: Doubt) {
        if !self.doubtful.contains(&doubt) {
            self.doubtful.push(doubt);
        }
    }

    pub(super) fn assign(&mut self, name: &str, value: Variable) {
        if self.references.contains_key(name) {
            return self.forget(name);
        }
        let length: usize = match &value {
            Variable::Text(word) => word.written().len(),
            Variable::Array(words) => words.iter().map(|word| word.written().len() + 1).sum(),
            Variable::Unknown => 0,
        };
        let mut value =
            if length > LONGEST_VALUE { Variable::Unknown } else { self.in_case(name, value) };
        let is_trapped = self.all_trapped || self.trapped.contains(name);
        if is_trapped && self.variables.get(name).is_some_and(|before| *before != value) {
            value = Variable::Unknown;
        }
        self.variables.insert(name.to_owned(), value);
    }

    fn in_case(&self, name: &str, value: Variable) -> Variable {
        match (self.cased.get(name), value) {
            (Some(upper), Variable::Text(word)) => match word.known() {
                Some(text) if *upper => Variable::Text(Word::text(text.to_uppercase())),
                Some(text) => Variable::Text(Word::text(text.to_lowercase())),
                None => Variable::Unknown,
            },
            (Some(_), Variable::Array(_)) => Variable::Unknown,
            (_, value) => value,
        }
    }

    /// How much it costs to copy or to compare it.
    pub(super) fn size(&self) -> usize {
        self.variables.len() + self.functions.len() + self.renamed.len() + self.exported.len()
    }

    /// Forgets a variable: it has a value that is not known.
    pub(super) fn forget(&mut self, name: &str) {
        let value = match self.references.get(name).cloned() {
            None => Variable::Unknown,
            Some(None) => {
                self.variables.values_mut().for_each(|value| *value = Variable::Unknown);
                Variable::Unknown
            }
            // The other one may change at any time by its own name.
            Some(Some(named)) => {
                let value = Word::unknown(format!("${{{named}}}"), false);
                self.variables.insert(named, Variable::Unknown);
                Variable::Text(value)
            }
        };
        self.variables.insert(name.to_owned(), value);
    }

    /// Makes a name stand for another variable.
    pub(super) fn refer(&mut self, name: &str, named: Option<String>) {
        self.references.insert(name.to_owned(), named);
        self.forget(name);
    }

    /// Forgets the values of all variables.
    pub(super) fn forget_variables(&mut self) {
        for value in self.variables.values_mut() {
            *value = Variable::Unknown;
        }
        for name in ["IFS", "HOME", "PWD"] {
            self.forget(name);
        }
    }

    /// Forgets what other code in this shell may have changed.
    pub(super) fn forget_all(&mut self) {
        self.forget_variables();
        self.positional = None;
        self.cwd = None;
        self.folders.clear();
    }

    /// Makes unknown what differs from another way through the text.
    pub(super) fn merge(&mut self, other: &Self) {
        for (name, value) in &mut self.variables {
            if other.variables.get(name) != Some(value) {
                *value = Variable::Unknown;
            }
        }
        for name in other.variables.keys() {
            if !self.variables.contains_key(name) {
                self.variables.insert(name.clone(), Variable::Unknown);
            }
        }
        for (name, body) in &self.functions {
            if !other.functions.get(name).is_some_and(|known| Rc::ptr_eq(known, body)) {
                self.uncertain_functions.insert(name.clone());
            }
        }
        for (name, body) in &other.functions {
            if !self.functions.contains_key(name) {
                self.functions.insert(name.clone(), Rc::clone(body));
                self.uncertain_functions.insert(name.clone());
            }
        }
        self.exported.extend(other.exported.iter().cloned());
        self.numbers.extend(other.numbers.iter().cloned());
        for (name, named) in &other.references {
            if self.references.get(name) != Some(named) {
                self.refer(name, named.clone());
            }
        }
        self.renamed.extend(other.renamed.iter().cloned());
        self.all_renamed |= other.all_renamed;
        self.own_path |= other.own_path;
        for doubt in &other.doubtful {
            self.doubt(doubt.clone());
        }
        self.trapped.extend(other.trapped.iter().cloned());
        self.all_trapped |= other.all_trapped;
        self.errexit &= other.errexit;
        self.pipefail &= other.pipefail;
        self.dot_names |= other.dot_names;
        if self.positional != other.positional {
            self.positional = None;
        }
        if self.cwd != other.cwd {
            self.cwd = None;
        }
        if self.folders != other.folders {
            self.folders.clear();
        }
        if self.cased != other.cased {
            self.cased.clear();
        }
    }
}
