//! Reads the values of the conditions, and gives what is wrong the place of the exact pattern.

use std::ops::Range;

use hookgate_contract::quote::Quoted;
use hookgate_contract::settings::{Node, NodeValue, SettingError, SettingProblem, Settings};
use hookgate_contract::suggest::Suggestion;

use crate::patterns::{HostPatterns, PathPatterns, PatternError, VariablePatterns};

/// Patterns of paths, as they were read.
pub(super) struct Paths {
    pub(super) patterns: PathPatterns,
    /// How each of them is written.
    pub(super) written: Vec<String>,
    /// Whether one of them names the folder of the project.
    pub(super) asks_project: bool,
}

/// Patterns of hosts, as they were read.
pub(super) struct Hosts {
    pub(super) patterns: HostPatterns,
    /// How each of them is written.
    pub(super) written: Vec<String>,
}

/// Texts of a setting, each with its span.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) texts: Vec<String>,
    spans: Vec<Range<usize>>,
}

/// What a list of patterns is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Means {
    These,
    Within,
    Outside,
}

/// Reads patterns of paths: one, a list, or a table: patterns as `paths`, or folders as `within` or `outside`, and
/// for what is read whether it is `shown`.
pub(super) fn read_paths(settings: &mut Settings<'_>, key: &'static str) -> Option<Paths> {
    let is_read = matches!(key, "reads" | "touches");
    let keys: &[&'static str] = &["paths", "within", "outside"];
    let Read { key, means, texts, shown } = read_list(settings, key, keys, is_read)?;
    let asks_project = texts.texts.iter().any(|text| text.contains("$project"));
    let patterns = match means {
        Means::These => PathPatterns::parse(&texts.texts),
        Means::Within => PathPatterns::within(&texts.texts),
        Means::Outside => PathPatterns::outside(&texts.texts),
    };
    let patterns = patterns.map_err(|error| texts.wrong(settings, key, &error)).ok()?;
    Some(Paths { patterns: patterns.shown(shown), written: texts.texts, asks_project })
}

/// Reads patterns of hosts: one, a list, or `{ outside = … }`.
pub(super) fn read_hosts(settings: &mut Settings<'_>, key: &'static str) -> Option<Hosts> {
    let Read { key, means, texts, .. } = read_list(settings, key, &["outside"], false)?;
    let patterns = match means {
        Means::Outside => HostPatterns::outside(&texts.texts),
        Means::These | Means::Within => HostPatterns::parse(&texts.texts),
    };
    let patterns = patterns.map_err(|error| texts.wrong(settings, key, &error)).ok()?;
    Some(Hosts { patterns, written: texts.texts })
}

/// Reads patterns of variables: one, or a list.
pub(super) fn read_variables(settings: &mut Settings<'_>, key: &'static str) -> Option<Variables> {
    let node = settings.node(key)?;
    let texts = Texts::read(settings, key, node, "the name of a variable, or a list of them")?;
    let patterns = VariablePatterns::parse(&texts.texts);
    let patterns = patterns.map_err(|error| texts.wrong(settings, key, &error)).ok()?;
    Some(Variables { patterns, written: texts.texts })
}

/// Patterns of variables, as they were read.
pub(super) struct Variables {
    pub(super) patterns: VariablePatterns,
    /// How each of them is written.
    pub(super) written: Vec<String>,
}

/// A list of patterns, as it was read.
struct Read {
    /// The key that the list stands at.
    key: &'static str,
    means: Means,
    texts: Texts,
    shown: Option<bool>,
}

/// Reads a text, a list of texts, or a table with one of the keys, and with `shown` if that can be asked.
fn read_list(
    settings: &mut Settings<'_>,
    key: &'static str,
    keys: &[&'static str],
    is_read: bool,
) -> Option<Read> {
    let node = settings.node(key)?;
    let NodeValue::Table(entries) = &node.value else {
        let expected = "a pattern, a list of patterns, or a table";
        let texts = Texts::read(settings, key, node, expected)?;
        return Some(Read { key, means: Means::These, texts, shown: None });
    };
    let mut table = Settings::new(node);
    let shown = if is_read { table.flag("shown") } else { None };
    let mut given = keys.iter().filter_map(|key| table.node(key).map(|node| (*key, node)));
    let (first, second) = (given.next(), given.next());
    let found = match (first, second) {
        (Some((key, node)), None) => {
            let texts = Texts::read(&mut table, key, node, "a folder or a list of them");
            let means = match key {
                "within" => Means::Within,
                "outside" => Means::Outside,
                _ => Means::These,
            };
            texts.map(|texts| Read { key, means, texts, shown })
        }
        (Some(_), Some((key, _))) => {
            table.invalid(key, format!("write one of {}, not both", keys.join(" and ")));
            None
        }
        (None, _) if entries.is_empty() => {
            settings.invalid(key, format!("the table is empty: write {}", keys.join(" or ")));
            None
        }
        (None, _) if shown.is_some() => {
            settings.invalid(key, format!("say of which paths: write {}", keys.join(" or ")));
            None
        }
        (None, _) => None,
    };
    settings.absorb(table.finish());
    found
}

impl Texts {
    /// Reads a text or a list of texts.
    pub(super) fn read(
        settings: &mut Settings<'_>,
        key: &str,
        node: &Node,
        expected: &'static str,
    ) -> Option<Self> {
        let mut found = Self::default();
        let items = match &node.value {
            NodeValue::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        if items.is_empty() {
            settings.invalid(key, "the list is empty, so that nothing is meant");
        }
        for item in items {
            match &item.value {
                NodeValue::Text(text) => found.add(text, item.span.clone()),
                _ => {
                    let problem =
                        SettingProblem::Type { key: key.to_owned(), expected, found: item.kind() };
                    settings.absorb([SettingError { span: item.span.clone(), problem }]);
                }
            }
        }
        (!items.is_empty() && found.texts.len() == items.len()).then_some(found)
    }

    pub(super) fn add(&mut self, text: &str, span: Range<usize>) {
        self.texts.push(text.to_owned());
        self.spans.push(span);
    }

    /// Reports what is wrong with one of the texts, at its place in the file.
    pub(super) fn wrong(&self, settings: &mut Settings<'_>, key: &str, error: &PatternError) {
        let mut span =
            self.spans.get(error.index).cloned().unwrap_or_else(|| settings.span_of(key));
        let text = self.texts.get(error.index).map_or("", String::as_str);
        // Between one quote at each end and without escapes the file has the text as it is.
        if span.len() == text.len() + 2 && error.offset > 0 {
            span.start += 1 + error.offset;
            span.end -= 1;
        }
        let problem =
            SettingProblem::Invalid { key: key.to_owned(), problem: error.fault.to_string() };
        settings.absorb([SettingError { span, problem }]);
    }

    /// Reports that a text is none of some names.
    pub(super) fn not_one_of(
        &self,
        settings: &mut Settings<'_>,
        key: &str,
        text: &str,
        names: &[&str],
    ) {
        let at = self.texts.iter().position(|one| one == text).and_then(|at| self.spans.get(at));
        let span = at.cloned().unwrap_or_else(|| settings.span_of(key));
        let near = Suggestion::nearest(text, names);
        let problem = format!("`{}` is not one of {}{near}", Quoted(text), names.join(", "));
        let problem = SettingProblem::Invalid { key: key.to_owned(), problem };
        settings.absorb([SettingError { span, problem }]);
    }
}
