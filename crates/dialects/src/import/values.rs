//! Files of our own that may also be written in JSON or YAML.

use std::path::Path;

use hookgate_contract::settings::{self, NodeValue, SettingEntry};

use super::ImportError;
use super::document::Document;
use super::node::{Kind, Node};

/// The largest whole number of which all smaller ones are numbers, too: 2^53.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// Reads a text in JSON or YAML (or TOML; the ending of the path says which) as values that know where
/// they begin. Each span is empty, and begins at the value.
///
/// A file that this program is the first to read is read strictly: `null`, a comment in JSON and a key that
/// is there twice are mistakes.
///
/// ```
/// use std::path::Path;
/// use hookgate_dialects::import::values;
///
/// let root = values(Path::new("t.yaml"), "case:\n  - name: first\n").unwrap();
/// assert_eq!(root.to_json()["case"][0]["name"], "first");
/// assert!(values(Path::new("t.json"), r#"{"a": null}"#).is_err());
/// ```
///
/// # Errors
/// The first thing that is wrong with the text.
pub fn values(path: &Path, text: &str) -> Result<settings::Node, ImportError> {
    let document = Document::read(path, text)?;
    let wrong = |(at, message): (usize, String)| {
        let (line, column) = document.position(at);
        ImportError::Syntax { at, line, column, message }
    };
    if let Some((at, _)) = document.slips.first() {
        return Err(wrong((*at, "only strict JSON is read here".to_owned())));
    }
    value(&document.root).map_err(wrong)
}

fn value(node: &Node) -> Result<settings::Node, (usize, String)> {
    let value = match &node.value {
        Kind::Null => {
            let message = "a value is missing here: null means nothing, so leave the key out";
            return Err((node.at, message.to_owned()));
        }
        Kind::Flag(flag) => NodeValue::Flag(*flag),
        #[expect(clippy::cast_possible_truncation, reason = "it is a whole number below 2^53")]
        Kind::Number(number) if number.fract() == 0.0 && number.abs() <= LARGEST => {
            NodeValue::Integer(*number as i64)
        }
        Kind::Number(number) => NodeValue::Float(*number),
        Kind::Text(text) => NodeValue::Text(text.clone()),
        Kind::List(items) => NodeValue::List(items.iter().map(value).collect::<Result<_, _>>()?),
        Kind::Table(entries) => {
            let mut read: Vec<SettingEntry> = Vec::new();
            for entry in entries {
                if read.iter().any(|other| other.key == entry.key) {
                    return Err((entry.key_at, format!("the key `{}` is there twice", entry.key)));
                }
                let key_span = entry.key_at..entry.key_at;
                let node = value(&entry.node)?;
                read.push(SettingEntry { key: entry.key.clone(), key_span, node });
            }
            NodeValue::Table(read)
        }
    };
    Ok(settings::Node { span: node.at..node.at, value })
}
