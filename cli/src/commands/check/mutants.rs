//! Law: however a shipped config is damaged, it loads, or every mistake names file, line and column.
//!
//! `HOOKGATE_CONFIG_MUTANTS` says how many damaged configs are tried.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use hookgate::analysis::Options;
use hookgate::config::{Loader, base_of};
use hookgate::{HandlerTable, Registry};
use proptest::prelude::*;

use crate::config;

/// One way to damage a text. The numbers are taken modulo what there is.
#[derive(Debug, Clone)]
enum Damage {
    FlipBit(usize, u8),
    DeleteLine(usize),
    RepeatLine(usize, usize),
    SwapTokens(usize, usize),
    Cut(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let any = any::<usize>();
    prop_oneof![
        4 => (any, 0_u8..8).prop_map(|(at, bit)| Damage::FlipBit(at, bit)),
        2 => any.prop_map(Damage::DeleteLine),
        2 => (any, any).prop_map(|(line, at)| Damage::RepeatLine(line, at)),
        4 => (any, any).prop_map(|(a, b)| Damage::SwapTokens(a, b)),
        1 => any.prop_map(Damage::Cut),
    ]
}

/// Cuts a text before each byte at which something else begins: a word, a sign, a space.
fn tokens(text: &[u8]) -> Vec<Vec<u8>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.chunk_by(|a, b| is_word(a) && is_word(b)).map(<[u8]>::to_vec).collect()
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

impl Damage {
    fn apply(&self, text: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        match *self {
            Self::FlipBit(at, bit) => {
                let at = at % text.len();
                text[at] ^= 1 << bit;
            }
            Self::DeleteLine(line) => {
                let mut all = lines(text);
                all.remove(line % all.len());
                *text = all.concat();
            }
            Self::RepeatLine(line, at) => {
                let mut all = lines(text);
                let line = all[line % all.len()].clone();
                all.insert(at % (all.len() + 1), line);
                *text = all.concat();
            }
            Self::SwapTokens(a, b) => {
                let mut all = tokens(text);
                let (a, b) = (a % all.len(), b % all.len());
                all.swap(a, b);
                *text = all.concat();
            }
            Self::Cut(at) => text.truncate(at % text.len()),
        }
    }
}

/// Copies of the shipped examples, so that nothing is written beside them.
static EXAMPLES: LazyLock<(tempfile::TempDir, Vec<PathBuf>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples");
    let mut found = Vec::new();
    copy(&from, &folder.path().join("examples"), &mut found);
    found.sort();
    assert!(found.len() > 20, "{found:?}");
    (folder, found)
});

fn copy(from: &Path, to: &Path, found: &mut Vec<PathBuf>) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        if from.is_dir() {
            copy(&from, &to, found);
        } else {
            fs::copy(&from, &to).unwrap();
            if to.file_name().is_some_and(|name| name == "hooks.toml") {
                found.push(to);
            }
        }
    }
}

/// Loads a text as the config of an example; the table if it loads.
fn load(registry: &Registry, example: &Path, text: &[u8]) -> Option<HandlerTable> {
    let loader = Loader::new(registry).allow_unverified();
    let (name, loaded) = match std::str::from_utf8(text) {
        Ok(text) => {
            ("damaged.toml".to_owned(), loader.parse("damaged.toml", text, &base_of(example)))
        }
        // Only a file can be no text.
        Err(_) => {
            let file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
            fs::write(file.path(), text).unwrap();
            (file.path().display().to_string(), loader.load(file.path()))
        }
    };
    let shown = String::from_utf8_lossy(text);
    let end = shown.lines().count() + 1;
    let errors = match loaded {
        Ok(loaded) => return Some(loaded.table),
        Err(errors) => errors,
    };
    assert!(!errors.errors().is_empty());
    for error in errors.errors() {
        let (line, column) = (error.line(), error.column());
        assert_eq!(error.file(), name);
        assert!((1..=end).contains(&line), "line {line} of {end}: {error}");
        let length = shown.split('\n').nth(line - 1).map_or(0, |line| line.chars().count());
        assert!((1..=length + 1).contains(&column), "{line}:{column} of {length}: {error}");
        assert!(!error.message().is_empty());
    }
    None
}

fn cases() -> u32 {
    let number = std::env::var("HOOKGATE_CONFIG_MUTANTS").ok();
    number.and_then(|number| number.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn a_damaged_config_loads_or_names_the_places(
        example in any::<prop::sample::Index>(),
        damages in prop::collection::vec(damage(), 1..4),
    ) {
        static REGISTRY: LazyLock<Registry> = LazyLock::new(config::registry);
        let example = example.get(&EXAMPLES.1);
        let mut text = fs::read(example).unwrap();
        for damage in &damages {
            damage.apply(&mut text);
        }
        if let Some(table) = load(&REGISTRY, example, &text) {
            let analysis = table.analyze(&Options::new());
            prop_assert!(analysis.findings.iter().all(|found| found.line >= 1 && found.column >= 1));
        }
    }
}

/// Undamaged, they load; and one that is damaged on purpose does not.
#[test]
fn the_law_can_tell_good_from_bad() {
    let registry = config::registry();
    let guardrails =
        EXAMPLES.1.iter().find(|path| path.ends_with("guardrails/hooks.toml")).unwrap();
    let text = fs::read(guardrails).unwrap();
    assert!(load(&registry, guardrails, &text).is_some());
    let mut cut = text.clone();
    Damage::Cut(text.len() - 2).apply(&mut cut);
    assert!(load(&registry, guardrails, &cut).is_none());
}
