use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use hookgate::config::{Loader, parse_toml};
use proptest::prelude::*;
use serde_json::Value;
use toml_parser::parser::{Event, EventKind, parse_document};

use super::format;
use crate::kinds::registry;

fn formatted(text: &str) -> String {
    let once = format(text).unwrap();
    assert_eq!(format(&once).unwrap(), once, "{text}");
    once
}

#[test]
fn white_space_is_normal_and_all_else_stays() {
    for (text, expected) in [
        ("", ""),
        ("\n\n", ""),
        ("a=1", "a = 1\n"),
        ("  a . b  =  'x' #c ", "a.b = 'x' #c\n"),
        ("a={b=1,c={},}", "a = { b = 1, c = {} }\n"),
        ("a=[ 1,2 , [ ] ,]", "a = [1, 2, []]\n"),
        ("a=1\n[b]\n#x\nc=1\n", "a = 1\n\n[b]\n#x\nc = 1\n"),
        ("a=1\n# of b\n[ b ]", "a = 1\n\n# of b\n[b]\n"),
        ("# of all\n\n\n\n# of b\n[[b]]\n\n\n", "# of all\n\n# of b\n[[b]]\n"),
        ("a=1\r\n[b]\r\n", "a = 1\r\n\r\n[b]\r\n"),
        ("\u{feff}a=1", "\u{feff}a = 1\n"),
        ("a='''\n  x  \n'''   # c", "a = '''\n  x  \n'''   # c\n"),
    ] {
        assert_eq!(formatted(text), expected, "{text:?}");
    }
}

#[test]
fn an_array_on_several_lines_keeps_its_breaks() {
    let text = "a = [ # all\n\n   'x','y'   # two\n  # more\n,'z'\n\n]\n";
    assert_eq!(formatted(text), "a = [ # all\n  'x', 'y',  # two\n  # more\n  'z',\n]\n");
    assert_eq!(formatted("a = [\n1,2]"), "a = [\n  1, 2,\n]\n");
    assert_eq!(formatted("a = [1,\n2]"), "a = [1,\n  2]\n");
    let nested = "a=[{\nb=[\n1]}]";
    assert_eq!(formatted(nested), "a = [{\n  b = [\n    1,\n  ]\n}]\n");
}

#[test]
fn a_comment_keeps_its_column_if_there_is_room() {
    assert_eq!(formatted("a=1     # x"), "a = 1   # x\n");
    assert_eq!(formatted("abc=1  # x"), "abc = 1 # x\n");
    assert_eq!(formatted("a = 1\t\t# x"), "a = 1 # x\n");
}

#[test]
fn a_broken_text_is_told_with_its_places() {
    let wrong = format("a = 1\nb = \n").unwrap_err();
    assert_eq!(wrong.len(), 1);
    assert_eq!(wrong[0].0.start, 10);
    assert!(format("a = 1\na = 2\n").is_err());
}

/// The shipped configs, each with its folder.
static SHIPPED: LazyLock<Vec<(PathBuf, String)>> = LazyLock::new(shipped);

fn shipped() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("demo")];
    let examples = fs::read_dir(root.join("../examples")).unwrap();
    folders.extend(examples.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let files = files.map(|entry| entry.unwrap().path());
    let all: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|extension| extension == "toml"))
        .map(|file| (file.parent().unwrap().to_owned(), fs::read_to_string(&file).unwrap()))
        .collect();
    assert!(all.len() > 8, "{all:?}");
    all
}

/// What a config says: its hash, if it can be loaded here.
fn hash(folder: &Path, text: &str) -> Option<String> {
    let registry = registry();
    let loaded = Loader::new(&registry).parse("hooks.toml", text, folder).ok()?;
    Some(loaded.table.config_hash().to_string())
}

/// The comments of a text, and its values.
fn content(text: &str) -> (Vec<String>, Value) {
    let mut comments = Vec::new();
    let text = text.trim_start_matches('\u{feff}');
    let source = toml_parser::Source::new(text);
    let tokens = source.lex().into_vec();
    let mut take = |event: Event| {
        if event.kind() == EventKind::Comment {
            let span = event.span();
            let comment = text.get(span.start()..span.end()).unwrap();
            comments.push(comment.trim_end().to_owned());
        }
    };
    parse_document(&tokens, &mut take, &mut ());
    let (root, wrong) = parse_toml(text);
    assert!(wrong.is_empty(), "{wrong:?}");
    (comments, root.to_json())
}

#[test]
fn the_shipped_configs_mean_the_same_in_this_style() {
    let mut loaded = 0;
    for (folder, text) in &*SHIPPED {
        let after = formatted(text);
        assert_eq!(content(&after), content(text));
        let before = hash(folder, text);
        loaded += usize::from(before.is_some());
        assert_eq!(hash(folder, &after), before, "{text}");
        assert_eq!(&after, text, "a shipped file is in this style");
    }
    assert!(loaded > 4, "{loaded} can be loaded here");
}

/// What somebody who types changes in a text.
const TYPED: &[&str] = &[
    " ",
    "\t",
    "\n",
    "\n\n\n",
    "\r\n",
    "  # c\n",
    "\n# own\n",
    ",",
    "a=1\n",
    "[x.y]\n",
    "[[z]]\n",
    "[ 1,\n2 ,]",
    "{ a=1,b=[ ] }",
    "='''\n x \n'''\n",
    "é",
    ".",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// Twice is as once, nothing is lost, and what is loaded is the same.
    #[test]
    fn what_is_formatted_means_the_same(
        file in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..TYPED.len(), 0..4_usize), 1..5),
    ) {
        let (folder, text) = file.get(&SHIPPED);
        // A part of the file from a line on, so that changes are near each other.
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let start = from.index(lines.len());
        let mut text: Vec<char> = lines[start..].iter().take(12).flat_map(|line| line.chars()).collect();
        for (at, typed, removed) in changes {
            let at = at.index(text.len() + 1);
            let end = (at + removed).min(text.len());
            text.splice(at..end, TYPED[typed].chars());
        }
        let text: String = text.into_iter().collect();
        if let Ok(once) = format(&text) {
            prop_assert_eq!(&format(&once).unwrap(), &once, "{}", text);
            prop_assert_eq!(content(&once), content(&text), "{}", text);
            prop_assert_eq!(hash(folder, &once), hash(folder, &text), "{}", text);
            prop_assert!(once.lines().zip(once.lines().skip(1)).all(|(a, b)| {
                !(a.is_empty() && b.is_empty()) || once.contains("'''")
            }), "{}", text);
        }
    }
}
