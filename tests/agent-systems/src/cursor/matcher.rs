//! Which steps a matcher of Cursor means: an unanchored pattern, tested against what the event says.

use regress::Regex;
use serde_json::{Map, Value};

use super::event::{CursorEvent, Matched};

/// Tools that have another name in Claude Code, whose files Cursor reads too.
const CLAUDE_TOOLS: &[(&str, &[&str])] = &[("Shell", &["Bash"]), ("Write", &["Edit"])];

/// Reads a pattern. `None` means everything.
///
/// # Errors
/// Why it never holds.
pub(super) fn read(matcher: Option<&str>) -> Result<Option<Regex>, String> {
    match matcher {
        None | Some("" | "*") => Ok(None),
        Some(text) => Regex::new(text).map(Some).map_err(|_| {
            format!("the matcher `{text}` is no regular expression, so the hook never runs")
        }),
    }
}

/// Tells whether a pattern means a step.
pub(super) fn holds(
    pattern: &Regex,
    event: CursorEvent,
    input: &Map<String, Value>,
    is_claude: bool,
) -> bool {
    let field = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default();
    let fits = |value: &str| pattern.find(value).is_some();
    match event.matched() {
        Matched::Nothing => true,
        Matched::Constant(value) => fits(value),
        Matched::McpTool => {
            let tool = field("tool_name");
            fits(tool) || fits(&format!("MCP:{tool}"))
        }
        Matched::Field(name) => {
            let value = field(name);
            let others = CLAUDE_TOOLS.iter().find(|(tool, _)| is_claude && *tool == value);
            fits(value) || others.is_some_and(|(_, names)| names.iter().any(|name| fits(name)))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn case(event: CursorEvent, matcher: &str, input: &Value) -> bool {
        let pattern = read(Some(matcher)).unwrap().unwrap();
        holds(&pattern, event, input.as_object().unwrap(), false)
    }

    #[test]
    fn each_event_has_a_text_of_its_own() {
        let shell = json!({"command": "sudo nc -l 1", "tool_name": "Shell"});
        assert!(case(CursorEvent::BeforeShellExecution, "curl|wget|nc ", &shell));
        assert!(!case(CursorEvent::BeforeShellExecution, "^nc ", &shell));
        assert!(!case(CursorEvent::PreToolUse, "nc ", &shell));
        assert!(case(CursorEvent::PreToolUse, "Shell|Read", &shell));
        assert!(!case(CursorEvent::PreToolUse, "shell", &shell), "the case of letters counts");
        assert!(case(CursorEvent::BeforeReadFile, "Read", &json!({})));
        assert!(!case(CursorEvent::BeforeReadFile, "TabRead", &json!({})));
        assert!(case(CursorEvent::AfterTabFileEdit, "TabWrite", &json!({})));
        assert!(!case(CursorEvent::Stop, "UserPromptSubmit", &json!({})));
        assert!(case(CursorEvent::SessionStart, "never", &json!({})), "it has no matcher");
    }

    #[test]
    fn a_tool_of_an_mcp_server_has_two_names() {
        let call = json!({"tool_name": "query"});
        assert!(case(CursorEvent::BeforeMcpExecution, "^query$", &call));
        assert!(case(CursorEvent::BeforeMcpExecution, "^MCP:query$", &call));
        assert!(case(CursorEvent::PreToolUse, "MCP:query", &json!({"tool_name": "MCP:query"})));
    }

    #[test]
    fn everything_and_nothing() {
        for all in [None, Some(""), Some("*")] {
            assert!(read(all).unwrap().is_none(), "{all:?}");
        }
        assert!(read(Some("Bash(")).is_err());
    }

    #[test]
    fn a_matcher_of_claude_code_means_its_tools() {
        let input = json!({"tool_name": "Shell"});
        let bash = read(Some("Bash")).unwrap().unwrap();
        let held = |is_claude| {
            holds(&bash, CursorEvent::PreToolUse, input.as_object().unwrap(), is_claude)
        };
        assert!(held(true));
        assert!(!held(false));
    }
}
