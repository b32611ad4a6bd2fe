//! Names of tools in the conditions of hooks that are nearly those of tools that are known.
//!
//! A warning, since a tool that no manifest covers is as good as any other. It is made only where the
//! two names are hardly those of two tools.

use std::collections::BTreeMap;
use std::ops::Range;

use hookgate::HandlerTable;
use hookgate::config::ConfigError;
use hookgate::effects::Manifests;
use hookgate::matcher::MatchSpec;

use super::entry::{Entry, Level};
use super::texts::Texts;
use crate::text_position::position;

/// From this length on a letter may be missing or be one too many; of a shorter name it makes another.
const LONG: usize = 8;

/// Returns the names that look mistyped. What a warning of the config says already is left out.
pub(super) fn mistyped(
    texts: &mut Texts,
    table: &HandlerTable,
    manifests: &Manifests,
    warnings: &[ConfigError],
) -> Vec<Entry> {
    let said: Vec<String> = warnings.iter().map(ConfigError::message).collect();
    let mut found = Vec::new();
    for hook in table.specs() {
        let names = named(hook.matcher());
        for (name, Named { key, .. }) in names.iter().filter(|(name, _)| !manifests.covers(name)) {
            let near = manifests.nearest(name).filter(|near| is_slip(name, near));
            // A hook that names both means both.
            let Some(near) = near.filter(|near| !names.contains_key(*near)) else { continue };
            if said.iter().any(|text| text.contains(&format!("`{name}`"))) {
                continue;
            }
            let (file, text) = texts.of(hook.origin());
            let at = position_of(text, hook.origin().span_of(key), name);
            found.push(Entry {
                code: "mistyped_tool",
                level: Level::Warning,
                file,
                at: Some(at),
                message: format!(
                    "no manifest covers a tool `{name}`; did you mean `{near}`? Another tool is \
                     declared with `[[tool]]`"
                ),
                help: None,
            });
        }
    }
    found
}

/// How a hook names a tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named {
    /// The key of the hook under which it does.
    pub(super) key: &'static str,
    /// Whether it is about all other tools (`!Bash`).
    pub(super) excluded: bool,
}

/// Returns the names of tools in the conditions of a hook. Patterns are left out.
pub(super) fn named(spec: &MatchSpec) -> BTreeMap<String, Named> {
    let mut names = BTreeMap::new();
    collect(spec, None, &mut names);
    names
}

fn collect(spec: &MatchSpec, key: Option<&'static str>, names: &mut BTreeMap<String, Named>) {
    for text in &spec.tool {
        let named = Named { key: key.unwrap_or("tool"), excluded: text.starts_with('!') };
        let all = text.trim_start_matches('!').split('|');
        for name in all.filter(|name| !name.contains(['*', '?', '[', '{'])) {
            names.entry(name.to_owned()).or_insert(named);
        }
    }
    for nested in spec.any.iter().flatten() {
        collect(nested, key.or(Some("any")), names);
    }
    for nested in &spec.not {
        collect(nested, key.or(Some("not")), names);
    }
}

/// Returns whether a name is rather a slip of the pen than another tool.
fn is_slip(name: &str, near: &str) -> bool {
    let same_length = name.len() == near.len();
    // `read_files` beside `read_file`, `web_search_v2` beside `web_search`.
    let longer = name.starts_with(near) || near.starts_with(name);
    let differs = name.len().abs_diff(near.len());
    !longer && (same_length || differs == 1 && name.len() >= LONG)
}

/// Returns line and column, from 1, of the first place after a key at which a name stands alone.
pub(super) fn position_of(text: &str, key: Option<Range<usize>>, name: &str) -> (usize, usize) {
    let key = key.unwrap_or_default();
    let rest = text.get(key.end..).unwrap_or_default();
    let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-');
    let at = rest.match_indices(name).map(|(at, _)| at).find(|at| {
        let (before, after) = rest.split_at(*at);
        is_apart(before.chars().next_back())
            && is_apart(after.get(name.len()..).and_then(|rest| rest.chars().next()))
    });
    position(text, at.map_or(key.start, |at| key.end + at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_slips_of_the_pen_count() {
        for (name, near) in [
            ("Raed", "Read"),
            ("run_shell_comand", "run_shell_command"),
            ("web_ftech", "web_fetch"),
        ] {
            assert!(is_slip(name, near), "{name}");
        }
        for (name, near) in [("Reader", "Read"), ("read_files", "read_file"), ("bas", "Bash")] {
            assert!(!is_slip(name, near), "{name}");
        }
    }

    #[test]
    fn a_name_is_found_where_it_stands_alone() {
        let text = "[[hook]]\nid = \"no-Raed\"\ntool = \"Bash|Raed\"\n";
        assert_eq!(position_of(text, Some(24..28), "Raed"), (3, 14));
        assert_eq!(position_of(text, Some(24..28), "Read"), (3, 1));
    }
}
