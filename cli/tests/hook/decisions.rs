//! What hooks decide, as the agent gets it.

use hookgate_test_support::agent_rules::Reaction;

use crate::support::{POLICY, Session};

const AGENTS: [&str; 2] = ["claude", "codex"];

fn blocked(reason: &str) -> Reaction {
    Reaction::Blocked(reason.to_owned())
}

#[test]
fn one_policy_denies_in_every_agent() {
    let session = Session::with(POLICY);
    for agent in AGENTS {
        let answer = session.call(agent, "PreToolUse", "git push --force");
        assert_eq!(answer.reaction(agent, "PreToolUse"), blocked("force push is not allowed here"));
        assert_eq!((answer.exit, answer.stderr.as_str()), (Some(0), ""));
        let other = session.call(agent, "PreToolUse", "git push");
        assert_eq!((other.exit, other.text().as_str()), (Some(0), ""));
    }
}

#[test]
fn an_agent_is_known_by_the_name_of_the_product_as_well() {
    let session = Session::with(POLICY);
    let answer = session.call("claude-code", "PreToolUse", "git push --force");
    let reaction = answer.reaction("claude", "PreToolUse");
    assert_eq!(reaction, blocked("force push is not allowed here"));
    // The control: another name is none.
    let answer = session.call("claude-cod", "PreToolUse", "git push --force");
    assert!(answer.stderr.contains("knows no agent `claude-cod`"), "{answer:?}");
}

#[test]
fn what_an_agent_cannot_do_becomes_stricter_and_is_told() {
    let session = Session::with(
        "[[hook]]\nid = 'sure'\nevent = 'pre_tool_use'\nbuiltin = { name = 'ask', reason = 'sure?' }\n",
    );
    assert_eq!(
        session.call("claude", "PreToolUse", "ls").reaction("claude", "PreToolUse"),
        Reaction::Asks
    );
    let answer = session.call("codex", "PreToolUse", "ls");
    assert_eq!(answer.reaction("codex", "PreToolUse"), blocked("sure?"));
    assert!(
        answer.stderr.contains("`ask` is not possible here: it is denied instead"),
        "{answer:?}"
    );
}

/// An allow is an approval to Claude Code: the user is not asked any more. A hook that merely has no
/// objection must not do that.
#[test]
fn an_allow_approves_only_if_the_hook_may() {
    let hook = "[[hook]]\nid = 'fine'\nevent = ['pre_tool_use', 'permission_request']\n\
                command = { shell = 'echo \"{\\\"decision\\\":\\\"allow\\\"}\"' }\n";
    let session = Session::with(hook);
    let may = Session::with(&format!("{hook}may_allow = true\n"));
    for (event, silence) in
        [("PreToolUse", Reaction::Nothing), ("PermissionRequest", Reaction::Asks)]
    {
        assert_eq!(session.call("claude", event, "ls").reaction("claude", event), silence);
        assert_eq!(may.call("claude", event, "ls").reaction("claude", event), Reaction::Approved);
    }
}

#[test]
fn a_rewriter_changes_the_arguments() {
    let session = Session::with(
        "[[hook]]\nid = 'dry'\nevent = 'pre_tool_use'\nrole = 'rewrite'\n\
         command = { shell = 'echo \"{\\\"patch\\\":{\\\"tool_input\\\":{\\\"command\\\":\\\"ls -l\\\"}}}\"' }\n",
    );
    for agent in AGENTS {
        let answer = session.call(agent, "PreToolUse", "ls");
        assert!(answer.stdout.contains(r#""updatedInput":{"command":"ls -l"}"#), "{answer:?}");
        assert!(!answer.reaction(agent, "PreToolUse").blocks());
    }
}

#[test]
fn a_result_can_be_withheld_and_an_agent_kept_from_stopping() {
    let session = Session::with(
        "[[hook]]\nid = 'secret'\nevent = ['post_tool_use', 'stop']\n\
         builtin = { name = 'deny', reason = 'not yet' }\n",
    );
    for agent in AGENTS {
        for event in ["PostToolUse", "Stop"] {
            let answer = session.call(agent, event, "ls");
            assert_eq!(
                answer.reaction(agent, event),
                blocked("not yet"),
                "{agent} {event} {answer:?}"
            );
            assert!(!answer.stdout.contains("two"), "{answer:?}");
        }
    }
}

#[test]
fn an_event_of_one_agent_alone_can_be_guarded() {
    let session = Session::with(
        "[[hook]]\nid = 'tasks'\nevent = 'x.claude.task_created'\npayload = { '/task_subject' = { contains = 'rm' } }\n\
         builtin = { name = 'deny', reason = 'no such task' }\n",
    );
    let mut envelope = session.envelope("TaskCreated", "ls");
    envelope["task_subject"] = "rm all".into();
    let text = envelope.to_string();
    let answer =
        session.run(&["hook", "--agent", "claude"], &crate::support::Stdin::Text(text.as_bytes()));
    assert_eq!(answer.reaction("claude", "TaskCreated"), blocked("no such task"), "{answer:?}");
}
