//! Promise: every verb works with the configs of all layers.

use std::fs;

use serde_json::Value;

use crate::support::{Folder, bash};

/// A hook that denies a command.
fn deny(id: &str, word: &str) -> String {
    format!(
        "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\n\
         input = {{ \"/command\" = {{ contains = \"{word}\" }} }}\n\
         builtin = {{ name = \"deny\", reason = \"{id} says no\" }}\n"
    )
}

/// A folder with configs of the user, of the project and of one person, each with a drop-in where it can have one.
fn layers() -> Folder {
    let folder = Folder::new();
    for name in ["configs-of-user/hookgate/hooks.d", ".hookgate/hooks.d", "deep/er"] {
        fs::create_dir_all(folder.path(name)).unwrap();
    }
    folder.write("configs-of-user/hookgate/hooks.toml", deny("users", "one"));
    folder.write("configs-of-user/hookgate/hooks.d/more.toml", deny("users-more", "two"));
    folder.write(".hookgate/hooks.toml", deny("project", "three"));
    folder.write(".hookgate/hooks.d/b.toml", deny("drop-in-b", "four"));
    folder.write(".hookgate/hooks.d/a.toml", deny("drop-in-a", "eight"));
    folder.write(".hookgate/hooks.d/a_test.toml", "this is no config");
    folder.write(".hookgate/hooks.d/.a.swp.toml", "neither is this");
    folder.write(".hookgate/hooks.local.toml", deny("local", "five"));
    folder
}

fn origins(lines: &[Value]) -> Vec<String> {
    let text = |line: &Value| {
        let origin = &line["origin"];
        format!("{} {} {}", line["id"], origin["layer"], origin["file"]).replace('"', "")
    };
    lines.iter().map(text).collect()
}

#[test]
fn all_layers_are_one_table() {
    let folder = layers();
    let listed = folder.run(&["list", "--json"], "");
    assert_eq!(listed.code(), 0, "{}", listed.err());
    assert_eq!(
        origins(&listed.lines()),
        [
            "users user configs-of-user/hookgate/hooks.toml",
            "users-more user configs-of-user/hookgate/hooks.d/more.toml",
            "project project .hookgate/hooks.toml",
            "drop-in-a project .hookgate/hooks.d/a.toml",
            "drop-in-b project .hookgate/hooks.d/b.toml",
            "local local .hookgate/hooks.local.toml",
        ]
    );
    // A step is judged by all of them, from a folder below as well.
    for (word, by) in
        [("one", "users"), ("two", "users-more"), ("three", "project"), ("five", "local")]
    {
        let mut command = folder.hookgate(&["eval", "--json"]);
        command.current_dir(folder.path("deep/er"));
        let ended = crate::support::run(command, bash(word).as_bytes());
        assert_eq!((ended.code(), &ended.lines()[0]["by"][0]), (2, &by.into()), "{}", ended.err());
    }
    let run = folder.run(&["run"], bash("two") + "\n" + &bash("ls"));
    let decisions: Vec<_> = run.lines().iter().map(|line| line["decision"].clone()).collect();
    assert_eq!(decisions, ["deny", "allow"], "{}", run.err());
    let check = folder.run(&["check", "--table"], "");
    assert!(check.out().contains("ok 6 files: 6 hooks at 1 event"), "{}", check.out());
}

#[test]
fn files_that_are_named_take_the_place_of_those_that_are_found() {
    let folder = layers();
    folder.write("mine.toml", deny("mine", "six"));
    folder.write("yours.toml", deny("yours", "seven"));
    let listed = folder.run(&["list", "--json", "-c", "yours.toml", "-c", "mine.toml"], "");
    let named = ["yours command_line yours.toml", "mine command_line mine.toml"];
    assert_eq!(origins(&listed.lines()), named, "{}", listed.err());
    let mut command = folder.hookgate(&["list", "--json"]);
    command.env("HOOKGATE_CONFIG", "mine.toml");
    let listed = crate::support::run(command, b"");
    assert_eq!(origins(&listed.lines()), named[1..], "{}", listed.err());
}

#[test]
fn the_mistakes_of_all_files_are_reported_in_one_run() {
    let folder = layers();
    folder.write(".hookgate/hooks.toml", "nonsense = 1\n");
    folder.write(".hookgate/hooks.local.toml", deny("local", "x").replace("event", "evnt"));
    folder.write("configs-of-user/hookgate/hooks.toml", "[[hook\n");
    let ended = folder.run(&["check", "--json"], "");
    assert_eq!(ended.code(), 3);
    for place in [
        "configs-of-user/hookgate/hooks.toml:1:7: ",
        ".hookgate/hooks.toml:1:1: unknown key `nonsense`",
        ".hookgate/hooks.local.toml:3:1: unknown key `evnt`",
        "6 files have ",
    ] {
        assert!(ended.err().contains(place), "{place}: {}", ended.err());
    }
    let report = &ended.lines()[0];
    assert_eq!((&report["config"], &report["valid"]), (&"6 files".into(), &false.into()));
    assert_eq!(report["files"][0], "configs-of-user/hookgate/hooks.toml");
}

#[test]
fn a_lower_layer_takes_nothing_from_one_above() {
    let folder = layers();
    let weaker = "[[disable]]\nid = \"users\"\n[[disable]]\nid = \"project\"\n[[hook]]\nid = \"yes\"\n\
                  event = \"pre_tool_use\"\nmay_allow = true\ncommand = { shell = \"echo '{\\\"decision\\\":\\\"allow\\\"}'\" }\n";
    folder.write(".hookgate/hooks.local.toml", weaker);
    for word in ["one", "three"] {
        let ended = folder.run(&["eval"], bash(word));
        assert_eq!(ended.code(), 2, "{word}: {}", ended.err());
        assert!(ended.err().contains("it stays in force"), "{}", ended.err());
    }
}

#[test]
fn without_any_config_it_is_said_where_one_was_looked_for() {
    let folder = Folder::new();
    for verb in ["check", "list", "run", "eval", "test"] {
        let ended = folder.run(&[verb], "");
        assert_eq!(ended.code(), 3, "{verb}: {}", ended.err());
        for part in [
            "no config was found",
            "hookgate init",
            ".hookgate/hooks.toml",
            "/etc/hookgate/hooks.toml",
        ] {
            assert!(ended.err().contains(part), "{verb}, {part}: {}", ended.err());
        }
    }
    assert_eq!(folder.run(&["check", "--json"], "").lines()[0]["valid"], false);
}

/// What a project's cases say does not depend on who runs them.
#[test]
fn the_cases_of_a_project_are_about_its_hooks_alone() {
    let folder = layers();
    folder.write(
        ".hookgate/hooks_test.toml",
        "[[case]]\nname = \"users\"\nevent = \"pre_tool_use\"\n\
         step = { tool_name = \"Bash\", tool_input = { command = \"one\" } }\ndecision = \"allow\"\n\
         [[case]]\nname = \"project\"\nevent = \"pre_tool_use\"\n\
         step = { tool_name = \"Bash\", tool_input = { command = \"three\" } }\nby = [\"project\"]\n",
    );
    fs::remove_file(folder.path(".hookgate/hooks.d/a_test.toml")).unwrap();
    let ended = folder.run(&["test"], "");
    assert_eq!(ended.code(), 0, "{}{}", ended.out(), ended.err());
}
