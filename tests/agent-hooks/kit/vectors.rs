//! The vectors, as they were published: of behaviour, and of host declarations.

use std::path::Path;

use serde_json::Value;

use crate::raw_numbers::marked;

/// Loads all vectors, those of declarations as well: what is left out is counted. The loader of the kit
/// would make floats of numbers beyond 64 bits.
pub(crate) fn load(kit: &Path) -> Vec<Value> {
    let folders = ["vectors", "declaration"].iter().map(|part| kit.join(part));
    let entries = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    assert!(files.len() >= 75, "all vectors of the release are there");
    let text = |file| std::fs::read_to_string(file).unwrap();
    files.into_iter().map(|file| serde_json::from_str(&marked(&text(file))).unwrap()).collect()
}
