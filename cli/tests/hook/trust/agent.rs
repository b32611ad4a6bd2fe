//! The agent that is guarded does not say what is trusted.

use serde_json::json;

use super::ground::Ground;
use crate::support::Stdin;

const PROTECTED: &str = "[[hook]]\nid = 'stay'\nevent = 'pre_tool_use'\non_unclear = 'allow'\nbuiltin = 'protect_config'\n";

/// Tells whether a call of a tool is denied.
fn denied(ground: &Ground, tool: &str, input: serde_json::Value) -> bool {
    let mut envelope = ground.session.envelope("PreToolUse", "");
    envelope["cwd"] = json!(ground.work());
    envelope["tool_name"] = json!(tool);
    envelope["tool_input"] = input;
    let text = envelope.to_string();
    let answer = ground.session.run(&["hook", "--agent", "claude"], &Stdin::Text(text.as_bytes()));
    answer.reaction("claude", "PreToolUse").blocks()
}

#[test]
fn protect_config_denies_what_would_trust_a_project() {
    let ground = Ground::new();
    ground.session.write_users(PROTECTED);
    ground.write("hooks.toml", PROTECTED);
    ground.write(".hookgate/guard.sh", "true");
    let bash = |command: &str| denied(&ground, "Bash", json!({"command": command}));
    for command in [
        "hookgate trust",
        "hookgate trust --yes .",
        "yes | hookgate trust",
        "cd /tmp && /usr/local/bin/hookgate trust --yes /tmp/x",
        "sh -c 'hookgate trust --yes'",
        "env A=1 sudo hookgate trust --yes",
        "hookgate $VERB --yes",
        "hookgate trust --revoke",
        "echo trust | xargs hookgate",
        "echo '{}' > ~/.local/state/hookgate/trust/a.json",
        "rm -rf ~/.local/state/hookgate",
        "cp evil.json ~/.local/state/hookgate/trust/",
        "sed -i s/a/b/ hooks.toml",
        "cp evil.toml .hookgate/hooks.d/10.toml",
        "echo x >> .hookgate/guard.sh",
        "mv .hookgate /tmp/x",
        "ln -sf /tmp/evil .hookgate/hooks.toml",
        "chmod 777 .hookgate/guard.sh",
    ] {
        assert!(bash(command), "{command}");
    }
    for command in [
        "hookgate trust --show",
        "hookgate trust --diff --json",
        "hookgate check -c hooks.toml",
        "hookgate run trust",
        "cat .hookgate/guard.sh",
        "echo hookgate trust",
        "ls ~/.local/state/hookgate/trust",
    ] {
        assert!(!bash(command), "{command}");
    }
    let store = ground.store().join("a.json");
    for path in [
        ground.path(".hookgate/hooks.toml"),
        ground.path("hooks.d/1.toml"),
        ground.path("hooks.toml"),
        store,
    ] {
        assert!(denied(&ground, "Write", json!({"file_path": path, "content": "x"})), "{path:?}");
        let edit = json!({"file_path": path, "old_string": "a", "new_string": "b"});
        assert!(denied(&ground, "Edit", edit), "{path:?}");
    }
    let other = json!({"file_path": ground.path("src/main.rs"), "content": "x"});
    assert!(!denied(&ground, "Write", other));
}
