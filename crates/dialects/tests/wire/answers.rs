//! Single answers, as text.

use hookgate_contract::dialect::HostDecision;
use hookgate_contract::{Answer, VerdictDecision};
use serde_json::{Map, json};

use crate::samples::{dialect, map, step};

fn said(agent: &str, event: &str, decision: &HostDecision<'_>) -> String {
    let answer = dialect(agent).answer(&step(agent, event), decision);
    format!("{} {}{}", answer.exit, answer.stdout, answer.stderr)
}

#[test]
fn a_result_is_withheld_in_the_shape_of_its_tool() {
    let patch = Map::new();
    let deny = HostDecision::new(Some(VerdictDecision::Deny), Some("a secret"), &patch);
    assert_eq!(
        said("claude", "PostToolUse", &deny),
        r#"0 {"decision":"block","hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"interrupted":false,"stderr":"[withheld by a hook]","stdout":"[withheld by a hook]","type":"text"}},"reason":"a secret"}"#
    );
    assert_eq!(
        said("codex", "PostToolUse", &deny),
        r#"0 {"decision":"block","reason":"a secret"}"#
    );
}

#[test]
fn an_answer_in_place_of_a_tool_is_a_deny_that_quotes_it() {
    let patch = Map::new();
    let result = Answer::new(json!({"rows": 3}));
    let answered = HostDecision::new(None, None, &patch).answer(Some(&result));
    for agent in ["claude", "codex"] {
        let said = said(agent, "PreToolUse", &answered);
        assert!(said.contains(r#""permissionDecision":"deny""#), "{said}");
        assert!(said.contains(r#"{\"rows\":3}"#), "{said}");
    }
}

#[test]
fn a_change_of_the_arguments_does_not_approve_them() {
    let patch = map(json!({"tool_input": {"command": "ls -l"}}));
    let changed = HostDecision::new(None, None, &patch);
    let claude = said("claude", "PreToolUse", &changed);
    assert!(!claude.contains("permissionDecision"), "{claude}");
    // There the word is needed, and grants nothing.
    let codex = said("codex", "PreToolUse", &changed);
    assert!(codex.contains(r#""permissionDecision":"allow""#), "{codex}");
}

#[test]
fn a_result_that_was_emptied_is_not_the_first_one_again() {
    let patch = map(json!({"tool_response": ""}));
    let said = said("codex", "PostToolUse", &HostDecision::new(None, None, &patch));
    assert_eq!(said, r#"0 {"decision":"block","reason":"[the result is empty]"}"#);
}
