//! Promise: the records satisfy the schemas that `schema` prints, and an editor with the schema of
//! hooks.toml finds what a schema can find.

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::Value;

use crate::support::{Folder, HOOKS, bash, repository};

fn schema(folder: &Folder, format: &str) -> Value {
    let ended = folder.run(&["schema", format], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    serde_json::from_str(ended.out()).unwrap()
}

#[test]
fn every_format_has_a_schema() {
    let folder = Folder::new();
    for format in ["envelope", "verdict", "config", "decision"] {
        let schema = schema(&folder, format);
        assert!(schema.is_object() && schema.get("$schema").is_some(), "{format}: {schema}");
    }
    assert_eq!(folder.run(&["schema", "everything"], "").code(), 64);
}

#[test]
fn what_is_printed_keeps_to_the_schema() {
    let folder = Folder::with_hooks(HOOKS);
    let validator = jsonschema::validator_for(&schema(&folder, "decision")).unwrap();
    let steps = [bash("ls"), bash("date"), bash("git push --force"), "broken".into()].join("\n");
    for args in [&["run"][..], &["run", "--stable"]] {
        for record in folder.run(args, &steps).lines() {
            assert!(
                validator.is_valid(&record),
                "{record}: {:?}",
                validator.validate(&record).err()
            );
        }
    }
}

/// Returns a file in TOML as the JSON value that an editor validates.
fn as_json(text: &str) -> Option<Value> {
    let table: toml::Table = text.trim_start_matches('\u{feff}').parse().ok()?;
    serde_json::to_value(table).ok()
}

fn config_validator() -> Validator {
    jsonschema::validator_for(&schema(&Folder::new(), "config")).unwrap()
}

/// Returns every hooks.toml below a folder.
fn configs_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "node_modules" {
            configs_below(&path, found);
        } else if name.starts_with("hooks")
            && name.ends_with(".toml")
            && !name.ends_with("_test.toml")
        {
            found.push(path);
        }
    }
}

#[test]
fn the_shipped_configs_keep_to_the_schema() {
    let mut configs = Vec::new();
    for folder in ["examples", "cli/demo", "cli/src/commands/init"] {
        configs_below(&repository().join(folder), &mut configs);
    }
    assert!(configs.len() > 6, "{configs:?}");
    let validator = config_validator();
    for path in configs {
        let hooks = as_json(&fs::read_to_string(&path).unwrap()).unwrap();
        let errors: Vec<_> = validator.iter_errors(&hooks).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    }
}

/// The example of each builtin and of each condition is a config that an editor accepts.
#[test]
fn the_examples_of_the_reference_keep_to_the_schema() {
    let (folder, validator) = (Folder::new(), config_validator());
    let mut examples = Vec::new();
    for page in folder.run(&["builtins", "--json"], "").lines() {
        examples.push(page["example"].as_str().unwrap().to_owned());
    }
    for page in folder.run(&["conditions", "--json"], "").lines() {
        let condition = page["example"].as_str().unwrap();
        examples.push(hook(&format!("{condition}\nbuiltin = \"audit\"")));
    }
    assert!(examples.len() > 40);
    for text in examples {
        let errors: Vec<_> = validator
            .iter_errors(&as_json(&text).unwrap())
            .map(|error| format!("{} {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{text}: {errors:?}");
    }
}

fn hook(rest: &str) -> String {
    format!("[[hook]]\nid = \"h\"\nevent = \"pre_tool_use\"\n{rest}\n")
}

const DENY: &str = "builtin = { name = \"deny\", reason = \"r\" }";

#[test]
fn an_editor_finds_mistakes_in_settings_and_conditions() {
    let validator = config_validator();
    let is_valid = |rest: &str| validator.is_valid(&as_json(&hook(rest)).unwrap());
    for right in [
        DENY,
        "builtin = \"audit\"",
        "command = { argv = [\"./g\"], limits = { cpu = \"2s\", memory = 1024 } }",
        "http = { url = \"https://example.com\", hmac = { env = \"S\" } }",
        "prompt = { model = \"m\", prompt = \"p\", first = { model = \"n\" }, cache = false }",
        "prompt = { model = \"m\", prompt = \"p\", prices = { m = { input = 1, output = 0.5 } } }",
        "handler = { kind = \"own\", anything = 1 }",
    ] {
        assert!(is_valid(right), "{right}");
    }
    for wrong in [
        // Builtins: the name, a missing setting, one of another builtin, a value.
        "builtin = \"block\"",
        "builtin = \"deny\"",
        "builtin = { name = \"deny\" }",
        "builtin = { name = \"deny\", reason = \" \" }",
        "builtin = { name = \"audit\", reason = \"r\" }",
        "builtin = { name = \"audit\", level = \"loud\" }",
        "builtin = { name = \"max_iterations\", limit = 0 }",
        // Handlers, and the tables inside of them.
        "command = { argv = [] }",
        "command = { argv = [\"./g\"], shell = \"x\" }",
        "command = { argv = [\"./g\"], limits = { cpus = 2 } }",
        "command = { argv = [\"./g\"], grace = 5 }",
        "http = { url = \"ftp://example.com\" }",
        "http = { url = \"https://example.com\", hmac = { secret = \"S\" } }",
        "prompt = { model = \"m\" }",
        "prompt = { model = \"m\", prompt = \"p\", samples = 99 }",
        "prompt = { model = \"m\", prompt = \"p\", budget = { day = { calls = 1 } } }",
        "handler = { anything = 1 }",
        "builtin = \"audit\"\ncommand = { argv = [\"./g\"] }",
        "mode = \"shadow\"",
        // Conditions: the engine's own and registered ones, nested ones too.
        "builtin = \"audit\"\nany = [{ tol = \"Bash\" }]",
        "builtin = \"audit\"\nnot = { input = { \"command\" = { exists = true } } }",
        "builtin = \"audit\"\nany = [{ mark = \"m\" }]",
        "builtin = \"audit\"\nwrites = { inside = \"$cwd\" }",
        "builtin = \"audit\"\nruns = [{ prog = \"git\" }]",
        "builtin = \"audit\"\ncount = { per = \"turn\" }",
        "builtin = \"audit\"\nwhen = { day = \"mon\" }",
        "builtin = \"audit\"\ninput = { \"/a\" = { regex = \"(a\" } }",
        "builtin = \"audit\"\n[[tool]]\nname = \"t\"\nwrite = \"/path\"",
    ] {
        assert!(!is_valid(wrong), "{wrong}");
    }
    let events = |list: &str| hook(DENY).replace("\"pre_tool_use\"", list);
    let is_valid = |text: String| validator.is_valid(&as_json(&text).unwrap());
    assert!(is_valid(events("[\"pre_tool_use\", \"Stop\"]")));
    assert!(!is_valid(events("[\"pre_tool_use\", \"PreToolUse\"]")));
    assert!(!is_valid(hook(DENY).repeat(2)), "the same hook twice");
}

/// An editor with the schema finds most mistakes while they are written, and none where there is none.
#[test]
fn the_schema_finds_the_collected_mistakes() {
    let rows = repository().join("../shared/conformance/policy/mistakes.jsonl");
    if !hookgate_test_support::needs::path(&rows) {
        return;
    }
    let validator = config_validator();
    let (mut found, mut missed) = (0, Vec::new());
    for row in fs::read_to_string(rows).unwrap().lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        let hooks = as_json(row["hooks_toml"].as_str().unwrap());
        let is_valid = hooks.is_some_and(|hooks| validator.is_valid(&hooks));
        match row["must"].as_str().unwrap() {
            "error" if is_valid => missed.push(row["name"].to_string()),
            "error" => found += 1,
            "told" => {}
            must => assert!(is_valid, "{} must be {must}", row["name"]),
        }
    }
    let all = found + missed.len();
    println!("the schema finds {found} of {all}; not {}", missed.join(", "));
    // The others are in files, in the environment, or in another hook.
    assert!(found * 100 >= all * 85, "{found} of {all}; not {}", missed.join(", "));
}
