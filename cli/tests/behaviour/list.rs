//! Promise: `list` shows the hooks in the order in which they are called.

use crate::support::{Ended, Folder, run};

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

/// The table for a terminal with so many columns.
fn screen(folder: &Folder, columns: &str, more: &[&str]) -> Ended {
    let mut command = folder.hookgate(&[&["list", "--table"], more].concat());
    command.env("COLUMNS", columns);
    run(command, b"")
}

/// The names in the head of the table.
fn head(folder: &Folder) -> Vec<String> {
    let ended = screen(folder, "100", &[]);
    let line = ended.out().lines().next().unwrap_or_default();
    line.split("  ").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[test]
fn a_column_is_there_only_if_it_says_something() {
    let audit = "[[hook]]\nid = \"note\"\nevent = \"stop\"\nbuiltin = \"audit\"\n";
    assert_eq!(head(&Folder::with_hooks(audit)), ["hook", "kind", "role", "on failure", "from"]);
    assert_eq!(
        head(&Folder::with_hooks(HOOKS)),
        ["hook", "kind", "role", "prio", "timeout", "on failure", "trust", "from"]
    );
}

#[test]
fn every_line_fits_the_terminal() {
    let deny = "builtin = { name = \"deny\", reason = \"no\" }";
    let long = format!(
        "[[hook]]\nid = \"no-damage-to-the-machine\"\nevent = \"pre_tool_use\"\npriority = 7\n\
         runs = [\"mkfs*|fdisk|sfdisk|parted|wipefs|shutdown|reboot|halt|poweroff\", \"git push --force|-f|--mirror\"]\n\
         input = {{ \"/command\" = {{ regex = \"{}\" }} }}\n{deny}\n",
        "x".repeat(150)
    );
    let folder = Folder::with_hooks(&(long + HOOKS));
    for columns in [80, 100, 120] {
        let ended = screen(&folder, &columns.to_string(), &[]);
        assert_eq!(ended.code(), 0, "{}", ended.err());
        for line in ended.out().lines() {
            assert!(line.chars().count() <= columns, "{columns}: {line:?}");
        }
        for part in ["no-damage-to-the-machine", "deny", "hooks.toml:2", "poweroff", "--mirror"] {
            assert!(ended.out().contains(part), "{columns}: {part} in {}", ended.out());
        }
    }
    // Where it is written is never cut off: without room it stands below the hook.
    let narrow = screen(&folder, "50", &[]);
    assert!(narrow.out().lines().next().is_some_and(|head| !head.contains("from")));
    assert!(narrow.out().contains("hooks.toml:2"), "{}", narrow.out());
}

fn ids(ended: &Ended) -> Vec<String> {
    let ids = ended.lines().into_iter();
    ids.map(|line| format!("{} {}", line["event"], line["id"]).replace('"', "")).collect()
}

#[test]
fn hooks_that_want_the_whole_text_of_a_model_are_told() {
    let hooks = "[[hook]]\nid = \"no-secrets\"\nevent = \"post_llm_response\"\nbuiltin = { name = \"redact_secrets\" }\n\
                 [[hook]]\nid = \"tone\"\nevent = [\"post_llm_response\", \"stop\"]\nbuiltin = { name = \"deny\", reason = \"no\" }\n";
    let folder = Folder::with_hooks(hooks);
    let whole: Vec<_> = folder
        .run(&["list"], "")
        .lines()
        .iter()
        .map(|line| line["wants_whole_text"] == true)
        .collect();
    assert_eq!(whole, [false, true, false], "`tone` at post_llm_response, and not at stop");
    let table = folder.run(&["list", "--table"], "");
    assert_eq!(table.out().matches("guard, whole text").count(), 1, "{}", table.out());
}

#[test]
fn only_what_is_asked_for_is_listed() {
    let folder = Folder::with_hooks(HOOKS);
    let ended = folder.run(&["list", "--event", "Stop"], "");
    assert_eq!(ids(&ended), ["stop early", "stop sleeping"]);
    let of_edit = folder.run(&["list", "--tool", "Edit"], "");
    let places: Vec<_> = of_edit.lines().iter().map(|line| line["place"].clone()).collect();
    assert_eq!(ids(&of_edit), ["pre_tool_use early", "pre_tool_use late", "pre_tool_use observer"]);
    assert_eq!(places, [1, 2, 3]);
    // A hook that is not for the tool keeps its number.
    let of_read = folder.run(&["list", "--tool", "Read", "--event", "pre_tool_use"], "");
    let places: Vec<_> = of_read.lines().iter().map(|line| line["place"].clone()).collect();
    assert_eq!(ids(&of_read), ["pre_tool_use early", "pre_tool_use observer"]);
    assert_eq!(places, [1, 3]);

    let nothing = folder.run(&["list", "--table", "--event", "session_end"], "");
    assert_eq!((nothing.code(), nothing.out()), (0, "no hook is called at session_end\n"));
    let unknown = folder.run(&["list", "--event", "pre_tool_us"], "");
    assert_eq!(unknown.code(), 64);
    assert!(unknown.err().contains("did you mean `pre_tool_use`"), "{}", unknown.err());
}

#[test]
fn a_hook_with_a_mistake_is_listed_with_it() {
    let folder = Folder::with_hooks(&HOOKS.replace("name = \"deny\"", "name = \"dney\""));
    let ended = folder.run(&["list"], "");
    assert_eq!(ended.code(), 3);
    assert!(ended.err().contains("hooks.toml:13:20: "), "{}", ended.err());
    let lines = ended.lines();
    let late = lines.iter().find(|line| line["id"] == "late").unwrap();
    assert!(late["set_aside"].as_str().unwrap().contains("hooks.toml:13:20: "), "{late}");
    assert_eq!(lines[0]["set_aside"], serde_json::Value::Null);
    let table = screen(&folder, "100", &[]);
    assert!(table.out().contains("guard, set aside"), "{}", table.out());
    // Strictly it is no config at all.
    let strict = folder.run(&["list", "--strict"], "");
    assert_eq!((strict.code(), strict.out()), (3, ""));
}

#[test]
fn hooks_of_a_project_are_listed_with_the_trust_in_it() {
    let folder = Folder::with_hooks(HOOKS);
    let trust_of = |args: &[&str]| -> Vec<String> {
        let mut command = folder.hookgate(args);
        command.env("XDG_STATE_HOME", folder.path("state"));
        let ended = run(command, b"");
        let lines = ended.lines().into_iter();
        lines.map(|line| format!("{} {}", line["id"], line["trust"]).replace('"', "")).collect()
    };
    let before = trust_of(&["list", "--event", "pre_tool_use"]);
    assert_eq!(before, ["early untrusted", "late in_force", "observer in_force"]);
    let mut trust = folder.hookgate(&["trust", "--yes"]);
    trust.env("XDG_STATE_HOME", folder.path("state"));
    let trusted = run(trust, b"");
    assert_eq!(trusted.code(), 0, "{}", trusted.err());
    assert_eq!(trust_of(&["list", "--event", "pre_tool_use"])[0], "early trusted");
    folder.write("hooks.toml", format!("# changed\n{HOOKS}"));
    assert_eq!(trust_of(&["list", "--event", "pre_tool_use"])[0], "early changed");
    // Who names a file has said which one.
    assert_eq!(
        trust_of(&["list", "-c", "hooks.toml", "--event", "pre_tool_use"])[0],
        "early in_force"
    );
}
