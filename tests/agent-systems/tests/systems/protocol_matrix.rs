//! What each agent does with what a hook said: event by event, exit status by exit status, form by form.
//!
//! The rows in `rows/` say what the reference page of the protocol says (`page` quotes the rule); none was
//! taken from what this crate does. A row names what happens; whatever it does not name must not happen.
//!
//! A row holds the event, what each hook did (`runs`: `exit` or `end`, `out`, `err`), what comes of it
//! (`expect`), and `page`; where it is needed also keys of the hook (`hook`), its `matcher`, fields of the
//! envelope (`input`), `facts` of the host, and `print` where nobody is there to be asked.

mod row;

use std::collections::BTreeSet;

use row::Row;
use serde_json::Value;

/// Checks all rows of an agent, and that each of its events has some.
fn check(agent: &str, rows: &str, events: &[&str]) {
    let rows: Vec<Row> = rows.lines().map(|line| Row::parse(agent, line)).collect();
    let faults: Vec<String> = rows.iter().flat_map(Row::faults).collect();
    assert!(faults.is_empty(), "{} of {} rows:\n{}", faults.len(), rows.len(), faults.join("\n"));
    let seen: BTreeSet<&str> = rows.iter().map(Row::event).collect();
    assert_eq!(seen, events.iter().copied().collect(), "an event without rows, or one too many");
    assert!(rows.len() >= events.len() * 4, "only {} rows", rows.len());
}

/// Reads the names of all events out of a list with blanks.
fn names(list: &str) -> Vec<&str> {
    list.split_whitespace().collect()
}

#[test]
fn claude_does_what_its_page_says() {
    let events = names(
        "SessionStart Setup InstructionsLoaded UserPromptSubmit UserPromptExpansion MessageDisplay
         PreToolUse PermissionRequest PermissionDenied PostToolUse PostToolUseFailure PostToolBatch
         Notification SubagentStart SubagentStop TaskCreated TaskCompleted Stop StopFailure TeammateIdle
         ConfigChange CwdChanged DirectoryAdded FileChanged WorktreeCreate WorktreeRemove PreCompact
         PostCompact SessionEnd Elicitation ElicitationResult",
    );
    check("claude", include_str!("protocol_matrix/rows/claude.jsonl"), &events);
}

#[test]
fn codex_does_what_its_page_says() {
    let events = names(
        "SessionStart SubagentStart SessionEnd UserPromptSubmit PreToolUse PermissionRequest PostToolUse
         PreCompact PostCompact SubagentStop Stop Interrupt",
    );
    check("codex", include_str!("protocol_matrix/rows/codex.jsonl"), &events);
}

#[test]
fn gemini_does_what_its_page_says() {
    let events = names(
        "BeforeTool AfterTool BeforeAgent AfterAgent BeforeModel AfterModel BeforeToolSelection
         SessionStart SessionEnd PreCompress Notification",
    );
    check("gemini", include_str!("protocol_matrix/rows/gemini.jsonl"), &events);
}

#[test]
fn copilot_does_what_its_page_says() {
    let events = names(
        "sessionStart sessionEnd userPromptSubmitted userPromptTransformed preToolUse permissionRequest
         postToolUse postToolUseFailure agentStop subagentStart subagentStop errorOccurred preCompact
         notification",
    );
    check("copilot", include_str!("protocol_matrix/rows/copilot.jsonl"), &events);
}

#[test]
fn cursor_does_what_its_page_says() {
    let events = names(
        "sessionStart sessionEnd preToolUse postToolUse postToolUseFailure subagentStart subagentStop
         beforeShellExecution afterShellExecution beforeMCPExecution afterMCPExecution beforeReadFile
         afterFileEdit beforeSubmitPrompt preCompact stop afterAgentResponse afterAgentThought
         beforeTabFileRead afterTabFileEdit workspaceOpen",
    );
    check("cursor", include_str!("protocol_matrix/rows/cursor.jsonl"), &events);
}

/// A check that passed everything would prove nothing: a row that is turned into its opposite fails.
#[test]
fn a_wrong_row_is_found() {
    let row = |expect: &str| {
        let line = format!(
            r#"{{"event":"PreToolUse","runs":[{{"exit":2,"err":"no"}}],"expect":{expect},"page":"1.4"}}"#
        );
        Row::parse("claude", &line).faults()
    };
    let right = r#"{"verdict":"deny","reason":"no","reason_to":"model","status":["blocked"]}"#;
    assert_eq!(row(right), Vec::<String>::new());
    let right: Value = serde_json::from_str(right).unwrap();
    for (key, _) in right.as_object().unwrap() {
        let mut wrong = right.clone();
        wrong[key] = Value::from("other");
        assert_eq!(row(&wrong.to_string()).len(), 1, "{key}");
    }
    assert_eq!(row("{}").len(), 1, "what is not named must not happen");
    assert_eq!(row(r#"{"verdict":"deny","halt":true}"#).len(), 1);
}
