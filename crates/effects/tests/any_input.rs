//! Promise: whatever a tool gets, its effects are told or unclear; nothing panics.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

use hookgate_effects::{Effects, Manifests, Surroundings};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Keys that manifests ask for, so that their values are looked at.
const KEYS: [&str; 16] = [
    "command",
    "file_path",
    "path",
    "filePath",
    "pattern",
    "glob",
    "url",
    "prompt",
    "files",
    "paths",
    "requests",
    "commands",
    "workdir",
    "patchText",
    "include",
    "cmd",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[~./a*{},!\\[\\]$\\\\-]{0,12}",
        "(https?:)?[/\\\\@:.a-z0-9\\[\\]%]{0,20}",
        "(\\*\\*\\* (Begin Patch|End Patch|Add File: a|Move to: b|Delete File:)\n){0,5}",
        "(rm|cat|apply_patch|cd|sudo) [a-z~/$'\"<>|;& ]{0,20}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        let key = prop_oneof![prop::sample::select(&KEYS[..]).prop_map(str::to_owned), text()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn every_tool_takes_any_input(at in any::<prop::sample::Index>(), input in value()) {
        let manifests = Manifests::default();
        let names = manifests.names();
        let tool = at.get(&names);
        let around = Surroundings { cwd: Some("/w".into()), home: Some("/h".into()) };
        let effects = Effects::of_call(tool, &input, &around, &manifests);
        // The paths of tools begin at the root, or with what is not known.
        for effect in effects.reads.iter().chain(&effects.writes).chain(&effects.deletes) {
            let path = &effect.path;
            prop_assert!(path.known_prefix().starts_with('/') || path.has_unknown(), "{path:?}");
        }
        // The report can be written.
        prop_assert!(serde_json::to_string(&effects.report(tool, Some("/w"))).is_ok());
    }
}
