//! What a config file says, with the place of each part.

use std::ptr;

/// A value, and where it begins in the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    /// In bytes.
    pub(super) at: usize,
    pub(super) value: Kind,
}

/// The kinds of values.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Null,
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key and its value. A table may have a key more than once.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_at: usize,
    pub(super) node: Node,
}

impl Node {
    /// Returns the entries of a table; those of anything else are none.
    pub(super) fn entries(&self) -> &[Entry] {
        match &self.value {
            Kind::Table(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the items of a list; those of anything else are none.
    pub(super) fn items(&self) -> &[Self] {
        match &self.value {
            Kind::List(items) => items,
            _ => &[],
        }
    }

    pub(super) const fn is_table(&self) -> bool {
        matches!(self.value, Kind::Table(_))
    }

    pub(super) const fn is_list(&self) -> bool {
        matches!(self.value, Kind::List(_))
    }

    /// Returns the value of a key. Of several, the last one counts, as in all parsers of the agents.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// Returns the entry of a key.
    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().rev().find(|entry| entry.key == key)
    }

    /// Returns the value at the end of a path of keys.
    pub(super) fn path(&self, keys: &[&str]) -> Option<&Self> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    pub(super) const fn text(&self) -> Option<&str> {
        match &self.value {
            Kind::Text(text) => Some(text.as_str()),
            _ => None,
        }
    }

    pub(super) const fn number(&self) -> Option<f64> {
        match self.value {
            Kind::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(super) const fn flag(&self) -> Option<bool> {
        match self.value {
            Kind::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    /// Returns the text of a key.
    pub(super) fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// Tells whether a key is `true`.
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.get(key).and_then(Self::flag) == Some(true)
    }

    /// Returns the texts of a list, or one text.
    pub(super) fn texts_of(&self, key: &str) -> Vec<String> {
        let Some(node) = self.get(key) else { return Vec::new() };
        let one = node.text().map(str::to_owned);
        let many = node.items().iter().filter_map(|item| item.text().map(str::to_owned));
        one.into_iter().chain(many).collect()
    }

    /// Returns the entries of a table whose values are texts, numbers or flags, as texts; each key is there once.
    pub(super) fn pairs_of(&self, key: &str) -> Vec<(String, String)> {
        let Some(table) = self.get(key) else { return Vec::new() };
        let as_text = |node: &Self| match &node.value {
            Kind::Text(text) => Some(text.clone()),
            Kind::Number(number) => Some(number.to_string()),
            Kind::Flag(flag) => Some(flag.to_string()),
            _ => None,
        };
        let counts =
            |entry: &&Entry| table.entry(&entry.key).is_some_and(|last| ptr::eq(last, *entry));
        table
            .entries()
            .iter()
            .filter(counts)
            .filter_map(|entry| as_text(&entry.node).map(|value| (entry.key.clone(), value)))
            .collect()
    }
}
