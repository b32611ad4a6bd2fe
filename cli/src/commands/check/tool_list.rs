//! The tools of a session, as a file names them.
//!
//! The file is one JSON value, or lines of which each is JSON or a name. A value is a name, a step, a
//! tool as models and MCP servers list it, the answer to `tools/list`, or an array of these.

use std::collections::BTreeSet;

use hookgate::contract::json::Integers;
use serde_json::{Map, Value};

use crate::input::envelope::{self, Unreadable};

/// A tool that is named.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NamedTool {
    pub(super) name: String,
    /// The line that names it first, from 1.
    pub(super) line: usize,
    /// The keys of its input that are known.
    pub(super) keys: BTreeSet<String>,
}

/// Reads the tools, each once, in the order in which they are named.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<NamedTool>, Unreadable> {
    let mut tools = Tools::default();
    let whole = envelope::value(bytes, Integers::default());
    let one_line = bytes.trim_ascii().iter().all(|&byte| byte != b'\n');
    match whole {
        Ok(value) => {
            let before = bytes.len() - bytes.trim_ascii_start().len();
            let breaks = bytes.iter().take(before).filter(|&&byte| byte == b'\n');
            let line = breaks.count() + 1;
            tools.add(&value, line).map_err(|message| Unreadable { line, column: 1, message })?;
        }
        Err(wrong) if !one_line && wrong.line > 1 && begins_broken(bytes) => return Err(wrong),
        Err(_) => tools.add_lines(bytes)?,
    }
    if tools.0.is_empty() {
        return Err(Unreadable::at_start("no tool is named in it"));
    }
    Ok(tools.0)
}

/// Returns whether the first line begins a JSON value and does not end it: the file is one value.
fn begins_broken(bytes: &[u8]) -> bool {
    let first = bytes.trim_ascii_start().split(|&byte| byte == b'\n').next().unwrap_or_default();
    (first.starts_with(b"[") || first.starts_with(b"{"))
        && envelope::value(first, Integers::default()).is_err()
}

#[derive(Default)]
struct Tools(Vec<NamedTool>);

impl Tools {
    fn add_lines(&mut self, bytes: &[u8]) -> Result<(), Unreadable> {
        for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
            let text = text.trim_ascii();
            if text.is_empty() {
                continue;
            }
            let value =
                if text.starts_with(b"{") || text.starts_with(b"[") || text.starts_with(b"\"") {
                    envelope::value(text, Integers::default())
                        .map_err(|wrong| Unreadable { line, ..wrong })?
                } else {
                    match str::from_utf8(text) {
                        Ok(name) => Value::from(name),
                        Err(_) => {
                            let message = "not valid UTF-8".to_owned();
                            return Err(Unreadable { line, column: 1, message });
                        }
                    }
                };
            self.add(&value, line).map_err(|message| Unreadable { line, column: 1, message })?;
        }
        Ok(())
    }

    fn add(&mut self, value: &Value, line: usize) -> Result<(), String> {
        match value {
            Value::String(name) => self.add_tool(name, None, line),
            Value::Array(all) => all.iter().try_for_each(|value| self.add(value, line)),
            Value::Object(object) => self.add_object(object, line),
            other => Err(format!("{other} names no tool")),
        }
    }

    fn add_object(&mut self, object: &Map<String, Value>, line: usize) -> Result<(), String> {
        if let Some(name) = object.get("tool_name").and_then(Value::as_str) {
            return self.add_tool(name, object.get("tool_input"), line);
        }
        // A step without a tool names none.
        if object.get("hook_event_name").is_some_and(Value::is_string) {
            return Ok(());
        }
        for inner in ["result", "tools", "function"] {
            if let Some(value @ (Value::Object(_) | Value::Array(_))) = object.get(inner) {
                return self.add(value, line);
            }
        }
        let Some(name) = object.get("name").and_then(Value::as_str) else {
            return Err(
                "an object has `tool_name` (a step), `name` (a tool) or `tools` (a list of \
                        tools)"
                    .to_owned(),
            );
        };
        let schema = ["inputSchema", "input_schema", "parameters"];
        let schema = schema.into_iter().find_map(|key| object.get(key));
        self.add_tool(name, schema.and_then(|schema| schema.get("properties")), line)
    }

    fn add_tool(&mut self, name: &str, input: Option<&Value>, line: usize) -> Result<(), String> {
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(format!("{} is no name of a tool", Value::from(name)));
        }
        let keys = input.and_then(Value::as_object).into_iter().flat_map(Map::keys).cloned();
        match self.0.iter_mut().find(|tool| tool.name == name) {
            Some(tool) => tool.keys.extend(keys),
            None => {
                let (name, keys) = (name.to_owned(), keys.collect());
                self.0.push(NamedTool { name, line, keys });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, usize)> {
        let tools = read(text.as_bytes()).unwrap();
        tools.into_iter().map(|tool| (tool.name, tool.line)).collect()
    }

    fn named(name: &str, line: usize) -> (String, usize) {
        (name.to_owned(), line)
    }

    #[test]
    fn tools_are_named_in_several_forms() {
        let both = [named("Bash", 1), named("Read", 1)];
        for text in [
            r#"["Bash", "Read", "Bash"]"#,
            r#"[{"name": "Bash"}, {"type": "function", "function": {"name": "Read"}}]"#,
            r#"{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "Bash"}, {"name": "Read"}]}}"#,
        ] {
            assert_eq!(names(text), both, "{text}");
        }
        let lines = [named("Bash", 1), named("Read", 3)];
        for text in [
            "Bash\n\nRead\n",
            "\"Bash\"\n\"Bash\"\n\"Read\"\n",
            "{\"tool_name\":\"Bash\"}\n{\"hook_event_name\":\"stop\"}\n{\"tool_name\":\"Read\"}\n",
        ] {
            assert_eq!(names(text), lines, "{text}");
        }
    }

    #[test]
    fn the_keys_of_an_input_are_known() {
        let text =
            r#"{"tools": [{"name": "q", "inputSchema": {"properties": {"path": {}, "n": {}}}}]}"#;
        let keys = BTreeSet::from(["n".to_owned(), "path".to_owned()]);
        assert_eq!(read(text.as_bytes()).unwrap()[0].keys, keys);
    }

    #[test]
    fn what_names_no_tool_is_a_mistake_with_a_line() {
        let wrong = |text: &str| read(text.as_bytes()).unwrap_err();
        assert_eq!(wrong("").message, "no tool is named in it");
        assert_eq!(wrong("[]").message, "no tool is named in it");
        assert_eq!(wrong("{\"hook_event_name\":\"stop\"}").message, "no tool is named in it");
        assert_eq!(wrong("Bash\nthe tool\n").line, 2);
        assert_eq!(wrong("Bash\n{\"a\":1}\n").line, 2);
        assert_eq!(wrong("[\n  \"Bash\"\n  \"Read\"\n]\n").line, 3);
        assert!(wrong("[7]").message.contains("7 names no tool"));
    }
}
