//! What the name of an event of Cursor says about the tool.

use super::agent::Agent;
use super::names;
use super::report::Findings;
use super::source::SourceHook;

/// The tool that an event of Cursor is about, and the constant that its matcher is compared with.
pub(super) fn tool_of(event: &str) -> (Option<&'static str>, Option<&'static str>) {
    match event {
        "beforeShellExecution" | "afterShellExecution" => (Some("Shell"), None),
        "beforeMCPExecution" | "afterMCPExecution" => (Some("MCP:*"), None),
        "beforeReadFile" => (Some("Read"), Some("Read")),
        "beforeTabFileRead" => (Some("Read"), Some("TabRead")),
        "afterFileEdit" => (Some("Write"), Some("Write")),
        "afterTabFileEdit" => (None, Some("TabWrite")),
        "beforeSubmitPrompt" => (None, Some("UserPromptSubmit")),
        "stop" => (None, Some("Stop")),
        "afterAgentResponse" => (None, Some("AgentResponse")),
        "afterAgentThought" => (None, Some("AgentThought")),
        _ => (None, None),
    }
}

/// Returns what other agents call such a tool.
pub(super) fn elsewhere(tool: &str) -> Vec<String> {
    match tool {
        "MCP:*" => vec!["mcp__*".to_owned()],
        _ => names::elsewhere(Agent::Cursor, tool).into_iter().collect(),
    }
}

/// Tells if a matcher is compared with a constant that it does not fit.
pub(super) fn check_constant(source: &SourceHook, constant: &str, findings: &mut Findings) {
    let Some(written) = &source.matcher.text else { return };
    let fits = matches!(written.as_str(), "" | "*")
        || regress::Regex::new(written).is_ok_and(|pattern| pattern.find(constant).is_some());
    if !fits {
        findings.add(
            "never_matches",
            source.matcher.at,
            format!("the matcher `{written}` is compared with the text `{constant}` at {}, so that the hook \
                     never runs", source.event),
            "the hook is imported without it",
        );
    }
}
