//! Promise: every verb has help, and every mistake on the command line its exit code.

use crate::support::Folder;

const VERBS: [&str; 19] = [
    "run",
    "eval",
    "effects",
    "check",
    "test",
    "list",
    "events",
    "builtins",
    "conditions",
    "schema",
    "init",
    "promote",
    "demo",
    "judge",
    "fmt",
    "lsp",
    "completions",
    "man",
    "ui",
];

#[test]
fn every_verb_explains_itself_with_an_example() {
    let folder = Folder::new();
    for verb in VERBS {
        let ended = folder.run(&[verb, "--help"], "");
        assert_eq!(ended.code(), 0);
        assert!(ended.out().contains(&format!("hookgate {verb}")), "{verb}");
        // `judge` has verbs of its own, which have the examples.
        let ended = if verb == "judge" { folder.run(&[verb, "eval", "--help"], "") } else { ended };
        assert!(ended.out().contains("Example"), "{verb}: {}", ended.out());
    }
    let ended = folder.run(&["--help"], "");
    assert!(VERBS.iter().all(|verb| ended.out().contains(verb)), "{}", ended.out());
    assert!(ended.out().contains("64 usage"));
    assert!(ended.out().contains("HOOKGATE_LOG=debug"));
    assert_eq!(folder.run(&["--version"], "").code(), 0);
}

#[test]
fn a_command_line_that_makes_no_sense_exits_with_64() {
    let folder = Folder::new();
    for args in [&[][..], &["rum"], &["run", "--wach"], &["schema"], &["run", "--only", "denied"]] {
        let ended = folder.run(args, "");
        assert_eq!((ended.code(), ended.out()), (64, ""), "{args:?}");
        assert!(!ended.err().is_empty());
    }
}
