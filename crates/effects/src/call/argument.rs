//! The value of an argument, and what the tool does with it.

use serde_json::Value;

use super::Call;
use super::glob::{listed, read_glob};
use crate::effects::{HostEffect, PathEffect, Surroundings, UnclearWhat};
use crate::manifests::{Argument, ArgumentKind, Found, Pointer, ValueFrom};
use crate::paths::{absolute, expand_home};
use crate::web_address::{WebAddress, addresses_in, read_address};
use crate::word::Word;

/// A value of an argument.
#[derive(PartialEq)]
pub(super) struct Argued<'m> {
    argument: &'m Argument,
    /// The value; `None` if it has the wrong type.
    value: Option<Value>,
    /// Whether the value was not given.
    by_default: bool,
    /// The folder that it is relative to; `None` if that is not known.
    folder: Option<String>,
    /// The glob that says which files below it are meant.
    files: Option<String>,
    /// How many of the arguments beside it that could say more are there.
    rank: usize,
}

impl Argued<'_> {
    /// Returns whether two manifests say the same.
    fn is_same(&self, other: &Self) -> bool {
        let (mine, its) = (self.argument, other.argument);
        (mine.kind, mine.below, mine.glob, mine.names, mine.urls)
            == (its.kind, its.below, its.glob, its.names, its.urls)
            && (&self.value, &self.folder, &self.files)
                == (&other.value, &other.folder, &other.files)
    }
}

/// Several agents may have a tool of one name, with other arguments beside the same one. The manifests
/// that find most of theirs count, and each thing once. What stands in for a missing value does not
/// count beside a value that is there.
pub(super) fn most_specific(all: Vec<Argued<'_>>) -> Vec<Argued<'_>> {
    let beats = |other: &Argued<'_>, one: &Argued<'_>| {
        let same_kind = other.argument.kind == one.argument.kind;
        let same_place = same_kind && other.argument.from == one.argument.from;
        (same_kind && one.by_default && !other.by_default) || (same_place && other.rank > one.rank)
    };
    let kept: Vec<bool> =
        all.iter().map(|one| !all.iter().any(|other| beats(other, one))).collect();
    let mut found: Vec<Argued<'_>> = Vec::new();
    for (one, kept) in all.into_iter().zip(kept) {
        if kept && !found.iter().any(|other| other.is_same(&one)) {
            found.push(one);
        }
    }
    found
}

/// A required argument that is missing.
pub(super) struct NotThere {
    pub(super) pointer: String,
    /// What it would have added to.
    pub(super) what: UnclearWhat,
}

/// Looks for the values of an argument.
pub(super) fn values_of<'m>(
    argument: &'m Argument,
    input: &Value,
    around: &Surroundings,
) -> Result<Vec<Argued<'m>>, NotThere> {
    let folder = folder_of(argument.folder.as_ref(), input, around);
    let files = argument.files.as_ref().and_then(|pointer| text_at(pointer, input));
    let rank = usize::from(folder.is_some()) + usize::from(files.is_some());
    let folder = folder.unwrap_or_else(|| around.cwd.clone());
    let argued = |value, by_default| Argued {
        argument,
        value,
        by_default,
        folder: folder.clone(),
        files: files.clone(),
        rank,
    };
    let pointer = match &argument.from {
        ValueFrom::Fixed(text) => return Ok(vec![argued(Some(text.clone().into()), false)]),
        ValueFrom::Input(pointer) => pointer,
    };
    match pointer.find(input) {
        // The whole input is meant if it is nothing but the value.
        Found::Values(values)
            if argument.kind != ArgumentKind::Sql
                && pointer.is_root()
                && !values.iter().all(|one| one.is_string()) => {}
        Found::Values(values) if argument.urls && !values.iter().any(|one| has_address(one)) => {}
        Found::Values(values) => {
            return Ok(values.into_iter().map(|one| argued(Some(one.clone()), false)).collect());
        }
        Found::Wrong(_) => return Ok(vec![argued(None, false)]),
        Found::Missing => {}
    }
    if let Some(default) = &argument.default {
        return Ok(vec![argued(Some(default.clone().into()), true)]);
    }
    if argument.optional {
        return Ok(Vec::new());
    }
    Err(NotThere { pointer: pointer.to_string(), what: unclear_of(argument.kind) })
}

/// Returns the folder that the input names, and `None` if it names none. A folder that is named but
/// cannot be told is `Some(None)`.
fn folder_of(
    pointer: Option<&Pointer>,
    input: &Value,
    around: &Surroundings,
) -> Option<Option<String>> {
    match pointer?.find(input) {
        Found::Missing => None,
        Found::Values(values) => match values.as_slice() {
            [Value::String(text)] if text.is_empty() => None,
            [Value::String(text)] => {
                let word = expand_home(text, around.home.as_deref());
                let folder = absolute(&word, around.cwd.as_deref());
                Some(folder.known().map(std::borrow::Cow::into_owned))
            }
            _ => Some(None),
        },
        Found::Wrong(_) => Some(None),
    }
}

fn text_at(pointer: &Pointer, input: &Value) -> Option<String> {
    match pointer.find(input) {
        Found::Values(values) => {
            values.first()?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
        }
        _ => None,
    }
}

fn has_address(value: &Value) -> bool {
    value.as_str().is_none_or(|text| !addresses_in(text).is_empty())
}

/// What a value of a kind adds to if it is not known.
const fn unclear_of(kind: ArgumentKind) -> UnclearWhat {
    match kind {
        ArgumentKind::Reads => UnclearWhat::Reads,
        ArgumentKind::Writes => UnclearWhat::Writes,
        ArgumentKind::Deletes => UnclearWhat::Deletes,
        ArgumentKind::Connects => UnclearWhat::Connects,
        ArgumentKind::Sql => UnclearWhat::Program,
        ArgumentKind::Shell | ArgumentKind::PowerShell | ArgumentKind::Patch => {
            UnclearWhat::Anything
        }
    }
}

impl Call<'_> {
    /// Adds what the tool does with a value.
    pub(super) fn add(&mut self, argued: Argued<'_>) {
        let Argued { argument, value, folder, files, .. } = argued;
        let folder = folder.as_deref();
        let Some(value) = value else { return self.wrong_type(argument, "something else") };
        match (argument.kind, value) {
            (ArgumentKind::Shell, Value::String(text)) => self.shell_text(&text, folder),
            (ArgumentKind::Shell, Value::Array(words)) => match texts(&words) {
                Some(words) => self.shell_words(&words, folder),
                None => self.wrong_type(argument, "a list with other things than texts"),
            },
            (ArgumentKind::PowerShell, Value::String(text)) => self.powershell_text(&text, folder),
            (ArgumentKind::Sql, value) => self.sql_value(&value, 0),
            (ArgumentKind::Patch, Value::String(text)) => self.patch(&text, folder),
            (ArgumentKind::Connects, Value::String(text)) if argument.urls => {
                for address in addresses_in(&text) {
                    self.connect(address);
                }
            }
            (ArgumentKind::Connects, Value::String(text)) => self.connect(&text),
            (_, Value::String(text)) if argument.glob => self.glob(argument, &text, folder),
            (_, Value::String(text)) => self.path(argument, &text, folder, files.as_deref()),
            (_, other) => self.wrong_type(argument, kind_of(&other)),
        }
    }

    fn wrong_type(&mut self, argument: &Argument, found: &str) {
        let pointer = match &argument.from {
            ValueFrom::Input(pointer) => pointer.to_string(),
            ValueFrom::Fixed(_) => String::new(),
        };
        let expected = match argument.kind {
            ArgumentKind::Reads | ArgumentKind::Writes | ArgumentKind::Deletes => "a path",
            ArgumentKind::Connects => "a URL",
            ArgumentKind::Shell | ArgumentKind::PowerShell => "a command line",
            ArgumentKind::Sql => "a statement",
            ArgumentKind::Patch => "a patch",
        };
        let name = self.tool_name;
        let why = format!("`{name}` has {found} at `{pointer}`, where {expected} is expected");
        self.unclear(unclear_of(argument.kind), why);
    }

    fn path(&mut self, argument: &Argument, text: &str, folder: Option<&str>, files: Option<&str>) {
        let word = self.absolute(text, folder);
        // A glob with `!` says what is left out.
        match files.filter(|files| !files.starts_with('!')) {
            None => self.add_path(argument, word, argument.below),
            Some(files) => {
                // The path may be a file; then the glob does not count.
                let base = word.known().map(std::borrow::Cow::into_owned);
                self.add_path(argument, word, false);
                let files =
                    if files.contains('/') { files.to_owned() } else { format!("**/{files}") };
                self.glob(argument, &files, base.as_deref());
            }
        }
    }

    fn glob(&mut self, argument: &Argument, text: &str, folder: Option<&str>) {
        let text = if argument.names { listed(text) } else { text };
        match read_glob(text, self.around.home.as_deref()) {
            Some(found) => {
                for one in found {
                    self.add_path(argument, absolute(&one.word, folder), one.below);
                }
            }
            None => {
                let why = format!(
                    "the glob of `{}` is empty, too long, or has too many alternatives",
                    self.tool_name
                );
                self.unclear(unclear_of(argument.kind), why);
            }
        }
    }

    /// Makes a path of a tool absolute.
    pub(super) fn absolute(&self, text: &str, folder: Option<&str>) -> Word {
        // Some tools take a URL for a file.
        let text =
            text.strip_prefix("file://").filter(|path| path.starts_with('/')).unwrap_or(text);
        absolute(&expand_home(text, self.around.home.as_deref()), folder)
    }

    fn add_path(&mut self, argument: &Argument, path: Word, below: bool) {
        // Of a listing only the names come back.
        self.add_effect(argument.kind, path, below, !argument.names);
    }

    pub(super) fn add_effect(&mut self, kind: ArgumentKind, path: Word, below: bool, shown: bool) {
        let (by, run) = match &self.program {
            Some((name, run)) => (name.clone(), Some(*run)),
            None => (self.tool_name.to_owned(), None),
        };
        let follows = kind != ArgumentKind::Deletes;
        let effect = PathEffect { path, below, shown, follows, climbs: None, by, run };
        let list = match kind {
            ArgumentKind::Writes => &mut self.effects.writes,
            ArgumentKind::Deletes => &mut self.effects.deletes,
            _ => &mut self.effects.reads,
        };
        if !list.contains(&effect) {
            list.push(effect);
        }
    }

    fn connect(&mut self, text: &str) {
        match read_address(text) {
            WebAddress::Host { host, port } => {
                let by = self.tool_name.to_owned();
                let effect = HostEffect { host, port, by, run: None };
                if !self.effects.connects.contains(&effect) {
                    self.effects.connects.push(effect);
                }
            }
            WebAddress::File(path) => {
                let path = self.absolute(&path, self.around.cwd.as_deref());
                self.add_effect(ArgumentKind::Reads, path, false, true);
            }
            WebAddress::Nothing => {}
            WebAddress::Unreadable => {
                let why = format!("the address that `{}` gets cannot be read", self.tool_name);
                self.unclear(UnclearWhat::Connects, why);
            }
        }
    }
}

fn texts(values: &[Value]) -> Option<Vec<&str>> {
    values.iter().map(Value::as_str).collect()
}

const fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
