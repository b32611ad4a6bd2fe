//! Promise: `doctor` says which guards an agent would obey, and everything that makes it skip them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::install::machine::Machine;
use crate::support::{Ended, run};

const POLICY: &str = "[[hook]]\nid = \"no-push\"\nevent = \"pre_tool_use\"\nruns = [\"git push --force\"]\n\
                      builtin = { name = \"deny\", reason = \"not with force\" }\n";

/// A machine with a policy in its project.
fn machine() -> Machine {
    let machine = Machine::new();
    machine.write("work/hooks.toml", POLICY);
    machine
}

fn doctor(machine: &Machine, args: &[&str]) -> Ended {
    run(machine.command(&[&["doctor"], args].concat()), b"")
}

/// The report about one agent, and how the verb ended.
fn report(machine: &Machine, agent: &str) -> (Value, i32) {
    let done = doctor(machine, &["--agent", agent, "--json"]);
    let [report] = done.lines().try_into().unwrap();
    (report, done.code())
}

fn abouts(report: &Value, level: &str) -> String {
    let findings = report["findings"].as_array().unwrap().iter();
    let of_level = findings.filter(|finding| finding["level"] == level);
    of_level.map(|finding| finding["about"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

/// Codex has the trust of its user beside it, which only Codex itself can give.
const AGENTS: &[&str] =
    &["claude", "cline", "copilot", "cursor", "gemini", "kimi", "opencode", "qwen"];

#[test]
fn an_installed_policy_is_enforced_in_every_agent() {
    let with_daemon: &[&str] = &["--daemon", "60"];
    for (agent, options) in AGENTS.iter().flat_map(|agent| [(agent, &[][..]), (agent, with_daemon)])
    {
        let machine = machine();
        machine.install_in(agent, options);
        let (found, code) = report(&machine, agent);
        assert_eq!(code, 0, "{agent}: {found}");
        let guards = found["guards"].as_array().unwrap();
        let enforced = |guard: &&Value| guard["state"] == "enforced" && guard["detail"] == "1 hook";
        assert!(guards.iter().any(|guard| enforced(&guard)), "{agent}: {found}");
        assert!(guards.iter().all(|guard| guard["state"] != "open"), "{agent}: {found}");
        // The control: without hookgate nothing is enforced.
        machine.install_in(agent, &["--remove"]);
        let (found, code) = report(&machine, agent);
        assert_eq!(code, 2, "{agent}: {found}");
        assert!(abouts(&found, "open").contains("is not installed"), "{agent}: {found}");
    }
}

#[test]
fn a_policy_that_cannot_work_denies_everything_and_is_told() {
    for agent in AGENTS {
        let policies = [
            (Some("[[hook]\n"), "everything is denied", "hooks.toml"),
            (Some("[[hook]]\n"), "what it is about is denied", "hooks.toml:1:1"),
            (None, "everything is denied", "hookgate init"),
        ];
        for (policy, what, why) in policies {
            let machine = Machine::new();
            if let Some(policy) = policy {
                machine.write("work/hooks.toml", policy);
            }
            machine.install_in(agent, &[]);
            let (found, code) = report(&machine, agent);
            assert_eq!(code, 1, "{agent}: {found}");
            let about = abouts(&found, "broken");
            assert!(about.contains(what) && about.contains(why), "{agent}: {about}");
        }
    }
}

#[test]
fn a_missing_program_denies_everything_and_is_told() {
    for agent in AGENTS {
        let machine = machine();
        let program = machine.write("bin/hookgate", "#!/bin/sh\n");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        machine.install_in(agent, &["--bin", program.to_str().unwrap()]);
        fs::remove_file(&program).unwrap();
        let (found, _) = report(&machine, agent);
        let about = abouts(&found, "broken");
        // At some events an agent reads no exit status, so that the guard is not obeyed there.
        assert!(about.contains("everything is denied"), "{agent}: {found}");
        let tool = found["guards"].as_array().unwrap().iter().find(|guard| {
            ["pre_tool_use", "pretooluse", "beforetool", "tool.execute.before"]
                .contains(&guard["event"].as_str().unwrap().to_lowercase().as_str())
        });
        assert_eq!(tool.unwrap()["state"], "broken", "{agent}: {found}");
    }
}

/// An agent, its file, a text in it that is replaced by another, and what doctor says of that.
const FAULTS: &[(&str, &str, &str, &str, &str)] = &[
    ("claude", "home/.claude/settings.json", "{", "{\"disableAllHooks\": true,", "disableAllHooks"),
    ("claude", "home/.claude/settings.json", "{", "{,", "runs no hook of this file"),
    (
        "claude",
        "home/.claude/settings.json",
        "\"PreToolUse\"",
        "\"preToolUse\"",
        "no event `preToolUse`",
    ),
    (
        "claude",
        "home/.claude/settings.json",
        "\"PreToolUse\": [\n      {",
        "\"PreToolUse\": [\n      {\"matcher\": \"Write\",",
        "called for `Write` only at PreToolUse",
    ),
    (
        "claude",
        "home/.claude/settings.json",
        "\"timeout\": 12",
        "\"timeout\": 5",
        "loses its patience",
    ),
    (
        "claude",
        "home/.claude/settings.json",
        "exit 2; }",
        "true; }",
        "is not that of `hookgate install`",
    ),
    (
        "codex",
        "home/.codex/hooks.json",
        "\"command\"",
        "\"carrier-pigeon\"",
        "drops all hooks of the file",
    ),
    (
        "codex",
        "home/.codex/hooks.json",
        "\"timeout\": 12",
        "\"timeout\": \"12\"",
        "drops all hooks of the file",
    ),
    ("codex", "home/.codex/hooks.json", "{", "// a note\n{", "runs no hook of this file"),
    ("codex", "home/.codex/hooks.json", "{", "{ ", "were not reviewed"),
    (
        "gemini",
        "home/.gemini/settings.json",
        "{",
        "{\"hooksConfig\": {\"enabled\": false},",
        "hooksConfig.enabled",
    ),
    (
        "gemini",
        "home/.gemini/settings.json",
        "{",
        "{\"hooksConfig\": {\"disabled\": [\"hookgate-BeforeTool\"]},",
        "hooksConfig.disabled",
    ),
    (
        "gemini",
        "home/.gemini/settings.json",
        "\"timeout\": 12000",
        "\"timeout\": -1",
        "no time at all",
    ),
    (
        "gemini",
        "home/.gemini/settings.json",
        "\"BeforeTool\"",
        "\"PreToolUse\"",
        "no hook of hookgate at BeforeTool",
    ),
    ("qwen", "home/.qwen/settings.json", "\"type\": \"command\",", "", "has no `type`"),
    ("qwen", "home/.qwen/settings.json", "{", "{\"disableAllHooks\": true,", "disableAllHooks"),
    (
        "copilot",
        "home/.copilot/hooks/hookgate.json",
        "\"version\": 1",
        "\"version\": 2",
        "`version` is 2",
    ),
    (
        "copilot",
        "home/.copilot/hooks/hookgate.json",
        "\"timeoutSec\": 12",
        "\"timeoutSec\": \"12\"",
        "without a word",
    ),
    (
        "copilot",
        "home/.copilot/hooks/hookgate.json",
        "\"preToolUse\"",
        "\"pretooluse\"",
        "no event `pretooluse`",
    ),
    (
        "copilot",
        "home/.copilot/hooks/hookgate.json",
        "\"preToolUse\": [\n      {",
        "\"preToolUse\": [\n      {\"matcher\": \"*\",",
        "never matches",
    ),
    (
        "kimi",
        "home/.kimi-code/config.toml",
        "event = \"PreToolUse\"",
        "event = \"PreToolUse\"\nname = \"x\"",
        "the key `name`",
    ),
    (
        "kimi",
        "home/.kimi-code/config.toml",
        "timeout = 12",
        "timeout = 700",
        "drops all hooks of the file",
    ),
    (
        "kimi",
        "home/.kimi-code/config.toml",
        "event = \"Stop\"",
        "event = \"Stopp\"",
        "no event `Stopp`",
    ),
    (
        "opencode",
        "home/.config/opencode/plugin/hookgate.js",
        "import {",
        "import { nothing,",
        "is not what",
    ),
];

#[test]
fn what_makes_an_agent_skip_its_hooks_is_told() {
    for (agent, file, old, new, about) in FAULTS {
        let machine = machine();
        machine.install_in(agent, &[]);
        let text = machine.read(file);
        let (before, _) = report(&machine, agent);
        // The control: it is the fault that makes doctor say so.
        if *about != "were not reviewed" {
            assert!(!abouts(&before, "open").contains(about), "{agent} {about}: {before}");
        }
        assert!(text.contains(old), "{agent}: {old} is not in {text}");
        let all_kinds = *old == "\"command\"";
        let faulty = if all_kinds {
            text.replace("\"type\": \"command\"", "\"type\": \"carrier-pigeon\"")
        } else {
            text.replacen(old, new, 1)
        };
        machine.write(file, &faulty);
        let (found, code) = report(&machine, agent);
        assert_eq!(code, 2, "{agent} {about}: {found}");
        assert!(abouts(&found, "open").contains(about), "{agent} {about}: {found}");
    }
}

#[test]
fn a_later_hook_of_qwen_code_is_doubtful() {
    let machine = machine();
    machine.install_in("qwen", &[]);
    let file = "home/.qwen/settings.json";
    let theirs = "\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]},";
    // Before ours it cannot undo anything.
    let before = machine.read(file).replacen("\"PreToolUse\": [", theirs, 1);
    machine.write(file, &before);
    assert_eq!(abouts(&report(&machine, "qwen").0, "doubt"), "");
    let mut settings: Value = serde_json::from_str(&before).unwrap();
    let list = settings["hooks"]["PreToolUse"].as_array_mut().unwrap();
    list.reverse();
    machine.write(file, &settings.to_string());
    let (found, code) = report(&machine, "qwen");
    assert_eq!(code, 0, "{found}");
    assert!(abouts(&found, "doubt").contains("a deny is undone"), "{found}");
}

#[test]
fn agents_are_found_with_their_versions() {
    let machine = machine();
    let program = machine.write("bin/codex", "#!/bin/sh\necho codex-cli 9.9.9\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = machine.command(&["doctor", "--json"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", machine.file("bin").display()));
    let done = run(command, b"");
    let found = done.lines();
    let codex = found
        .iter()
        .find(|report| report["type"] == "agent" && report["agent"] == "codex")
        .unwrap();
    assert_eq!(codex["version"], "9.9.9");
    // Nobody has installed hookgate there, and nobody asked for it.
    assert_eq!(done.code(), 0, "{codex}");
    assert!(abouts(codex, "doubt").contains("is not installed"), "{codex}");
    let done = doctor(&machine, &["--agent", "codx"]);
    assert_eq!(done.code(), 64, "{}", done.err());
}

/// What `doctor` says of hookgate itself, and how it ended, on a machine without agents.
fn of_machine(machine: &Machine) -> (Value, String, i32) {
    let call = |form: &str| {
        let mut command = machine.command(&["doctor", form]);
        command.env("PATH", machine.file("bin"));
        run(command, b"")
    };
    let done = call("--json");
    let [report] = done.lines().try_into().unwrap();
    assert_eq!(report["type"], "machine");
    (report, call("--table").out().to_owned(), done.code())
}

#[test]
fn without_an_agent_it_says_which_configs_count_and_what_is_wrong_with_them() {
    let none = Machine::new();
    let (report, screen, code) = of_machine(&none);
    assert!(abouts(&report, "doubt").contains("no config was found"), "{report}");
    assert!(screen.contains("no agent was found on this machine; looked for claude"), "{screen}");
    assert_eq!(code, 0);

    let machine = machine();
    let user = machine.write("home/.config/hookgate/hooks.toml", POLICY);
    let (report, screen, code) = of_machine(&machine);
    assert_eq!(report["configs"].as_array().unwrap().len(), 2, "{report}");
    assert_eq!(report["configs"][0]["layer"], "user");
    assert_eq!(report["configs"][0]["hooks"], 1);
    assert_eq!(report["findings"], serde_json::json!([]));
    assert!(screen.contains("hooks.toml: 1 hook") && screen.contains("all is well"), "{screen}");
    assert_eq!(code, 0);

    // Others can change the policy: it is one of nobody.
    fs::set_permissions(&user, fs::Permissions::from_mode(0o666)).unwrap();
    let (report, _, code) = of_machine(&machine);
    assert!(abouts(&report, "open").contains("can be written by everybody"), "{report}");
    assert_eq!(code, 2);

    fs::set_permissions(&user, fs::Permissions::from_mode(0o600)).unwrap();
    machine.write("home/.config/hookgate/hooks.toml", "[[hook]]\n");
    let (report, screen, code) = of_machine(&machine);
    assert!(abouts(&report, "broken").contains("line 1: "), "{report}");
    assert!(screen.contains("hookgate check -c"), "{screen}");
    assert_eq!(code, 1);
}

#[test]
fn the_screen_names_what_fails_open_and_the_cure() {
    let machine = machine();
    machine.install_in("codex", &[]);
    let done = doctor(&machine, &["--agent", "codex", "--table"]);
    assert_eq!(done.code(), 2);
    for text in ["Codex", "enforced PreToolUse", "fails open", "type /hooks"] {
        assert!(
            done.out().contains(text) || done.out().contains(&text.replace("enforced ", "")),
            "{}",
            done.out()
        );
    }
}

/// The two commands of docs/agents.md.
#[test]
fn from_nothing_to_a_guarded_agent_in_two_commands() {
    let machine = Machine::new();
    let folder = machine.file("home/.config/hookgate");
    let init = ["init", "--example", "guardrails", "--dir", folder.to_str().unwrap()];
    let done = run(machine.command(&init), b"");
    assert_eq!(done.code(), 0, "{}", done.err());
    machine.install_in("gemini", &[]);
    let (found, code) = report(&machine, "gemini");
    assert_eq!(code, 0, "{found}");
    // What is installed denies what the policy forbids, and lets the rest pass.
    let settings: Value =
        serde_json::from_str(&machine.read("home/.gemini/settings.json")).unwrap();
    let line = settings["hooks"]["BeforeTool"][0]["hooks"][0]["command"].as_str().unwrap();
    let call = |command: &str| {
        let envelope = serde_json::json!({
            "session_id": "s", "transcript_path": "", "cwd": machine.file("work"), "hook_event_name": "BeforeTool",
            "timestamp": "2026-01-01T00:00:00Z", "tool_name": "run_shell_command", "tool_input": {"command": command},
        });
        let mut shell = std::process::Command::new("bash");
        shell
            .args(["-c", line])
            .current_dir(machine.file("work"))
            .env("HOME", machine.file("home"));
        shell.env_remove("XDG_CONFIG_HOME").env_remove("HOOKGATE_CONFIG");
        run(shell, envelope.to_string().as_bytes())
    };
    let denied = call("git push --force");
    assert!(denied.out().contains("\"deny\""), "{}{}", denied.out(), denied.err());
    let allowed = call("git status");
    assert!(!allowed.out().contains("deny") && allowed.code() == 0, "{}", allowed.out());
}
