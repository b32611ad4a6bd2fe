//! Promise: `config` shows which files are in force, what they say together, and which of them says it.

use std::fs;

use serde_json::{Value, json};

use crate::support::Folder;

const MANAGED_LIKE: &str = r#"
[limits]
concurrency = 4

[[hook]]
id = "guard"
event = "pre_tool_use"
priority = 300
builtin = { name = "deny", reason = "no" }
"#;

const PROJECT: &str = r#"include = ["more/*.toml"]

[limits]
concurrency = 2
timeout = { command = "2s" }

[[disable]]
id = "guard"

[[disable]]
id = "lint.fast"

[[hook]]
id = "early"
event = "pre_tool_use"
priority = 5
may_allow = true
tool = "Bash"
builtin = { name = "ask", reason = "sure?" }

[[hook]]
id = "lint.fast"
event = "stop"
builtin = "audit"
"#;

fn layers() -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("configs-of-user/hookgate")).unwrap();
    fs::create_dir_all(folder.path("more")).unwrap();
    folder.write("configs-of-user/hookgate/hooks.toml", MANAGED_LIKE);
    folder.write("hooks.toml", PROJECT);
    folder.write(
        "more/a.toml",
        "[[hook]]\nid = \"included\"\nevent = \"stop\"\nbuiltin = \"audit\"\n",
    );
    folder
}

fn explain(folder: &Folder, key: &str) -> Vec<Value> {
    let ended = folder.run(&["config", "explain", key], "");
    assert_eq!(ended.code(), 0, "{key}: {}", ended.err());
    ended.lines()
}

fn place(layer: &str, file: &str, line: usize, column: usize) -> Value {
    json!({"layer": layer, "file": file, "line": line, "column": column})
}

#[test]
fn sources_shows_every_place() {
    let folder = layers();
    let ended = folder.run(&["config", "sources"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let lines = ended.lines();
    let row = |path: &str| {
        let found = lines.iter().find(|line| line["path"] == path);
        found.unwrap_or_else(|| panic!("{path}: {}", ended.out()))
    };
    let users = row("configs-of-user/hookgate/hooks.toml");
    assert_eq!((&users["layer"], &users["state"]), (&"user".into(), &"in_force".into()));
    let project = row("hooks.toml");
    assert_eq!((&project["hooks"], &project["state"]), (&2.into(), &"in_force".into()));
    let included = row("more/a.toml");
    assert_eq!((&included["hooks"], &included["included_by"]), (&1.into(), &"hooks.toml".into()));
    assert_eq!(row("/etc/hookgate/hooks.toml")["state"], "not_found");
    for path in [".hookgate/hooks.local.toml", "hooks.d"] {
        assert_eq!(row(path)["state"], "not_found", "{path}");
    }

    // One with a mistake, and one whose place another one takes.
    fs::create_dir_all(folder.path(".hookgate")).unwrap();
    folder.write(".hookgate/hooks.toml", "nonsense = 1\n");
    let ended = folder.run(&["config", "sources", "--table"], "");
    assert!(ended.out().contains("has mistakes"), "{}", ended.out());
    assert!(ended.out().contains("not used: a nearer one is"), "{}", ended.out());
    // Without any config it says where they would be.
    let nothing = Folder::new().run(&["config", "sources"], "");
    assert_eq!(nothing.code(), 0, "{}", nothing.err());
    assert!(nothing.lines().iter().all(|line| line["state"] == "not_found"), "{}", nothing.out());
}

#[test]
fn dump_is_the_joined_config() {
    let folder = layers();
    let ended = folder.run(&["config", "dump"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let dumped = &ended.lines()[0];
    let hook = |id: &str| {
        let hooks = dumped["hooks"].as_array().unwrap();
        hooks.iter().find(|hook| hook["id"] == id).unwrap()
    };
    assert_eq!(hook("guard")["mode"], "enforce");
    assert_eq!(hook("lint.fast")["mode"], "off");
    assert_eq!(hook("early")["priority"], 300);
    assert_eq!(hook("included")["origin"]["file"], "more/a.toml");
    assert_eq!(dumped["limits"]["concurrency"], 4);
    let check = folder.run(&["check", "--json"], "");
    assert_eq!(dumped["config_hash"], check.lines()[0]["config_hash"]);
    let table = folder.run(&["config", "dump", "--table"], "");
    assert!(table.out().contains("[[hooks]]"), "{}", table.out());
    assert!(table.out().contains("id = \"early\""), "{}", table.out());
}

#[test]
fn explain_says_which_file_it_is_and_what_was_overruled() {
    let folder = layers();
    let users = "configs-of-user/hookgate/hooks.toml";
    let mode = &explain(&folder, "guard.mode")[0];
    assert_eq!(mode["value"], "enforce");
    assert_eq!(mode["overruled"][0]["from"], place("project", "hooks.toml", 8, 6));
    assert!(mode["overruled"][0]["why"].as_str().unwrap().contains("layer `user`"));

    let off = &explain(&folder, "lint.fast.mode")[0];
    assert_eq!(
        (&off["value"], &off["from"]),
        (&"off".into(), &place("project", "hooks.toml", 11, 6))
    );
    assert_eq!(off["overruled"][0]["value"], "enforce");

    let priority = &explain(&folder, "early.priority")[0];
    assert_eq!((&priority["value"], &priority["overruled"][0]["value"]), (&300.into(), &5.into()));
    assert_eq!(priority["overruled"][0]["from"], place("project", "hooks.toml", 16, 1));
    let allow = &explain(&folder, "early.may_allow")[0];
    assert_eq!((&allow["value"], &allow["overruled"][0]["value"]), (&false.into(), &true.into()));
    let reason = &explain(&folder, "early.builtin.reason")[0];
    assert_eq!((&reason["value"], &reason["from"]["line"]), (&"sure?".into(), &19.into()));

    let limit = &explain(&folder, "limits.concurrency")[0];
    assert_eq!((&limit["value"], &limit["from"]), (&4.into(), &place("user", users, 3, 1)));
    assert_eq!(limit["overruled"][0]["value"], 2);
    let default = &explain(&folder, "limits.payload")[0];
    assert_eq!((&default["from"], &default["why"]), (&Value::Null, &"the default".into()));

    let all = explain(&folder, "included");
    assert!(all.iter().any(|fact| fact["key"] == "included.event"), "{all:?}");
    let text = folder.run(&["config", "explain", "guard.mode", "--table"], "");
    assert!(text.out().contains("overruled \"off\"  hooks.toml:8:6 (project): "), "{}", text.out());
}

#[test]
fn a_key_that_is_not_known_is_an_error_that_names_the_nearest() {
    let folder = layers();
    for (key, near) in
        [("gard", "guard"), ("limits.payloat", "limits.payload"), ("early.tol", "tool")]
    {
        let ended = folder.run(&["config", "explain", key], "");
        assert_eq!(ended.code(), 64, "{key}");
        assert!(ended.err().contains(&format!("`{near}`")), "{key}: {}", ended.err());
    }
}
