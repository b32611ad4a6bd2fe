//! What is said of a config that can be loaded, beyond the warnings of the loader.

use std::path::{Path, PathBuf};

use hookgate::HandlerTable;
use hookgate::config::ConfigError;
use serde_json::Value;

use super::texts::Texts;
use super::{ownership, syntax, tool_names};
use crate::kinds::manifests;

/// Returns what may not be intended in the text of a config, each as an entry of the warnings: with line,
/// column, message and help. `problem_of` says what is wrong with a script that one of these files runs.
pub(crate) fn remarks(
    config: &Path,
    text: &str,
    table: &HandlerTable,
    warnings: &[ConfigError],
    problem_of: &mut dyn FnMut(&Path, &[PathBuf]) -> Option<String>,
) -> Vec<Value> {
    let mut texts = Texts::with(config, text);
    let exposed = ownership::exposed(&[config.to_owned()], table, warnings);
    let unreadable = syntax::unreadable(&mut texts, table, problem_of);
    let mistyped = tool_names::mistyped(&mut texts, table, &manifests(table), warnings);
    let all = exposed.into_iter().chain(unreadable).chain(mistyped);
    all.map(|entry| entry.to_json()).collect()
}
