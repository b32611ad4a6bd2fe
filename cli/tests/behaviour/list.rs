//! Promise: `list` shows the hooks in the order in which they are called.

use crate::support::Folder;

const HOOKS: &str = r#"
[[hook]]
id = "observer"
event = "pre_tool_use"
builtin = { name = "audit" }

[[hook]]
id = "late"
event = "PreToolUse"
tool = ["Bash", "Edit"]
input = { "/command" = { regex = "rm", not = { equals = "rm x" } } }
tags = ["shell"]
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "early"
event = ["pre_tool_use", "stop"]
priority = 5
timeout = "2s"
mode = "shadow"
command = { argv = ["true"] }

[[hook]]
id = "sleeping"
event = "stop"
mode = "off"
builtin = { name = "deny", reason = "no" }
"#;

/// A condition that was written differently is shown differently.
#[test]
fn a_list_of_patterns_is_shown_unambiguously() {
    let hook = |id: &str, more: &str| {
        format!(
            "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\n{more}\nbuiltin = {{ name = \"audit\" }}\n"
        )
    };
    let text = hook("a", "tool = \"Edit|Write\"")
        + &hook("b", "tool = [\"!Edit|Write\", \"mcp__*\"]")
        + &hook("c", "tool = [\"*\"]\nagent = \"!reviewer\"")
        + &hook("d", "payload = { \"/tool_input/*\" = { exists = true } }")
        + &hook(
            "e",
            "input = { \"/a\" = { glob = [\"x y\", \"z\"], len = 3, ignore_case = true } }",
        )
        + &hook("f", "input = { \"/a\" = { not = { contains = \"x\" }, gt = 5 } }")
        + &hook("g", "tool_regex = 'a'\nregex_search = true\nsubagent = false");
    let ended = Folder::with_hooks(&text).run(&["list"], "");
    let shown: Vec<_> = ended.lines().iter().map(|line| line["matcher"].clone()).collect();
    assert_eq!(
        shown,
        [
            "tool=Edit|Write",
            r#"tool=["!Edit|Write","mcp__*"]"#,
            "tool=* agent=!reviewer",
            "payload:/tool_input/* exists",
            r#"/a (~"x y" or ~z) (any case) /a len=3"#,
            r#"/a>5 not /a contains "x""#,
            "tool_regex(search)=a subagent=false"
        ]
    );
}

#[test]
fn the_order_is_that_of_the_calls() {
    let folder = Folder::with_hooks(HOOKS);
    let ended = folder.run(&["list"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let lines = ended.lines();
    let order: Vec<_> = lines
        .iter()
        .map(|line| format!("{} {} {}", line["event"], line["place"], line["id"]).replace('"', ""))
        .collect();
    assert_eq!(
        order,
        [
            "pre_tool_use 1 early",
            "pre_tool_use 2 late",
            "pre_tool_use 3 observer",
            "stop 1 early",
            "stop null sleeping"
        ]
    );
    assert_eq!(lines[0]["timeout_ms"], 2000);
    assert_eq!(lines[0]["mode"], "shadow");
    assert_eq!(lines[1]["matcher"], r#"tool=Bash|Edit /command=~/rm/ not /command="rm x""#);
    assert_eq!(lines[1]["tags"][0], "shell");
    assert_eq!(lines[4]["mode"], "off");
    let table = folder.run(&["list", "--table"], "");
    assert!(table.out().contains("tool=Bash|Edit"), "{}", table.out());
}

#[test]
fn a_hook_in_the_background_has_a_timeout_as_well() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = \"note\"\nevent = \"stop\"\nrole = \"observe\"\nbackground = true\n\
         timeout = \"17s\"\ncommand = { argv = [\"true\"] }\n",
    );
    assert_eq!(folder.run(&["list"], "").lines()[0]["timeout_ms"], 17_000);
    let table = folder.run(&["list", "--table"], "");
    assert!(table.out().contains("17s"), "{}", table.out());
}
