//! Conditions as text: as hooks.toml writes them, so that a text can be meant in one way only.

use std::fmt;

use hookgate_contract::payload::Safety;
use serde_json::{Map, Value};

use super::canonical::test_form;
use crate::matcher::{InputSpec, MatchSpec};

/// The value of a list of names: one of them stands for itself.
fn one_or_more<T: AsRef<str>>(names: &[T]) -> Value {
    match names {
        [one] => one.as_ref().into(),
        all => all.iter().map(|name| Value::from(name.as_ref())).collect(),
    }
}

/// Returns each condition that the engine has itself, except those on fields, with its key and value.
pub(super) fn plain_values(spec: &MatchSpec) -> Vec<(&'static str, Value)> {
    let names: Vec<&str> = spec.safety.iter().copied().map(Safety::name).collect();
    let all = [
        ("tool", one_or_more(&spec.tool)),
        ("tool_glob", one_or_more(&spec.tool_glob)),
        ("tool_regex", one_or_more(&spec.tool_regex)),
        ("safety", one_or_more(&names)),
        ("agent", one_or_more(&spec.agent)),
        ("cwd_glob", one_or_more(&spec.cwd_glob)),
    ];
    let given = |value: &Value| value.as_array().is_none_or(|items| !items.is_empty());
    let mut given: Vec<_> = all.into_iter().filter(|(_, value)| given(value)).collect();
    if let Some(subagent) = spec.subagent {
        given.push(("subagent", subagent.into()));
    }
    if spec.regex_search {
        given.push(("regex_search", true.into()));
    }
    given
}

/// Returns the value of a condition on one pointer: `{ "/command" = { regex = "push" } }`. Tests of
/// the same name, which only Rust code can give, are in a list.
pub(super) fn pointer_value(spec: &InputSpec) -> Value {
    let (mut tests, mut not) = (Map::new(), Map::new());
    for test in &spec.tests {
        let form = test_form(test);
        let name = form.get("test").and_then(Value::as_str).unwrap_or_default().to_owned();
        let value = form.get("value").cloned().unwrap_or_default();
        let into = if test.negated { &mut not } else { &mut tests };
        match into.get_mut(&name) {
            Some(earlier) => *earlier = Value::Array(vec![earlier.take(), value]),
            None => {
                into.insert(name, value);
            }
        }
        if test.ignore_case {
            into.insert("ignore_case".to_owned(), true.into());
        }
    }
    if !not.is_empty() {
        tests.insert("not".to_owned(), not.into());
    }
    Value::Object(Map::from_iter([(spec.pointer.clone(), tests.into())]))
}

/// Writes a key and its value as hooks.toml does.
pub(super) fn assignment(key: &str, value: &Value) -> String {
    let mut text = format!("{key} = ");
    write_value(&mut text, value);
    text
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_value(out, item);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            out.push_str("{ ");
            for (index, (key, value)) in entries.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                let is_bare = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
                if !key.is_empty() && key.chars().all(is_bare) {
                    out.push_str(key);
                } else {
                    out.push_str(&Value::from(key.as_str()).to_string());
                }
                out.push_str(" = ");
                write_value(out, value);
            }
            out.push_str(if entries.is_empty() { "}" } else { " }" });
        }
        // The escapes of a JSON string are those of TOML.
        other => out.push_str(&other.to_string()),
    }
}

impl MatchSpec {
    /// Returns each condition as it is written.
    fn assignments(&self) -> Vec<String> {
        let plain = plain_values(self).into_iter();
        let mut all: Vec<String> = plain.map(|(key, value)| assignment(key, &value)).collect();
        let pointers = |key, specs: &[InputSpec]| -> Vec<String> {
            specs.iter().map(|spec| assignment(key, &pointer_value(spec))).collect()
        };
        all.extend(pointers("input", &self.input));
        all.extend(pointers("payload", &self.payload));
        let registered = self.registered.iter();
        all.extend(registered.map(|built| assignment(built.key(), built.written())));
        for branches in &self.any {
            let tables: Vec<String> = branches.iter().map(table_text).collect();
            all.push(format!("any = [{}]", tables.join(", ")));
        }
        all.extend(self.not.iter().map(|table| format!("not = {}", table_text(table))));
        all
    }
}

/// Writes the conditions of a table: `{ tool = "Bash", agent = "coder" }`.
pub(super) fn table_text(table: &MatchSpec) -> String {
    format!("{{ {table} }}")
}

impl fmt::Display for MatchSpec {
    /// Writes the conditions as hooks.toml does, in one line. The text is empty without any.
    ///
    /// ```
    /// use hookgate::matcher::{MatchSpec, Test};
    ///
    /// let spec = MatchSpec::new().tool("Edit|Write").input("/path", !Test::glob("*.md"));
    /// let text = r#"tool = "Edit|Write", input = { "/path" = { not = { glob = "*.md" } } }"#;
    /// assert_eq!(spec.to_string(), text);
    /// let names = MatchSpec::new().tool("Edit").tool("Write");
    /// assert_eq!(names.to_string(), r#"tool = ["Edit", "Write"]"#);
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.assignments().join(", "))
    }
}
