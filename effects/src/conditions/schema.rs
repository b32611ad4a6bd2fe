//! The JSON Schemas of the conditions and of `[[tool]]`.

use serde_json::{Map, Value, json};

/// A text or a list of texts.
fn texts_schema() -> Value {
    json!({"anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
    ]})
}

/// A table that has exactly one of some keys.
fn one_of_schema(keys: &[&str]) -> Value {
    let properties: Map<String, Value> =
        keys.iter().map(|key| ((*key).to_owned(), texts_schema())).collect();
    json!({
        "type": "object",
        "properties": properties,
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": false,
    })
}

pub(super) fn paths_schema() -> Value {
    json!({"anyOf": [texts_schema(), one_of_schema(&["within", "outside"])]})
}

pub(super) fn hosts_schema() -> Value {
    json!({"anyOf": [texts_schema(), one_of_schema(&["outside"])]})
}

pub(super) fn runs_schema() -> Value {
    let code = json!({"enum": ["network", "decoded", "stdin"]});
    let table = json!({
        "type": "object",
        "properties": {
            "program": texts_schema(),
            "words": texts_schema(),
            "flags": texts_schema(),
            "no_flags": texts_schema(),
            "operand": texts_schema(),
            "env": texts_schema(),
            "via": texts_schema(),
            "where": {"enum": ["local", "remote"]},
            "code_from": {"anyOf": [code, {"type": "array", "minItems": 1, "items": code}]},
        },
        "minProperties": 1,
        "additionalProperties": false,
    });
    let one = json!({"anyOf": [{"type": "string", "minLength": 1}, table]});
    json!({"anyOf": [one, {"type": "array", "minItems": 1, "items": one}]})
}

pub(super) fn tool_schema() -> Value {
    let pointer = json!({"type": "string", "pattern": "^(/.*)?$"});
    let flag = json!({"type": "boolean"});
    let table = |keys: &[(&str, &Value)]| {
        let mut properties = Map::new();
        properties.insert("pointer".to_owned(), pointer.clone());
        properties.insert("optional".to_owned(), flag.clone());
        properties.extend(keys.iter().map(|(key, schema)| ((*key).to_owned(), (*schema).clone())));
        json!({"type": "object", "properties": properties, "additionalProperties": false})
    };
    let arguments = |table: Value| {
        let one = json!({"anyOf": [pointer, table]});
        json!({"anyOf": [one, {"type": "array", "minItems": 1, "items": one}]})
    };
    let text = json!({"type": "string"});
    let path = arguments(table(&[
        ("path", &text),
        ("default", &text),
        ("below", &flag),
        ("glob", &flag),
        ("names", &flag),
        ("folder", &pointer),
        ("files", &pointer),
    ]));
    let code = arguments(table(&[("folder", &pointer)]));
    let word = json!({
        "type": "object",
        "properties": {"pointer": pointer, "optional": flag},
        "required": ["pointer"],
        "additionalProperties": false,
    });
    json!({"type": "array", "items": {
        "type": "object",
        "properties": {
            "name": texts_schema(),
            "reads": path,
            "writes": path,
            "deletes": path,
            "connects": arguments(table(&[("host", &text), ("urls", &flag)])),
            "shell": code,
            "patch": code,
            "runs": {"type": "array", "minItems": 1, "items": {"anyOf": [text, word]}},
            "effects": {"enum": ["none", "unclear"]},
            "why": text,
        },
        "required": ["name"],
        "minProperties": 2,
        "additionalProperties": false,
    }})
}
