//! All changes of a file that are tried, in the order of the file.

use hookgate::contract::settings::{Node, NodeValue, SettingEntry};

use super::change::{Change, Edit, Sort, Way};
use super::words::{Language, without_each};
use crate::terminal::sanitize::one_line;

/// The tables of a file that are taken out one after the other, each with the key that tells them apart.
const TABLES: [(&str, &str); 3] = [("hook", "id"), ("tool", "name"), ("disable", "id")];

/// Keys of a hook whose change no case can notice, or that say who the hook is.
const LEFT: [&str; 14] = [
    "id",
    "mode",
    "priority",
    "after",
    "before",
    "tags",
    "canary",
    "timeout",
    "role",
    "background",
    "merge",
    "pure",
    "handler",
    "event",
];

/// Keys of a hook that are options and no conditions.
const OPTIONS: [&str; 2] = ["may_allow", "enforce_after"];

/// How the names of options begin that say what a failure counts as.
const ON: &str = "on_";

/// The numbers that are bounds: one more is another policy.
const BOUNDS: [&str; 8] = ["over", "limit", "gt", "ge", "lt", "le", "len", "max_iterations"];

/// The settings of a builtin that are no part of its decision.
const TOLD: [&str; 5] = ["name", "reason", "message", "text", "file"];

/// How many characters of a value are shown.
const SHOWN: usize = 60;

/// Returns all changes of a file. `kinds` are the kinds of handlers.
pub(super) fn changes(root: &Node, text: &str, kinds: &[String]) -> Vec<Change> {
    let mut found = Finder { text, of: String::new(), way: Vec::new(), changes: Vec::new() };
    for (at, entry) in entries(root).iter().enumerate() {
        let Some((_, id)) = TABLES.iter().find(|(table, _)| *table == entry.key) else { continue };
        for (index, table) in items(&entry.node).iter().enumerate() {
            found.way = vec![at, index];
            let name = entries(table).iter().find(|entry| entry.key == *id);
            let name = name.map_or_else(String::new, |name| shown(&name.node));
            found.of = format!("{} `{name}`", entry.key);
            let words = format!("without this {}", entry.key);
            found.add(Sort::Table, Edit::Remove, table.span.clone(), words);
            if entry.key == "hook" {
                found.hook(table, kinds);
            }
        }
    }
    found.changes.sort_by_key(|change| change.span.start);
    found.changes
}

fn entries(node: &Node) -> &[SettingEntry] {
    match &node.value {
        NodeValue::Table(entries) => entries,
        _ => &[],
    }
}

fn items(node: &Node) -> &[Node] {
    match &node.value {
        NodeValue::List(items) => items,
        _ => &[],
    }
}

/// Returns a value as it is named in a report.
fn shown(node: &Node) -> String {
    let text = match &node.value {
        NodeValue::Text(text) => text.clone(),
        _ => node.to_json().to_string(),
    };
    one_line(&text, SHOWN)
}

struct Finder<'t> {
    text: &'t str,
    /// What the changes are a part of.
    of: String,
    way: Way,
    changes: Vec<Change>,
}

impl Finder<'_> {
    fn add(&mut self, sort: Sort, edit: Edit, span: std::ops::Range<usize>, words: String) {
        let (way, of) = (self.way.clone(), self.of.clone());
        self.changes.push(Change { sort, way, edit, span, of, words });
    }

    /// Goes to a value below.
    fn below(&mut self, at: usize, look: impl FnOnce(&mut Self)) {
        self.way.push(at);
        look(self);
        self.way.pop();
    }

    fn hook(&mut self, hook: &Node, kinds: &[String]) {
        let is_off = |entry: &SettingEntry| {
            entry.key == "mode"
                && matches!(&entry.node.value, NodeValue::Text(mode) if mode == "off")
        };
        if entries(hook).iter().any(is_off) {
            return;
        }
        for (at, entry) in entries(hook).iter().enumerate() {
            let key = entry.key.as_str();
            self.below(at, |finder| match key {
                "event" => finder.value(key, &entry.node, Language::Plain),
                "builtin" => finder.builtin(&entry.node),
                // What another handler is told is not called by a case.
                _ if LEFT.contains(&key) || kinds.iter().any(|kind| kind == key) => {}
                _ if OPTIONS.contains(&key) || key.starts_with(ON) => {
                    finder.without(Sort::Option, entry);
                }
                _ => finder.condition(entry, true),
            });
        }
    }

    /// A key that can go.
    fn without(&mut self, sort: Sort, entry: &SettingEntry) {
        let words = format!("without `{}`", entry.key);
        self.add(sort, Edit::Remove, entry.key_span.clone(), words);
    }

    /// A condition, or a key of one. It goes if others stay, or if the hook would do without.
    fn condition(&mut self, entry: &SettingEntry, can_go: bool) {
        if can_go {
            self.without(Sort::Condition, entry);
        }
        self.value(&entry.key, &entry.node, Language::of_key(&entry.key, Language::Plain));
    }

    /// A value of a condition.
    fn value(&mut self, key: &str, node: &Node, language: Language) {
        match &node.value {
            NodeValue::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.below(at, |finder| {
                        if items.len() > 1 {
                            let words = format!("`{key}` without `{}`", shown(item));
                            finder.add(Sort::Entry, Edit::Remove, item.span.clone(), words);
                        }
                        finder.value(key, item, language);
                    });
                }
            }
            NodeValue::Table(entries) => {
                for (at, entry) in entries.iter().enumerate() {
                    self.below(at, |finder| {
                        if entries.len() > 1 {
                            finder.without(Sort::Condition, entry);
                        }
                        let language = Language::of_key(&entry.key, language);
                        finder.value(&entry.key, &entry.node, language);
                    });
                }
            }
            NodeValue::Text(text) => self.alternatives(key, node, text, language),
            NodeValue::Integer(number) if BOUNDS.contains(&key) => {
                let more = number.saturating_add(1);
                let words = format!("`{key} = {number}` as {more}");
                let edit = Edit::Replace(NodeValue::Integer(more));
                self.add(Sort::Bound, edit, node.span.clone(), words);
            }
            NodeValue::Flag(flag) => {
                let words = format!("`{key} = {flag}` as {}", !flag);
                let edit = Edit::Replace(NodeValue::Flag(!flag));
                self.add(Sort::Flag, edit, node.span.clone(), words);
            }
            NodeValue::Integer(_) | NodeValue::Float(_) => {}
        }
    }

    /// The alternatives of a text.
    fn alternatives(&mut self, key: &str, node: &Node, text: &str, language: Language) {
        for (left, item) in without_each(text, language) {
            let gone = text.get(item.clone()).unwrap_or_default().trim();
            let gone = one_line(gone, SHOWN);
            let words = match text.chars().count() <= SHOWN {
                true => format!("`{key}`: `{text}` without `{gone}`"),
                false => format!("`{key}` without `{gone}`"),
            };
            // Without escapes the text stands in the file as it is, behind the quotes.
            let written = self.text.get(node.span.clone()).unwrap_or_default();
            let span = match written.find(text) {
                Some(quote) => {
                    let start = node.span.start + quote;
                    start + item.start..start + item.end
                }
                None => node.span.clone(),
            };
            let edit = Edit::Replace(NodeValue::Text(left));
            self.add(Sort::Alternative, edit, span, words);
        }
    }

    /// The settings of a builtin: its lists, bounds, flags and regular expressions.
    fn builtin(&mut self, node: &Node) {
        for (at, entry) in entries(node).iter().enumerate() {
            let key = entry.key.as_str();
            if !TOLD.contains(&key) {
                let language = Language::of_key(key, Language::Plain);
                self.below(at, |finder| finder.value(key, &entry.node, language));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hookgate::config::parse_toml;

    use super::*;

    /// The changes of a text, in words, with the text at their place.
    fn all(text: &str) -> Vec<(String, String)> {
        let (root, wrong) = parse_toml(text);
        assert!(wrong.is_empty());
        let kinds = ["builtin".to_owned(), "command".to_owned()];
        let shown =
            |change: Change| (change.words, text.get(change.span).unwrap_or_default().to_owned());
        changes(&root, text, &kinds).into_iter().map(shown).collect()
    }

    #[test]
    fn every_part_that_decides_is_changed_and_its_place_is_known() {
        let found = all(
            "[[hook]]\nid = 'a'\nevent = ['pre_tool_use', 'stop']\nruns = ['npm|yarn publish', 'x']\n\
             input = { '/a' = { regex = '(b|c)', ignore_case = true } }\non_unclear = 'deny'\n\
             count = { over = 3 }\nbuiltin = { name = 'deny', reason = 'a|b' }\n",
        );
        let words: Vec<&str> = found.iter().map(|(words, _)| words.as_str()).collect();
        assert_eq!(
            words,
            [
                "without this hook",
                "`event` without `pre_tool_use`",
                "`event` without `stop`",
                "without `runs`",
                "`runs` without `npm|yarn publish`",
                "`runs`: `npm|yarn publish` without `npm`",
                "`runs`: `npm|yarn publish` without `yarn`",
                "`runs` without `x`",
                "without `input`",
                "without `regex`",
                "`regex`: `(b|c)` without `b`",
                "`regex`: `(b|c)` without `c`",
                "without `ignore_case`",
                "`ignore_case = true` as false",
                "without `on_unclear`",
                "without `count`",
                "`over = 3` as 4",
            ]
        );
        for (words, at) in found {
            let gone = words.rsplit("without ").next().unwrap_or_default().trim_matches('`');
            let is_there =
                at.contains(gone) || ["this hook", "`over"].iter().any(|x| words.contains(x));
            assert!(is_there || words.contains(" as "), "{words}: {at}");
        }
    }

    #[test]
    fn what_no_case_can_notice_is_left() {
        let found = all(
            "[[hook]]\nid = 'a'\nevent = 'stop'\ntimeout = '5s'\ncommand = { argv = ['a', 'b'] }\n\
             [[hook]]\nid = 'b'\nevent = 'stop'\nmode = 'off'\nany = [{ agent = 'x' }, { agent = 'y' }]\n\
             builtin = { name = 'deny', reason = 'x' }\n",
        );
        let words: Vec<String> = found.into_iter().map(|(words, _)| words).collect();
        assert_eq!(words, ["without this hook", "without this hook"]);
    }

    #[test]
    fn a_change_is_made_at_its_place_alone() {
        let text = "[[hook]]\nid = 'a'\nreads = ['x', 'y']\n[[hook]]\nid = 'b'\n";
        let (root, _) = parse_toml(text);
        let changed: Vec<String> = changes(&root, text, &[])
            .iter()
            .map(|change| change.apply(&root).to_json()["hook"].to_string())
            .collect();
        assert_eq!(
            changed,
            [
                r#"[{"id":"b"}]"#,
                r#"[{"id":"a"},{"id":"b"}]"#,
                r#"[{"id":"a","reads":["y"]},{"id":"b"}]"#,
                r#"[{"id":"a","reads":["x"]},{"id":"b"}]"#,
                r#"[{"id":"a","reads":["x","y"]}]"#,
            ]
        );
    }
}
