//! Promise: `import` turns the hook config of another agent into a hooks.toml that loads, and says wherever
//! the source fails open or means less than it seems.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Folder, repository};

const SETTINGS: &str = r#"{"hooks": {
  "PreToolUse": [{"matcher": "Bash", "hooks": [
    {"type": "command", "command": "./guard.sh", "timeout": 10}
  ]}]
}}"#;

fn with_settings() -> Folder {
    let folder = Folder::new();
    fs::create_dir(folder.path(".claude")).unwrap();
    folder.write(".claude/settings.json", SETTINGS);
    folder
}

#[test]
fn it_prints_a_hooks_toml_and_warnings_with_places() {
    let folder = with_settings();
    let ended = folder.run(&["import", ".claude/settings.json"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let table: toml::Table = ended.out().parse().unwrap();
    let hook = &table["hook"][0];
    assert_eq!(hook["event"].as_str(), Some("pre_tool_use"));
    assert_eq!(hook["command"]["dialect"].as_str(), Some("claude"));
    let warning =
        ".claude/settings.json:3:5: warning: if the program is missing, crashes or is too slow";
    assert!(ended.err().contains(warning), "{}", ended.err());
    assert!(ended.err().contains("help: it is imported so; `on_failure = \"deny\"`"));
    assert!(ended.err().contains("imported 1 hook of Claude Code, 1 warning"), "{}", ended.err());
}

#[test]
fn it_writes_a_file_and_keeps_one_that_is_there() {
    let folder = with_settings();
    let args = ["import", ".claude/settings.json", "-o", "hooks.toml"];
    let ended = folder.run(&args, "");
    assert_eq!((ended.code(), ended.out()), (0, ""), "{}", ended.err());
    assert!(ended.err().contains("Next: hookgate check -c hooks.toml"), "{}", ended.err());
    let checked = folder.run(&["check", "--json"], "");
    assert_eq!(checked.code(), 0, "{}", checked.err());
    assert_eq!(checked.lines()[0]["hooks"], 1);

    folder.write("hooks.toml", "mine");
    let ended = folder.run(&args, "");
    assert_eq!(ended.code(), 1);
    assert!(ended.err().contains("`hooks.toml` is there already"), "{}", ended.err());
    assert_eq!(fs::read_to_string(folder.path("hooks.toml")).unwrap(), "mine");
    let forced = folder.run(&[&args[..], &["--force"]].concat(), "");
    assert_eq!(forced.code(), 0, "{}", forced.err());
    assert!(fs::read_to_string(folder.path("hooks.toml")).unwrap().contains("[[hook]]"));
}

#[test]
fn strictly_a_failure_is_a_deny() {
    let folder = with_settings();
    let posture = |args: &[&str]| {
        let ended = folder.run(&[&["import", ".claude/settings.json"], args].concat(), "");
        let table: toml::Table = ended.out().parse().unwrap();
        table["hook"][0]["on_failure"].as_str().unwrap().to_owned()
    };
    assert_eq!(posture(&[]), "allow");
    assert_eq!(posture(&["--strict"]), "deny");
}

#[test]
fn it_says_whose_config_it_took_it_for() {
    let folder = Folder::new();
    folder.write("a.json", SETTINGS);
    let agent = |args: &[&str]| {
        let ended = folder.run(&[&["import", "a.json", "--json"], args].concat(), "");
        ended.lines()[0]["agent"].as_str().unwrap().to_owned()
    };
    assert_eq!(agent(&[]), "claude");
    assert_eq!(agent(&["--agent", "qwen"]), "qwen");
    let ended = folder.run(&["import", "a.json", "--agent", "qwem"], "");
    assert_eq!(ended.code(), 64);
    assert!(ended.err().contains("did you mean `qwen`?"), "{}", ended.err());
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    let folder = Folder::new();
    folder.write("none.json", "{}");
    folder.write("broken.json", "{\"hooks\":\n  {,}}");
    let unknown = folder.run(&["import", "none.json"], "");
    assert_eq!((unknown.code(), unknown.out()), (3, ""));
    assert!(unknown.err().contains("none.json:1:1: this is no hook config that is known"));
    assert!(unknown.err().contains("--agent NAME"), "{}", unknown.err());
    let broken = folder.run(&["import", "broken.json"], "");
    assert_eq!(broken.code(), 3);
    assert!(broken.err().contains("broken.json:2:4: "), "{}", broken.err());
    let missing = folder.run(&["import", "missing.json"], "");
    assert_eq!(missing.code(), 3);
    assert!(missing.err().contains("missing.json:1:1: cannot be read"), "{}", missing.err());
}

/// Returns the configs of the corpus, one of each folder.
fn corpus() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in fs::read_dir(repository().join("crates/dialects/tests/configs")).unwrap() {
        found.push(config_in(&folder.unwrap().path()).unwrap());
    }
    found.sort();
    assert!(found.len() >= 40);
    found
}

fn config_in(folder: &Path) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let is_config = |path: &&PathBuf| {
        path.extension().is_some_and(|end| end == "json" || end == "toml" || end == "yaml")
    };
    let here = entries.iter().find(is_config).cloned();
    here.or_else(|| entries.iter().filter(|path| path.is_dir()).find_map(|path| config_in(path)))
}

#[test]
fn every_config_of_the_corpus_loads() {
    let folder = Folder::new();
    let run = |args: &[&str]| {
        let mut hookgate = folder.hookgate(args);
        hookgate.env("POLICY_TOKEN", "secret-of-the-test");
        crate::support::run(hookgate, b"")
    };
    for path in corpus() {
        let path = path.to_str().unwrap();
        for strict in [&[][..], &["--strict"]] {
            let ended = run(&[&["import", "--json", path], strict].concat());
            assert_eq!(ended.lines()[0]["errors"], json!([]), "{path}");
            assert_eq!(ended.code(), 0, "{path}: {}", ended.err());
        }
        // As it is, it says the same.
        let checked = run(&["check", "--json", "-c", path]);
        assert_eq!(checked.code(), 0, "{path}: {}", checked.err());
    }
}

/// One step for the hooks of a config of the corpus.
struct Run {
    config: &'static str,
    step: (&'static str, Value),
    /// What comes out, and strictly.
    decisions: [&'static str; 2],
}

/// The hooks of real configs are run, by their real scripts.
#[test]
fn the_deny_of_a_script_is_our_deny() {
    let bash = |command: &str| ("Bash", json!({"command": command}));
    let needs = ["jq", "python3", "bash"];
    if !needs.into_iter().all(hookgate_test_support::needs::program) {
        return;
    }
    for Run { config, step: (tool, input), decisions } in [
        Run {
            config: "claude-bash-guard/.claude/settings.json",
            step: bash("git push --force"),
            decisions: ["deny", "deny"],
        },
        Run {
            config: "claude-bash-guard/.claude/settings.json",
            step: bash("git status"),
            decisions: ["allow", "allow"],
        },
        Run {
            config: "claude-asks/.claude/settings.json",
            step: bash("deploy"),
            decisions: ["ask", "ask"],
        },
        Run {
            config: "claude-plugin/hooks/hooks.json",
            step: bash("rm -rf /"),
            decisions: ["deny", "deny"],
        },
        Run {
            config: "claude-swallows-failures/.claude/settings.json",
            step: bash("echo AKIA1234"),
            decisions: ["deny", "deny"],
        },
        // Its program is not there.
        Run {
            config: "claude-milliseconds/.claude/settings.json",
            step: bash("ls"),
            decisions: ["deny", "deny"],
        },
        Run {
            config: "claude-foreign-matchers/.claude/settings.json",
            step: bash("ls"),
            decisions: ["allow", "deny"],
        },
        // Codex takes a status 2 without a text for a failure, and the tool runs. Here it says no.
        Run {
            config: "codex-quiet-exit/.codex/hooks.json",
            step: bash("sudo x"),
            decisions: ["deny", "deny"],
        },
        Run {
            config: "codex-quiet-exit/.codex/hooks.json",
            step: bash("ls"),
            decisions: ["allow", "allow"],
        },
        // Kimi Code takes a status 1 for a failure, and the tool runs.
        Run {
            config: "kimi/.kimi/config.toml",
            step: bash("sudo x"),
            decisions: ["allow", "deny"],
        },
        Run {
            config: "meerkat/.rkat/config.toml",
            step: ("shell", json!({"command": "rm -rf x"})),
            decisions: ["deny", "deny"],
        },
        Run {
            config: "meerkat/.rkat/config.toml",
            step: ("shell", json!({"command": "ls"})),
            decisions: ["allow", "allow"],
        },
        Run {
            config: "defect/.defect/config.toml",
            step: ("net_fetch", json!({"url": "https://example.com"})),
            decisions: ["deny", "deny"],
        },
        Run {
            config: "defect/.defect/config.toml",
            step: ("write_file", json!({"path": "a"})),
            decisions: ["allow", "allow"],
        },
        // A deny in the words of another agent is told apart from silence.
        Run {
            config: "cursor-blocks-too-late/.cursor/hooks.json",
            step: ("Shell", json!({"command": "ls"})),
            decisions: ["deny", "deny"],
        },
    ] {
        let path = repository().join("crates/dialects/tests/configs").join(config);
        let root = path.ancestors().nth(2).unwrap();
        let step = json!({"hook_event_name": "pre_tool_use", "session_id": "s", "cwd": root,
            "tool_name": tool, "tool_input": input});
        for (strict, expected) in [&[][..], &["--strict"]].into_iter().zip(decisions) {
            let folder = Folder::new();
            let args = ["eval", "--json", "-c", path.to_str().unwrap()];
            let mut hookgate = folder.hookgate(&[&args[..], strict].concat());
            hookgate.env("DEPLOY_ENV", "prod");
            let ended = crate::support::run(hookgate, step.to_string().as_bytes());
            let said = format!("{}{}", ended.out(), ended.err());
            assert_eq!(
                ended.lines()[0]["decision"],
                expected,
                "{config} {strict:?} {input}: {said}"
            );
        }
    }
}
