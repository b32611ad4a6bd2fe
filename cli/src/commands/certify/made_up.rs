//! Steps that are made up for a hook, from what its conditions say.

use std::path::Path;

use hookgate::HookSpec;
use hookgate::matcher::{InputSpec, InputTest, MatchSpec, Test};
use serde_json::{Map, Number, Value, json};

use super::pattern_text::text_of;
use crate::canary::envelope;

/// A tool that no agent has.
const NO_TOOL: &str = "hookgate-canary";

/// The tools whose calls are tried for a hook that names none.
const TOOLS: [&str; 4] = ["Bash", "Read", "Write", "Edit"];

/// The file that they are about.
const FILE: &str = "/tmp/hookgate-canary";

/// How many steps are tried.
const MOST: usize = 24;

/// How long a text may be that is made up for `len`.
const LONGEST: u64 = 10_000;

/// Returns steps about which the hook may be called.
pub(super) fn steps(hook: &HookSpec, folder: &Path) -> Vec<Map<String, Value>> {
    let mut steps = Vec::new();
    for event in hook.events() {
        for conditions in alternatives(hook.matcher()) {
            let calls = calls(&conditions, folder);
            steps.extend(
                calls.into_iter().filter_map(|(tool, input)| {
                    step(event.name(), &tool, input, &conditions, folder)
                }),
            );
        }
    }
    steps.dedup();
    steps.truncate(MOST);
    steps
}

/// Returns a step that the conditions of the hook leave out because of its tool.
pub(super) fn other_step(hook: &HookSpec, folder: &Path) -> Option<Map<String, Value>> {
    let event = hook.events().first()?;
    let step = envelope(event.name(), NO_TOOL, &json!({}), folder)?;
    let is_left_out = step.contains_key("tool_name") && !hook.matcher().may_hold_for(NO_TOOL);
    is_left_out.then_some(step)
}

/// Returns the conditions with each of the tables of the first `any`, and with one of each other `any`.
fn alternatives(conditions: &MatchSpec) -> Vec<MatchSpec> {
    let mut own = conditions.clone();
    own.any.clear();
    let Some((first, others)) = conditions.any.split_first() else { return vec![own] };
    let with = |table: &MatchSpec| {
        let all = others.iter().filter_map(|tables| tables.first());
        all.chain([table]).fold(own.clone(), |all, table| {
            // Names that are joined would be alternatives.
            let tool = if table.tool.is_empty() { all.tool.clone() } else { table.tool.clone() };
            let mut all = all.merge(table.clone());
            all.tool = tool;
            all
        })
    };
    first.iter().map(with).collect()
}

/// Returns calls of tools that may meet the conditions, but for those on values.
fn calls(conditions: &MatchSpec, folder: &Path) -> Vec<(String, Value)> {
    let examples = conditions.registered.iter().flat_map(|one| one.condition().examples());
    let mut calls: Vec<_> =
        examples.map(|(tool, input)| (tool.to_owned(), here(input, folder))).take(MOST).collect();
    let names = conditions.tool.iter().flat_map(|text| text.split('|'));
    let plain = |name: &&str| !name.starts_with('!') && !name.contains(['*', '?', '[', '{']);
    let mut names: Vec<&str> = names.filter(plain).collect();
    names.extend(TOOLS);
    calls.extend(names.into_iter().map(|name| {
        let input = match name {
            "Read" => json!({ "file_path": FILE }),
            "Write" => json!({ "file_path": FILE, "content": "x" }),
            "Edit" => json!({ "file_path": FILE, "old_string": "x", "new_string": "y" }),
            _ => json!({ "command": "true" }),
        };
        (name.to_owned(), input)
    }));
    calls.retain(|(tool, _)| conditions.may_hold_for(tool));
    calls
}

/// Returns the arguments of an example with the folder and the home of this user in place of those made up for it.
fn here(mut input: Value, folder: &Path) -> Value {
    let home = std::env::var("HOME").unwrap_or_default();
    for value in input.as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Value::String(text) = value {
            *text = text.replace("/home/w/x", &folder.display().to_string());
            *text = text.replace("/home/w", &home);
        }
    }
    input
}

/// Returns the step of a call in which the values are those that the conditions ask for.
fn step(
    event: &str,
    tool: &str,
    mut input: Value,
    conditions: &MatchSpec,
    folder: &Path,
) -> Option<Map<String, Value>> {
    for asked in &conditions.input {
        put(&mut input, asked)?;
    }
    let mut step = Value::Object(envelope(event, tool, &input, folder)?);
    if step.get("tool_name").is_none() {
        for asked in &conditions.input {
            put(&mut step, asked)?;
        }
    }
    for asked in &conditions.payload {
        put(&mut step, asked)?;
    }
    let Value::Object(mut step) = step else { return None };
    if let Some(glob) = conditions.cwd_glob.first() {
        let folder = glob.replace("**", "x").replace('*', "x");
        step.insert("cwd".to_owned(), format!("/{}", folder.trim_start_matches('/')).into());
    }
    if conditions.subagent == Some(true) {
        step.insert("agent_id".to_owned(), "canary".into());
    }
    Some(step)
}

/// Puts a value that meets the tests where they look for it.
fn put(into: &mut Value, asked: &InputSpec) -> Option<()> {
    let value = value_for(&asked.tests)?;
    let mut place = into;
    for key in asked.pointer.strip_prefix('/')?.split('/') {
        if key == "**" {
            break;
        }
        if key == "*" {
            if place.as_array().is_none_or(|items| items.len() != 1) {
                *place = json!([null]);
            }
            place = place.as_array_mut()?.first_mut()?;
            continue;
        }
        if !place.is_object() {
            *place = json!({});
        }
        let key = key.replace("~1", "/").replace("~0", "~");
        place = place.as_object_mut()?.entry(key).or_insert(Value::Null);
    }
    *place = value;
    Some(())
}

/// Returns a value that meets the tests, as far as that can be told. What must not hold is not looked at.
fn value_for(tests: &[InputTest]) -> Option<Value> {
    let (mut start, mut middle, mut end) = (String::new(), String::new(), String::new());
    for test in tests.iter().filter(|test| !test.negated) {
        let test = match &test.test {
            Test::Any(tests) => tests.first()?,
            test => test,
        };
        match test {
            Test::Equals(value) => return Some(value.clone()),
            Test::OneOf(values) => return values.first().cloned(),
            Test::Gt(number) => return Number::from_f64(number.as_f64()? + 1.0).map(Value::Number),
            Test::Lt(number) => return Number::from_f64(number.as_f64()? - 1.0).map(Value::Number),
            Test::Ge(number) | Test::Le(number) => return Some(Value::Number(number.clone())),
            Test::Glob(glob) => middle.push_str(&glob.replace('*', "").replace('?', "x")),
            Test::Regex(pattern) => middle.push_str(&text_of(pattern)?),
            Test::Contains(text) => middle.push_str(text),
            Test::StartsWith(text) => start.push_str(text),
            Test::EndsWith(text) => end.insert_str(0, text),
            Test::Length { least, .. } if *least <= LONGEST => {
                middle.extend((0..*least).map(|_| 'x'));
            }
            Test::Exists(true) => {}
            _ => return None,
        }
    }
    let text = [start, middle, end].concat();
    Some(if text.is_empty() { "x".into() } else { text.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(tests: impl IntoIterator<Item = Test>) -> Option<Value> {
        value_for(&tests.into_iter().map(InputTest::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_value_meets_its_tests() {
        let text = value([Test::ends_with(" c"), Test::contains("b"), Test::starts_with("a ")]);
        assert_eq!(text, Some("a b c".into()));
        assert_eq!(value([Test::equals(22)]), Some(22.into()));
        assert_eq!(value([Test::glob("git push*")]), Some("git push".into()));
        assert_eq!(value([Test::regex("push.*--force")]), Some("push--force".into()));
        assert_eq!(value([Test::exists()]), Some("x".into()));
        assert_eq!(value([Test::Exists(false)]), None, "nothing can be put there");
    }

    #[test]
    fn a_value_is_put_where_it_is_looked_for() {
        let at = |pointer: &str| {
            let mut into = json!({"command": "true"});
            put(&mut into, &InputSpec::new(pointer).test(Test::equals("v"))).map(|()| into)
        };
        assert_eq!(at("/command"), Some(json!({"command": "v"})));
        assert_eq!(at("/a~1b/*/c"), Some(json!({"command": "true", "a/b": [{"c": "v"}]})));
        assert_eq!(at("/x/**"), Some(json!({"command": "true", "x": "v"})));
    }
}
