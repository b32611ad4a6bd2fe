//! What hooks remember of a session, although each step is a process of its own.

use hookgate_test_support::agent_rules::Reaction;

use crate::support::{POLICY, Session, Stdin, run};

#[test]
fn a_mark_that_one_step_sets_is_seen_by_the_next() {
    let session = Session::with(
        "[[hook]]\nid = 'test'\nevent = 'post_tool_use'\ntool = 'Bash'\n\
         input = { '/command' = { equals = 'make test' } }\nmark = 'tested'\nbuiltin = 'audit'\n\
         [[hook]]\nid = 'untested'\nevent = 'pre_tool_use'\n\
         input = { '/command' = { equals = 'git push' } }\nnot = { marked = 'tested' }\n\
         builtin = { name = 'deny', reason = 'run the tests first' }\n",
    );
    let push = || session.call("codex", "PreToolUse", "git push");
    assert!(push().reaction("codex", "PreToolUse").blocks());
    let tested = session.call("codex", "PostToolUse", "make test");
    assert_eq!((tested.exit, tested.stdout.as_str()), (Some(0), ""), "{tested:?}");
    assert_eq!(push().reaction("codex", "PreToolUse"), Reaction::Nothing);
}

/// Codex itself would go on for ever.
#[test]
fn a_stop_that_is_denied_again_and_again_goes_through() {
    let session = Session::with(
        "[limits]\nstop_denials = 2\n[[hook]]\nid = 'never'\nevent = 'stop'\n\
         builtin = { name = 'deny', reason = 'not yet' }\n",
    );
    let stop = |active: bool| {
        let mut envelope = session.envelope("Stop", "");
        envelope["stop_hook_active"] = active.into();
        let text = envelope.to_string();
        session
            .run(&["hook", "--agent", "codex"], &Stdin::Text(text.as_bytes()))
            .reaction("codex", "Stop")
    };
    let goes_on = Reaction::Blocked("not yet".into());
    for _ in 0..2 {
        assert_eq!(stop(false), goes_on);
        assert_eq!(stop(true), goes_on);
        assert_eq!(stop(true), Reaction::Nothing);
    }
    // A new stop begins a new row, however the last one ended.
    for _ in 0..5 {
        assert_eq!(stop(false), goes_on);
    }
}

#[test]
fn what_cannot_be_kept_is_a_deny_and_what_nobody_keeps_is_none() {
    let counting = Session::with(
        "[[hook]]\nid = 'calls'\nevent = 'pre_tool_use'\nbuiltin = 'audit'\n\
         [[hook]]\nid = 'many'\nevent = 'pre_tool_use'\ncount = { of = 'calls', over = 20, per = 'session' }\n\
         builtin = { name = 'deny', reason = 'too many' }\n",
    );
    let call = |session: &Session| {
        let envelope = session.envelope("PreToolUse", "ls").to_string();
        let mut command = session.command(&["hook", "--agent", "claude"]);
        command.env("XDG_STATE_HOME", "/dev/null/no/folder");
        run(&mut command, &Stdin::Text(envelope.as_bytes()))
    };
    let answer = call(&counting);
    assert!(answer.reaction("claude", "PreToolUse").blocks(), "{answer:?}");
    assert!(answer.text().contains("XDG_STATE_HOME"), "{answer:?}");
    assert_eq!(call(&Session::with(POLICY)).text(), "");
    assert!(!Session::new().home.path().join(".local").exists());
}
