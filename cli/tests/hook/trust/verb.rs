//! What `hookgate trust` shows, and what it does with hostile text.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::ground::{Ground, OTHER, hook};

#[test]
fn everything_that_will_run_is_shown() {
    let ground = Ground::new();
    ground.write(
        ".hookgate/hooks.toml",
        "[[hook]]\nid = 'a'\nevent = ['pre_tool_use', 'stop']\ncommand = { argv = ['../guard.sh', 'two words'], mode = 'worker' }\n\
         [[hook]]\nid = 'b'\nevent = 'pre_tool_use'\nhttp = { url = 'https://guard.example/hook', headers = { x-team = 'a' } }\n\
         [[hook]]\nid = 'c'\nevent = 'pre_tool_use'\nprompt = { model = 'm-1', base_url = 'https://models.example/v1', prompt_file = 'rule.md' }\n\
         [[hook]]\nid = 'd'\nevent = 'pre_tool_use'\ntool = 'X'\nbuiltin = { name = 'deny', reason = 'no' }\n",
    );
    ground.write(".hookgate/rule.md", "Deny it.");
    ground.script("guard.sh", "#!/bin/sh\necho '{\"ready\":1}'\n");
    let shown = ground.verb(&["--show", "--table"]);
    assert_eq!(shown.exit, Some(2), "{shown:?}");
    for part in [
        "not trusted",
        "../guard.sh 'two words'",
        "\"mode\":\"worker\"",
        "https://guard.example/hook",
        "x-team",
        "m-1",
        "https://models.example/v1",
        ".hookgate/rule.md",
        "guard.sh",
        "pre_tool_use, stop",
        "and 1 hook in force in any case",
    ] {
        assert!(shown.stdout.contains(part), "{part} in {}", shown.stdout);
    }
    let line = ground.shown();
    let files: Vec<&str> = line["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(files, [".hookgate/hooks.toml", ".hookgate/rule.md", "guard.sh"]);
    let needs: Vec<&Value> =
        line["hooks"].as_array().unwrap().iter().map(|hook| &hook["needs_trust"]).collect();
    assert_eq!(needs, [&json!(true), &json!(true), &json!(true), &json!(false)]);
    ground.trust("shown");
    let line = ground.shown();
    assert_eq!((&line["state"], &line["hash"]), (&json!("trusted"), &line["trusted_hash"]));
    assert_eq!(ground.verb(&["--show"]).exit, Some(0));
}

#[test]
fn a_difference_names_commands_and_files() {
    let ground = Ground::with_script();
    ground.trust("first");
    assert!(ground.verb(&["--diff", "--table"]).stdout.contains("no change"));
    ground.script("guard.sh", OTHER);
    ground.script("more.sh", OTHER);
    ground.write(
        ".hookgate/hooks.toml",
        &(hook("theirs", "command = { argv = ['../guard.sh', '--force'] }")
            + &hook("more", "command = { argv = ['../more.sh'] }")),
    );
    let diff = ground.verb(&["--diff", "--table"]);
    assert_eq!(diff.exit, Some(2));
    for part in [
        "- command at pre_tool_use: ../guard.sh\n",
        "+ command at pre_tool_use: ../guard.sh --force\n",
        "+ command at pre_tool_use: ../more.sh\n",
        "config .hookgate/hooks.toml",
        "file guard.sh",
        "file more.sh",
    ] {
        assert!(diff.stdout.contains(part), "{part} in {}", diff.stdout);
    }
    let line: Value = serde_json::from_str(&ground.verb(&["--diff", "--json"]).stdout).unwrap();
    let changes = line["changes"].as_array().unwrap();
    let of = |name: &str| changes.iter().find(|change| change["name"] == name).unwrap();
    assert_eq!(of("more.sh")["before"], Value::Null);
    assert_ne!(of("guard.sh")["before"], of("guard.sh")["after"]);
}

/// What is shown is all that is agreed to: no end of a long line is cut off, and nothing paints over it.
#[test]
fn nothing_can_be_hidden_in_it() {
    let long = "x".repeat(20_000);
    let ground = Ground::with_hook(&format!(
        "command = {{ shell = \"true {long} ; evil-end\\u001b[2K\\r\\nsecond-line \\u202e\" }}"
    ));
    let shown = ground.verb(&["--show", "--table"]).stdout;
    assert!(shown.contains("evil-end") && shown.contains("second-line"), "{}", shown.len());
    assert!(!shown.contains('\r') && !shown.contains('\u{202e}') && !shown.contains("\u{1b}[2K"));
}

#[test]
fn a_folder_without_a_project_says_so() {
    let ground = Ground::new();
    for arguments in [&["--yes"][..], &["--show"], &["--diff"]] {
        let done = ground.verb(arguments);
        assert_eq!(done.exit, Some(1), "{done:?}");
        assert!(done.stderr.contains("there is no config of a project"), "{done:?}");
    }
    assert_eq!(ground.verb(&["--show", "--all", "--table"]).stdout, "no project is trusted\n");
    assert_eq!(ground.verb(&["--all"]).exit, Some(64));
    ground.write("hooks.toml", "nonsense");
    let broken = ground.verb(&["--yes"]);
    assert_eq!(broken.exit, Some(3), "{broken:?}");
    assert!(broken.stderr.contains("hooks.toml:1:"), "{broken:?}");
}

/// A person at a terminal is asked, and only a yes is one.
#[test]
fn a_person_is_asked() {
    let ground = Ground::with_script();
    let answer = |word: &str| {
        let line = format!("{} trust", env!("CARGO_BIN_EXE_hookgate"));
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(ground.work());
        command.env("HOME", ground.session.home.path()).env_remove("XDG_STATE_HOME");
        command.env_remove("HOOKGATE_CONFIG").env_remove("XDG_CONFIG_HOME");
        let typed = format!("{word}\n");
        crate::support::run(&mut command, &crate::support::Stdin::Text(typed.as_bytes()))
    };
    for word in ["n", "", "yess"] {
        let asked = answer(word);
        assert!(asked.stdout.contains("Trust this?"), "{asked:?}");
        ground.refuses("nobody has said", word);
    }
    let asked = answer("y");
    assert!(asked.stdout.contains("../guard.sh") && asked.stdout.contains("trusted"), "{asked:?}");
    ground.runs("yes");
}

#[test]
fn the_list_says_what_doctor_says() {
    let ground = Ground::with_script();
    let mut command = ground.session.command(&["install", "--agent", "claude", "--yes"]);
    assert!(command.current_dir(ground.work()).output().unwrap().status.success());
    let doctor = || {
        let mut command = ground.session.command(&["doctor", "--agent", "claude", "--json"]);
        let done = command.current_dir(ground.work()).output().unwrap();
        String::from_utf8(done.stdout).unwrap()
    };
    let said = doctor();
    assert!(
        said.contains("1 of 1 hooks of this project are not run")
            && said.contains("nobody has said"),
        "{said}"
    );
    ground.trust("doctor");
    assert!(!doctor().contains("are not run"));
    ground.script("guard.sh", OTHER);
    let said = doctor();
    assert!(said.contains("has changed after it was trusted (guard.sh)"), "{said}");
    assert_eq!(fs::read_dir(ground.store()).unwrap().count(), 2, "a record and the lock");
}
