//! A rule of permissions of Claude Code (`Bash(git push *)`) as conditions.

use super::source::SourceHook;
use super::write::literal;

/// Adds the conditions that a rule in `if` means. Where hooks.toml has no word for it, the hook runs more
/// often than before.
pub(super) fn conditions(rule: &str, at: usize, hook: &mut SourceHook) {
    match translated(rule) {
        Some(conditions) => {
            hook.notes.push(format!(
                "`if`: {rule}. Claude Code tests it with less care, and runs the hook when in doubt"
            ));
            hook.conditions.extend(conditions);
        }
        None => hook.findings.add(
            "untranslated_condition",
            at,
            format!("the condition `{rule}` has no counterpart here"),
            "the hook is imported without it, so it runs more often than before",
        ),
    }
}

fn translated(rule: &str) -> Option<Vec<(String, String)>> {
    let rule = rule.trim();
    let one = |key: &str, value: String| Some(vec![(key.to_owned(), value)]);
    let Some((tool, rest)) = rule.split_once('(') else {
        let is_name = !rule.is_empty()
            && rule.chars().all(|c| c.is_ascii_alphanumeric() || "_-*".contains(c));
        return if is_name { one("tool", literal(rule)) } else { None };
    };
    let inner = rest.strip_suffix(')')?;
    match tool {
        "Bash" => {
            let inner = inner
                .strip_suffix(":*")
                .map_or_else(|| inner.to_owned(), |text| format!("{text} *"));
            if matches!(inner.as_str(), "*" | " *" | "") {
                return one("tool", literal("Bash"));
            }
            // `git push *` also means `git push` alone.
            let words = inner.strip_suffix(" *").unwrap_or(&inner);
            let is_plain = words.split(' ').all(|word| {
                !word.is_empty()
                    && word.chars().all(|c| c.is_ascii_alphanumeric() || "._/-".contains(c))
            });
            is_plain.then(|| {
                vec![("tool".to_owned(), literal("Bash")), ("runs".to_owned(), literal(words))]
            })
        }
        "Read" | "Edit" | "Write" => {
            let key = if tool == "Read" { "reads" } else { "writes" };
            let path = match inner {
                absolute if absolute.starts_with("//") => {
                    absolute.trim_start_matches('/').to_owned()
                }
                _ if inner.starts_with('~') => inner.to_owned(),
                _ => {
                    let below = inner.trim_start_matches("./").trim_start_matches('/');
                    if below.starts_with("**") { below.to_owned() } else { format!("$cwd/{below}") }
                }
            };
            let path = if inner.starts_with("//") { format!("/{path}") } else { path };
            let tools = if tool == "Read" { "Read" } else { "Edit|MultiEdit|Write|NotebookEdit" };
            Some(vec![("tool".to_owned(), literal(tools)), (key.to_owned(), literal(&path))])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(rule: &str) -> Option<String> {
        let conditions = translated(rule)?;
        Some(
            conditions
                .iter()
                .map(|(key, value)| format!("{key} = {value}"))
                .collect::<Vec<_>>()
                .join("; "),
        )
    }

    #[test]
    fn rules_become_conditions() {
        assert_eq!(case("Bash"), Some("tool = \"Bash\"".into()));
        assert_eq!(case("Bash(*)"), Some("tool = \"Bash\"".into()));
        let push = Some("tool = \"Bash\"; runs = \"git push\"".to_owned());
        assert_eq!(case("Bash(git push *)"), push);
        assert_eq!(case("Bash(git push:*)"), push);
        assert_eq!(case("Read(.env)"), Some("tool = \"Read\"; reads = \"$cwd/.env\"".into()));
        assert_eq!(
            case("Edit(src/**)"),
            Some("tool = \"Edit|MultiEdit|Write|NotebookEdit\"; writes = \"$cwd/src/**\"".into())
        );
        assert_eq!(case("Bash(rm \"$X\")"), None);
        assert_eq!(case("WebFetch(domain:x.com)"), None);
    }
}
