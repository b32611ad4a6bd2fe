//! Promise: the description of each builtin is what its parser reads: the same keys, the same
//! required ones, an example that works, and the table of its page.

use std::path::Path;

use hookgate_builtin::{BUILTINS, BuiltinDoc, SettingType};
use hookgate_contract::{Event, Role};
use serde_json::{Value, json};

use crate::support::{build_in, full_host, supports};

/// A value that the setting takes, whatever the others are.
fn value_for(builtin: &str, name: &str, kind: SettingType) -> Value {
    match (builtin, name) {
        ("add_date", "time_zone") => return json!("UTC"),
        ("limit", "per") => return json!("session"),
        ("protect_config", "paths") => return json!(["policies"]),
        ("http_post", "headers") => return json!({"x-room": "12"}),
        _ => {}
    }
    match kind {
        SettingType::Text | SettingType::Template | SettingType::Regex => json!("text"),
        SettingType::Pointer => json!("/command"),
        SettingType::Path => json!("somewhere"),
        SettingType::Choice(names) => json!(names.first().unwrap()),
        SettingType::Flag => json!(true),
        SettingType::Integer(least, _) => json!(least),
        SettingType::Amount => json!(5),
        SettingType::Size => json!("64KiB"),
        SettingType::Texts | SettingType::OneOrMoreTexts => json!(["text"]),
        other => panic!("{builtin}.{name}: say which value {other:?} can have"),
    }
}

/// The settings of the example, as JSON.
fn example(doc: &BuiltinDoc) -> (Value, Vec<Event>) {
    let file: toml::Value = toml::from_str(doc.example).unwrap();
    let hook = serde_json::to_value(&file["hook"][0]).unwrap();
    let mut settings = hook["builtin"].clone();
    assert_eq!(settings["name"], doc.name);
    settings.as_object_mut().unwrap().remove("name");
    let named = match &hook["event"] {
        Value::String(name) => vec![name.clone()],
        names => serde_json::from_value(names.clone()).unwrap(),
    };
    let events = named.iter().map(|name| Event::from_name(name).unwrap()).collect();
    (settings, events)
}

fn errors(doc: &BuiltinDoc, settings: &Value, events: &[Event]) -> String {
    let folder = tempfile::tempdir().unwrap();
    match build_in(doc.name, settings, events, folder.path(), &full_host()) {
        Ok(_) => String::new(),
        Err(errors) => errors,
    }
}

#[test]
fn each_example_builds_at_its_events_with_the_role_of_the_description() {
    for doc in BUILTINS {
        let (settings, events) = example(doc);
        let built = build_in(doc.name, &settings, &events, Path::new("/tmp"), &full_host());
        let built = built.unwrap_or_else(|error| panic!("{}: {error}", doc.name));
        assert_eq!(built.role, Some(doc.role), "{}", doc.name);
        for event in events {
            assert!(doc.events().contains(&event.name()), "{} at {}", doc.name, event.name());
            assert!(supports(&built, event.contract()), "{} at {}", doc.name, event.name());
        }
    }
}

/// An event at which a builtin can be used with some settings is in its description.
#[test]
fn the_events_of_the_description_are_those_of_the_handlers() {
    for doc in BUILTINS {
        let (settings, events) = example(doc);
        let built = build_in(doc.name, &settings, &events, Path::new("/tmp"), &full_host());
        let built = built.unwrap();
        for event in Event::NAMED {
            let contract = event.contract();
            if contract.takes_role(doc.role) && supports(&built, contract) {
                assert!(doc.events().contains(&event.name()), "{} at {}", doc.name, event.name());
            }
        }
        assert!(!doc.events().is_empty(), "{}", doc.name);
        if doc.role == Role::Observe && doc.supports.is_none() {
            assert_eq!(doc.events().len(), Event::NAMED.len(), "{}", doc.name);
        }
    }
}

#[test]
fn the_parser_reads_exactly_the_settings_of_the_description() {
    for doc in BUILTINS {
        let (example, events) = example(doc);
        let problem = errors(doc, &merged(&example, "no_such_key", json!(1)), &events);
        assert!(problem.starts_with("unknown key `no_such_key`"), "{}: {problem:?}", doc.name);
        for key in example.as_object().unwrap().keys() {
            assert!(
                doc.settings.iter().any(|setting| setting.name == key),
                "{}.{key} is not described",
                doc.name
            );
        }
        for setting in doc.settings {
            let place = format!("{}.{}", doc.name, setting.name);
            // A value of another type is read, and refused for its type.
            let wrong = merged(&example, setting.name, json!({"a": {"table": 1}}));
            let problem = errors(doc, &wrong, &events);
            if setting.kind != SettingType::Any {
                assert!(problem.contains(&format!("`{}`", setting.name)), "{place}: {problem:?}");
                assert!(!problem.contains("unknown key"), "{place}: {problem:?}");
            }
            let value = match example.get(setting.name) {
                Some(value) => value.clone(),
                None => setting.default.map_or_else(
                    || value_for(doc.name, setting.name, setting.kind),
                    |default| serde_json::from_str(default).expect(&place),
                ),
            };
            let problem = errors(doc, &merged(&example, setting.name, value), &events);
            assert!(!problem.contains("unknown key"), "{place}: {problem}");
            if setting.required {
                let mut without = example.clone();
                without.as_object_mut().unwrap().remove(setting.name);
                let problem = errors(doc, &without, &events);
                assert!(
                    problem.contains(&format!("`{}` is missing", setting.name)),
                    "{place}: {problem}"
                );
            }
        }
    }
}

/// What nobody describes, nobody reads: the parsers are asked for each key that any builtin has.
#[test]
fn a_setting_of_another_builtin_is_unknown() {
    let all: Vec<_> = BUILTINS.iter().flat_map(|doc| doc.settings).collect();
    for doc in BUILTINS {
        let (example, events) = example(doc);
        for setting in &all {
            if doc.settings.iter().any(|own| own.name == setting.name) {
                continue;
            }
            let problem = errors(doc, &merged(&example, setting.name, json!(1)), &events);
            let expected = format!("unknown key `{}`", setting.name);
            assert!(problem.contains(&expected), "{}.{}: {problem:?}", doc.name, setting.name);
        }
    }
}

#[test]
fn the_page_of_each_builtin_has_its_settings() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let pages = pages_below(&source);
    let first = std::fs::read_to_string(source.join("lib.rs")).unwrap();
    for doc in BUILTINS {
        assert!(first.contains(&format!("//! | `{}` |", doc.name)), "{}", doc.name);
        let name = format!("name: \"{}\",", doc.name);
        let page = pages.iter().find(|page| page.contains(&name)).expect(doc.name);
        for setting in doc.settings {
            let row = format!("/// | `{}` |", setting.name);
            assert!(page.contains(&row), "{}: no row for {}", doc.name, setting.name);
        }
    }
}

fn pages_below(folder: &Path) -> Vec<String> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => pages.extend(pages_below(&path)),
            path => pages.push(std::fs::read_to_string(path).unwrap()),
        }
    }
    pages
}

fn merged(settings: &Value, key: &str, value: Value) -> Value {
    let mut settings = settings.clone();
    settings.as_object_mut().unwrap().insert(key.into(), value);
    settings
}
