//! The matchers of Codex: names, or a regular expression that is not anchored.

use regex::Regex;

/// Returns the other names of a tool that matchers may use.
pub(super) const fn aliases(tool: &str) -> &'static [&'static str] {
    match tool.as_bytes() {
        b"apply_patch" => &["Write", "Edit"],
        b"spawn_agent" => &["Agent"],
        _ => &[],
    }
}

/// Returns why a matcher cannot be used, if so.
pub(super) fn fault(matcher: &str) -> Option<String> {
    if is_all(matcher) || is_list(matcher) {
        return None;
    }
    Regex::new(matcher).err().map(|error| error.to_string())
}

/// Tells whether a matcher means one of these names. No matcher means all.
pub(super) fn matches(matcher: Option<&str>, names: &[&str]) -> bool {
    let Some(matcher) = matcher.filter(|matcher| !is_all(matcher)) else { return true };
    if is_list(matcher) {
        return matcher.split('|').any(|listed| names.contains(&listed));
    }
    Regex::new(matcher).is_ok_and(|pattern| names.iter().any(|name| pattern.is_match(name)))
}

fn is_all(matcher: &str) -> bool {
    matcher.is_empty() || matcher == "*"
}

/// A hyphen, a comma, a blank or a dot is enough to make it an expression.
fn is_list(matcher: &str) -> bool {
    matcher.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_' || sign == '|')
}

#[cfg(test)]
mod tests {
    use super::{aliases, fault, matches};

    #[test]
    fn names_are_whole_and_expressions_are_not_anchored() {
        let cases = [
            (None, "Bash", true),
            (Some(""), "Bash", true),
            (Some("*"), "Bash", true),
            (Some("Bash"), "Bash", true),
            (Some("Bash"), "BashOutput", false),
            (Some("bash"), "Bash", false),
            (Some("Edit|Bash"), "Bash", true),
            (Some("Edit | Bash"), "Bash", false),
            (Some("Edit | Bash"), "xx Bash", true),
            (Some("Edit,Bash"), "Bash", false),
            (Some("^Ba"), "BashOutput", true),
            (Some("mcp__fs"), "mcp__fs__read", false),
            (Some("mcp__fs__.*"), "mcp__fs__read", true),
            (Some("my-agent"), "my-agent-2", true),
            (Some(" "), "Bash", false),
            (Some("["), "[", false),
        ];
        for (matcher, name, expected) in cases {
            assert_eq!(matches(matcher, &[name]), expected, "{matcher:?} on {name}");
        }
        assert!(!matches(Some("Bash"), &[]), "there is nothing to match");
        assert!(matches(None, &[]));
    }

    #[test]
    fn a_tool_has_its_other_names() {
        let names = |tool| [&[tool], aliases(tool)].concat();
        assert!(matches(Some("^Edit$"), &names("apply_patch")));
        assert!(matches(Some("Agent"), &names("spawn_agent")));
        assert!(!matches(Some("Edit"), &names("Bash")));
    }

    #[test]
    fn an_expression_that_is_broken_is_told() {
        assert!(fault("[").is_some());
        assert!(fault("(?=a)").is_some(), "there is no look-around here");
        assert_eq!(fault("*"), None);
        assert_eq!(fault("Edit|Write"), None);
    }
}
