//! Promise: `install` adds hookgate to the config of an agent and touches nothing else, and `--remove`
//! makes the file what it was.

mod forms;
pub(crate) mod machine;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use serde_json::{Value, json};

use machine::Machine;

use crate::support::run;

const SETTINGS: &str = "home/.claude/settings.json";

/// The same settings as people and programs write them.
const LAYOUTS: &[&str] = &[
    "",
    "{}",
    "{}\n",
    "{\n}\n",
    "{ }",
    "{\"model\":\"opus\"}",
    "{\"model\":\"opus\",\"hooks\":{\"Stop\":[]}}\n",
    "{\n  \"model\": \"opus\"\n}\n",
    "{\n  \"model\": \"opus\"\n}",
    "{\r\n\t\"model\": \"opus\",\r\n\t\"hooks\": {}\r\n}\r\n",
    "{\n    \"hooks\": {\n        \"PreToolUse\": []\n    },\n    \"model\": \"opus\"\n}\n",
    "{\n \"hooks\": { \"PreToolUse\": [ {\"matcher\": \"Bash\", \"hooks\": [\n  {\"type\": \"command\", \
     \"command\": \"./mine.sh\"} ] } ] }\n}\n",
    "\n\n{\n  \"hooks\"  :  {\n  \"Stop\" : [\n  ]\n  }   }\n\n\n",
    "{\n  \"odd\": \"\\u00e9 , } ] \\\" //\",\n  \"hooks\": {\"PreToolUse\": [\n\n]}}",
];

#[test]
fn removing_makes_every_file_what_it_was() {
    for layout in LAYOUTS {
        let machine = Machine::new();
        machine.write(SETTINGS, layout);
        machine.install_claude(&[]);
        let installed = machine.read(SETTINGS);
        assert_ne!(&installed, layout);
        let parsed: Value = serde_json::from_str(&installed).unwrap();
        let before: Value =
            serde_json::from_str(layout).unwrap_or_else(|_| serde_json::from_str("{}").unwrap());
        assert_eq!(parsed.get("model"), before.get("model"), "{installed}");
        machine.install_claude(&["--remove"]);
        assert_eq!(&machine.read(SETTINGS), layout);
    }
}

#[test]
fn a_file_that_was_not_there_goes_with_the_folders_that_were_made_for_it() {
    let machine = Machine::new();
    machine.install_claude(&[]);
    assert!(machine.file(SETTINGS).exists());
    machine.install_claude(&["--remove"]);
    assert!(!machine.file("home/.claude").exists());
    assert!(machine.file("home").exists());
}

#[test]
fn every_event_has_one_hook_that_fails_closed_where_it_can() {
    let machine = Machine::new();
    machine.install_claude(&[]);
    let settings: Value = serde_json::from_str(&machine.read(SETTINGS)).unwrap();
    let hooks = settings["hooks"].as_object().unwrap();
    assert!(hooks.len() > 20, "{hooks:?}");
    for (event, groups) in hooks {
        let [group] = groups.as_array().unwrap().as_slice() else { panic!("{event}: {groups}") };
        assert!(group.get("matcher").is_none(), "{event}");
        let line = group["hooks"][0]["command"].as_str().unwrap();
        assert!(line.contains(&format!("--event {event} ")), "{line}");
        assert!(group["hooks"][0]["timeout"].as_u64().unwrap() > 10, "{event}");
    }
    let line = |event: &str| hooks[event][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(line("PreToolUse").ends_with("exit 2; }'"));
    assert!(line("Notification").ends_with("exit 1; }'"));
    // A hook there would have to make the work tree itself.
    assert!(!hooks.contains_key("WorktreeCreate"));
}

#[test]
fn installing_twice_is_installing_once() {
    for layout in LAYOUTS {
        let machine = Machine::new();
        machine.write(SETTINGS, layout);
        machine.install_claude(&[]);
        let once = machine.read(SETTINGS);
        let again = machine.install_claude(&[]);
        assert!(again.out().contains("is installed already"), "{}", again.out());
        assert_eq!(machine.read(SETTINGS), once);
        // Other settings replace the first ones, and removing still goes back to the start.
        machine.install_claude(&["--seconds", "30", "--event", "PreToolUse"]);
        let other = machine.read(SETTINGS);
        assert_eq!(other.matches("timeout -s KILL 32 ").count(), 1, "{other}");
        assert!(!other.contains("KILL 10"), "{other}");
        machine.install_claude(&["--remove"]);
        assert_eq!(&machine.read(SETTINGS), layout);
    }
}

#[test]
fn of_a_file_that_was_edited_since_only_our_hooks_are_removed() {
    for layout in LAYOUTS {
        let machine = Machine::new();
        machine.write(SETTINGS, layout);
        machine.install_claude(&[]);
        let mut settings: Value = serde_json::from_str(&machine.read(SETTINGS)).unwrap();
        // Somebody adds a hook behind ours, one into our group, and a key.
        let theirs = json!({"type": "command", "command": "./theirs.sh"});
        settings["hooks"]["PreToolUse"].as_array_mut().unwrap().push(json!({"hooks": [theirs]}));
        settings["hooks"]["Stop"].as_array_mut().unwrap().last_mut().unwrap()["hooks"]
            .as_array_mut()
            .unwrap()
            .push(theirs.clone());
        settings["theme"] = json!("dark");
        machine.write(SETTINGS, &serde_json::to_string_pretty(&settings).unwrap());
        machine.install_claude(&["--remove"]);
        let left = machine.read(SETTINGS);
        assert!(!left.contains("hookgate"), "{left}");
        let left: Value = serde_json::from_str(&left).unwrap();
        assert_eq!(left["theme"], "dark");
        assert_eq!(
            left["hooks"]["PreToolUse"].as_array().unwrap().last().unwrap()["hooks"],
            json!([theirs])
        );
        assert_eq!(
            left["hooks"]["Stop"].as_array().unwrap().last().unwrap()["hooks"],
            json!([theirs])
        );
        assert_eq!(left["hooks"].as_object().unwrap().len(), 2, "{left}");
        let nothing = machine.install_claude(&["--remove"]);
        assert!(nothing.out().contains("is not installed"), "{}", nothing.out());
    }
}

#[test]
fn hooks_and_comments_of_others_keep_their_bytes() {
    let machine = Machine::new();
    let text = "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"hooks\": [ { \"type\": \"command\",   \
                \"command\": \"./a.sh\" } ] }\n    ]\n  },\n  \"z\": 1,   \"a\": [1,2,\n3]\n}\n";
    machine.write(SETTINGS, text);
    machine.install_claude(&[]);
    let installed = machine.read(SETTINGS);
    // Nothing but additions: what was there is still there, in its order.
    let mut rest = installed.as_str();
    for letter in text.chars() {
        let at = rest.find(letter).unwrap_or_else(|| panic!("{letter:?} is gone: {installed}"));
        rest = &rest[at + letter.len_utf8()..];
    }
    assert!(installed.contains("\"z\": 1,   \"a\": [1,2,\n3]"), "{installed}");
    assert!(
        installed.contains("{ \"type\": \"command\",   \"command\": \"./a.sh\" }"),
        "{installed}"
    );
}

#[test]
fn what_the_agent_cannot_read_is_left_alone() {
    let cases = [
        ("{\"hooks\": {},}", "cannot read"),
        ("{\n  // a note\n}", "cannot read"),
        ("\u{feff}{}", "byte order mark"),
        ("{\"hooks\": []}", "`hooks` is not an object"),
        ("{\"hooks\": {\"PreToolUse\": {}}}", "`hooks.PreToolUse` is not an array"),
        ("{\"hooks\": {}, \"hooks\": {}}", "twice"),
        ("[]", "the file is not an object"),
        ("{", "cannot read"),
    ];
    for (text, why) in cases {
        let machine = Machine::new();
        machine.write(SETTINGS, text);
        let done = machine.install(&["--agent", "claude", "--yes"]);
        assert_eq!(done.code(), 1, "{text}");
        assert!(done.err().contains(why), "{text}: {}", done.err());
        assert_eq!(machine.read(SETTINGS), text);
        assert!(!machine.file("home/.local").exists(), "{text}");
    }
    let machine = Machine::new();
    fs::create_dir_all(machine.file("home/.claude")).unwrap();
    fs::write(machine.file(SETTINGS), b"{\"a\": \"\xff\"}").unwrap();
    let done = machine.install(&["--agent", "claude", "--yes"]);
    assert!(done.err().contains("UTF-8"), "{}", done.err());
}

#[test]
fn a_dry_run_and_a_missing_yes_change_nothing() {
    let machine = Machine::new();
    machine.write(SETTINGS, "{}\n");
    let shown = machine.install(&["--agent", "claude", "--dry-run"]);
    assert_eq!(shown.code(), 0);
    assert!(shown.out().contains("+     \"PreToolUse\": ["), "{}", shown.out());
    assert_eq!(machine.read(SETTINGS), "{}\n");
    let unasked = machine.install(&["--agent", "claude"]);
    assert_eq!(unasked.code(), 64);
    assert!(unasked.err().contains("--yes"), "{}", unasked.err());
    assert_eq!(machine.read(SETTINGS), "{}\n");
}

/// On a terminal it asks, and nothing but a yes is a yes.
#[test]
fn a_terminal_is_asked() {
    if !hookgate_test_support::needs::program("script") {
        return;
    }
    for (answer, written) in [("y\n", true), ("n\n", false), ("\n", false), ("", false)] {
        let machine = Machine::new();
        let mut script = machine.program("script");
        let command = concat!(env!("CARGO_BIN_EXE_hookgate"), " install --agent claude");
        script.args(["-qec", command, "/dev/null"]);
        let ended = run(script, answer.as_bytes());
        assert!(ended.out().contains("Write this?"), "{}", ended.out());
        assert_eq!(machine.file(SETTINGS).exists(), written, "{answer:?}");
        assert_eq!(ended.code() == 0, written, "{answer:?}");
    }
}

#[test]
fn a_user_without_a_policy_is_told() {
    let machine = Machine::new();
    let told = "everything is denied";
    assert!(machine.install_claude(&[]).out().contains(told));
    machine.install_claude(&["--remove"]);
    machine.write("home/.config/hookgate/hooks.toml", "");
    assert!(!machine.install_claude(&[]).out().contains(told));
}

#[test]
fn links_and_permissions_stay() {
    let machine = Machine::new();
    let real = machine.write("dotfiles/claude.json", "{}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    fs::create_dir(machine.file("home/.claude")).unwrap();
    symlink(&real, machine.file(SETTINGS)).unwrap();
    machine.install_claude(&[]);
    assert!(machine.file(SETTINGS).is_symlink());
    assert!(machine.read("dotfiles/claude.json").contains("PreToolUse"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    machine.install_claude(&["--remove"]);
    assert_eq!(machine.read("dotfiles/claude.json"), "{}\n");
}

#[test]
fn a_project_names_no_path_of_this_machine() {
    let machine = Machine::new();
    machine.install_claude(&["--project"]);
    let settings = machine.read("work/.claude/settings.json");
    assert!(settings.contains(
        "timeout -s KILL 10 hookgate hook --agent claude --timeout 8 --event PreToolUse ||"
    ));
    assert!(!machine.file(SETTINGS).exists());
}

/// The agent calls the small program then, if there is one.
#[test]
fn a_daemon_is_asked_by_the_small_program() {
    let machine = Machine::new();
    let small = env!("CARGO_BIN_EXE_hookgate-call");
    machine.install_claude(&["--daemon", "300", "--seconds", "20"]);
    let line = format!("{small} hook --agent claude --timeout 20 --daemon 300 --event PreToolUse ");
    assert!(machine.read(SETTINGS).contains(&line), "{}", machine.read(SETTINGS));
    let again = machine.install_claude(&["--daemon", "300", "--seconds", "20"]);
    assert!(again.out().contains("is installed already"), "{}", again.out());
    // Without a daemon it is of no use, and another program that is named stays that.
    machine.install_claude(&[]);
    assert!(!machine.read(SETTINGS).contains("hookgate-call"));
    let full = env!("CARGO_BIN_EXE_hookgate");
    machine.install_claude(&["--daemon", "300", "--bin", full]);
    assert!(machine.read(SETTINGS).contains(&format!("{full} hook ")));
    machine.install_claude(&["--remove"]);
    assert!(!machine.file(SETTINGS).exists());
    // Where it is missing, the full one can do the same.
    let alone = machine.file("home/hookgate");
    fs::hard_link(full, &alone).or_else(|_| fs::copy(full, &alone).map(|_| ())).unwrap();
    let mut command = machine.program(alone.to_str().unwrap());
    let arguments = ["install", "--agent", "claude", "--yes", "--daemon", "300"];
    command.args(arguments);
    assert_eq!(run(command, b"").code(), 0);
    assert!(machine.read(SETTINGS).contains(&format!("{} hook ", alone.display())));
}

/// Everybody has the program of a project elsewhere, and perhaps without the small one.
#[test]
fn in_a_project_the_small_program_is_named_if_it_is_found() {
    let machine = Machine::new();
    let small = PathBuf::from(env!("CARGO_BIN_EXE_hookgate-call"));
    let paths = [
        ("/usr/bin:/bin".to_owned(), "hookgate hook"),
        (format!("{}:/usr/bin:/bin", small.parent().unwrap().display()), "hookgate-call hook"),
    ];
    for (path, program) in paths {
        let arguments = ["install", "--project", "--agent", "claude", "--yes", "--daemon", "300"];
        let mut command = machine.command(&arguments);
        command.env("PATH", path);
        let done = run(command, b"");
        assert_eq!(done.code(), 0, "{}", done.err());
        let settings = machine.read("work/.claude/settings.json");
        assert!(settings.contains(&format!("KILL 10 {program} --agent claude")), "{settings}");
    }
}

#[test]
fn nothing_that_a_shell_would_change_gets_into_the_command_line() {
    let machine = Machine::new();
    for program in [
        "/opt/my gate",
        "$HOME/hookgate",
        "a'b",
        "-c",
        "a;b",
        "",
        "../hookgate",
        "/nowhere/hookgate",
    ] {
        let done = machine.install(&["--agent", "claude", "--yes", &format!("--bin={program}")]);
        assert_ne!(done.code(), 0, "{program}");
        assert!(!machine.file(SETTINGS).exists(), "{program}");
    }
}

#[test]
fn an_agent_or_an_event_that_is_not_known_is_named_with_its_nearest() {
    let machine = Machine::new();
    let done = machine.install(&["--agent", "claud", "--yes"]);
    assert_eq!(done.code(), 64);
    assert!(done.err().contains("claude"), "{}", done.err());
    let done = machine.install(&["--agent", "claude", "--event", "PreToolUSe", "--yes"]);
    assert_eq!(done.code(), 64);
    assert!(done.err().contains("PreToolUse"), "{}", done.err());
}
