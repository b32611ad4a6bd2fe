//! Promise: `builtins` and `conditions` show every name that a config can use, with examples that are
//! right.

use std::fs;

use crate::support::{Folder, repository};

#[test]
fn every_builtin_has_a_page() {
    let folder = Folder::new();
    let pages = folder.run(&["builtins", "--json"], "").lines();
    assert!(pages.len() >= 7, "{pages:?}");
    for page in pages {
        let name = page["name"].as_str().unwrap();
        let shown = folder.run(&["builtins", name, "--table"], "");
        assert_eq!(shown.code(), 0);
        for setting in page["settings"].as_array().unwrap() {
            assert!(shown.out().contains(setting["name"].as_str().unwrap()), "{}", shown.out());
            assert!(!setting["meaning"].as_str().unwrap().is_empty(), "{page}");
        }
        assert!(!page["events"].as_array().unwrap().is_empty(), "{page}");
        assert!(page["example"].as_str().unwrap().contains(name), "{page}");
    }
}

#[test]
fn every_condition_has_a_page_with_an_example_that_is_right() {
    let folder = Folder::new();
    let pages = folder.run(&["conditions", "--json"], "").lines();
    assert!(pages.len() >= 8, "{pages:?}");
    for page in pages {
        let example = page["example"].as_str().unwrap();
        assert!(!page["about"].as_str().unwrap().is_empty(), "{page}");
        assert!(example.contains(page["name"].as_str().unwrap()), "{page}");
        let events: Vec<&str> = page["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event.as_str().unwrap())
            .collect();
        let event = if events.contains(&"pre_tool_use") { "pre_tool_use" } else { events[0] };
        // Of a payload condition the field is of another event.
        let event = if example.contains("/prompt") { "user_prompt_submit" } else { event };
        let hook = format!(
            "[[hook]]\nid = \"h\"\nevent = \"{event}\"\n{example}\nbuiltin = {{ name = \"audit\" }}\n"
        );
        // `count` is about another hook, which must be there.
        let other =
            "[[hook]]\nid = \"reads-outside\"\nevent = \"pre_tool_use\"\nbuiltin = \"audit\"\n";
        folder.write("hooks.toml", format!("{hook}{other}"));
        let checked = folder.run(&["check"], "");
        assert_eq!(checked.code(), 0, "{hook}{}", checked.err());
    }
}

/// How many policy languages this program was built with; each has a document.
fn policy_languages() -> usize {
    usize::from(cfg!(feature = "cedar")) + usize::from(cfg!(feature = "rego"))
}

/// The documents in the repository are those that this program makes of its tables.
#[test]
fn the_documents_are_those_of_the_tables() {
    let folder = Folder::new();
    let written = folder.run(&["reference", "--write", "."], "");
    assert_eq!(written.code(), 0, "{}", written.err());
    let names: Vec<&str> = written.out().lines().collect();
    assert!(
        names.contains(&"docs/hooks-toml.md") && names.len() == 19 + policy_languages(),
        "{names:?}"
    );
    for name in names {
        // With Cedar the keys of the schema come in another order, and so those of the documents.
        if cfg!(feature = "cedar") && !name.starts_with("handlers/") {
            continue;
        }
        let made = fs::read_to_string(folder.path(name)).unwrap();
        let kept = fs::read_to_string(repository().join(name)).unwrap_or_default();
        assert!(
            made == kept,
            "{name} is not up to date: run `cargo run -p hookgate-cli -- reference --write .`"
        );
    }
    assert_eq!(
        folder.run(&["reference", "--write", "."], "").out(),
        "",
        "nothing is left to write"
    );
}

/// Every key of the schema and of the handlers is in a document.
#[test]
fn no_key_is_left_out_of_the_documents() {
    let folder = Folder::new();
    folder.run(&["reference", "--write", "."], "");
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    let (hooks, conditions) = (read("docs/hooks-toml.md"), read("docs/conditions.md"));
    assert!(!hooks.contains("### Other keys"), "a key of a hook is in no group");
    let schema = folder.run(&["schema", "config"], "");
    let schema: serde_json::Value = serde_json::from_str(schema.out()).unwrap();
    for definition in ["Hook", "LimitsToml", "RequireToml", "Command", "Http", "Prompt"] {
        let keys = schema["$defs"][definition]["properties"].as_object().unwrap();
        assert!(keys.len() > 1, "{definition}");
        for (key, value) in keys {
            assert!(hooks.contains(&format!("| `{key}` |")), "{definition}.{key}");
            let described = value["description"].is_string() || value["$ref"].is_string();
            assert!(described, "{definition}.{key} says not what it is for");
        }
    }
    for key in schema["$defs"]["Tests"]["properties"].as_object().unwrap().keys() {
        assert!(conditions.contains(&format!("| `{key}` |")), "{key}");
    }
    let builtins = read("docs/builtins.md");
    for page in folder.run(&["builtins", "--json"], "").lines() {
        assert!(builtins.contains(&format!("\n## {}\n", page["name"].as_str().unwrap())), "{page}");
    }
    let verdicts = read("docs/verdicts.md");
    for event in folder.run(&["events", "--json"], "").lines() {
        let row = format!("| `{}` |", event["event"].as_str().unwrap());
        assert_eq!(verdicts.matches(&row).count(), 2, "{event}");
    }
}

#[test]
fn an_unknown_name_is_an_error_that_names_the_nearest_and_all() {
    let folder = Folder::new();
    for (verb, name, near) in [("builtins", "dney", "deny"), ("conditions", "tol", "tool")] {
        let ended = folder.run(&[verb, name], "");
        assert_eq!((ended.code(), ended.out()), (64, ""));
        assert!(ended.err().contains(&format!("did you mean `{near}`?")), "{}", ended.err());
        assert!(ended.err().contains(", "), "all of them: {}", ended.err());
    }
}
