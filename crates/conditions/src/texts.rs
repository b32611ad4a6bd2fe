//! Lists of texts in settings, each with its own span.

use std::ops::Range;

use hookgate_contract::settings::{Node, NodeValue, SettingError, SettingProblem, Settings};

/// A text of a config and its span.
#[derive(Debug, Clone)]
pub(crate) struct Text<'a> {
    /// The text.
    pub(crate) text: &'a str,
    /// Its span in the file.
    pub(crate) span: Range<usize>,
}

/// Reads a text or an array of texts. An empty array is noted as a mistake: it could mean all or
/// nothing.
pub(crate) fn texts<'a>(settings: &mut Settings<'a>, key: &'static str) -> Vec<Text<'a>> {
    let Some(node) = settings.node(key) else { return Vec::new() };
    match texts_of(node, key) {
        Ok(texts) => texts,
        Err(error) => {
            settings.absorb([error]);
            Vec::new()
        }
    }
}

/// Reads a text or an array of texts from a value.
pub(crate) fn texts_of<'a>(node: &'a Node, key: &str) -> Result<Vec<Text<'a>>, SettingError> {
    let items = match &node.value {
        NodeValue::Text(text) => return Ok(vec![Text { text, span: node.span.clone() }]),
        NodeValue::List(items) if items.is_empty() => {
            return Err(invalid(key, node.span.clone(), "it is empty: leave it out instead"));
        }
        NodeValue::List(items) => items,
        _ => return Err(wrong_type(node, key)),
    };
    let text = |item: &'a Node| match &item.value {
        NodeValue::Text(text) => Ok(Text { text, span: item.span.clone() }),
        _ => Err(wrong_type(item, key)),
    };
    items.iter().map(text).collect()
}

fn wrong_type(node: &Node, key: &str) -> SettingError {
    let expected = "a string or an array of strings";
    let problem = SettingProblem::Type { key: key.to_owned(), expected, found: node.kind() };
    SettingError { span: node.span.clone(), problem }
}

/// Makes the error of a value that makes no sense.
pub(crate) fn invalid(key: &str, span: Range<usize>, problem: impl Into<String>) -> SettingError {
    SettingError {
        span,
        problem: SettingProblem::Invalid { key: key.to_owned(), problem: problem.into() },
    }
}
