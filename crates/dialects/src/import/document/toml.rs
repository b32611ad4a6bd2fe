//! TOML.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::import::node::{Entry, Kind, Node};

/// Reads a text.
///
/// # Errors
/// Where it is no TOML, and why.
pub(super) fn read(text: &str) -> Result<Node, (usize, String)> {
    match DeTable::parse(text) {
        Ok(root) => Ok(Node { at: root.span().start, value: table(root.get_ref()) }),
        Err(error) => Err((error.span().map_or(0, |span| span.start), error.message().to_owned())),
    }
}

fn table(table: &DeTable<'_>) -> Kind {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_at: key.span().start,
            node: node(value),
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_at);
    Kind::Table(entries)
}

fn node(value: &Spanned<DeValue<'_>>) -> Node {
    let kind = match value.get_ref() {
        DeValue::String(text) => Kind::Text(text.to_string()),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            #[expect(clippy::cast_precision_loss, reason = "no setting has so many digits")]
            Kind::Number(parsed.map_or(f64::NAN, |number| number as f64))
        }
        DeValue::Float(number) => Kind::Number(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Kind::Flag(*flag),
        DeValue::Datetime(time) => Kind::Text(time.to_string()),
        DeValue::Array(items) => Kind::List(items.iter().map(node).collect()),
        DeValue::Table(entries) => table(entries),
    };
    Node { at: value.span().start, value: kind }
}
