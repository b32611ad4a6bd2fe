//! Whatever is in a config, it loads or is an error with a place.

#![allow(
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::fs;
use std::path::{Path, PathBuf};

use hookgate::Registry;
use hookgate::config::{Loaded, Loader, join};
use hookgate_test_support::cases;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tempfile::TempDir;

use super::*;

/// Returns the configs of the corpus, each with its path below the folder of its project.
fn corpus() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/dialects/tests/configs");
    let mut found = Vec::new();
    for project in fs::read_dir(root).unwrap() {
        collect(&project.unwrap().path(), Path::new(""), &mut found);
    }
    assert!(found.len() >= 40);
    found
}

fn collect(project: &Path, below: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(project.join(below)).unwrap() {
        let path = below.join(entry.unwrap().file_name());
        let ending = path.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        if project.join(&path).is_dir() {
            collect(project, &path, found);
        } else if matches!(ending, "json" | "toml" | "yaml") {
            let text = fs::read_to_string(project.join(&path)).unwrap();
            found.push((path, text));
        }
    }
}

/// Returns a config in which some values are others.
fn changed() -> impl Strategy<Value = (PathBuf, String)> {
    let word = prop_oneof![
        Just(String::new()),
        Just("|".to_owned()),
        Just("*".to_owned()),
        Just("Bash|".to_owned()),
        Just("mcp__a".to_owned()),
        Just("!Bash".to_owned()),
        Just("a b, c".to_owned()),
        Just("[".to_owned()),
        Just("https://[".to_owned()),
        Just("http://localhost".to_owned()),
        Just("-1".to_owned()),
        "[\\PC]{0,8}",
    ];
    let change = (any::<prop::sample::Index>(), word);
    let changes = prop::collection::vec(change, 1..4);
    (prop::sample::select(corpus()), changes).prop_map(|((path, mut text), changes)| {
        for (place, word) in changes {
            // What is between two quotes is a key or a value.
            let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
            let pairs: Vec<(usize, usize)> =
                quotes.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            if pairs.is_empty() {
                continue;
            }
            let (start, end) = *place.get(&pairs);
            let word = word.replace(['"', '\\'], "'");
            text.replace_range(start + 1..end, &word);
        }
        (path, text)
    })
}

fn load(loader: Loader<'_>, path: &Path, strict: bool) -> Result<Loaded, ConfigErrors> {
    join(vec![read_text(loader, path, &hookgate::config::read(path)?, strict)?])
}

fn check(registry: &Registry, path: &Path, text: &str) -> Result<(), TestCaseError> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    let lines = text.matches('\n').count() + 1;
    for strict in [false, true] {
        match load(Loader::new(registry).allow_unverified(), &path, strict) {
            Ok(loaded) => {
                prop_assert!(!loaded.table.is_empty());
                for warning in &loaded.warnings {
                    prop_assert!((1..=lines).contains(&warning.line()), "{warning}");
                }
            }
            Err(errors) => {
                for error in errors.errors() {
                    if std::env::var_os("SHOW_ERRORS").is_some() {
                        eprintln!("{error}");
                    }
                    prop_assert!((1..=lines).contains(&error.line()), "{error}");
                    prop_assert_eq!(error.file(), path.to_str().unwrap());
                    prop_assert!(!error.message().is_empty());
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_changed_config_loads_or_is_an_error_with_a_place() {
    let registry = crate::kinds::registry();
    let config = ProptestConfig {
        cases: cases(60, 300),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = TestRunner::new(config);
    runner.run(&changed(), |(path, text)| check(&registry, &path, &text)).unwrap();
}
