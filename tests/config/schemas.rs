//! Promise: the published schemas say what the parsers do.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may fail"
)]
#![cfg(feature = "schema")]

use hookgate_test_support as support;

use std::path::Path;

use hookgate::config::Loader;
use hookgate::envelope::Incoming;
use hookgate::{Verdict, schema};
use jsonschema::Validator;
use serde_json::{Value, json};
use support::{bash, context, engine, sync};

fn validator(schema: &Value) -> Validator {
    jsonschema::validator_for(schema).expect("the schema is a schema")
}

#[test]
fn verdicts_that_are_parsed_are_valid_and_others_are_not() {
    let schema = validator(&schema::verdict());
    for good in [
        json!({}),
        json!({"decision": "allow"}),
        json!({"decision": "deny", "reason": "r", "reason_code": "safety_violation"}),
        json!({"patch": {"tool_input": {"a": 1}}, "context": ["c"], "message": "m"}),
        json!({"answer": {"content": "x", "is_error": true}, "annotations": {"k": "v"}, "payload": {}}),
        json!({"contributions": [{"kind": "audit", "event_kind": "seen"}]}),
    ] {
        assert!(Verdict::parse(good.to_string().as_bytes()).is_ok(), "{good}");
        assert!(schema.is_valid(&good), "{good}");
    }
    for bad in [
        json!([]),
        json!({"decision": null}),
        json!({"decision": "block"}),
        json!({"decison": "deny"}),
        json!({"reason": "r"}),
        json!({"decision": "deny", "reason_code": "timeout"}),
        json!({"context": "c"}),
        json!({"patch": null}),
        json!({"answer": {"content": 1, "more": 2}}),
        json!({"contributions": [{"kind": "audit"}]}),
        json!({"contributions": [{"kind": "audit", "event_kind": "e", "x": 1}]}),
    ] {
        assert!(Verdict::parse(bad.to_string().as_bytes()).is_err(), "{bad}");
        assert!(!schema.is_valid(&bad), "{bad}");
    }
}

#[test]
fn envelopes_that_are_read_are_valid_and_others_are_not() {
    let schema = validator(&schema::envelope());
    for good in [
        json!({"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {}, "turn": 1}),
        json!({"hook_event_name": "stop"}),
        json!({"hook_event_name": "x.deploy", "anything": 1}),
        json!({"hook_event_name": "session_start", "source": "startup", "extra": true}),
    ] {
        assert!(Incoming::parse(good.to_string().as_bytes()).is_ok(), "{good}");
        assert!(schema.is_valid(&good), "{good}");
    }
    for bad in [
        json!({"hook_event_name": "pre_tool_use", "tool_name": "Bash"}),
        json!({"hook_event_name": "session_start", "source": "boredom"}),
        json!({"hook_event_name": "no_such_event"}),
        json!({"tool_name": "Bash", "tool_input": {}}),
    ] {
        assert!(Incoming::parse(bad.to_string().as_bytes()).is_err(), "{bad}");
        assert!(!schema.is_valid(&bad), "{bad}");
    }
}

#[tokio::test]
async fn decision_records_are_valid() {
    let schema = validator(&schema::decision());
    let engine = engine([sync("h", |_| Ok(Verdict::deny("no").context("c")))]);
    let (_, report) = engine.dispatch_reported(bash("x"), &context()).await;
    let record = serde_json::to_value(&report).unwrap();
    let errors: Vec<_> = schema.iter_errors(&record).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert!(!schema.is_valid(&json!({"decision": "maybe"})));
    assert_eq!(record["votes"][0]["reason"], "no");
    let vote = &schema::decision()["$defs"]["Vote"];
    assert!(vote["properties"]["reason"].is_object(), "{vote}");
}

/// The loader reads key by key and the schema is made of types: they must name the same keys.
#[test]
fn the_loader_and_the_schema_of_hooks_toml_know_the_same_keys() {
    let schema = schema::config();
    let keys = |pointer: &str| {
        let properties = schema.pointer(pointer).and_then(|p| p["properties"].as_object());
        properties.expect(pointer).keys().cloned().collect::<Vec<_>>()
    };
    let registry = support::registry();
    let unknown = |text: &str| {
        let errors = Loader::new(&registry).parse("t", text, Path::new("."));
        errors.err().map(|errors| errors.to_string()).unwrap_or_default().contains("unknown key")
    };
    let hook = |key: &str| format!("[[hook]]\nid='a'\n{key} = 1");
    for key in keys("/$defs/Hook").iter().filter(|key| *key != "id") {
        assert!(!unknown(&hook(key)), "the loader does not know `{key}` of a hook");
    }
    for key in keys("/$defs/LimitsToml") {
        assert!(!unknown(&format!("[limits]\n{key} = 1")), "the loader does not know limits.{key}");
    }
    for key in keys("/$defs/Tests") {
        let text = format!("[[hook]]\nid='a'\ninput = {{ '/c' = {{ {key} = 1 }} }}");
        assert!(!unknown(&text), "the loader does not know the test `{key}`");
    }
    assert!(unknown(&hook("no_such_key")), "the control");
    // The converse: every key that the loader offers is in the schema.
    let text = concat!(
        include_str!("../../src/config/hook.rs"),
        include_str!("../../src/config/conditions.rs"),
        include_str!("../../src/config/events.rs"),
        include_str!("../../src/config/execution.rs")
    );
    let offered = text.split("settings.").filter_map(|part| {
        let (call, rest) = part.split_once("(\"")?;
        call.chars().all(|c| c.is_alphanumeric() || c == '_').then_some(rest.split('"').next()?)
    });
    let (hook, tests) = (keys("/$defs/Hook"), keys("/$defs/Tests"));
    for key in offered.filter(|key| !["name", "kind"].contains(key)) {
        let known = hook.iter().chain(&tests).any(|known| known == key);
        assert!(known, "the schema does not know `{key}`");
    }
}

/// Pointers of conditions are checked against a list of names, which must be that of the payloads.
#[test]
fn the_fields_of_payloads_are_those_of_the_schema() {
    let schema = schema::envelope();
    for event in hookgate::Event::NAMED.into_iter() {
        let definition = schema.pointer(&format!("/$defs/{event}")).expect("a definition");
        // The events of planning share a payload.
        let shared = definition["$ref"].as_str().map(|pointer| &schema["$defs"][&pointer[8..]]);
        let mut known: Vec<_> = [Some(definition), shared]
            .into_iter()
            .flatten()
            .filter_map(|definition| definition["properties"].as_object())
            .flat_map(|properties| properties.keys())
            .collect();
        known.retain(|name| *name != "hook_event_name");
        let mut listed = hookgate::contract::payload::fields(event).to_vec();
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known, "{event}");
    }
}

/// A setting that a kind reads is in the schema, and the other way round.
#[test]
fn the_settings_of_handlers_are_those_of_the_schema() {
    let schema = schema::config();
    let registry = support::registry();
    let kinds = [
        ("command", "Command"),
        ("http", "Http"),
        ("mcp", "Mcp"),
        ("prompt", "Prompt"),
        ("rego", "Rego"),
    ];
    for (kind, definition) in kinds {
        let properties = schema["$defs"][definition]["properties"].as_object().expect(kind);
        for key in properties.keys() {
            let text = format!("[[hook]]\nid='a'\n{kind} = {{ {key} = 1 }}");
            let errors = Loader::new(&registry).parse("t", &text, Path::new("."));
            let errors = errors.err().map(|errors| errors.to_string()).unwrap_or_default();
            assert!(!errors.contains("unknown key"), "{kind} does not know `{key}`: {errors}");
        }
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("handlers").join(kind).join("src");
        for key in read_keys(&sources) {
            assert!(properties.contains_key(&key), "the schema of {kind} does not know `{key}`");
        }
    }
}

/// Returns the keys that the sources in a folder read of their settings.
fn read_keys(folder: &Path) -> Vec<String> {
    let mut keys = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            keys.extend(read_keys(&path));
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        keys.extend(text.split("settings.").skip(1).filter_map(|part| {
            let (call, rest) = part.split_once("(\"")?;
            let reads =
                ["text", "flag", "list", "one_or_more", "count", "duration", "choice", "table"];
            (reads.contains(&call) || call == "required_text")
                .then(|| rest.split('"').next().unwrap_or_default().to_owned())
        }));
    }
    keys
}
