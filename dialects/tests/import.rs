//! Configs of the shapes that are found in the wild, imported, with the warnings that each deserves.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hookgate_dialects::import::{self, Agent, Import, ImportError, Options};

fn configs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/configs")
}

/// Returns the config of each folder, with the name of the folder.
fn all() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for folder in std::fs::read_dir(configs()).unwrap() {
        let folder = folder.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        found.push((name, config_in(&folder).expect("each folder has a config")));
    }
    found.sort();
    found
}

fn config_in(folder: &Path) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let is_config = |path: &&PathBuf| {
        path.extension().is_some_and(|ending| ending == "json" || ending == "toml" || ending == "yaml")
    };
    let here = entries.iter().find(is_config).cloned();
    here.or_else(|| entries.iter().filter(|path| path.is_dir()).find_map(|path| config_in(path)))
}

fn import(path: &Path, options: &Options) -> Import {
    import::import(path, &std::fs::read_to_string(path).unwrap(), options).unwrap()
}

/// Writes the warnings as the command line does, and the file.
fn shown(import: &Import, path: &Path) -> String {
    let folder = configs().to_string_lossy().into_owned();
    let mut text = String::new();
    let name = path.file_name().unwrap().to_string_lossy();
    for warning in &import.warnings {
        writeln!(text, "{name}:{}:{}: [{}] {}", warning.line, warning.column, warning.code, warning.meaning)
            .unwrap();
        writeln!(text, "    {}", warning.advice).unwrap();
    }
    let counts = format!("{}: {} hooks, {} left out", import.agent, import.hooks, import.left_out);
    writeln!(text, "--- {counts}\n{}", import.toml).unwrap();
    text.replace(&folder, "CONFIGS")
}

#[test]
fn every_config_has_the_warnings_that_it_deserves() {
    let all = all();
    assert!(all.len() >= 40, "{}", all.len());
    for (name, path) in all {
        insta::assert_snapshot!(name, shown(&import(&path, &Options::default()), &path));
    }
}
