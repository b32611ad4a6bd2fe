//! Which values a matcher of Copilot means.

use super::event::{CopilotEvent, Spelling};

/// The tools that have a name in Claude Code: the name there, and the names here.
const CLAUDE_NAMES: &[(&str, &[&str])] = &[
    ("Bash", &["bash", "powershell"]),
    ("Read", &["view"]),
    ("Write", &["create"]),
    ("Edit", &["edit", "str_replace_editor", "apply_patch"]),
    ("Grep", &["grep", "rg"]),
    ("Glob", &["glob"]),
    ("WebFetch", &["web_fetch"]),
    ("WebSearch", &["web_search"]),
    ("AskUserQuestion", &["ask_user"]),
    ("TodoWrite", &["update_todo"]),
    ("Agent", &["task", "Task"]),
];

/// Why a matcher can never hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the matcher `{0}` is no regular expression: Copilot skips the hook")]
pub(super) struct InvalidMatcher(pub(super) String);

/// A matcher that was read.
#[derive(Debug)]
pub(super) enum Matcher {
    /// Everything.
    All,
    /// One of these names, of Copilot or of Claude Code.
    Names(Vec<String>),
    /// A pattern that the whole value must fit.
    Pattern(regress::Regex, Names),
}

/// Which names of a tool a pattern is tested against.
#[derive(Debug, Clone, Copy)]
pub(super) enum Names {
    /// The one that the envelope has.
    Reported,
    /// The one of Claude Code, if there is one.
    Claude,
    /// Either.
    Both,
}

impl Matcher {
    /// Reads a matcher. In PascalCase the events before a tool have the rules of Claude Code.
    pub(super) fn read(
        text: Option<&str>,
        event: CopilotEvent,
        spelling: Spelling,
    ) -> Result<Self, InvalidMatcher> {
        let Some(text) = text else { return Ok(Self::All) };
        if event.matched_fields().is_empty() {
            return Ok(Self::All);
        }
        let claude_rules = spelling == Spelling::Pascal && event.grants();
        let text = if claude_rules { text.trim() } else { text };
        if claude_rules && matches!(text, "" | "*" | "**") {
            return Ok(Self::All);
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '|');
        if claude_rules && text.chars().all(is_name) {
            return Ok(Self::Names(text.split('|').map(str::to_owned).collect()));
        }
        let regex = regress::Regex::new(&format!("^(?:{text})$"))
            .map_err(|_| InvalidMatcher(text.to_owned()))?;
        let names = match (spelling, event) {
            (Spelling::Pascal, _) if claude_rules => Names::Claude,
            // Which names this event reports is not documented.
            (Spelling::Pascal, CopilotEvent::PostToolUse) => Names::Both,
            _ => Names::Reported,
        };
        Ok(Self::Pattern(regex, names))
    }

    /// Tells whether the matcher means a value, which is a name of Copilot or of Claude Code.
    pub(super) fn holds(&self, value: &str) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => {
                aliases(value).any(|alias| names.iter().any(|name| name == alias))
            }
            Self::Pattern(regex, names) => {
                let fits = |value: &str| regex.find(value).is_some();
                match names {
                    Names::Reported => fits(value),
                    Names::Claude => fits(claude_name(value)),
                    Names::Both => fits(value) || fits(claude_name(value)),
                }
            }
        }
    }
}

/// Returns the name that Claude Code has for a tool; its own if there is none.
fn claude_name(value: &str) -> &str {
    let row = CLAUDE_NAMES.iter().find(|(_, here)| here.contains(&value));
    row.map_or(value, |(claude, _)| claude)
}

/// Returns a name of a tool, and the names that it has elsewhere. A name of Claude Code stands for several
/// tools here.
fn aliases(value: &str) -> impl Iterator<Item = &str> {
    let row = CLAUDE_NAMES.iter().find(|(claude, _)| *claude == value);
    let here = row.map_or(&[][..], |(_, here)| here).iter().copied();
    [value, claude_name(value)].into_iter().chain(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(spelling: Spelling, event: CopilotEvent, matcher: &str, value: &str) -> Option<bool> {
        Matcher::read(Some(matcher), event, spelling).ok().map(|matcher| matcher.holds(value))
    }

    #[test]
    fn in_camel_case_the_whole_name_must_fit_a_pattern() {
        let case = |matcher| holds(Spelling::Camel, CopilotEvent::PreToolUse, matcher, "bash");
        assert_eq!(case("bash"), Some(true));
        assert_eq!(case("bash|edit"), Some(true));
        assert_eq!(case(".*"), Some(true));
        assert_eq!(case("ba"), Some(false));
        assert_eq!(case("Bash"), Some(false));
        assert_eq!(case(""), Some(false), "an empty pattern fits an empty name only");
        assert_eq!(case(" bash"), Some(false));
        assert_eq!(case("*"), None, "no regular expression");
        assert_eq!(case("("), None);
    }

    #[test]
    fn in_pascal_case_the_names_of_claude_code_count_too() {
        let case = |matcher| holds(Spelling::Pascal, CopilotEvent::PreToolUse, matcher, "Bash");
        for matcher in ["", "*", "**", "Bash", "bash", "powershell", " Bash ", "Edit|Bash", "[B].*"]
        {
            assert_eq!(case(matcher), Some(true), "{matcher}");
        }
        for matcher in ["Ba", "BASH", "Edit|Write", "Bash, Edit", "b.*h"] {
            assert_eq!(case(matcher), Some(false), "{matcher}");
        }
        assert_eq!(case("Bash("), None);
        let request = CopilotEvent::PermissionRequest;
        assert_eq!(holds(Spelling::Pascal, request, "Edit|Write", "create"), Some(true));
        assert_eq!(holds(Spelling::Pascal, request, "Task", "Agent"), Some(true));
        assert_eq!(holds(Spelling::Pascal, request, "apply_patch", "edit"), Some(false));
    }

    #[test]
    fn the_result_event_keeps_the_pattern_rule() {
        let event = CopilotEvent::PostToolUse;
        assert_eq!(holds(Spelling::Pascal, event, "edit", "edit"), Some(true));
        assert_eq!(holds(Spelling::Pascal, event, "Edit|Write", "edit"), Some(true));
        assert_eq!(holds(Spelling::Pascal, event, "*", "edit"), None);
        assert_eq!(holds(Spelling::Camel, event, "Edit", "edit"), Some(false));
    }

    #[test]
    fn events_without_a_matched_value_ignore_the_matcher() {
        for event in [CopilotEvent::SessionStart, CopilotEvent::PostToolUseFailure] {
            assert_eq!(holds(Spelling::Camel, event, "(", ""), Some(true));
        }
    }
}
