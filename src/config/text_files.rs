//! Texts from a file in the place of a list: `contains = { file = "customers.txt" }`.
//!
//! The file has one text a line; empty lines and those that begin with `#` are left out. It is read with the config
//! and belongs to its hook: a host that watches the config loads it again when the file changes, and the config
//! hash is that of the texts.

use std::path::{Path, PathBuf};

use hookgate_contract::file;
use hookgate_contract::settings::{Node, NodeValue, SettingProblem};

use super::problem::ConfigProblem;
use super::reader::Reader;

/// The conditions in which tests are.
const CONDITIONS: [&str; 2] = ["input", "payload"];

/// The tests that take a list of texts.
const TESTS: [&str; 5] = ["contains", "starts_with", "ends_with", "glob", "one_of"];

/// The key of the file.
const FILE: &str = "file";

/// How large a file may be.
const LIMIT: u64 = 1 << 20;

/// How many texts it may have.
const MOST: usize = 10_000;

/// Puts the texts of files in the places of the files. Returns the hook and its files; `None` if it names none.
pub(super) fn expand(
    reader: &mut Reader<'_>,
    hook: &Node,
    base: &Path,
) -> Option<(Node, Vec<PathBuf>)> {
    names_file(hook).then(|| {
        let (mut hook, mut files) = (hook.clone(), Vec::new());
        conditions(reader, &mut hook, base, &mut files);
        (hook, files)
    })
}

/// Whether a file is named anywhere: most hooks name none.
fn names_file(node: &Node) -> bool {
    file_of(node).is_some()
        || match &node.value {
            NodeValue::Table(entries) => entries.iter().any(|entry| names_file(&entry.node)),
            NodeValue::List(items) => items.iter().any(names_file),
            _ => false,
        }
}

/// Returns the name in `{ file = "name" }`.
fn file_of(node: &Node) -> Option<&str> {
    match &node.value {
        NodeValue::Table(entries) => match entries.as_slice() {
            [entry] if entry.key == FILE => match &entry.node.value {
                NodeValue::Text(name) => Some(name),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn conditions(reader: &mut Reader<'_>, table: &mut Node, base: &Path, files: &mut Vec<PathBuf>) {
    let NodeValue::Table(entries) = &mut table.value else { return };
    for entry in entries {
        match (entry.key.as_str(), &mut entry.node.value) {
            ("not", _) => conditions(reader, &mut entry.node, base, files),
            ("any", NodeValue::List(tables)) => {
                tables.iter_mut().for_each(|table| conditions(reader, table, base, files));
            }
            (key, NodeValue::Table(pointers)) if CONDITIONS.contains(&key) => {
                for pointer in pointers {
                    tests(reader, &mut pointer.node, base, files);
                }
            }
            _ => {}
        }
    }
}

fn tests(reader: &mut Reader<'_>, table: &mut Node, base: &Path, files: &mut Vec<PathBuf>) {
    let NodeValue::Table(entries) = &mut table.value else { return };
    for entry in entries {
        if entry.key == "not" {
            tests(reader, &mut entry.node, base, files);
        }
        let Some(name) = file_of(&entry.node).filter(|_| TESTS.contains(&entry.key.as_str()))
        else {
            continue;
        };
        let path = base.join(name);
        let span = entry.node.span.clone();
        let texts = read(&path).unwrap_or_else(|problem| {
            let problem = SettingProblem::Invalid { key: FILE.to_owned(), problem };
            reader.error(span.clone(), ConfigProblem::Setting(problem));
            // The hook is refused; its other mistakes are found as well.
            vec![name.to_owned()]
        });
        let text = |text| Node { span: span.clone(), value: NodeValue::Text(text) };
        entry.node.value = NodeValue::List(texts.into_iter().map(text).collect());
        files.push(std::path::absolute(&path).unwrap_or(path));
    }
}

/// Reads the texts of a file.
fn read(path: &Path) -> Result<Vec<String>, String> {
    let text = file::read_text(path, LIMIT)
        .map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let texts: Vec<String> = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    match texts.len() {
        0 => Err(format!("`{}` has no text: nothing would be tested", path.display())),
        1..=MOST => Ok(texts),
        many => Err(format!("`{}` has {many} texts, and {MOST} is the limit", path.display())),
    }
}
