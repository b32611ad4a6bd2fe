//! A config in JSON or YAML is the config that it would be in TOML.

use std::fs;

use crate::support::{Answer, Session, Stdin};

const TOML: &str = "\
[[hook]]
id = 'no-push'
event = 'pre_tool_use'
tool = 'Bash'
input = { '/command' = { regex = 'push.*--force' } }
priority = 7
builtin = { name = 'deny', reason = 'not here' }
";

const JSON: &str = r#"{"hook": [{
  "id": "no-push", "event": "pre_tool_use", "tool": "Bash",
  "input": {"/command": {"regex": "push.*--force"}}, "priority": 7,
  "builtin": {"name": "deny", "reason": "not here"}
}]}"#;

const YAML: &str = "\
hook:
  - id: no-push
    event: pre_tool_use
    tool: Bash
    input: { /command: { regex: 'push.*--force' } }
    priority: 7
    builtin:
      name: deny
      reason: not here
";

const PUSH: &str = "git push --force";

/// A user with a file of some name in the folder of the config.
fn with(config: &str, name: &str, text: &str) -> Session {
    let session = Session::with(config);
    let path = session.home.path().join(".config/hookgate").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    session
}

fn named(session: &Session, name: &str) -> String {
    session.home.path().join(".config/hookgate").join(name).display().to_string()
}

fn verb(session: &Session, arguments: &[&str]) -> Answer {
    session.run(arguments, &Stdin::Closed)
}

#[test]
fn the_three_syntaxes_say_the_same() {
    let mut seen = Vec::new();
    for (name, text) in [("a.toml", TOML), ("a.json", JSON), ("a.yaml", YAML), ("a.yml", YAML)] {
        let session = with("allow_empty = true\n", name, text);
        let envelope = session.envelope("PreToolUse", PUSH).to_string();
        let file = named(&session, name);
        let call = ["hook", "--agent", "claude", "-c", &file];
        let answer = session.run(&call, &Stdin::Text(envelope.as_bytes()));
        assert!(answer.text().contains("not here"), "{name}: {answer:?}");
        let step = r#"{"hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{"command":"git push --force"}}"#;
        let run = session.run(&["run", "-c", &file, "-"], &Stdin::Text(step.as_bytes()));
        let line: serde_json::Value =
            serde_json::from_str(run.stdout.lines().next().unwrap_or_default())
                .unwrap_or_else(|_| panic!("{run:?}"));
        assert_eq!(line["decision"], "deny", "{name}");
        seen.push(line["config_hash"].as_str().unwrap().to_owned());
    }
    seen.dedup();
    assert_eq!(seen.len(), 1, "{seen:?}");
}

#[test]
fn they_are_included_and_dropped_in() {
    let include = "include = ['more/*']\n";
    for (config, name, text) in [
        ("allow_empty = true\n", "hooks.d/a.yaml", YAML),
        ("allow_empty = true\n", "hooks.d/a.json", JSON),
        (include, "more/a.yml", YAML),
        (include, "more/a.json", JSON),
    ] {
        let session = with(config, name, text);
        let answer = session.call("claude", "PreToolUse", PUSH);
        assert!(answer.text().contains("not here"), "{name}: {answer:?}");
        // The control: what it is not about goes on.
        let answer = session.call("claude", "PreToolUse", "ls");
        assert_eq!((answer.exit, answer.text().as_str()), (Some(0), ""), "{name}");
    }
    // A test file is none of them.
    for name in ["hooks.d/a_test.yaml", "hooks.d/.a.yaml", "hooks.d/a.md"] {
        let session = with(TOML, name, "case: nonsense");
        let answer = session.call("claude", "PreToolUse", "ls");
        assert_eq!((answer.exit, answer.text().as_str()), (Some(0), ""), "{name}");
    }
}

#[test]
fn a_mistake_is_named_at_its_place() {
    for (name, text, place) in [
        ("a.json", JSON.replace("\"tool\"", "\"tol\""), "a.json:2:45: unknown key `tol`"),
        ("a.json", JSON.replace("\"deny\"", "\"dney\""), "a.json:4:23: unknown builtin `dney`"),
        ("a.json", JSON.replace("7,", "7,,"), "a.json:3:"),
        ("a.json", JSON.replace("7", "null"), "a.json:3:66: a value is missing here"),
        (
            "a.json",
            JSON.replace("\"priority\"", "\"tool\""),
            "a.json:3:54: the key `tool` is there twice",
        ),
        ("a.yaml", YAML.replace("    tool:", "    tol:"), "a.yaml:4:5: unknown key `tol`"),
        ("a.yaml", YAML.replace("name: deny", "name: dney"), "a.yaml:8:13: unknown builtin `dney`"),
        (
            "a.yaml",
            YAML.replace("pre_tool_use", "pre_tool"),
            "a.yaml:3:12: unknown event `pre_tool`",
        ),
        ("a.yaml", YAML.replace("reason: not here", "reason: \"not here"), "a.yaml:"),
        ("a.yaml", YAML.replace("hook:", "hook: {}"), "a.yaml:"),
    ] {
        let session = with("allow_empty = true\n", name, &text);
        let checked = verb(&session, &["check", "-c", &named(&session, name)]);
        assert_eq!(checked.exit, Some(3), "{place}: {checked:?}");
        assert!(checked.text().contains(place), "{place} in {}", checked.text());
        // A guard is not lost: every step is refused until it is mended.
        let session = with("allow_empty = true\n", &format!("hooks.d/{name}"), &text);
        let answer = session.call("claude", "PreToolUse", "ls");
        assert!(answer.reaction("claude", "PreToolUse").blocks(), "{place}: {answer:?}");
        assert!(answer.text().contains(place), "{place} in {}", answer.text());
    }
}

/// What other agents write is still theirs.
#[test]
fn configs_of_other_agents_are_told_by_their_shape() {
    let claude = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo 'theirs says no' >&2; exit 2"}]}]}}"#;
    let docker = "agents:\n  root:\n    hooks:\n      pre_tool_use:\n        - matcher: '.*'\n          hooks:\n            - type: command\n              command: \"echo 'theirs says no' >&2; exit 2\"\n";
    for (name, text) in [("settings.json", claude), ("agent.yaml", docker)] {
        let session = with("allow_empty = true\n", name, text);
        let listed = verb(&session, &["list", "--json", "-c", &named(&session, name)]);
        assert_eq!(listed.exit, Some(0), "{name}: {listed:?}");
        assert!(
            listed.stdout.contains("theirs says no") || listed.stdout.contains("command"),
            "{listed:?}"
        );
        assert!(!listed.text().contains("unknown key"), "{name}: {listed:?}");
    }
}
