//! What the text of a matcher looks like.

use super::names::is_anybodys;

/// Tells whether a pattern fits everything.
pub(super) fn is_everything(text: &str) -> bool {
    matches!(text.trim(), "" | "*" | ".*" | ".+" | "^.*$" | "^.+$" | "(.*)" | "^.*" | ".*$")
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-:".contains(c))
}

/// Tells whether a text is names between bars.
pub(super) fn is_alternation(text: &str) -> bool {
    text.split('|').all(is_name)
}

/// Reads `^(A|B)$` and `^A$`.
pub(super) fn names_between_anchors(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('^')?.strip_suffix('$')?;
    let group = inner.strip_prefix("(?:").or_else(|| inner.strip_prefix('('));
    let inner = match group {
        Some(group) => group.strip_suffix(')')?,
        // `^A|B$` is `^A` or `B$`.
        None if inner.contains('|') => return None,
        None => inner,
    };
    is_alternation(inner).then(|| inner.split('|').map(str::to_owned).collect())
}

/// Reads `A, B`, `A,B` and `A | B`, which are lists in no pattern.
pub(super) fn list_of_names(text: &str) -> Option<Vec<String>> {
    if !text.contains([',', ' ']) {
        return None;
    }
    let names: Vec<&str> = text.split([',', '|']).map(str::trim).collect();
    names.iter().all(|name| is_name(name)).then(|| names.into_iter().map(str::to_owned).collect())
}

/// Reads `Bash(git push:*)`: the tool of a rule of permissions. `Task(Create|List)` is a pattern: what begins with
/// the name of a tool may be the name of another one.
pub(super) fn permission_rule(text: &str) -> Option<&str> {
    let (tool, rest) = text.split_once('(')?;
    // `(?` begins a group of a regular expression.
    let inner = rest.strip_suffix(')').filter(|inner| !inner.starts_with('?'))?;
    let is_capital = |part: &str| part.starts_with(|c: char| c.is_ascii_uppercase());
    let may_be_name = is_alternation(inner) && inner.split('|').all(is_capital);
    let is_rule = inner.contains([' ', ':', '/']) || inner == "*";
    let is_rule = is_rule || (is_anybodys(tool) && !may_be_name && !inner.is_empty());
    (is_name(tool) && is_rule).then_some(tool)
}

/// Returns the words of a text that may be names.
pub(super) fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
    words.filter(|word| word.len() > 1).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_permissions_are_told_from_patterns() {
        for rule in ["Bash(git push:*)", "Skill(plan-and-analyze.*)", "Read(.env)", "Bash(rm*)"] {
            assert!(permission_rule(rule).is_some(), "{rule}");
        }
        for pattern in [
            "Task(Create|List)",
            "Notebook(Edit|Read)",
            "mcp__fs__(read|write)",
            "x(y)",
            "Bash(?!Output)",
        ] {
            assert_eq!(permission_rule(pattern), None, "{pattern}");
        }
    }
}
