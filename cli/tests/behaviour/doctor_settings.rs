//! Promise: `doctor` knows what an agent reads beside its hooks, and each key that makes a hook not wait, not match or
//! not run; what it cannot tell it does not call well.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::install::machine::Machine;
use crate::support::run;

const POLICY: &str = "[[hook]]\nid = \"no-push\"\nevent = \"pre_tool_use\"\nruns = [\"git push --force\"]\n\
                      builtin = { name = \"deny\", reason = \"not with force\" }\n";

const USER: &str = "home/.claude/settings.json";
const PROJECT: &str = "work/.claude/settings.json";
const LOCAL: &str = "work/.claude/settings.local.json";

/// A machine on which hookgate is installed for its user.
fn machine(agent: &str) -> Machine {
    let machine = Machine::new();
    machine.write("home/.config/hookgate/hooks.toml", POLICY);
    machine.install_in(agent, &[]);
    machine
}

/// What `doctor` says of an agent: what is wrong at each level, and the code.
fn doctor(machine: &Machine, agent: &str) -> (String, String, i32) {
    let done = run(machine.command(&["doctor", "--agent", agent, "--json"]), b"");
    let [report] = done.lines().try_into().unwrap();
    let of_level = |level: &str| {
        let findings = report["findings"].as_array().unwrap().iter();
        let findings = findings.filter(|finding| finding["level"] == level);
        findings
            .map(|finding| finding["about"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join("\n")
    };
    (of_level("open"), of_level("doubt"), done.code())
}

/// Sets a key of the hook of hookgate at an event.
fn set(machine: &Machine, file: &str, event: &str, key: &str, value: Value) {
    let mut settings: Value = serde_json::from_str(&machine.read(file)).unwrap();
    settings["hooks"][event][0]["hooks"][0][key] = value;
    machine.write(file, &settings.to_string());
}

/// The control: nothing is wrong with what was installed.
#[test]
fn what_was_installed_is_well() {
    for agent in ["claude", "gemini", "qwen"] {
        let (open, doubt, code) = doctor(&machine(agent), agent);
        assert_eq!((open.as_str(), code), ("", 0), "{agent}: {doubt}");
    }
}

#[test]
fn a_key_that_keeps_the_agent_from_waiting_or_calling_is_told() {
    for (key, value, about) in [
        ("async", json!(true), "does not wait"),
        ("asyncRewake", json!(true), "does not wait"),
        ("if", json!("Bash(git *)"), "is called only if"),
        ("args", json!([]), "has `args`"),
        ("type", json!("prompt"), "never runs"),
        ("timeout", json!("12"), "how long the agent waits"),
        ("timeout", json!(0), "how long the agent waits"),
        ("timeout", json!(3), "loses its patience"),
    ] {
        let machine = machine("claude");
        set(&machine, USER, "PreToolUse", key, value.clone());
        let (open, _, code) = doctor(&machine, "claude");
        assert!(open.contains(about), "{key} = {value}: {open}");
        assert_eq!(code, 2, "{key} = {value}");
    }
    for (key, value) in [("async", json!(false)), ("statusMessage", json!("checking"))] {
        let machine = machine("claude");
        set(&machine, USER, "PreToolUse", key, value);
        assert_eq!(doctor(&machine, "claude"), (String::new(), String::new(), 0), "{key}");
    }
    let machine = machine("claude");
    set(&machine, USER, "PreToolUse", "of_tomorrow", json!(1));
    let (open, doubt, _) = doctor(&machine, "claude");
    assert!(open.is_empty() && doubt.contains("cannot be told what `of_tomorrow` does"), "{doubt}");
}

#[test]
fn settings_of_every_layer_count() {
    let other = "work/other.toml";
    for (agent, file, text, about) in [
        ("claude", LOCAL, r#"{"disableAllHooks": true}"#.to_owned(), "disableAllHooks"),
        ("claude", PROJECT, r#"{"disableAllHooks": true}"#.to_owned(), "disableAllHooks"),
        (
            "claude",
            PROJECT,
            r#"{"env": {"HOOKGATE_CONFIG": "OTHER"}}"#.to_owned(),
            "HOOKGATE_CONFIG",
        ),
        ("claude", LOCAL, r#"{"env": {"XDG_CONFIG_HOME": "/tmp"}}"#.to_owned(), "XDG_CONFIG_HOME"),
        ("claude", LOCAL, r#"{"env": {"PATH": "/nonexistent"}}"#.to_owned(), "got through"),
        ("claude", LOCAL, r#"{"env": {"PATH": "FAKE:/usr/bin:/bin"}}"#.to_owned(), "got through"),
        ("claude", LOCAL, "{,".to_owned(), "cannot be told"),
        (
            "gemini",
            "work/.gemini/settings.json",
            r#"{"hooksConfig": {"disabled": ["hookgate-BeforeTool"]}}"#.to_owned(),
            "hooksConfig.disabled",
        ),
        (
            "gemini",
            "work/.gemini/settings.json",
            r#"{"hooksConfig": {"enabled": false}}"#.to_owned(),
            "hooksConfig.enabled",
        ),
        (
            "gemini",
            "work/.gemini/.env",
            "HOOKGATE_CONFIG=/dev/null\n".to_owned(),
            "HOOKGATE_CONFIG",
        ),
        ("gemini", "work/.env", "export XDG_CONFIG_HOME='/tmp'\n".to_owned(), "XDG_CONFIG_HOME"),
        (
            "qwen",
            "work/.qwen/settings.json",
            r#"{"disableAllHooks": true}"#.to_owned(),
            "disableAllHooks",
        ),
        (
            "claude",
            LOCAL,
            r#"{"env": {"CLAUDE_CODE_SIMPLE": "1"}}"#.to_owned(),
            "switched off by the variable `CLAUDE_CODE_SIMPLE`",
        ),
        (
            "claude",
            PROJECT,
            r#"{"env": {"CLAUDE_CODE_SAFE_MODE": true}}"#.to_owned(),
            "switched off by the variable `CLAUDE_CODE_SAFE_MODE`",
        ),
        (
            "claude",
            LOCAL,
            r#"{"env": {"CLAUDE_CONFIG_DIR": "/tmp/other"}}"#.to_owned(),
            "sets `CLAUDE_CONFIG_DIR`",
        ),
        (
            "gemini",
            "work/.gemini/.env",
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH=/tmp/s.json\n".to_owned(),
            "sets `GEMINI_CLI_SYSTEM_SETTINGS_PATH`",
        ),
        ("qwen", "work/.env", "QWEN_CODE_SAFE_MODE=true\n".to_owned(), "QWEN_CODE_SAFE_MODE"),
        ("claude", LOCAL, r#"{"disableAllHooks": "true"}"#.to_owned(), "is \"true\", and not true"),
        ("claude", PROJECT, r#"{"disableAllHooks": 0}"#.to_owned(), "cannot be told"),
        ("claude", PROJECT, r#"{"allowManagedHooksOnly": "yes"}"#.to_owned(), "cannot be told"),
        (
            "qwen",
            "work/.qwen/settings.json",
            r#"{"disableAllHooks": "no"}"#.to_owned(),
            "cannot be",
        ),
        (
            "gemini",
            "work/.gemini/settings.json",
            r#"{"hooksConfig": {"enabled": "yes"}}"#.to_owned(),
            "`hooksConfig.enabled` is \"yes\"",
        ),
        (
            "gemini",
            "work/.gemini/settings.json",
            r#"{"hooksConfig": {"disabled": "hookgate-BeforeTool"}}"#.to_owned(),
            "and not a list of texts",
        ),
    ] {
        let machine = machine(agent);
        machine.write(other, "allow_empty = true\n");
        let fake = machine.write("fake/timeout", "#!/bin/sh\nexit 0\n");
        fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
        let text = text.replace("OTHER", machine.file(other).to_str().unwrap());
        machine.write(file, &text.replace("FAKE", fake.parent().unwrap().to_str().unwrap()));
        let (open, _, code) = doctor(&machine, agent);
        assert!(open.contains(about), "{agent} {file} {text}: {open}");
        assert_eq!(code, 2, "{agent} {file} {text}");
    }
}

/// Settings and variables that say nothing of hooks, or say that they are called.
#[test]
fn neighbours_of_switches_are_well() {
    for (agent, file, text) in [
        ("claude", LOCAL, r#"{"disableAllHooks": false}"#),
        ("claude", PROJECT, r#"{"allowManagedHooksOnly": true}"#),
        ("claude", LOCAL, r#"{"env": {"CLAUDE_CODE_SIMPLE": "0"}}"#),
        ("claude", LOCAL, r#"{"env": {"CLAUDE_CODE_SIMPLE": ""}}"#),
        ("claude", LOCAL, r#"{"env": {"CLAUDE_CODE_ENABLE_TELEMETRY": "1", "EDITOR": "vi"}}"#),
        ("claude", LOCAL, r#"{"env": {"QWEN_CODE_SAFE_MODE": "1"}}"#),
        ("gemini", "work/.gemini/settings.json", r#"{"hooksConfig": {"disabled": ["other"]}}"#),
        ("qwen", "work/.env", "QWEN_CODE_SAFE_MODE=false\nCLAUDE_CODE_SIMPLE=1\n"),
    ] {
        let machine = machine(agent);
        machine.write(file, text);
        assert_eq!(doctor(&machine, agent), (String::new(), String::new(), 0), "{agent} {text}");
    }
}

#[test]
fn variables_of_the_shell_count_for_an_agent_that_is_started_there() {
    for (agent, name, value, level) in [
        ("claude", "CLAUDE_CODE_SIMPLE", "1", "open"),
        ("claude", "CLAUDE_CODE_SHELL_PREFIX", "/usr/bin/nice", "doubt"),
        ("claude", "CLAUDE_CODE_SIMPLE", "0", ""),
        ("claude", "QWEN_CODE_SAFE_MODE", "1", ""),
        ("gemini", "GEMINI_CLI_HOME", "/tmp/elsewhere", "open"),
        ("qwen", "QWEN_HOME", "/tmp/elsewhere", "open"),
    ] {
        let machine = machine(agent);
        let mut command = machine.command(&["doctor", "--agent", agent, "--json"]);
        command.env(name, value);
        let done = run(command, b"");
        let findings = done.lines()[0]["findings"].clone();
        match level {
            "" => assert_eq!(findings, json!([]), "{name}={value}"),
            level => {
                assert_eq!(findings[0]["level"], level, "{name}={value}: {findings}");
                assert!(findings[0]["about"].as_str().unwrap().contains(name), "{findings}");
            }
        }
    }
}

fn make_pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(path);
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_named_pipe_is_told_and_never_waited_for() {
    for file in [USER, PROJECT, LOCAL] {
        let machine = machine("claude");
        make_pipe(&machine.file(file));
        let started = Instant::now();
        let (open, _, code) = doctor(&machine, "claude");
        assert!(open.contains("cannot be told") && open.contains("named pipe"), "{file}: {open}");
        assert_eq!(code, 2, "{file}");
        let done = machine.install(&["--agent", "claude", "--yes"]);
        let is_own = file == USER;
        assert_eq!(done.code() != 0, is_own, "{file}: {}", done.err());
        assert!(started.elapsed() < Duration::from_secs(60), "{file}");
    }
}

#[test]
fn install_keeps_links_and_tells_files_that_are_read_only() {
    let machine = Machine::new();
    machine.write("home/.config/hookgate/hooks.toml", POLICY);
    fs::create_dir_all(machine.file("home/.claude")).unwrap();
    fs::create_dir_all(machine.file("home/dotfiles")).unwrap();
    std::os::unix::fs::symlink("../dotfiles/claude.json", machine.file(USER)).unwrap();
    machine.install_claude(&[]);
    assert!(machine.file(USER).is_symlink());
    assert!(machine.read("home/dotfiles/claude.json").contains("hookgate"));

    let machine = Machine::new();
    machine.write("home/.config/hookgate/hooks.toml", POLICY);
    let file = machine.write(USER, "{}\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let done = machine.install_claude(&[]);
    assert!(done.err().contains("is read-only"), "{}", done.err());
}
