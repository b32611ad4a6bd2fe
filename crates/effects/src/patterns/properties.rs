//! Laws of path patterns, for random paths, and of any pattern: a text is one, or an error.

use proptest::prelude::*;

use super::*;
use crate::effects::PathEffect;
use crate::paths::absolute;
use crate::word::{Word, WordPart};

fn folders() -> Folders {
    Folders { home: Some("/h".into()), cwd: Some("/h/w".into()), ..Folders::default() }
}

fn name() -> impl Strategy<Value = String> {
    "[a-c.]{0,2}[a-c]"
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(name(), 0..5).prop_map(|names| format!("/{}", names.join("/")))
}

fn loose_path() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![name(), Just(".".into()), Just("..".into()), Just(String::new())],
        0..8,
    )
    .prop_map(|names: Vec<String>| names.join("/"))
}

fn pattern() -> impl Strategy<Value = String> {
    let name =
        prop_oneof![name(), Just("*".to_owned()), Just("**".to_owned()), Just("[ab]?".to_owned())];
    (any::<bool>(), prop::collection::vec(name, 1..4))
        .prop_map(|(rooted, names)| format!("{}{}", if rooted { "/" } else { "" }, names.join("/")))
}

fn effect(path: Word) -> PathEffect {
    PathEffect {
        path,
        below: false,
        shown: true,
        follows: true,
        climbs: None,
        by: String::new(),
        run: None,
    }
}

fn ask(patterns: &[String], path: &str) -> Truth {
    let patterns = PathPatterns::parse(patterns).unwrap();
    patterns.matches(&effect(Word::text(path)), Deed::Read, &folders())
}

/// Words of globs, of regular expressions and of other systems, in any order.
fn any_text() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "rm", "git", "drop", " ", "(", ")", "|", "\\", "\\d", "\\w", "\\s+", "\\.", "*", "**", "?",
        "+", "^", "$", "[", "]", "{", "}", ",", "/", "~", ".", "-", "'", "\"", "`", "--", "=", ":",
        "%", "Bash(", "(?:", "!", "$HOME", "C:", "&&", "é",
    ];
    prop::collection::vec(prop::sample::select(WORDS), 0..9).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn any_text_is_a_pattern_or_an_error_that_says_something(text in any_text()) {
        let errors = [
            RunPatterns::parse(&[&text]).err(),
            PathPatterns::parse(&[&text]).err(),
            HostPatterns::parse(&[&text]).err(),
        ];
        for error in errors.into_iter().flatten() {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

proptest! {
    #[test]
    fn a_path_matches_itself(path in path()) {
        prop_assert_eq!(ask(std::slice::from_ref(&path), &path), Truth::True);
        prop_assert_eq!(ask(&[format!("{}/**", path.trim_end_matches('/'))], &path), Truth::True);
    }

    #[test]
    fn taking_out_is_certain(path in path(), pattern in pattern()) {
        prop_assert_eq!(ask(&[pattern.clone(), format!("!{pattern}")], &path), Truth::False);
    }

    #[test]
    fn known_paths_have_known_answers(path in path(), pattern in pattern()) {
        prop_assert_ne!(ask(&[pattern], &path), Truth::Unknown);
    }

    #[test]
    fn outside_is_the_complement_of_within(path in path(), pattern in pattern()) {
        let effect = effect(Word::text(path));
        let folder = [pattern];
        let within = PathPatterns::within(&folder).unwrap().matches(&effect, Deed::Write, &folders());
        let outside = PathPatterns::outside(&folder).unwrap().matches(&effect, Deed::Write, &folders());
        prop_assert_eq!(within, outside.not());
    }

    /// An answer for a path with an unknown part holds for whatever the part turns out to be.
    #[test]
    fn unknown_parts_are_covered(start in path(), middle in name(), end in name(), pattern in pattern()) {
        let mut word = Word::text(format!("{}/", start.trim_end_matches('/')));
        word.push(WordPart::Unknown { written: "$X".into(), splits: false, plain: false });
        word.push(WordPart::Text(end.clone()));
        let list = PathPatterns::parse(std::slice::from_ref(&pattern)).unwrap();
        let general = list.matches(&effect(word), Deed::Read, &folders());
        let special = ask(&[pattern], &format!("{}/{middle}{end}", start.trim_end_matches('/')));
        prop_assert!(general == Truth::Unknown || general == special);
    }

    #[test]
    fn absolute_paths_are_normal(path in loose_path()) {
        let once = absolute(&Word::text(path), Some("/h/w"));
        let known = once.known().unwrap().into_owned();
        prop_assert!(known.starts_with('/') && !known.contains("//"));
        prop_assert!(known == "/" || !known.ends_with('/'));
        prop_assert!(known.split('/').all(|name| name != "." && name != ".."));
        prop_assert_eq!(absolute(&once, Some("/x")), once);
    }
}
