//! Warnings about keys of inputs, and about tests that fit no value of a key, for tools that are known by name.

use hookgate_contract::suggest::nearest;
use serde_json::Value;

use super::advice::Advice;
use super::characters::shown;
use super::pointer::{Token, tokens};
use super::spec::InputSpec;
use super::test::Test;
use super::well_known::{
    Meant, ValueKind, key_of_claude, keys_without, kind_of, meant_key, meant_tool,
};

/// Returns a warning about a pointer into the tool's input whose key looks mistyped.
/// `inside` is the pointer from the input on.
pub(super) fn pointer_advice(
    place: &'static str,
    pointer: &str,
    inside: &str,
    tools: &[&str],
) -> Option<Advice> {
    let tokens = tokens(inside).ok()?;
    let Some(Token::Key(key)) = tokens.first() else { return None };
    let rest = inside.get(1 + key.len()..).unwrap_or_default();
    let word = |part: &str| {
        part.starts_with(char::is_alphabetic)
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    // The names of the payload are refused where the event is known.
    let outside = |part: &str| ["tool_input", "tool_response"].contains(&part);
    let parts: Vec<&str> = key.split('.').collect();
    let above = pointer.strip_suffix(inside).unwrap_or_default();
    let text = if parts.len() > 1 && parts.iter().all(|part| word(part)) {
        if parts.first().is_some_and(|part| outside(part)) {
            return None;
        }
        format!(
            "`{}` is one key with a dot in its name: write `/{}{rest}` for what is inside of `{}`",
            shown(key),
            parts.join("/"),
            parts.first().unwrap_or(&"")
        )
    } else if key == "tool_name" {
        "`input` looks into the tool's input: the name of the tool is tested by `tool`".to_owned()
    } else if let Some(meant) = meant_key(key, tools) {
        format!(
            "no well-known tool has the key `{}`; did you mean `{above}/{meant}{rest}`?",
            shown(key)
        )
    } else if let Some(meant) = key_of_claude(key, tools) {
        format!(
            "`{}` of Claude Code has no key `{key}`: there it is `{above}/{meant}`, and only other agents have `{key}`; \
             `reads` and `writes` know the keys of all of them",
            tools.join("`, `")
        )
    } else {
        let keys = keys_without(key, tools)?;
        let near = nearest(key, &keys).or_else(|| keys.first().copied()).unwrap_or_default();
        format!(
            "`{}` has no key `{}`; did you mean `{above}/{near}`? It has {}",
            tools.join("`, `"),
            shown(key),
            keys.join(", ")
        )
    };
    Some(Advice::new(place, pointer, text))
}

/// Returns what is doubtful about a pointer into the inputs of these tools.
pub(crate) fn input_doubt(pointer: &str, tools: &[String]) -> Option<String> {
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    pointer_advice("input", pointer, pointer, &tools).map(|advice| advice.text)
}

/// Returns a warning about a pointer or a test that fits no value which a known tool has at the key.
pub(super) fn kind_advice(
    place: &'static str,
    spec: &InputSpec,
    inside: &str,
    tools: &[&str],
) -> Option<Advice> {
    let tokens = tokens(inside).ok()?;
    let Some(Token::Key(key)) = tokens.first() else { return None };
    let kind = kind_of(key, tools)?;
    let names = tools.join("`, `");
    let is_what = match kind {
        ValueKind::Text => "a text",
        ValueKind::Number => "a number",
        ValueKind::Flag => "true or false",
        ValueKind::List => "a list",
    };
    let below = tokens.get(1).is_some_and(|token| !matches!(token, Token::Strings));
    if below && kind != ValueKind::List {
        let text = format!(
            "`{key}` of `{names}` is {is_what}, and nothing is inside of it: test `/{key}` itself, such as by \
             `contains` or `regex`"
        );
        return Some(Advice::new(place, &spec.pointer, text));
    }
    if tokens.len() > 1 {
        return None;
    }
    let wrong = spec.tests.iter().filter(|test| !test.negated).find_map(|test| {
        let fits = match kind_asked(&test.test) {
            None => true,
            Some(ValueKind::Number) if kind == ValueKind::Number => true,
            Some(asked) => asked == kind,
        };
        (!fits).then_some(())
    });
    wrong.map(|()| {
        let instead = match kind {
            ValueKind::Text => "`contains`, `regex`, `glob`, or `len` for how long it is",
            ValueKind::Number => "`equals`, `gt` or `lt` with a number without quotes",
            ValueKind::Flag => "`equals = true` or `equals = false`",
            ValueKind::List => "`len`, or a pointer to its entries",
        };
        let text =
            format!("`{key}` of `{names}` is {is_what}, which fits no such test: use {instead}");
        Advice::new(place, &spec.pointer, text)
    })
}

/// Returns what kind of value a test asks for, if it is one only.
fn kind_asked(test: &Test) -> Option<ValueKind> {
    let kind = |value: &Value| match value {
        Value::String(_) => Some(ValueKind::Text),
        Value::Number(_) => Some(ValueKind::Number),
        Value::Bool(_) => Some(ValueKind::Flag),
        Value::Array(_) => Some(ValueKind::List),
        _ => None,
    };
    match test {
        Test::Glob(_)
        | Test::Regex(_)
        | Test::Contains(_)
        | Test::StartsWith(_)
        | Test::EndsWith(_) => Some(ValueKind::Text),
        Test::Gt(_) | Test::Ge(_) | Test::Lt(_) | Test::Le(_) => Some(ValueKind::Number),
        // A value in quotes has a warning of its own.
        Test::Equals(Value::String(_)) => None,
        Test::Equals(value) => kind(value),
        Test::OneOf(values) => {
            let first = values.first().and_then(kind).filter(|first| *first != ValueKind::Text)?;
            values.iter().all(|value| kind(value) == Some(first)).then_some(first)
        }
        Test::Any(tests) => tests.first().and_then(kind_asked),
        Test::Exists(_) | Test::Length { .. } => None,
    }
}

/// Returns warnings about tests of the name of the tool in the payload.
pub(super) fn tool_name_advice(spec: &InputSpec) -> Vec<Advice> {
    let mut names: Vec<&str> = Vec::new();
    for input in spec.tests.iter().filter(|input| !input.ignore_case) {
        match &input.test {
            Test::Equals(Value::String(name)) => names.push(name),
            Test::OneOf(values) => names.extend(values.iter().filter_map(Value::as_str)),
            Test::Glob(name) if !name.contains(['*', '?', '[', '{', '|']) => names.push(name),
            _ => {}
        }
    }
    let other = |tool: &&'static str| !names.contains(tool);
    let told = |name: &&str| {
        let text = match meant_tool(name)? {
            Meant::Case(tool) => other(&tool).then(|| {
                format!(
                    "names of tools are compared letter by letter: Claude Code's tool is `{tool}`, and `{name}` is \
                     another; write `{tool}`, or `one_of` with both"
                )
            }),
            Meant::Near(tool) => other(&tool)
                .then(|| format!("no well-known tool is called `{name}`; did you mean `{tool}`?")),
        };
        Some(Advice::new("payload", name, text?))
    };
    names.iter().filter_map(told).collect()
}

/// Fields of payloads that are texts.
const TEXT_FIELDS: [&str; 6] = ["prompt", "tool_name", "tool_use_id", "trigger", "source", "model"];

/// Returns a warning about a pointer into a field of the payload that is a text.
pub(super) fn field_advice(spec: &InputSpec) -> Option<Advice> {
    let tokens = tokens(&spec.pointer).ok()?;
    let [Token::Key(field), Token::Key(_) | Token::Any, ..] = tokens.as_slice() else {
        return None;
    };
    let is_text = TEXT_FIELDS.contains(&field.as_str());
    is_text.then(|| {
        let text =
            format!("`{field}` is a text, and nothing is inside of it: test `/{field}` itself");
        Advice::new("payload", &spec.pointer, text)
    })
}
