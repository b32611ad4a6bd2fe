//! Laws: a pattern that is made of a step means that step, and a pattern that is broken is told.
//!
//! A command line is made at random and read by the real shell reader, so that the pattern meets what a step
//! has, and not what the pattern itself was read as.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::effects::{Effects, Surroundings};
use crate::manifests::Manifests;

fn around() -> Surroundings {
    Surroundings { cwd: Some("/home/u/p".into()), home: Some("/home/u".into()) }
}

fn effects_of(line: &str) -> Effects {
    Effects::of_call("Bash", &json!({ "command": line }), &around(), &Manifests::default())
}

/// A word of a line, and the words of a pattern that mean it.
#[derive(Debug, Clone)]
struct Meant {
    word: &'static str,
    patterns: Vec<String>,
}

fn meant(word: &'static str) -> Meant {
    let (start, end) = word.split_at(1);
    let patterns = vec![
        word.to_owned(),
        format!("{start}*"),
        format!("other|{word}"),
        format!("{{{word},other}}"),
        format!("?{end}"),
        "*".to_owned(),
        "**".to_owned(),
    ];
    Meant { word, patterns }
}

/// A command: its program with its sub-command, options, words, and words behind `--`.
fn command() -> impl Strategy<Value = (&'static str, Vec<&'static str>, Vec<Meant>, Vec<Meant>)> {
    let word =
        || prop::sample::select(vec!["alpha", "b.txt", "x1", "dir/c", "HEAD~1"]).prop_map(meant);
    let programs = vec![
        ("git push", vec!["--force", "-f", "--dry-run"]),
        ("git checkout", vec!["-q", "--force"]),
        ("rm", vec!["-r", "-f", "--verbose"]),
        ("sometool", vec!["--deep", "-x"]),
        ("cargo test", vec!["--release", "--workspace"]),
        ("/opt/bin/deploy", vec!["--now"]),
    ];
    prop::sample::select(programs).prop_flat_map(move |(program, options)| {
        (
            Just(program),
            prop::sample::subsequence(options, 0..=1),
            prop::collection::vec(word(), 0..3),
            prop::collection::vec(word(), 0..3),
        )
    })
}

fn ask(pattern: &str, line: &str) -> Truth {
    let list =
        RunPatterns::parse(&[pattern]).unwrap_or_else(|error| panic!("`{pattern}`: {error}"));
    list.find(&effects_of(line)).truth
}

proptest! {
    /// Every way to write a pattern for a command means it, and nothing is said of it.
    #[test]
    fn a_pattern_made_of_a_command_means_it(
        (program, options, words, behind) in command(),
        choices in prop::collection::vec(0..7_usize, 6),
        wrapped in prop::sample::select(vec!["", "sudo ", "cd x && ", "env A=1 "]),
    ) {
        let mut choices = choices.into_iter();
        let mut choose = |meant: &Meant| meant.patterns[choices.next().unwrap_or_default()].clone();
        let mut pattern = vec![program.to_owned()];
        let mut line = vec![program.to_owned()];
        for option in &options {
            pattern.push((*option).to_owned());
            line.push((*option).to_owned());
        }
        pattern.extend(words.iter().map(&mut choose));
        line.extend(words.iter().map(|meant| meant.word.to_owned()));
        if !behind.is_empty() {
            pattern.push("--".to_owned());
            line.push("--".to_owned());
            pattern.extend(behind.iter().map(&mut choose));
            line.extend(behind.iter().map(|meant| meant.word.to_owned()));
        }
        let (pattern, line) = (pattern.join(" "), format!("{wrapped}{}", line.join(" ")));
        prop_assert_eq!(ask(&pattern, &line), Truth::True, "`{}` of `{}`", pattern, line);
        let doubts = RunPatterns::parse(&[&pattern]).unwrap().doubts();
        prop_assert!(doubts.is_empty(), "`{}`: {:?}", pattern, doubts);
        // The control: another program, and a line without what stands behind `--`.
        prop_assert_eq!(ask(&pattern, "printf alpha"), Truth::False, "`{}`", pattern);
        if !behind.is_empty() {
            prop_assert_ne!(ask(&pattern, &line.replace(" -- ", " ")), Truth::True, "`{}`", pattern);
        }
    }

    /// A pattern in another syntax, or one that its list takes out again, is never taken without a word.
    #[test]
    fn a_broken_pattern_is_told(
        (program, options, words, _) in command(),
        how in 0..9_usize,
    ) {
        let mut pattern = program.to_owned();
        for part in options.iter().copied().chain(words.iter().map(|meant| meant.word)) {
            pattern = format!("{pattern} {part}");
        }
        let list = match how {
            0 => vec![format!("^{pattern}$")],
            1 => vec![format!("{pattern} (alpha|beta)")],
            2 => vec![format!("{pattern}\\s+x")],
            3 => vec![format!("{pattern} .+")],
            4 => vec![format!("{pattern} ~/x")],
            5 => vec![format!("{pattern} $HOME/x")],
            6 => vec![pattern.clone(), format!("!{}", program.split(' ').next().unwrap())],
            7 => vec![format!("{pattern} --[ab]*")],
            _ => vec![format!("{pattern} && ls")],
        };
        let told = match RunPatterns::parse(&list) {
            Err(_) => true,
            Ok(list) => !list.doubts().is_empty(),
        };
        prop_assert!(told, "{:?}", list);
    }

    /// Every way to write a pattern for a path means what a command does with it.
    #[test]
    fn a_pattern_made_of_a_path_means_it(
        names in prop::collection::vec(prop::sample::select(vec!["src", "a.rs", ".env", "x y", "é"]), 1..4),
        how in 0..8_usize,
        base in prop::sample::select(vec![("/", "/"), ("/home/u/p/", "$cwd/"), ("/home/u/", "~/")]),
    ) {
        let path = format!("{}{}", base.0, names.join("/"));
        let last = *names.last().unwrap();
        let tail = names.join("/");
        let own = base.1;
        let pattern = match how {
            0 => path.clone(),
            1 => format!("{own}{tail}"),
            2 => format!("**/{last}"),
            3 => last.to_owned(),
            4 => format!("{own}**"),
            5 => format!("{own}{{{tail},other}}"),
            6 => format!("{own}{}", vec!["?*"; names.len()].join("/")),
            _ => format!("{own}**/[!z]*"),
        };
        let list = PathPatterns::parse(&[&pattern]).unwrap_or_else(|error| panic!("`{pattern}`: {error}"));
        let folders = Folders {
            home: Some("/home/u".into()),
            cwd: Some("/home/u/p".into()),
            project: Some("/home/u/p".into()),
            ..Folders::default()
        };
        let found = list.find(&effects_of(&format!("cat '{path}'")), Deed::Read, &folders);
        prop_assert_eq!(found.truth, Truth::True, "`{}` of `{}`", pattern, path);
        prop_assert!(list.doubts().is_empty(), "`{}`: {:?}", pattern, list.doubts());
        // The control: the same list, which takes itself out again, and a path elsewhere.
        let nothing = PathPatterns::parse(&[pattern.clone(), format!("!{pattern}")]).unwrap();
        prop_assert_eq!(nothing.doubts().len(), 1, "`{}`", pattern);
        let elsewhere = list.find(&effects_of("cat /zzz/zz/z"), Deed::Read, &folders);
        if own != "/" || !matches!(how, 4 | 6 | 7) {
            prop_assert_eq!(elsewhere.truth, Truth::False, "`{}`", pattern);
        }
    }

    /// A path in the syntax of Windows or of a regular expression is refused.
    #[test]
    fn a_path_in_another_syntax_is_refused(
        names in prop::collection::vec("[a-z]{2,5}", 1..4),
        how in 0..6_usize,
    ) {
        let text = match how {
            0 => format!("C:\\{}", names.join("\\")),
            1 => format!("%APPDATA%\\{}", names.join("\\")),
            2 => format!("^/{}/.*$", names.join("/")),
            3 => format!("/{}\\.rs", names.join("/")),
            4 => format!("*.{}|*.x", names.join("|*.")),
            _ => format!("/{}/(a|b)", names.join("/")),
        };
        prop_assert!(PathPatterns::parse(&[&text]).is_err(), "{}", text);
    }
}
