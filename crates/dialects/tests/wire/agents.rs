//! The rules by which the other tests decide.

use hookgate_contract::dialect::HostAnswer;
use hookgate_test_support::agent_rules::{self, Ended, Reaction};
use serde_json::Value;

/// What the agent does with an answer of a dialect.
pub(crate) fn reaction(agent: &str, event: &str, answer: &HostAnswer) -> (Reaction, Option<Value>) {
    let ended = Ended { exit: answer.exit.into(), stdout: &answer.stdout, stderr: &answer.stderr };
    agent_rules::reaction(agent, event, ended)
}

/// The checker itself: what real Codex runs, whatever was printed.
#[test]
fn the_rules_for_codex_know_what_runs_all_the_same() {
    let runs = [
        (0, r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#),
        (
            0,
            r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"x"}}"#,
        ),
        (0, r#"{"decision":"block","reason":"x","extra":1}"#),
        (0, r#"{"decision":"deny","reason":"x"}"#),
        (0, r#"{"continue":false,"decision":"block","reason":"x"}"#),
        (0, r#"log line {"decision":"block","reason":"x"}"#),
        (1, r#"{"decision":"block","reason":"x"}"#),
        (2, ""),
    ];
    for (exit, stdout) in runs {
        let mut answer = HostAnswer::default();
        (answer.exit, answer.stdout) = (exit, stdout.to_owned());
        assert!(!reaction("codex", "PreToolUse", &answer).0.blocks(), "{stdout}");
    }
    let blocked = HostAnswer::exit_2("no");
    assert!(reaction("codex", "PreToolUse", &blocked).0.blocks());
    assert!(!reaction("claude", "PermissionRequest", &blocked).0.blocks());
}
