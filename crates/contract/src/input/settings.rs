//! Settings from a file, with the span of each: what a handler is built from.
//!
//! A handler reads its settings key by key. What is wrong is noted, not returned, so that one run
//! reports all mistakes of a file; a key that the handler never asks for is one of them.

mod node;
mod size;

use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use crate::quote::{self, Quoted};
use crate::suggest::Suggestion;
pub use node::{Node, NodeValue, SettingEntry};
use size::{LARGEST, parse_size};

/// The longest duration that a setting may have: a year. A longer one is a mistake, and could overflow
/// when it is added to the present time.
pub const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// What is wrong with a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingProblem {
    /// A key that nothing reads.
    #[error("unknown key `{}`{near}", Quoted(.key))]
    Unknown {
        /// The key.
        key: String,
        /// A known key with a similar name.
        near: Suggestion,
    },
    /// A key that must be there.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A value of the wrong type.
    #[error("`{}` must be {expected}, not {found}", Quoted(.key))]
    Type {
        /// The key.
        key: String,
        /// The type that it must have, in words.
        expected: &'static str,
        /// The type that it has, in words.
        found: &'static str,
    },
    /// A value of the right type that makes no sense.
    #[error("`{}`: {}", Quoted(.key), quote::lines(.problem))]
    Invalid {
        /// The key.
        key: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// A problem, and its span in the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct SettingError {
    /// The span, in bytes.
    pub span: Range<usize>,
    /// What is wrong.
    pub problem: SettingProblem,
}

/// Reads a table key by key and remembers all that is wrong with it, so that one run reports
/// everything. A key that was not read is unknown.
///
/// ```
/// use hookgate_contract::settings::{Node, Settings};
///
/// let node = Node::from_json(&serde_json::json!({"resaon": "typo"}));
/// let mut settings = Settings::new(&node);
/// assert_eq!(settings.text("reason"), None);
/// let errors = settings.finish();
/// assert_eq!(errors[0].to_string(), "unknown key `resaon`; did you mean `reason`?");
/// ```
#[derive(Debug)]
pub struct Settings<'a> {
    entries: &'a [SettingEntry],
    span: Range<usize>,
    known: Vec<String>,
    errors: Vec<SettingError>,
}

impl<'a> Settings<'a> {
    /// Makes the settings of a table. A node that is not a table is an error, and has no settings.
    #[must_use]
    pub fn new(node: &'a Node) -> Self {
        let mut settings =
            Self { entries: &[], span: node.span.clone(), known: Vec::new(), errors: Vec::new() };
        match &node.value {
            NodeValue::Table(entries) => settings.entries = entries,
            _ => settings.errors.push(SettingError {
                span: node.span.clone(),
                problem: SettingProblem::Type {
                    key: "the value".into(),
                    expected: "a table",
                    found: node.kind(),
                },
            }),
        }
        settings
    }

    /// Returns the span of the table.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the span of the value of a key, or that of the table if the key is absent.
    #[must_use]
    pub fn span_of(&self, key: &str) -> Range<usize> {
        self.entry(key).map_or_else(|| self.span(), |entry| entry.node.span.clone())
    }

    /// Returns all keys with their values, read or not.
    #[must_use]
    pub const fn entries(&self) -> &'a [SettingEntry] {
        self.entries
    }

    /// Returns whether the table has a key, whatever its value is. The key does not count as read:
    /// one that is only asked for here is still reported as unknown.
    ///
    /// ```
    /// use hookgate_contract::settings::{Node, Settings};
    ///
    /// let node = Node::from_json(&serde_json::json!({"limit": "many"}));
    /// let settings = Settings::new(&node);
    /// assert!(settings.has("limit") && !settings.has("limits"));
    /// ```
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    fn entry(&self, key: &str) -> Option<&'a SettingEntry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// Notes a key once, however often it is read: the list is searched for every unknown key.
    fn know(&mut self, key: &str) {
        if !self.known.iter().any(|known| known == key) {
            self.known.push(key.to_owned());
        }
    }

    /// Reads a value as it is.
    pub fn node(&mut self, key: &str) -> Option<&'a Node> {
        self.know(key);
        self.entry(key).map(|entry| &entry.node)
    }

    fn read<T>(
        &mut self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(&'a NodeValue) -> Option<T>,
    ) -> Option<T> {
        let node = self.node(key)?;
        let value = read(&node.value);
        if value.is_none() {
            self.errors.push(SettingError {
                span: node.span.clone(),
                problem: SettingProblem::Type { key: key.to_owned(), expected, found: node.kind() },
            });
        }
        value
    }

    /// Reads a string.
    pub fn text(&mut self, key: &'static str) -> Option<&'a str> {
        self.read(key, "a string", as_text)
    }

    /// Reads a string that must be there.
    pub fn required_text(&mut self, key: &'static str) -> Option<&'a str> {
        if self.entry(key).is_none() {
            self.know(key);
            self.missing(key);
            return None;
        }
        self.text(key)
    }

    /// Reads an array of strings.
    pub fn list(&mut self, key: &'static str) -> Option<Vec<&'a str>> {
        self.read(key, "an array of strings", |value| match value {
            NodeValue::List(items) => items.iter().map(|item| as_text(&item.value)).collect(),
            _ => None,
        })
    }

    /// Reads a string or an array of strings.
    pub fn one_or_more(&mut self, key: &'static str) -> Option<Vec<&'a str>> {
        self.read(key, "a string or an array of strings", |value| match value {
            NodeValue::Text(text) => Some(vec![text.as_str()]),
            NodeValue::List(items) => items.iter().map(|item| as_text(&item.value)).collect(),
            _ => None,
        })
    }

    /// Reads a boolean.
    pub fn flag(&mut self, key: &'static str) -> Option<bool> {
        if let Some(text) = self.node(key).and_then(|node| as_text(&node.value))
            && matches!(text, "true" | "false")
        {
            self.invalid(key, format!("must be a boolean: write {text} without quotes"));
            return None;
        }
        self.read(key, "a boolean", |value| match value {
            NodeValue::Flag(flag) => Some(*flag),
            _ => None,
        })
    }

    /// Reads an integer.
    pub fn integer(&mut self, key: &'static str) -> Option<i64> {
        self.read(key, "an integer", |value| match value {
            NodeValue::Integer(number) => Some(*number),
            _ => None,
        })
    }

    /// Reads a table.
    pub fn table(&mut self, key: &'static str) -> Option<Settings<'a>> {
        let node = self.node(key)?;
        self.read(key, "a table", |value| matches!(value, NodeValue::Table(_)).then_some(()))?;
        Some(Settings::new(node))
    }

    /// Reads a duration such as `"250ms"` or `"2s"`; it must not be zero, nor more than a year.
    pub fn duration(&mut self, key: &str) -> Option<Duration> {
        let text = self.read(key, "a duration such as \"2s\"", as_text)?;
        match humantime::parse_duration(text) {
            Ok(duration) if duration.is_zero() => {
                self.invalid(key, "a duration of zero, in which nothing could happen");
                None
            }
            Ok(duration) if duration > LONGEST => {
                self.invalid(key, "longer than a year; at most 365d");
                None
            }
            Ok(duration) => Some(duration),
            Err(error) => {
                self.invalid(key, format!("not a duration such as \"2s\" or \"250ms\": {error}"));
                None
            }
        }
    }

    /// Reads a size in bytes: an integer, or a string such as `"256KiB"`.
    pub fn size(&mut self, key: &'static str) -> Option<usize> {
        let parsed = self.read(key, "a size such as \"256KiB\"", |value| match value {
            NodeValue::Integer(number) => Some(usize::try_from(*number).ok()),
            NodeValue::Text(text) => Some(parse_size(text)),
            _ => None,
        })?;
        match parsed {
            None => {
                self.invalid(key, "not a size such as \"256KiB\" or \"1MiB\"");
                None
            }
            Some(size) if size > LARGEST => {
                self.invalid(key, "larger than 1024GiB");
                None
            }
            Some(size) => Some(size),
        }
    }

    /// Reads an integer within bounds, both included.
    pub fn within(&mut self, key: &'static str, bounds: RangeInclusive<i64>) -> Option<i64> {
        let number = self.integer(key)?;
        if bounds.contains(&number) {
            return Some(number);
        }
        let most = match *bounds.end() {
            i64::MAX => "or more".to_owned(),
            most => format!("to {most}"),
        };
        self.invalid(key, format!("must be {} {most}", bounds.start()));
        None
    }

    /// Reads a number of things, within bounds that are both included. A number outside of them is
    /// reported, and the setting counts as not given.
    ///
    /// ```
    /// use hookgate_contract::settings::{Node, Settings};
    ///
    /// let node = Node::from_json(&serde_json::json!({"workers": 4, "queue": 0}));
    /// let mut settings = Settings::new(&node);
    /// assert_eq!(settings.count("workers", 1..=64), Some(4));
    /// assert_eq!(settings.count("queue", 1..=1024), None);
    /// assert_eq!(settings.finish()[0].to_string(), "`queue`: must be 1 to 1024");
    /// ```
    pub fn count(&mut self, key: &'static str, bounds: RangeInclusive<usize>) -> Option<usize> {
        let (least, most) = bounds.into_inner();
        let bound = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let number = self.within(key, bound(least)..=bound(most))?;
        usize::try_from(number).ok()
    }

    /// Reads one of a few names.
    pub fn choice<T>(
        &mut self,
        key: &'static str,
        names: &[&'static str],
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(key)?;
        let value = parse(text);
        if value.is_none() {
            let hint = Suggestion::nearest(text, names);
            self.invalid(
                key,
                format!("`{}` is not one of {}{hint}", Quoted(text), names.join(", ")),
            );
        }
        value
    }

    /// Notes that a key must be there.
    pub fn missing(&mut self, key: &'static str) {
        self.errors.push(SettingError { span: self.span(), problem: SettingProblem::Missing(key) });
    }

    /// Notes that the value of a key makes no sense.
    pub fn invalid(&mut self, key: &str, problem: impl Into<String>) {
        self.errors.push(SettingError {
            span: self.span_of(key),
            problem: SettingProblem::Invalid { key: key.to_owned(), problem: problem.into() },
        });
    }

    /// Returns whether anything was found to be wrong so far.
    #[must_use]
    pub const fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Takes over the errors of a table inside this one.
    pub fn absorb(&mut self, errors: impl IntoIterator<Item = SettingError>) {
        self.errors.extend(errors);
    }

    /// Returns all errors in the order of the file, with one for each key that was not read.
    #[must_use]
    pub fn finish(mut self) -> Vec<SettingError> {
        let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
        for entry in self.entries {
            if !self.known.contains(&entry.key) {
                self.errors.push(SettingError {
                    span: entry.key_span.clone(),
                    problem: SettingProblem::Unknown {
                        key: entry.key.clone(),
                        near: Suggestion::nearest_or_all(&entry.key, &known),
                    },
                });
            }
        }
        self.errors.sort_by_key(|error| error.span.start);
        self.errors
    }
}

fn as_text(value: &NodeValue) -> Option<&str> {
    match value {
        NodeValue::Text(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn everything_wrong_is_reported_at_once() {
        let node = Node::from_json(&json!({"a": 1, "b": "0s", "unknwon": true}));
        let mut settings = Settings::new(&node);
        settings.text("a");
        settings.duration("b");
        settings.flag("unknown");
        settings.required_text("c");
        assert_eq!(settings.finish().len(), 4);
    }
}
