//! Promise: the hook configs of other agents work with `-c` as they are. Their hooks decide as in their
//! agents; where these let a step go on after a failure there is a warning, and `--strict` refuses it.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Ended, Folder};

/// A script that refuses what is forbidden, in the way that all agents understand, and that may crash.
const GUARD: &str = r#"#!/bin/sh
input=$(cat)
case "$input" in
  *forbidden*) echo "not that" >&2; exit 2;;
  *crash*) exit 7;;
esac
"#;

/// A config with one hook, `GUARD` before a shell command.
struct Config {
    path: &'static str,
    text: &'static str,
    /// What the agent calls its shell.
    shell: &'static str,
    /// Where the hook is.
    at: (u64, u64),
    /// Whether its agent lets a step go on when the hook crashes.
    fails_open: bool,
}

const CONFIGS: &[Config] = &[
    Config {
        path: ".claude/settings.json",
        text: r#"{"hooks": {"PreToolUse": [
  {"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}]}}"#,
        shell: "Bash",
        at: (2, 33),
        fails_open: true,
    },
    Config {
        path: ".codex/hooks.json",
        text: r#"{"hooks": {"PreToolUse": [
  {"matcher": "^Bash$", "hooks": [{"type": "command", "command": "./guard.sh"}]}]}}"#,
        shell: "Bash",
        at: (2, 35),
        fails_open: true,
    },
    Config {
        path: ".codex/config.toml",
        text: "model = \"m\"\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n\n  \
               [[hooks.PreToolUse.hooks]]\n  type = \"command\"\n  command = \"./guard.sh\"\n",
        shell: "Bash",
        at: (5, 3),
        fails_open: true,
    },
    Config {
        path: ".gemini/settings.json",
        text: r#"{"hooks": {"BeforeTool": [
  {"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "./guard.sh"}]}]}}"#,
        shell: "run_shell_command",
        at: (2, 46),
        fails_open: true,
    },
    Config {
        path: ".qwen/settings.json",
        text: r#"{"hooks": {"PreToolUse": [
  {"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "./guard.sh"}]}]}}"#,
        shell: "run_shell_command",
        at: (2, 46),
        fails_open: true,
    },
    Config {
        path: ".cursor/hooks.json",
        text: "{\"version\": 1, \"hooks\": {\"beforeShellExecution\": [\n  {\"command\": \"./guard.sh\"}]}}",
        shell: "Shell",
        at: (2, 3),
        fails_open: true,
    },
    Config {
        path: ".github/hooks/guard.json",
        text: "{\"version\": 1, \"hooks\": {\"preToolUse\": [\n  {\"type\": \"command\", \"bash\": \"./guard.sh\"}]}}",
        shell: "bash",
        at: (2, 3),
        // Only a time limit lets the step go on.
        fails_open: false,
    },
    Config {
        path: ".kimi/config.toml",
        text: "[[hooks]]\nevent = \"PreToolUse\"\nmatcher = \"Bash\"\ncommand = \"./guard.sh\"\n",
        shell: "Bash",
        at: (1, 1),
        fails_open: true,
    },
    Config {
        path: "agent.yaml",
        text: "agents:\n  root:\n    hooks:\n      tool_guard:\n        - matcher: shell\n          \
               hooks:\n            - {type: command, command: ./guard.sh}\n",
        shell: "shell",
        at: (7, 15),
        // A guard of its tools that breaks refuses the call.
        fails_open: false,
    },
    Config {
        path: ".defect/config.toml",
        text: "[[hooks.before_tool_apply]]\nmatch = { tool = \"shell\" }\n\
               handler = { type = \"command\", argv = [\"./guard.sh\"] }\n",
        shell: "shell",
        at: (1, 1),
        fails_open: true,
    },
];

impl Config {
    /// A folder with the config and its script.
    fn folder(&self) -> Folder {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = Folder::new();
        fs::create_dir_all(folder.path(self.path).parent().unwrap()).unwrap();
        folder.write(self.path, self.text);
        let script = folder.write("guard.sh", GUARD);
        fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    fn step(&self, folder: &Folder, command: &str) -> String {
        let step = json!({
            "hook_event_name": "pre_tool_use", "session_id": "s", "cwd": folder.path("."),
            "tool_name": self.shell, "tool_input": {"command": command},
        });
        step.to_string()
    }

    fn eval(&self, folder: &Folder, command: &str, more: &[&str]) -> Ended {
        let args = [&["eval", "--json", "-c", self.path], more].concat();
        folder.run(&args, self.step(folder, command))
    }
}

#[test]
fn their_hooks_decide_as_in_their_agents() {
    for config in CONFIGS {
        let folder = config.folder();
        let denied = config.eval(&folder, "forbidden", &[]);
        assert_eq!(denied.code(), 2, "{}: {}{}", config.path, denied.out(), denied.err());
        let reason = denied.lines()[0]["reason"].as_str().unwrap().to_owned();
        assert!(reason.contains("not that"), "{}: {reason}", config.path);
        let allowed = config.eval(&folder, "ls", &[]);
        assert_eq!(allowed.code(), 0, "{}: {}{}", config.path, allowed.out(), allowed.err());
        // The hook was asked, and had nothing to say.
        assert_eq!(allowed.lines()[0]["votes"].as_array().unwrap().len(), 1, "{}", config.path);
    }
}

#[test]
fn a_crash_is_what_it_is_in_the_agent_and_strictly_a_deny() {
    for config in CONFIGS {
        let folder = config.folder();
        let crashed = config.eval(&folder, "crash", &[]);
        let expected = if config.fails_open { 0 } else { 2 };
        assert_eq!(crashed.code(), expected, "{}: {}", config.path, crashed.out());
        let strict = config.eval(&folder, "crash", &["--strict"]);
        assert_eq!(strict.code(), 2, "{}: {}{}", config.path, strict.out(), strict.err());
        // Nothing else becomes stricter.
        assert_eq!(config.eval(&folder, "ls", &["--strict"]).code(), 0, "{}", config.path);
    }
}

#[test]
fn all_verbs_warn_at_the_place_in_the_file() {
    for config in CONFIGS {
        let folder = config.folder();
        let (path, (line, column)) = (config.path, config.at);
        let checked = folder.run(&["check", "--json", "-c", path], "");
        assert_eq!(checked.code(), 0, "{path}: {}", checked.err());
        let report = &checked.lines()[0];
        let is_told =
            |warning: &&Value| warning["message"].as_str().unwrap().contains("[fails_open]");
        let warnings = report["warnings"].as_array().unwrap();
        let warning = warnings.iter().find(is_told);
        if path == "agent.yaml" {
            assert_eq!(warning, None, "nothing fails open there");
            continue;
        }
        let warning = warning.unwrap_or_else(|| panic!("{path}: {report}"));
        assert_eq!(warning["file"], path);
        assert_eq!(
            (&warning["line"], &warning["column"]),
            (&json!(line), &json!(column)),
            "{path}"
        );

        let place = format!("{path}:{line}:{column}: warning: ");
        let listed = folder.run(&["list", "-c", path, "--table"], "");
        assert!(listed.err().contains(&place), "{path}: {}", listed.err());
        assert!(listed.out().contains(&format!("{path}:{line}")), "{}", listed.out());
        let listed = folder.run(&["list", "-c", path, "--json"], "");
        assert_eq!(listed.lines()[0]["origin"]["file"], path);
        assert_eq!(listed.lines()[0]["origin"]["line"], line);

        let steps =
            format!("{}\n{}\n", config.step(&folder, "forbidden"), config.step(&folder, "ls"));
        let run = folder.run(&["run", "-c", path], steps);
        let decisions: Vec<Value> =
            run.lines().into_iter().map(|record| record["decision"].clone()).collect();
        assert_eq!(decisions, ["deny", "allow"], "{path}: {}", run.err());
        assert!(run.err().contains(&place), "{path}: {}", run.err());
    }
}

/// The hook command of one agent runs the config of another.
#[test]
fn an_agent_can_be_guarded_by_the_config_of_another() {
    for config in CONFIGS {
        let folder = config.folder();
        let step = json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "cwd": folder.path("."),
            "transcript_path": "", "permission_mode": "default",
            "tool_name": config.shell, "tool_input": {"command": "crash"}, "tool_use_id": "t",
        });
        let call = |command: &str, more: &[&str]| {
            let mut step = step.clone();
            step["tool_input"]["command"] = command.into();
            let path = folder.path(config.path);
            let args = ["hook", "--agent", "claude", "-c", path.to_str().unwrap()];
            let mut hookgate = folder.hookgate(&[&args[..], more].concat());
            hookgate.env("XDG_STATE_HOME", folder.path("state"));
            crate::support::run(hookgate, step.to_string().as_bytes())
        };
        let said = |ended: &Ended| format!("{}{}", ended.out(), ended.err());
        assert!(said(&call("forbidden", &[])).contains("not that"), "{}", config.path);
        assert!(!said(&call("ls", &[])).contains("not that"), "{}", config.path);
        let refuses = |ended: &Ended| said(ended).contains("\"deny\"") || ended.code() == 2;
        assert!(refuses(&call("crash", &["--strict"])), "{}", config.path);
        assert_eq!(refuses(&call("crash", &[])), !config.fails_open, "{}", config.path);
    }
}

/// The tool has another name there, and the script is told the one that it knows.
#[test]
fn a_matcher_also_means_the_tools_of_other_agents() {
    let folder = Folder::new();
    fs::create_dir(folder.path(".claude")).unwrap();
    let script = r#"grep -q '"tool_name":"Bash"' && { echo 'it is Bash' >&2; exit 2; }; exit 0"#;
    let hooks = json!({"hooks": {"PreToolUse": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": script}]}]}});
    folder.write(".claude/settings.json", hooks.to_string());
    for (tool, decision) in
        [("Bash", "deny"), ("run_shell_command", "deny"), ("bash", "deny"), ("read_file", "allow")]
    {
        let step = json!({"hook_event_name": "pre_tool_use", "tool_name": tool,
            "tool_input": {"command": "ls"}});
        let args = ["eval", "--json", "-c", ".claude/settings.json"];
        let ended = folder.run(&args, step.to_string());
        assert_eq!(
            ended.lines()[0]["decision"],
            decision,
            "{tool}: {}{}",
            ended.out(),
            ended.err()
        );
    }
}

/// Several events of an agent may be one of ours, each with an envelope of its own.
#[test]
fn a_script_gets_the_envelope_of_the_event_that_it_was_written_for() {
    let guard =
        |sign: &str| format!("grep -q '{sign}' && {{ echo 'not that' >&2; exit 2; }}; exit 0");
    let (mcp, file) = (guard("\"tool_name\":\"drop\""), guard("\"file_path\":\"/w/.env\""));
    let (camel, pascal) = (guard("\"toolName\":\"bash\""), guard("\"tool_name\":\"Bash\""));
    let cursor =
        |event: &str, line: &str| json!({"version": 1, "hooks": {event: [{"command": line}]}});
    let copilot = |event: &str, line: &str| json!({"version": 1, "hooks": {event: [{"type": "command", "bash": line}]}});
    for (path, config, tool, input) in [
        (
            ".cursor/hooks.json",
            cursor("beforeMCPExecution", &mcp),
            "MCP:drop",
            json!({"table": "t"}),
        ),
        (".cursor/hooks.json", cursor("beforeReadFile", &file), "Read", json!({"path": "/w/.env"})),
        (".github/hooks/a.json", copilot("preToolUse", &camel), "bash", json!({"command": "x"})),
        (".github/hooks/a.json", copilot("PreToolUse", &pascal), "bash", json!({"command": "x"})),
    ] {
        let folder = Folder::new();
        fs::create_dir_all(folder.path(path).parent().unwrap()).unwrap();
        folder.write(path, config.to_string());
        let step =
            json!({"hook_event_name": "pre_tool_use", "tool_name": tool, "tool_input": input});
        let ended = folder.run(&["eval", "--json", "-c", path], step.to_string());
        let said = format!("{}{}", ended.out(), ended.err());
        assert_eq!(ended.lines()[0]["decision"], "deny", "{config} {tool}: {said}");
    }
}

#[test]
fn a_file_that_nobody_knows_is_an_error_that_says_what_was_tried() {
    let folder = Folder::new();
    folder.write("notes.json", "{\"a\": 1}");
    folder.write("broken.json", "{\"hooks\": ");
    folder.write("none.json", r#"{"hooks": {"SessionStart": []}}"#);
    for verb in ["check", "list", "eval", "run"] {
        let ended = folder.run(&[verb, "-c", "notes.json"], "{}");
        assert_eq!(ended.code(), 3, "{verb}: {}", ended.err());
        assert!(ended.err().contains("notes.json:1:1: this is no hook config that is known"));
        assert!(ended.err().contains("neither its folder"), "{verb}: {}", ended.err());
        let broken = folder.run(&[verb, "-c", "broken.json"], "{}");
        assert_eq!(broken.code(), 3);
        assert!(broken.err().contains("broken.json:1:1"), "{verb}: {}", broken.err());
        let none = folder.run(&[verb, "-c", "none.json"], "{}");
        assert_eq!(none.code(), 3);
        assert!(none.err().contains("nothing would be enforced"), "{verb}: {}", none.err());
    }
}

#[test]
fn strictly_a_guard_that_cannot_run_refuses_the_config() {
    let folder = Folder::new();
    folder.write(
        "settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [
  {"type": "mcp_tool", "server": "s", "tool": "t"},
  {"type": "command", "command": "true"}]}]}}"#,
    );
    let kept = folder.run(&["check", "-c", "settings.json"], "");
    assert_eq!(kept.code(), 0, "{}", kept.err());
    assert!(kept.err().contains("settings.json:2:3: warning: "), "{}", kept.err());
    let strict = folder.run(&["check", "-c", "settings.json", "--strict"], "");
    assert_eq!(strict.code(), 3);
    assert!(
        strict.err().contains("settings.json:2:3: this hook can refuse a step"),
        "{}",
        strict.err()
    );
}

/// A mistake that shows only when the hooks are built is told at its place in the file, too.
#[test]
fn mistakes_have_the_place_of_the_file() {
    let folder = Folder::new();
    folder.write(
        "settings.json",
        "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [\n  \
         {\"type\": \"command\", \"command\": \"./none\", \"args\": [\"a\"]}]}]}}",
    );
    let ended = folder.run(&["check", "-c", "settings.json"], "");
    assert_eq!(ended.code(), 3, "{}", ended.err());
    assert!(ended.err().contains("settings.json:2:3: "), "{}", ended.err());
}

/// Meerkat speaks no exit statuses: a hook answers with one object, and everything else is a failure.
#[test]
fn meerkat_hooks_answer_as_meerkat_wants_it() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    fs::create_dir(folder.path(".rkat")).unwrap();
    let entry = "[[hooks.entries]]\nid = \"policy\"\npoint = \"pre_tool_execution\"\n\
                 runtime = { type = \"command\", command = \"./guard.sh\" }\n";
    folder.write(".rkat/config.toml", entry);
    let guard = r#"#!/bin/sh
case "$(cat)" in
  *'"tool_call":{'*forbidden*) echo '{"decision":{"decision":"deny","hook_id":"h","reason_code":"x","message":"not that"}}';;
  *crash*) exit 1;;
  *silent*) ;;
  *) echo '{}';;
esac
"#;
    let script = folder.write("guard.sh", guard);
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    for (command, decision) in
        [("forbidden", "deny"), ("crash", "deny"), ("silent", "deny"), ("ls", "allow")]
    {
        let step = json!({"hook_event_name": "pre_tool_use", "tool_name": "shell",
            "tool_input": {"command": command}});
        let ended = folder.run(&["eval", "-c", ".rkat/config.toml", "--json"], step.to_string());
        assert_eq!(ended.lines()[0]["decision"], decision, "{command}: {}", ended.out());
    }
    let checked = folder.run(&["check", "-c", ".rkat/config.toml"], "");
    assert!(
        checked.err().contains(".rkat/config.toml:1:1: warning: Meerkat obeys a deny"),
        "{}",
        checked.err()
    );
}

#[test]
fn a_watched_config_is_loaded_again() {
    let config = &CONFIGS[0];
    let folder = config.folder();
    let mut run = folder.hookgate(&["run", "--watch", "-q", "-c", config.path, "--strict"]);
    let mut child = run
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(stdout));
    let mut ask = || -> String {
        use std::io::Write as _;
        writeln!(stdin, "{}", config.step(&folder, "forbidden")).unwrap();
        let record: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        record["decision"].as_str().unwrap().to_owned()
    };
    assert_eq!(ask(), "deny");
    folder.write(config.path, config.text.replace("Bash", "Read"));
    let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while ask() != "allow" {
        assert!(std::time::Instant::now() < end, "the change never came into force");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}
