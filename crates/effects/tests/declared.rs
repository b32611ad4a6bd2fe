//! `[[tool]]`: manifests that are declared, and what is wrong with them.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

use hookgate_contract::settings::Node;
use hookgate_effects::{Effects, Manifests, Surroundings};
use serde_json::{Value, json};

fn read(tables: Value) -> Result<Manifests, Vec<String>> {
    let tables: Vec<Node> = tables.as_array().unwrap().iter().map(Node::from_json).collect();
    let (manifests, errors) = Manifests::read(&tables);
    match errors.as_slice() {
        [] => Ok(manifests),
        errors => Err(errors.iter().map(ToString::to_string).collect()),
    }
}

fn wrong(table: Value) -> String {
    read(json!([table])).unwrap_err().join(" / ")
}

fn paths(effects: &[hookgate_effects::PathEffect]) -> Vec<String> {
    effects.iter().map(|effect| effect.path.written()).collect()
}

#[test]
fn a_declared_tool_has_the_effects_that_it_declares() {
    let manifests = read(json!([
        {"name": "mcp__fs__write_file", "writes": ["/path"]},
        {"name": "mcp__clock__*", "effects": "none"},
        {"name": ["copy", "mv|rename"], "reads": "/from", "writes": ["/to", "/log"], "deletes": "/old/*"},
        {"name": "find", "reads": [{"pointer": "/in", "default": ".", "below": true}]},
    ]))
    .unwrap();
    let around = Surroundings { cwd: Some("/w".into()), home: None };
    let effects = |tool: &str, input: Value| Effects::of_call(tool, &input, &around, &manifests);

    assert_eq!(paths(&effects("mcp__fs__write_file", json!({"path": "a"})).writes), ["/w/a"]);
    let none = effects("mcp__clock__now", json!({"zone": "x"}));
    assert_eq!(none, Effects::default());
    let copy = effects("rename", json!({"from": "a", "to": "b", "log": "/l", "old": ["c", "d"]}));
    assert_eq!(paths(&copy.reads), ["/w/a"]);
    assert_eq!(paths(&copy.writes), ["/w/b", "/l"]);
    assert_eq!(paths(&copy.deletes), ["/w/c", "/w/d"]);
    let found = effects("find", json!({}));
    assert!(found.reads[0].below && paths(&found.reads) == ["/w"]);
    // A required argument that is missing cannot be told.
    assert_eq!(effects("mcp__fs__write_file", json!({})).unclear.len(), 1);
}

#[test]
fn a_declared_tool_comes_before_one_that_is_built_in() {
    let manifests = read(json!([{"name": "Read", "effects": "none"}])).unwrap();
    let input = json!({"file_path": "/a"});
    let effects = Effects::of_call("Read", &input, &Surroundings::default(), &manifests);
    assert_eq!(effects, Effects::default());
    assert!(manifests.covers("Write") && manifests.names().contains(&"Write"));
}

#[test]
fn a_declared_tool_can_stand_for_a_program() {
    let manifests = read(json!([{
        "name": "remove",
        "runs": ["rm", "-r", {"pointer": "/paths"}, {"pointer": "/more", "optional": true}],
    }]))
    .unwrap();
    let around = Surroundings { cwd: Some("/w".into()), home: None };
    let effects = |input: Value| Effects::of_call("remove", &input, &around, &manifests);
    let found = effects(json!({"paths": ["a", "/b"]}));
    assert_eq!(paths(&found.deletes), ["/w/a", "/b"]);
    assert_eq!(found.runs[0].name().as_deref(), Some("rm"));
    assert_eq!(effects(json!({})).unclear[0].why, "`remove` is called without `/paths`");

    assert_eq!(
        wrong(json!({"name": "x", "runs": "rm"})),
        "`runs` must be a list of words, the program first, not a string",
    );
    assert_eq!(
        wrong(json!({"name": "x", "runs": ["rm"], "reads": "/a"})),
        "`reads`: a tool that stands for a program has no other effects than it",
    );
}

#[test]
fn mistakes_say_what_to_write() {
    assert_eq!(
        wrong(json!({"name": "x", "effects": "none", "reads": "/a"})),
        "`effects`: a tool with `reads` has effects: leave out one of the two",
    );
    assert_eq!(
        wrong(json!({"name": "x"})),
        "`tool`: a tool needs one of reads, writes, deletes, connects, shell, \
         powershell, sql, patch and runs, or `effects = \"none\"`",
    );
    assert_eq!(wrong(json!({"reads": "/a"})), "`name` is missing");
    assert_eq!(
        wrong(json!({"name": "x", "reads": ["path"]})),
        "`reads`: a JSON pointer begins with `/`, such as `/file_path`",
    );
    assert_eq!(
        wrong(json!({"name": "x", "raeds": "/a", "writes": "/a"})),
        "unknown key `raeds`; did you mean `reads`?",
    );
    assert_eq!(
        wrong(json!({"name": "x", "reads": [1]})),
        "`reads` must be a JSON pointer, a table, or a list of these, not an integer",
    );
    assert_eq!(
        wrong(json!({"name": "x", "writes": []})),
        "`writes`: the list is empty: leave the key out"
    );
    assert_eq!(
        wrong(json!({"name": "mcp__.*(x)", "effects": "none"})),
        "`name`: `(` is in no tool's name: a pattern is names with `*` and `?`, and `|` between them",
    );
    assert_eq!(
        wrong(json!({"name": "x", "effects": "nothing"})),
        "`effects`: `nothing` is not one of none, unclear",
    );
    assert_eq!(
        wrong(json!({"name": "x", "reads": {"pointer": "/a", "belwo": true}})),
        "unknown key `belwo`; did you mean `below`?",
    );
    assert_eq!(wrong(json!({"name": "x", "reads": {"below": true}})), "`pointer` is missing");
    assert_eq!(
        wrong(json!({"name": "x", "reads": "/tool_input/path"})),
        "`reads`: the pointer is of the tool's input: leave out `/tool_input`",
    );
}
