//! What it counts as that a hook of an untrusted project is not called: what the hook says, and else a deny.

use hookgate_test_support::agent_rules::Reaction;

use super::ground::Ground;

const HANDLER: &str = "command = { shell = 'touch MARK' }";

#[test]
fn a_hook_says_itself_what_becomes_of_the_step() {
    for (more, blocks, asks) in [
        ("", true, false),
        ("on_untrusted = 'deny'\non_failure = 'allow'", true, false),
        ("on_failure = 'deny'", true, false),
        ("on_timeout = 'allow'", true, false),
        ("on_failure = 'ask'", false, true),
        ("on_untrusted = 'ask'", false, true),
        ("on_untrusted = 'allow'", false, false),
        ("on_failure = 'allow'", false, false),
    ] {
        let ground = Ground::with_hook(&format!("{more}\n{HANDLER}"));
        let (has_run, answer) = ground.call_in(&ground.work(), &[], &[]);
        assert!(!has_run, "{more}");
        let reaction = answer.reaction("claude", "PreToolUse");
        if !asks {
            assert_eq!(reaction.blocks(), blocks, "{more}: {answer:?}");
        }
        assert_eq!(answer.stdout.contains("\"ask\""), asks, "{more}: {answer:?}");
        // It is never silent: the step goes on, and who is to say so knows.
        assert!(answer.text().contains("is not run, since"), "{more}: {answer:?}");
        assert!(answer.text().contains("hookgate trust "), "{more}: {answer:?}");
        if !blocks && !asks {
            assert_eq!(reaction, Reaction::Nothing, "{more}: {answer:?}");
        }
    }
}

/// It loosens nothing that its user has decided.
#[test]
fn no_word_of_a_project_lets_a_step_go_on_that_its_user_refuses() {
    let ground = Ground::with_hook(&format!("on_untrusted = 'allow'\n{HANDLER}"));
    ground.session.write_users(
        "[[hook]]\nid = 'mine'\nevent = 'pre_tool_use'\nbuiltin = { name = 'deny', reason = 'mine' }\n",
    );
    let (has_run, answer) = ground.call_in(&ground.work(), &[], &[]);
    assert!(!has_run && answer.reaction("claude", "PreToolUse").blocks(), "{answer:?}");
}
