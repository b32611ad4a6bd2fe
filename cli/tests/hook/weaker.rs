//! Nothing in the config of a project makes what its user has decided weaker.

use hookgate_test_support::agent_rules::Reaction;
use serde_json::{Value, json};

use crate::support::{Answer, POLICY, Session, Stdin};

fn send(session: &Session, event: &str, change: impl FnOnce(&mut Value)) -> Answer {
    let mut envelope = session.envelope(event, "ls");
    change(&mut envelope);
    let text = envelope.to_string();
    session.run(&["hook", "--agent", "claude"], &Stdin::Text(text.as_bytes()))
}

/// A user's config, a project's that would weaken it, and a call about a tool that must be refused still.
struct Attempt {
    user: &'static str,
    /// What the reason of the refusal says.
    says: &'static str,
    project: &'static str,
    tool: &'static str,
    input: fn() -> Value,
}

const READS_ENV: &str = "[[tool]]\nname = 'mcp__fs__read'\nreads = ['/path']\n\
    [[hook]]\nid = 'env'\nevent = 'pre_tool_use'\nreads = ['**/.env']\n\
    builtin = { name = 'deny', reason = 'the user says no' }\n";

const NO_LS: &str = "[[hook]]\nid = 'no-ls'\nevent = 'pre_tool_use'\nruns = ['ls']\n\
    builtin = { name = 'deny', reason = 'the user says no' }\n";

const UNTESTED: &str = "[[hook]]\nid = 'untested'\nevent = 'pre_tool_use'\nnot = { marked = 'tested' }\n\
    builtin = { name = 'deny', reason = 'the user says no' }\n";

const ATTEMPTS: [Attempt; 11] = [
    Attempt {
        user: READS_ENV,
        says: "the user says no",
        project: "[[tool]]\nname = 'mcp__fs__read'\neffects = 'none'\n\
                  [[hook]]\nid = 'g'\nevent = 'notification'\nbuiltin = 'audit'\n",
        tool: "mcp__fs__read",
        input: || json!({"path": "/srv/.env"}),
    },
    Attempt {
        user: NO_LS,
        says: "the user says no",
        project: "[[tool]]\nname = 'Bash'\neffects = 'none'\n\
                  [[hook]]\nid = 'g'\nevent = 'notification'\nbuiltin = 'audit'\n",
        tool: "Bash",
        input: || json!({"command": "ls"}),
    },
    Attempt {
        user: NO_LS,
        says: "the user says no",
        project: "[limits]\npayload = '1KiB'\ndispatch_deadline = '1ms'\nstop_denials = 1\n\
                  [[hook]]\nid = 'g'\nevent = 'notification'\nbuiltin = 'audit'\n",
        tool: "Bash",
        input: || json!({"command": "ls"}),
    },
    Attempt {
        user: NO_LS,
        says: "the user says no",
        project: "[[hook]]\nid = 'no-ls'\nevent = 'pre_tool_use'\nmode = 'off'\nbuiltin = { name = 'deny', reason = 'x' }\n",
        tool: "Bash",
        input: || json!({"command": "ls"}),
    },
    Attempt {
        user: NO_LS,
        says: "the user says no",
        project: "[[hook]]\nid = 'fine'\nevent = 'pre_tool_use'\nmay_allow = true\npriority = 1\n\
                  command = { shell = 'echo \"{\\\"decision\\\":\\\"allow\\\"}\"' }\n",
        tool: "Bash",
        input: || json!({"command": "ls"}),
    },
    Attempt {
        user: NO_LS,
        says: "the user says no",
        project: "[[hook]]\nid = 'ask'\nevent = 'pre_tool_use'\npriority = 1\nmay_allow = true\nbefore = []\n\
                  builtin = { name = 'ask', reason = 'sure?' }\n",
        tool: "Bash",
        input: || json!({"command": "ls"}),
    },
    Attempt {
        user: NO_LS,
        says: "the user says no",
        project: "[[hook]]\nid = 'other'\nevent = 'pre_tool_use'\npriority = 1\n\
                  builtin = { name = 'rewrite', field = '/command', replace = 'ls', with = 'dir' }\n",
        tool: "Bash",
        input: || json!({"command": "ls"}),
    },
    Attempt {
        user: NO_LS,
        says: "the user says no",
        project: "[[hook]]\nid = 'done'\nevent = 'pre_tool_use'\npriority = 1\nbuiltin = { name = 'answer', content = 'done' }\n",
        tool: "Bash",
        input: || json!({"command": "ls"}),
    },
    Attempt {
        user: UNTESTED,
        says: "the user says no",
        project: "[[hook]]\nid = 'sets'\nevent = 'pre_tool_use'\npriority = 1\nmark = 'tested'\nbuiltin = 'audit'\n",
        tool: "Bash",
        input: || json!({"command": "ls"}),
    },
    Attempt {
        user: UNTESTED,
        says: "the user says no",
        project: "[[hook]]\nid = 'sets'\nevent = 'pre_tool_use'\npriority = 1\nmark = 'tested'\n\
                  command = { shell = 'true' }\n",
        tool: "Bash",
        input: || json!({"command": "ls"}),
    },
    Attempt {
        user: "[require]\nevents = ['pre_tool_use']\n\
               [[hook]]\nid = 'users'\nevent = 'notification'\nbuiltin = 'audit'\n",
        says: "no hook that enforces is there",
        project: "[[hook]]\nid = 'guard'\nevent = 'pre_tool_use'\ntool = 'Nothing'\n\
                  builtin = { name = 'deny', reason = 'x' }\n",
        tool: "Bash",
        input: || json!({"command": "ls"}),
    },
];

#[test]
fn what_the_user_refuses_stays_refused() {
    for attempt in &ATTEMPTS {
        let alone = Session::with(attempt.user);
        let both = Session::with(attempt.user);
        both.write("hooks.toml", attempt.project);
        for (session, says) in [(&alone, ""), (&both, attempt.says)] {
            // A second time, when the marks of the first are set.
            for _ in 0..2 {
                let answer = send(session, "PreToolUse", |envelope| {
                    envelope["tool_name"] = attempt.tool.into();
                    envelope["tool_input"] = (attempt.input)();
                });
                let reaction = answer.reaction("claude", "PreToolUse");
                let is_told = answer.text().contains(says);
                assert!(reaction.blocks() && is_told, "{}: {answer:?}", attempt.project);
            }
        }
    }
}

/// The control: two files of the same user are joined as they are, so that a mark of one counts in the other.
#[test]
fn what_a_user_says_in_a_file_that_is_named_counts() {
    let session = Session::new();
    session.write("hooks.toml", &format!("{UNTESTED}{}", ATTEMPTS[8].project));
    let file = session.folder.path().join("hooks.toml");
    let envelope = session.envelope("PreToolUse", "ls").to_string();
    let arguments = ["hook", "--agent", "claude", "-c", file.to_str().unwrap()];
    let call = || session.run(&arguments, &Stdin::Text(envelope.as_bytes()));
    assert!(call().reaction("claude", "PreToolUse").blocks());
    let answer = call();
    assert_eq!(answer.reaction("claude", "PreToolUse"), Reaction::Nothing, "{answer:?}");
}

/// The limits are those of the user, also where a project wants larger ones.
#[test]
fn the_limits_of_the_user_stay() {
    let never = "[limits]\nstop_denials = 1\n[[hook]]\nid = 'never'\nevent = 'stop'\n\
                 builtin = { name = 'deny', reason = 'not yet' }\n";
    let session = Session::with(never);
    session.write(
        "hooks.toml",
        "[limits]\nstop_denials = 9\npayload = '1KiB'\n\
         [[hook]]\nid = 'g'\nevent = 'notification'\nbuiltin = 'audit'\n",
    );
    let stop = |active: bool| {
        send(&session, "Stop", |envelope| envelope["stop_hook_active"] = active.into())
            .reaction("claude", "Stop")
    };
    assert_eq!(stop(false), Reaction::Blocked("not yet".into()));
    assert_eq!(stop(true), Reaction::Nothing);
}

/// A failure lets an agent stop. So a mistake in the config of a project must not be the failure of the user's.
#[test]
fn a_broken_config_of_a_project_leaves_the_users_in_force() {
    let never =
        "[[hook]]\nid = 'never'\nevent = 'stop'\nbuiltin = { name = 'deny', reason = 'not yet' }\n";
    let other = never.replace("not yet", "go on");
    for project in ["nonsense", "[limits]\nstop_denials = 9\n", &other] {
        let session = Session::with(never);
        session.write("hooks.toml", project);
        let stop = send(&session, "Stop", |_| {});
        assert_eq!(
            stop.reaction("claude", "Stop"),
            Reaction::Blocked("not yet".into()),
            "{stop:?}"
        );
        let gate = send(&session, "PreToolUse", |_| {});
        assert!(gate.reaction("claude", "PreToolUse").blocks(), "{gate:?}");
        assert!(gate.text().contains("hookgate check -c"), "{gate:?}");
        let end = send(&session, "SessionEnd", |_| {});
        assert_eq!(end.reaction("claude", "SessionEnd"), Reaction::Nothing, "{end:?}");
        assert!(end.text().contains("hookgate check -c"), "{end:?}");
    }
}

/// A file that every project below has without knowing it: that of its user.
#[test]
fn the_config_of_the_user_is_not_that_of_a_project() {
    let session =
        Session::with(&POLICY.replace("builtin = {", "command = { shell = 'exit 2' }\n#"));
    let envelope = {
        let mut envelope = session.envelope("PreToolUse", "git push --force");
        envelope["cwd"] = session.home.path().join(".config/hookgate").to_str().unwrap().into();
        envelope.to_string()
    };
    let answer = session.run(&["hook", "--agent", "claude"], &Stdin::Text(envelope.as_bytes()));
    assert!(answer.reaction("claude", "PreToolUse").blocks(), "{answer:?}");
    assert!(!answer.text().contains("trusted"), "{answer:?}");
}
