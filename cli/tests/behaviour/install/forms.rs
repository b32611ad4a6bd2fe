//! The same promise for the other agents, each with the form of its config.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::machine::Machine;

/// An agent, its file, and texts that the file may have had before.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        "gemini",
        "home/.gemini/settings.json",
        &[
            "{}\n",
            "{\n  // keep, this\n  \"ui\": {\"theme\": \"dark\"} /* and { this } */\n}\n",
            "{\n  \"hooks\": {\n    // \"BeforeTool\": [],\n    \"BeforeTool\": [ /* none, yet */ ]\n  } // end\n}\n",
            "/* first */ { \"hooks\": {} // {\n}",
        ],
    ),
    ("qwen", "home/.qwen/settings.json", &["\u{feff}{\n\t\"a\": 1\n}\n", "{ /* , */ }"]),
    (
        "cursor",
        "home/.cursor/hooks.json",
        &[
            "",
            "{\"version\": 1}",
            "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"./a.sh\" }\n    ]\n  }\n}\n",
        ],
    ),
    (
        "kimi",
        "home/.kimi-code/config.toml",
        &[
            "",
            "# a note\ndefault_model = \"x\"",
            "a = 1\r\n\r\n[[hooks]] # mine\r\nevent = \"Stop\"\r\ncommand = 'x'\r\n\r\n[models.x]\r\nname = \"m\"\r\n",
            "hooks = [] # none\n[a]\nb = 1\n",
            "hooks = [\n  { event = \"Stop\", command = \"[[hooks]]\" },\n]\n",
            "[a]\nb = '''\n[[hooks]]\n'''\n",
        ],
    ),
];

#[test]
fn removing_makes_every_file_what_it_was() {
    for (agent, file, texts) in CASES {
        for text in *texts {
            let machine = Machine::new();
            machine.write(file, text);
            machine.install_in(agent, &[]);
            let installed = machine.read(file);
            assert!(installed.contains("timeout -s KILL 10 "), "{agent}: {installed}");
            let again = machine.install_in(agent, &[]);
            assert!(again.out().contains("is installed already"), "{agent}: {}", again.out());
            machine.install_in(agent, &["--remove"]);
            assert_eq!(&machine.read(file), text, "{agent}");
        }
    }
}

#[test]
fn what_was_edited_since_loses_our_hooks_only() {
    for (agent, file, texts) in CASES {
        for text in *texts {
            let machine = Machine::new();
            machine.write(file, text);
            machine.install_in(agent, &[]);
            // A blank line at the end is enough: the check sums do not fit any more.
            let edited = format!("{}\n\n", machine.read(file));
            machine.write(file, &edited);
            machine.install_in(agent, &["--remove"]);
            let left = machine.read(file);
            assert!(!left.contains("hookgate"), "{agent}: {left}");
            let comments = ["// keep, this", "/* none, yet */", "# mine", "# none", "/* , */"];
            for comment in comments.iter().filter(|comment| text.contains(*comment)) {
                assert!(left.contains(comment), "{agent}: {comment} is gone: {left}");
            }
        }
    }
}

#[test]
fn a_file_for_cursor_and_copilot_has_its_version() {
    for (agent, file) in [
        ("cursor", "home/.cursor/hooks.json"),
        ("copilot", "home/.copilot/hooks/hookgate.json"),
        ("copilot", "work/.github/hooks/hookgate.json"),
    ] {
        let machine = Machine::new();
        let scope = if file.starts_with("work") { "--project" } else { "--user" };
        machine.install_in(agent, &[scope]);
        let text = machine.read(file);
        let parsed: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(parsed["version"], 1, "{text}");
        machine.install_in(agent, &[scope, "--remove"]);
        assert!(!machine.file(file).exists(), "{agent}");
    }
    let machine = Machine::new();
    machine.write("home/.cursor/hooks.json", "{\"version\": 2}");
    let done = machine.install(&["--agent", "cursor", "--yes"]);
    assert_eq!(done.code(), 1);
    assert!(done.err().contains("`version` is 2"), "{}", done.err());
}

#[test]
fn each_agent_gets_what_it_needs() {
    let machine = Machine::new();
    for agent in ["cursor", "copilot", "gemini", "qwen", "kimi"] {
        machine.install_in(agent, &[]);
    }
    let json = |file: &str| serde_json::from_str::<Value>(&machine.read(file)).unwrap();
    let cursor = json("home/.cursor/hooks.json");
    assert_eq!(cursor["hooks"]["preToolUse"][0]["failClosed"], true, "{cursor}");
    assert_eq!(cursor["hooks"]["stop"][0].get("failClosed"), None, "{cursor}");
    let copilot = json("home/.copilot/hooks/hookgate.json");
    assert_eq!(copilot["hooks"]["preToolUse"][0]["timeoutSec"], 12, "{copilot}");
    // Its other names have the tools of another agent.
    assert_eq!(copilot["hooks"].get("PreToolUse"), None, "{copilot}");
    for (file, event) in
        [("home/.gemini/settings.json", "BeforeTool"), ("home/.qwen/settings.json", "PreToolUse")]
    {
        let settings = json(file);
        let handler = &settings["hooks"][event][0]["hooks"][0];
        // Milliseconds, and a name of its own at each event.
        assert_eq!(handler["timeout"], 12_000, "{settings}");
        assert_eq!(handler["name"], format!("hookgate-{event}"));
    }
    // Kimi Code drops all hooks of a file with a key that it does not know.
    let kimi: toml::Table = machine.read("home/.kimi-code/config.toml").parse().unwrap();
    for hook in kimi["hooks"].as_array().unwrap() {
        let keys: Vec<&str> = hook.as_table().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["command", "event", "timeout"]);
    }
}

#[test]
fn cline_gets_a_script_for_each_event_and_keeps_those_of_others() {
    let machine = Machine::new();
    machine.install_in("cline", &[]);
    let script = machine.file("home/.cline/hooks/PreToolUse");
    assert_eq!(fs::metadata(&script).unwrap().permissions().mode() & 0o111, 0o111);
    let again = machine.install_in("cline", &[]);
    assert!(again.out().contains("is installed already"), "{}", again.out());
    machine.install_in("cline", &["--remove"]);
    assert!(!machine.file("home/.cline").exists());

    machine.write("home/.cline/hooks/PreToolUse", "#!/bin/sh\nexit 0\n");
    let done = machine.install(&["--agent", "cline", "--yes"]);
    assert_eq!(done.code(), 1);
    assert!(done.err().contains("not of hookgate"), "{}", done.err());
    assert!(!machine.file("home/.cline/hooks/PostToolUse").exists());
    machine.install_in("cline", &["--remove"]);
    assert_eq!(machine.read("home/.cline/hooks/PreToolUse"), "#!/bin/sh\nexit 0\n");
}

#[test]
fn what_kimi_cannot_read_is_left_alone() {
    for (text, why) in [("a = = 1", "cannot read"), ("hooks = 1", "not a list")] {
        let machine = Machine::new();
        machine.write("home/.kimi-code/config.toml", text);
        let done = machine.install(&["--agent", "kimi", "--yes"]);
        assert_eq!(done.code(), 1, "{text}");
        assert!(done.err().contains(why), "{text}: {}", done.err());
    }
    let done = Machine::new().install(&["--agent", "kimi", "--project", "--yes"]);
    assert_eq!(done.code(), 64, "{}", done.err());
}
