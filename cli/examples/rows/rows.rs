//! The rows of `docs/rows.toml`, and whether what they name is there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The file with the rows, from the folder of the workspace.
const FILE: &str = "docs/rows.toml";

/// How many lines above a function may belong to its attributes.
const ATTRIBUTES: usize = 12;

/// Something that hookgate must do.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// Its name: a letter and a number.
    pub(crate) id: String,
    /// What it is.
    pub(crate) feature: String,
    /// What shows it: tests as `file::function`, and files that are run in another way.
    pub(crate) shown_by: Vec<String>,
    /// What of it is not there yet, and who is to do it.
    pub(crate) open: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    row: Vec<Row>,
}

/// Returns the folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Reads the rows.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn read(root: &Path) -> Result<Vec<Row>, String> {
    let text = fs::read_to_string(root.join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
    parse(&text)
}

/// Reads rows from a text.
///
/// # Errors
/// It is no list of rows.
pub(crate) fn parse(text: &str) -> Result<Vec<Row>, String> {
    let file: File = toml::from_str(text).map_err(|error| format!("{FILE}: {error}"))?;
    Ok(file.row)
}

/// Takes what shows a row apart: the file, and the name of the test in it.
pub(crate) fn parts(proof: &str) -> (&str, Option<&str>) {
    match proof.split_once("::") {
        Some((file, name)) => (file, Some(name)),
        None => (proof, None),
    }
}

/// Says what is wrong with the rows: all of it.
pub(crate) fn problems(root: &Path, rows: &[Row]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut last: BTreeMap<char, u32> = BTreeMap::new();
    for row in rows {
        let mut letters = row.id.chars();
        let letter = letters.next().unwrap_or('?');
        let expected = last.get(&letter).map_or(1, |number| number + 1);
        if letters.as_str() != expected.to_string() {
            problems.push(format!("{}: the next row is {letter}{expected}", row.id));
        }
        last.insert(letter, expected);
        if row.shown_by.is_empty() && row.open.is_none() {
            problems
                .push(format!("{}: nothing shows it, and nothing says that it is open", row.id));
        }
        for proof in &row.shown_by {
            let missing = missing(root, proof);
            problems.extend(missing.map(|missing| format!("{}: {missing}", row.id)));
        }
    }
    if !last.keys().copied().eq('A'..='J') {
        problems.push(format!("the rows are of {:?}, and not of A to J", last.keys()));
    }
    problems
}

/// Says why something that shows a row is not there.
pub(crate) fn missing(root: &Path, proof: &str) -> Option<String> {
    let (file, name) = parts(proof);
    let path = root.join(file);
    let Some(name) = name else {
        return (!path.exists()).then(|| format!("there is no file `{file}`"));
    };
    match fs::read_to_string(&path) {
        Err(error) => Some(format!("`{file}` cannot be read: {error}")),
        Ok(text) if has_test(&text, name) => None,
        Ok(_) => Some(format!("`{file}` has no test `{name}` that runs")),
    }
}

/// Tells whether a source has a test of this name, which is not left out of a run.
fn has_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().collect();
    let is_it = |line: &&str| {
        let line = line.trim_start();
        let line = line.strip_prefix("pub ").unwrap_or(line);
        let line = line.strip_prefix("async ").unwrap_or(line);
        let rest = line.strip_prefix("fn ").and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with(['(', '<']))
    };
    let Some(at) = lines.iter().position(is_it) else { return false };
    let above = lines.get(at.saturating_sub(ATTRIBUTES)..at).unwrap_or_default();
    let own = above.iter().rev().map(|line| line.trim());
    let own: Vec<&str> =
        own.take_while(|line| !line.is_empty() && !line.starts_with('}')).collect();
    let has = |word: &str| own.iter().any(|line| line.starts_with("#[") && line.contains(word));
    (has("test]") || has("test(")) && !has("ignore")
}
