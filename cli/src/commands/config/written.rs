//! What the files say, each word with its place.

use std::ops::Range;
use std::path::{Path, PathBuf};

use hookgate::config::{ConfigErrors, join, read};
use hookgate::contract::settings::{Node, NodeValue, SettingEntry};
use hookgate::table::Layer;
use serde::Serialize;

use crate::config::{Configs, registry};
use crate::foreign;
use crate::text_position::position;

/// Where a word is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct WordPlace {
    layer: Layer,
    file: String,
    line: usize,
    column: usize,
}

impl std::fmt::Display for WordPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{} ({})", self.file, self.line, self.column, self.layer)
    }
}

/// A file as it is written.
#[derive(Debug)]
pub(super) struct WrittenFile {
    pub(super) layer: Layer,
    pub(super) name: String,
    text: String,
    root: Node,
}

impl WrittenFile {
    fn read(layer: Layer, path: &Path) -> Result<Self, ConfigErrors> {
        let text = read(path)?;
        let root = foreign::parse_own(path, &text);
        Ok(Self { layer, name: path.display().to_string(), text, root })
    }

    /// Returns the place of a span.
    pub(super) fn place(&self, span: &Range<usize>) -> WordPlace {
        let (line, column) = position(&self.text, span.start);
        WordPlace { layer: self.layer, file: self.name.clone(), line, column }
    }

    /// Returns a section of the top.
    pub(super) fn section(&self, name: &str) -> Option<&Node> {
        entry(&self.root, name).map(|entry| &entry.node)
    }

    /// Returns the tables of a list at the top that have this id, each with the entry of the id.
    pub(super) fn with_id<'s>(
        &'s self,
        list: &str,
        id: &'s str,
    ) -> impl Iterator<Item = (&'s Node, &'s SettingEntry)> {
        let items = match self.section(list).map(|node| &node.value) {
            Some(NodeValue::List(items)) => items.as_slice(),
            _ => &[],
        };
        let is_meant =
            move |of: &&SettingEntry| matches!(&of.node.value, NodeValue::Text(text) if text == id);
        items.iter().filter_map(move |item| Some((item, entry(item, "id").filter(is_meant)?)))
    }
}

/// Reads the files of configs that can be loaded, those that bind most first, each followed by those that
/// it includes. The configs of other agents are not written so, and are left out.
pub(super) fn read_all(configs: &Configs) -> Result<Vec<WrittenFile>, ConfigErrors> {
    let mut files = Vec::new();
    for source in configs.sources() {
        let loaded = join(vec![configs.read(&registry(), source)?])?;
        let of_other = loaded.table.specs().any(|spec| spec.origin().is_translated());
        let paths: Vec<PathBuf> = std::iter::once(source.file.clone())
            .filter(|_| !of_other)
            .chain(loaded.included)
            .collect();
        for path in paths {
            files.push(WrittenFile::read(source.layer, &path)?);
        }
    }
    Ok(files)
}

/// Returns the entry of a table.
pub(super) fn entry<'n>(node: &'n Node, key: &str) -> Option<&'n SettingEntry> {
    match &node.value {
        NodeValue::Table(entries) => entries.iter().find(|entry| entry.key == key),
        _ => None,
    }
}

/// Returns the entries of a table.
pub(super) fn entries(node: &Node) -> &[SettingEntry] {
    match &node.value {
        NodeValue::Table(entries) => entries,
        _ => &[],
    }
}

/// Returns the entry to which a path leads: keys with dots between them.
pub(super) fn entry_at<'n>(node: &'n Node, path: &str) -> Option<&'n SettingEntry> {
    if let Some(found) = entry(node, path) {
        return Some(found);
    }
    path.match_indices('.').find_map(|(at, _)| {
        let (first, rest) = (path.get(..at)?, path.get(at + 1..)?);
        entry_at(&entry(node, first)?.node, rest)
    })
}
