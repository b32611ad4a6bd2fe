//! Promise: texts of a file are those of a list: they decide, they belong to the hook, and a file that cannot be
//! used is a mistake at its place.

use std::fs;
use std::path::Path;

use hookgate::config::Loader;
use hookgate::{Engine, HandlerTable, Outcome};
use hookgate_test_support::{bash, context, registry};

fn config(test: &str) -> String {
    format!(
        "[[hook]]\nid = 'names'\nevent = 'pre_tool_use'\nany = [{{ input = {{ '/command' = {{ not = {{ {test} }} }} }} }}]\n\
         builtin = {{ name = 'deny', reason = 'no' }}\n"
    )
}

fn load(folder: &Path, test: &str) -> Result<HandlerTable, String> {
    let registry = registry();
    let path = folder.join("hooks.toml");
    fs::write(&path, config(test)).unwrap();
    Loader::new(&registry)
        .load(&path)
        .map(|loaded| loaded.table)
        .map_err(|errors| errors.to_string())
}

#[tokio::test]
async fn each_text_of_the_file_counts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("names.txt");
    fs::write(&file, "\u{feff}# people\nAlice\n\n  Bob Jones \r\n").unwrap();
    let table = load(folder.path(), "contains = { file = 'names.txt' }").unwrap();
    let spec = table.specs().next().unwrap();
    assert_eq!(spec.sources(), std::slice::from_ref(&file), "a host watches it");
    let hash = table.config_hash();
    let listed = load(folder.path(), "contains = ['Alice', 'Bob Jones']").unwrap();
    assert_eq!(hash, listed.config_hash(), "it is the list");

    let engine = Engine::new(table);
    for (command, expected) in [
        ("greet Alice", Outcome::Allow),
        ("greet Bob Jones", Outcome::Allow),
        ("greet Bob", Outcome::Deny),
        ("# people", Outcome::Deny),
    ] {
        let report = engine.dispatch_reported(bash(command), &context()).await.1;
        assert_eq!(report.decision, expected, "{command}");
    }

    fs::write(&file, "Carol\n").unwrap();
    let changed = load(folder.path(), "contains = { file = 'names.txt' }").unwrap();
    assert_ne!(hash, changed.config_hash(), "another content is another config");
}

#[test]
fn a_file_that_cannot_be_used_is_a_mistake_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("empty.txt"), "# nothing\n\n").unwrap();
    fs::write(folder.path().join("long.txt"), "x\n".repeat(10_001)).unwrap();
    fs::write(folder.path().join("large.txt"), "x".repeat((1 << 20) + 1)).unwrap();
    for (test, said) in [
        ("contains = { file = 'none.txt' }", "cannot read"),
        ("glob = { file = 'empty.txt' }", "has no text"),
        ("one_of = { file = 'long.txt' }", "10000 is the limit"),
        ("ends_with = { file = 'large.txt' }", "cannot read"),
        ("starts_with = { file = 3 }", "starts_with"),
        ("equals = 1, regex = { file = 'empty.txt' }", "regex"),
    ] {
        let errors = load(folder.path(), test).unwrap_err();
        assert!(errors.contains("hooks.toml:4:") && errors.contains(said), "{test}: {errors}");
    }
}
