//! What was meant by a pattern that looks like a regular expression.
//!
//! For simple ones there is a pattern for names that matches the same: `^Bash$` is `Bash`,
//! `mcp__.*` is `mcp__*`, `(Edit|Write)` is `Edit|Write`. The suggestion is made only if it can be
//! used as it is.

use super::{Dialect, NameError, names, split};

/// Returns the error for a pattern that looks like a regular expression, with the pattern for names
/// that means the same if there is one.
pub(super) fn looks_like_regex(text: &str) -> NameError {
    if let Some((tool, condition)) = with_arguments(text) {
        return NameError::Arguments { tool, condition };
    }
    match instead(text) {
        Some(glob) => NameError::Regex(format!("`{glob}`")),
        None => NameError::Regex("a name or a glob; for tools there is `tool_regex`".to_owned()),
    }
}

/// Tools that other systems write rules for, each with the condition that asks for what it does.
const RULES: [(&str, &str); 8] = [
    ("Bash", "runs"),
    ("PowerShell", "runs"),
    ("Read", "reads"),
    ("Grep", "reads"),
    ("Edit", "writes"),
    ("MultiEdit", "writes"),
    ("Write", "writes"),
    ("WebFetch", "connects"),
];

/// Returns the name in `Bash(git push:*)`, and the condition for the rest: `runs = "git push"`.
fn with_arguments(text: &str) -> Option<(String, String)> {
    let (tool, arguments) = text.trim_start_matches('!').strip_suffix(')')?.split_once('(')?;
    let is_name = tool.chars().next().is_some_and(char::is_uppercase)
        && tool.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_name || arguments.contains('|') {
        return None;
    }
    let key = RULES.iter().find(|(name, _)| *name == tool).map_or("input", |(_, key)| key);
    let bare = arguments.strip_prefix("domain:").unwrap_or(arguments);
    let condition = match (key, bare.trim_end_matches('*').trim_end_matches([':', ' '])) {
        ("input", _) => "input = { \"/KEY\" = { glob = \"…\" } }".to_owned(),
        (_, "") => format!("{key} = \"**\""),
        ("runs", words) => format!("runs = \"{words}\""),
        (key, _) => format!("{key} = \"{bare}\""),
    };
    Some((tool.to_owned(), condition))
}

/// Returns the pattern for names that matches what a simple regular expression matches.
fn instead(text: &str) -> Option<String> {
    let (sign, text) = text.strip_prefix('!').map_or(("", text), |rest| ("!", rest));
    let text = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).unwrap_or(text);
    let text = text.replace("(?:", "(");
    if text.contains("(?") {
        return None;
    }
    let bare = |text: &str| text.trim_start_matches('^').trim_end_matches('$').to_owned();
    let mut text = bare(&text);
    if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))
        && !inner.contains(['(', ')'])
    {
        text = bare(inner);
    }
    let parts = text.split('|').map(bare).collect::<Vec<_>>().join("|");
    let parts = parts.replace(".*", "*").replace(".+", "?*");
    let (mut out, mut depth) = (String::from(sign), 0_u32);
    for c in parts.chars() {
        out.push(match c {
            '(' => {
                depth += 1;
                '{'
            }
            ')' => {
                depth = depth.saturating_sub(1);
                '}'
            }
            '|' if depth > 0 => ',',
            c => c,
        });
    }
    names_without_advice(&out).then_some(out)
}

/// Returns whether a pattern for names can be used. It does not ask for advice again, which would
/// not end.
fn names_without_advice(text: &str) -> bool {
    split(text.trim_start_matches('!'), Dialect::Names).is_some() && names(text).is_ok()
}
