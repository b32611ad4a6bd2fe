//! Values that know their span.
//!
//! A format is read into nodes once, and everything after that works on nodes: so an error of any
//! handler points into the file, whatever the format is.

use std::ops::Range;

use serde_json::{Map, Value};

/// A value, and the bytes of the file that hold it.
///
/// ```
/// use hookgate_contract::settings::{Node, NodeValue};
///
/// let node = Node::from_json(&serde_json::json!({"retries": 3}));
/// let NodeValue::Table(entries) = &node.value else { panic!() };
/// assert_eq!((entries[0].key.as_str(), entries[0].node.kind()), ("retries", "an integer"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its span in the file, in bytes.
    pub span: Range<usize>,
    /// What it is.
    pub value: NodeValue,
}

/// The kinds of values.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the variants are the usual ones")]
pub enum NodeValue {
    Flag(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Table(Vec<SettingEntry>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingEntry {
    /// The key.
    pub key: String,
    /// The span of the key, in bytes.
    pub key_span: Range<usize>,
    /// The value.
    pub node: Node,
}

impl Node {
    /// Returns the kind in words, for messages: `an integer`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.value {
            NodeValue::Flag(_) => "a boolean",
            NodeValue::Integer(_) => "an integer",
            NodeValue::Float(_) => "a float",
            NodeValue::Text(_) => "a string",
            NodeValue::List(_) => "an array",
            NodeValue::Table(_) => "a table",
        }
    }

    /// Returns the value without spans.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.value {
            NodeValue::Flag(flag) => Value::Bool(*flag),
            NodeValue::Integer(number) => (*number).into(),
            NodeValue::Float(number) => (*number).into(),
            NodeValue::Text(text) => Value::String(text.clone()),
            NodeValue::List(items) => items.iter().map(Self::to_json).collect(),
            NodeValue::Table(entries) => Value::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.node.to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// Makes a node of a value that is not in a file. Null becomes an empty table.
    #[must_use]
    pub fn from_json(value: &Value) -> Self {
        let value = match value {
            Value::Null => NodeValue::Table(Vec::new()),
            Value::Bool(flag) => NodeValue::Flag(*flag),
            Value::Number(number) => number.as_i64().map_or_else(
                || NodeValue::Float(number.as_f64().unwrap_or(f64::NAN)),
                NodeValue::Integer,
            ),
            Value::String(text) => NodeValue::Text(text.clone()),
            Value::Array(items) => NodeValue::List(items.iter().map(Self::from_json).collect()),
            Value::Object(map) => NodeValue::Table(
                map.iter()
                    .map(|(key, value)| SettingEntry {
                        key: key.clone(),
                        key_span: 0..0,
                        node: Self::from_json(value),
                    })
                    .collect(),
            ),
        };
        Self { span: 0..0, value }
    }

    /// Places it, and all that is in it, at a span.
    #[must_use]
    pub fn at(mut self, span: &Range<usize>) -> Self {
        self.span = span.clone();
        match &mut self.value {
            NodeValue::List(items) => {
                *items = std::mem::take(items).into_iter().map(|item| item.at(span)).collect();
            }
            NodeValue::Table(entries) => {
                for entry in std::mem::take(entries) {
                    let SettingEntry { key, node, .. } = entry;
                    entries.push(SettingEntry { key, key_span: span.clone(), node: node.at(span) });
                }
            }
            _ => {}
        }
        self
    }
}
