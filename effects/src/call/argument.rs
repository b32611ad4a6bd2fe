//! The value of an argument, and what the tool does with it.

use serde_json::Value;

use super::Call;
use super::glob::glob_words;
use crate::effects::{HostEffect, PathEffect, UnclearWhat};
use crate::manifests::{Argument, ArgumentKind, Found, Pointer, ValueFrom};
use crate::paths::{absolute, expand_home};
use crate::web_address::{WebAddress, addresses_in, read_address};
use crate::word::Word;

/// A value of an argument.
pub(super) struct Argued<'m> {
    /// The argument.
    argument: &'m Argument,
    pub(super) kind: ArgumentKind,
    /// The value; `None` if it has the wrong type.
    value: Option<Value>,
    /// Whether the value was not given.
    pub(super) by_default: bool,
}

/// A required argument that is missing.
pub(super) struct NotThere {
    pub(super) pointer: String,
    kind: ArgumentKind,
}

impl NotThere {
    pub(super) const fn what(&self) -> UnclearWhat {
        unclear_of(self.kind)
    }
}

/// Looks for the values of an argument.
pub(super) fn values_of<'m>(
    argument: &'m Argument,
    input: &Value,
) -> Result<Vec<Argued<'m>>, NotThere> {
    let argued = |value, by_default| Argued { argument, kind: argument.kind, value, by_default };
    let pointer = match &argument.from {
        ValueFrom::Fixed(text) => return Ok(vec![argued(Some(text.clone().into()), false)]),
        ValueFrom::Input(pointer) => pointer,
    };
    match pointer.find(input) {
        // The whole input is meant if it is nothing but the value.
        Found::Values(values) if pointer.is_root() && !values.iter().all(|one| one.is_string()) => {
        }
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
    Err(NotThere { pointer: pointer.to_string(), kind: argument.kind })
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
        ArgumentKind::Shell | ArgumentKind::Patch => UnclearWhat::Anything,
    }
}

impl Call<'_> {
    /// Adds what the tool does with a value.
    pub(super) fn add(&mut self, argued: Argued<'_>) {
        let argument = argued.argument;
        let folder = self.folder(argument.folder.as_ref());
        let Some(value) = argued.value else {
            return self.wrong_type(argument, "something else");
        };
        match (argument.kind, value) {
            (ArgumentKind::Shell, Value::String(text)) => {
                self.shell_text(&text, folder.as_deref());
            }
            (ArgumentKind::Shell, Value::Array(words)) => match texts(&words) {
                Some(words) => self.shell_words(&words, folder.as_deref()),
                None => self.wrong_type(argument, "a list with other things than texts"),
            },
            (ArgumentKind::Patch, Value::String(text)) => self.patch(&text, folder.as_deref()),
            (ArgumentKind::Connects, Value::String(text)) if argument.urls => {
                for address in addresses_in(&text) {
                    self.connect(address);
                }
            }
            (ArgumentKind::Connects, Value::String(text)) => self.connect(&text),
            (_, Value::String(text)) => self.path(argument, &text, folder.as_deref()),
            (_, other) => self.wrong_type(argument, kind_of(&other)),
        }
    }

    /// Returns the folder that an argument is relative to; `None` if it is not known.
    fn folder(&mut self, pointer: Option<&Pointer>) -> Option<String> {
        let cwd = self.around.cwd.clone();
        let Some(pointer) = pointer else { return cwd };
        match pointer.find(self.input) {
            Found::Missing => cwd,
            Found::Values(values) => match values.as_slice() {
                [Value::String(text)] if text.is_empty() => cwd,
                [Value::String(text)] => {
                    let word = expand_home(text, self.around.home.as_deref());
                    let folder = absolute(&word, cwd.as_deref());
                    folder.known().map(|known| known.into_owned())
                }
                _ => None,
            },
            Found::Wrong(_) => None,
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
            ArgumentKind::Shell => "a command line",
            ArgumentKind::Patch => "a patch",
        };
        let name = self.tool_name;
        let why = format!("`{name}` has {found} at `{pointer}`, where {expected} is expected");
        self.unclear(unclear_of(argument.kind), why);
    }

    fn path(&mut self, argument: &Argument, text: &str, folder: Option<&str>) {
        if argument.glob {
            return self.glob(argument, text, folder);
        }
        let word = self.absolute(text, folder);
        let files = argument.files.as_ref().and_then(|pointer| match pointer.find(self.input) {
            Found::Values(values) => values.first().and_then(|value| value.as_str()),
            _ => None,
        });
        // A glob with `!` says what is left out.
        match files.filter(|files| !files.is_empty() && !files.starts_with('!')) {
            None => self.add_path(argument.kind, word, argument.below),
            Some(files) => {
                // The path may be a file; then the glob does not count.
                let base = word.written();
                self.add_path(argument.kind, word, false);
                let files =
                    if files.contains('/') { files.to_owned() } else { format!("**/{files}") };
                self.glob(argument, &files, Some(&base));
            }
        }
    }

    fn glob(&mut self, argument: &Argument, text: &str, folder: Option<&str>) {
        match glob_words(text, self.around.home.as_deref()) {
            Some(words) => {
                for word in words {
                    self.add_path(argument.kind, absolute(&word, folder), false);
                }
            }
            None => {
                let why = format!(
                    "the glob of `{}` is too long, or has too many alternatives",
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

    pub(super) fn add_path(&mut self, kind: ArgumentKind, path: Word, below: bool) {
        let effect = PathEffect { path, below, by: self.tool_name.to_owned(), run: None };
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
                self.add_path(ArgumentKind::Reads, path, false);
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
