//! Patterns of `tool` that no pattern of `tool_glob` or `tool_regex` can meet, although both must.
//!
//! The check of globs is cheap and may miss a case; it never refuses a condition that can hold.

use super::error::MatchError;
use super::glob::anchored;
use super::name::{self, Pattern};
use super::pattern::{glob, regex};
use super::spec::MatchSpec;

impl MatchSpec {
    /// Returns the conditions on the name of the tool that no name can meet together, each with its
    /// key.
    pub(crate) fn impossible_tools(&self) -> Vec<(&'static str, MatchError)> {
        let mut out = Vec::new();
        let tools = included(self);
        let wanted: Vec<&str> = tools.iter().flat_map(|p| p.exact().chain(p.globs())).collect();
        if !wanted.is_empty() && !self.tool_glob.is_empty() {
            let meet = |a: &str| self.tool_glob.iter().any(|b| may_meet(a, b));
            if !wanted.iter().any(|a| meet(a)) {
                out.push(("tool_glob", MatchError::NoName("tool_glob")));
            }
        }
        let only_names = tools.iter().all(|p| p.globs().next().is_none()) && !wanted.is_empty();
        if only_names && !self.tool_regex.is_empty() {
            let source =
                |text: &String| if self.regex_search { text.clone() } else { anchored(text) };
            let matches = |text: &String| {
                regex(&source(text), text)
                    .map_or(true, |regex| wanted.iter().any(|a| regex.is_match(a)))
            };
            if !self.tool_regex.iter().any(matches) {
                out.push(("tool_regex", MatchError::NoName("tool_regex")));
            }
        }
        out
    }
}

/// Returns the patterns of `tool` without those after `!`.
pub(super) fn included(spec: &MatchSpec) -> Vec<Pattern<'_>> {
    spec.tool.iter().filter_map(|text| name::names(text).ok()).filter(|p| !p.negated).collect()
}

/// Returns whether a name can match both globs. It is exact if one of them is a plain name;
/// otherwise only their literal beginnings and ends are compared, and true may be wrong.
fn may_meet(a: &str, b: &str) -> bool {
    let special = ['*', '?', '[', '{', '\\', '}', ']'];
    let matches = |pattern: &str, name: &str| {
        glob(pattern).and_then(|source| regex(&source, pattern)).map_or(true, |r| r.is_match(name))
    };
    if !a.contains(special) {
        return matches(b, a);
    }
    if !b.contains(special) {
        return matches(a, b);
    }
    let start = |text: &'_ str| text.split(special).next().unwrap_or_default().to_owned();
    let end = |text: &'_ str| text.rsplit(special).next().unwrap_or_default().to_owned();
    let (a_start, b_start, a_end, b_end) = (start(a), start(b), end(a), end(b));
    (a_start.starts_with(&b_start) || b_start.starts_with(&a_start))
        && (a_end.ends_with(&b_end) || b_end.ends_with(&a_end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys_of(tool: &str, tool_glob: &str, tool_regex: &str) -> Vec<&'static str> {
        let list = |text: &str| if text.is_empty() { Vec::new() } else { vec![text.to_owned()] };
        let spec = MatchSpec {
            tool: list(tool),
            tool_glob: list(tool_glob),
            tool_regex: list(tool_regex),
            ..MatchSpec::default()
        };
        spec.impossible_tools().into_iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn patterns_that_cannot_meet_are_told() {
        for (tool, glob) in
            [("Bash", "mcp__*"), ("Edit|Write", "*sh"), ("mcp__*", "Ba*"), ("*_read", "*_write")]
        {
            assert_eq!(keys_of(tool, glob, ""), ["tool_glob"], "{tool} {glob}");
        }
        for (tool, glob) in [
            ("Bash|Edit", "B*"),
            ("mcp__*", "*read"),
            ("!Bash", "Ba*"),
            ("{a,b}*", "[ab]c"),
            ("*", "x?"),
        ] {
            assert_eq!(keys_of(tool, glob, ""), [""; 0], "{tool} {glob}");
        }
        assert_eq!(keys_of("Bash", "", "Ba"), ["tool_regex"]);
        assert_eq!(keys_of("Bash|Bar", "", "Ba."), [""; 0]);
    }
}
