//! `[[disable]]`: hooks that this layer, or one below it, is to go without.
//!
//! ```toml
//! [[disable]]
//! id = "lint"
//! reason = "our own linter runs in CI"
//! ```
//!
//! A hook of a layer above is not reached by it: who may only add guards cannot take one away.

use std::ops::Range;

use hookgate_contract::settings::{Node, NodeValue, SettingProblem, Settings};

use super::problem::ConfigProblem;
use super::reader::Reader;

/// The key of the tables.
pub(super) const DISABLE: &str = "disable";

/// One hook that is switched off.
#[derive(Debug, Clone)]
pub(super) struct Disable {
    pub(super) id: String,
    /// The span of the id.
    pub(super) span: Range<usize>,
}

/// Reads all `[[disable]]` of a file.
pub(super) fn read_disables(reader: &mut Reader<'_>, settings: &mut Settings<'_>) -> Vec<Disable> {
    let Some(node) = settings.node(DISABLE) else { return Vec::new() };
    let NodeValue::List(items) = &node.value else {
        let problem = "must be written as `[[disable]]`, with two brackets".to_owned();
        let problem = SettingProblem::Invalid { key: DISABLE.to_owned(), problem };
        reader.error(node.span.clone(), ConfigProblem::Setting(problem));
        return Vec::new();
    };
    items.iter().filter_map(|item| read_disable(reader, item)).collect()
}

fn read_disable(reader: &mut Reader<'_>, item: &Node) -> Option<Disable> {
    let mut settings = Settings::new(item);
    let id = settings.required_text("id").map(str::to_owned);
    // It is for those who read the file.
    settings.text("reason");
    let span = settings.span_of("id");
    reader.finish(settings);
    Some(Disable { id: id?, span })
}
