//! Path patterns against the effects of commands.

use super::*;
use crate::effects::{Effects, PathEffect, Unclear, UnclearWhat};
use crate::paths::absolute;
use crate::word::{Word, WordPart};

fn folders() -> Folders {
    Folders {
        home: Some("/home/u".into()),
        cwd: Some("/home/u/work".into()),
        project: Some("/home/u/work".into()),
        config: None,
        tmp: vec!["/tmp".into()],
    }
}

/// A path as a command has it: `<…>` is a glob, `{…}` is unknown.
fn word(text: &str) -> Word {
    let mut word = Word::default();
    for piece in text.split_inclusive(['>', '}']) {
        let (before, rest) = piece.split_at(piece.find(['<', '{']).unwrap_or(piece.len()));
        if !before.is_empty() {
            word.push(WordPart::Text(before.into()));
        }
        if let Some(glob) = rest.strip_prefix('<') {
            word.push(WordPart::Glob(glob.trim_end_matches('>').into()));
        } else if !rest.is_empty() {
            word.push(WordPart::Unknown { written: "$X".into(), splits: false, plain: false });
        }
    }
    word
}

fn effect(path: &str, below: bool) -> PathEffect {
    let path = absolute(&word(path), Some("/home/u/work"));
    PathEffect { path, below, shown: true, follows: true, climbs: None, by: "x".into(), run: None }
}

fn ask(patterns: &[&str], path: &str) -> Truth {
    PathPatterns::parse(patterns).unwrap().matches(&effect(path, false), Deed::Read, &folders())
}

fn ask_below(pattern: &str, path: &str, deed: Deed) -> Truth {
    PathPatterns::parse(&[pattern]).unwrap().matches(&effect(path, true), deed, &folders())
}

#[test]
fn patterns_anywhere() {
    for path in [".env", "a/.env", "/.env", "/x/y/.env", "~/../.env"] {
        assert_eq!(ask(&["**/.env"], path), Truth::True, "{path}");
        assert_eq!(ask(&[".env"], path), Truth::True, "{path}");
    }
    for path in ["x.env", ".env.example", ".env/x", "env"] {
        assert_eq!(ask(&["**/.env"], path), Truth::False, "{path}");
    }
    assert_eq!(ask(&["secrets/*.key"], "a/secrets/b.key"), Truth::True);
    assert_eq!(ask(&["secrets/*.key"], "a/secrets/b/c.key"), Truth::False);
    assert_eq!(ask(&["src/**/*.rs"], "src/a.rs"), Truth::True);
    assert_eq!(ask(&["src/**/*.rs"], "x/src/a/b/c.rs"), Truth::True);
    assert_eq!(ask(&["src/**/*.rs"], "srcs/a.rs"), Truth::False);
}

#[test]
fn patterns_of_a_place() {
    assert_eq!(ask(&["/etc/**"], "/etc"), Truth::True);
    assert_eq!(ask(&["/etc/**"], "/etc/a/b"), Truth::True);
    assert_eq!(ask(&["/etc/**"], "/etcetera"), Truth::False);
    assert_eq!(ask(&["/etc/"], "/etc/a"), Truth::True);
    assert_eq!(ask(&["~/.ssh/**"], "../.ssh/id_rsa"), Truth::True);
    assert_eq!(ask(&["$cwd/a"], "a"), Truth::True);
    assert_eq!(ask(&["$tmp/**"], "/tmp/x"), Truth::True);
    assert_eq!(ask(&["$config/**"], "/x"), Truth::False);
    assert_eq!(ask(&["/**"], "/"), Truth::True);
    assert_eq!(ask(&["/"], "/"), Truth::True);
    assert_eq!(ask(&["/"], "/a"), Truth::False);
    assert_eq!(ask(&["/{a,b}/c[0-9]"], "/b/c7"), Truth::True);
}

#[test]
fn taking_out() {
    let list = ["**/.env", "**/.env.*", "!**/.env.example"];
    assert_eq!(ask(&list, ".env.local"), Truth::True);
    assert_eq!(ask(&list, ".env.example"), Truth::False);
    assert_eq!(ask(&list, ".env.{x}"), Truth::Unknown);
}

#[test]
fn globs_and_unknown_parts_of_commands() {
    assert_eq!(ask(&["/etc/**"], "/etc/<*>"), Truth::True);
    assert_eq!(ask(&["/etc/**"], "/et<*>"), Truth::Unknown);
    assert_eq!(ask(&["/etc/passwd"], "/etc/pass<*>"), Truth::Unknown);
    assert_eq!(ask(&["/etc/**"], "/etc/{x}/y"), Truth::True);
    assert_eq!(ask(&["**/.env"], "src/{x}.rs"), Truth::False);
    assert_eq!(ask(&["**/.env"], "{x}"), Truth::Unknown);
    // `*` of a shell leaves names with a dot in front alone.
    assert_eq!(ask(&["**/.env"], "<*>"), Truth::False);
    assert_eq!(ask(&["**/.env"], "a/<*>"), Truth::False);
    assert_eq!(ask(&["**/.env"], ".e<*>"), Truth::Unknown);
    assert_eq!(ask(&["**/*.pem"], "<*>"), Truth::Unknown);
}

#[test]
fn effects_that_go_below() {
    assert_eq!(
        ask_below("~/.claude/settings.json", "~/../../home/u/.claude", Deed::Delete),
        Truth::False
    );
    assert_eq!(ask_below("~/.claude/settings.json", "/home/u/.claude", Deed::Delete), Truth::True);
    assert_eq!(ask_below("~/.ssh/**", "/home/u", Deed::Read), Truth::True);
    assert_eq!(ask_below("~/.ssh/id_*", "/home/u/.ssh", Deed::Delete), Truth::True);
    assert_eq!(ask_below("~/.ssh/id_*", "/home/u/.ssh", Deed::Read), Truth::Unknown);
    assert_eq!(ask_below("~/.ssh/**", "/home/u/<*>", Deed::Delete), Truth::False);
    assert_eq!(ask_below("~/.ssh/**", "/home/u/.s<*>", Deed::Delete), Truth::True);
    assert_eq!(ask_below("$cwd/**", "/home", Deed::Delete), Truth::True);
    assert_eq!(ask_below("/etc/**", "/tmp/x", Deed::Delete), Truth::False);
    // What may be in any folder.
    assert_eq!(ask_below("**/.env", ".", Deed::Read), Truth::False);
    assert_eq!(ask_below("$cwd/**/.env", ".", Deed::Read), Truth::False);
    assert_eq!(ask_below("**/.env", ".", Deed::Delete), Truth::Unknown);
    assert_eq!(ask_below("**/.env", "build", Deed::Delete), Truth::False);
    assert_eq!(ask_below("**/.git/**", "/", Deed::Delete), Truth::Unknown);
}

#[test]
fn folders_within_and_outside() {
    let outside = PathPatterns::outside(&["$cwd", "$tmp"]).unwrap();
    let answer = |path: &str| outside.matches(&effect(path, false), Deed::Write, &folders());
    assert_eq!(answer("a/b"), Truth::False);
    assert_eq!(answer("/tmp"), Truth::False);
    assert_eq!(answer("../other"), Truth::True);
    assert_eq!(answer("/home/u/working"), Truth::True);
    assert_eq!(answer("src/{x}"), Truth::False);
    assert_eq!(answer("{x}"), Truth::Unknown);
    let within = PathPatterns::within(&["src"]).unwrap();
    let answer = |path: &str| within.matches(&effect(path, false), Deed::Write, &folders());
    assert_eq!(answer("src/a/b"), Truth::True);
    assert_eq!(answer("a/src"), Truth::True);
    assert_eq!(answer("a"), Truth::False);
    let within = PathPatterns::within(&["$cwd"]).unwrap();
    assert_eq!(within.matches(&effect("/", true), Deed::Delete, &folders()), Truth::True);
}

#[test]
fn an_unknown_folder_is_unknown() {
    let nowhere = Folders::default();
    let ask = |pattern: &str| {
        PathPatterns::parse(&[pattern]).unwrap().matches(&effect("a", false), Deed::Read, &nowhere)
    };
    assert_eq!(ask("~/.ssh/**"), Truth::Unknown);
    assert_eq!(ask("$cwd/x"), Truth::Unknown);
    assert_eq!(ask("$project/x"), Truth::False);
}

#[test]
fn mentions_and_unclear_effects_are_unknown_at_most() {
    let patterns = PathPatterns::parse(&["**/.env"]).unwrap();
    let find = |effects: &Effects| patterns.find(effects, Deed::Read, &folders());
    let mut effects = Effects { mentions: vec![effect("build", false)], ..Effects::default() };
    assert_eq!(find(&effects).truth, Truth::False);
    effects.mentions.push(effect(".env", false));
    assert_eq!(find(&effects), Found { truth: Truth::Unknown, cause: Some(Cause::Mention(1)) });
    effects.reads.push(effect(".env", false));
    assert_eq!(find(&effects), Found { truth: Truth::True, cause: Some(Cause::Read(0)) });
    let unclear = |what| Effects {
        unclear: vec![Unclear { what, why: String::new(), run: None }],
        ..Effects::default()
    };
    assert_eq!(find(&unclear(UnclearWhat::Program)).truth, Truth::Unknown);
    assert_eq!(find(&unclear(UnclearWhat::Writes)).truth, Truth::False);
}

#[test]
fn faults_have_their_place() {
    let fault = |pattern: &str| PathPatterns::parse(&["ok", pattern]).unwrap_err();
    assert_eq!((fault("a/../b").index, fault("a/../b").offset), (1, 2));
    assert_eq!(fault("!a/[b").offset, 3);
    assert_eq!(fault("$cdw/x").fault, PatternFault::Variable("cdw".into()));
    assert_eq!(fault("~root/x").fault, PatternFault::OtherHome("~root".into()));
    assert_eq!(fault(" a").fault, PatternFault::Space);
    assert!(matches!(fault(r".*\.env$").fault, PatternFault::Regex { .. }));
    assert_eq!(PathPatterns::parse(&["!a"]).unwrap_err().fault, PatternFault::OnlyNegative);
}

#[test]
fn a_list_that_means_no_path_is_doubtful() {
    let doubts = |patterns: &[&str]| PathPatterns::parse(patterns).unwrap().doubts().len();
    assert_eq!(doubts(&["**/.env", "!**/.*"]), 1);
    assert_eq!(doubts(&["/etc/**", "*.pem", "!/etc"]), 0);
    assert_eq!(doubts(&["/etc/passwd", "*.pem", "!/etc/**"]), 1);
    assert_eq!(doubts(&["~/.ssh/**", "!**/*.pub"]), 0);
    assert_eq!(doubts(&["src/*.{rs,toml}", "[!a-z]?", "$tmp/**", "**"]), 0);
    assert_eq!(PathPatterns::outside(&["/"]).unwrap().doubts().len(), 1);
    assert_eq!(PathPatterns::outside(&["$cwd", "$tmp"]).unwrap().doubts(), []);
    let hosts = |patterns: &[&str]| HostPatterns::parse(patterns).unwrap().doubts().len();
    assert_eq!((hosts(&["a.com", "!*.com", "!a.com"]), hosts(&["*", "!localhost"])), (1, 0));
    assert_eq!(HostPatterns::outside(&["*"]).unwrap().doubts().len(), 1);
}
