//! Values that know where they stand.

use std::ops::Range;

use serde_json::{Map, Value};

/// A value and the bytes of the file that it stands in.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it stands, in bytes.
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
    /// Where the key stands.
    pub key_span: Range<usize>,
    /// The value.
    pub node: Node,
}

impl Node {
    /// The kind in words, for messages.
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

    /// The value without its places.
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

    /// A node from a value that stands in no file; null is an empty table.
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
}
