//! Promise: completions and manual pages have every verb, and shells and groff can read them; the schema
//! in the repository is the one that is printed.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::support::{Folder, repository, run};

/// The verbs that `--help` lists.
fn verbs(folder: &Folder) -> BTreeSet<String> {
    let ended = folder.run(&["--help"], "");
    let (_, rest) = ended.out().split_once("Commands:\n").unwrap();
    let verbs: BTreeSet<String> = rest
        .lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .collect();
    assert!(verbs.len() > 20 && verbs.contains("check"), "{verbs:?}");
    verbs
}

#[test]
fn each_shell_gets_a_script_with_every_verb() {
    let folder = Folder::new();
    let verbs = verbs(&folder);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ended = folder.run(&["completions", shell], "");
        assert_eq!((ended.code(), ended.err()), (0, ""), "{shell}");
        let missing: Vec<_> = verbs.iter().filter(|verb| !ended.out().contains(*verb)).collect();
        assert!(missing.is_empty(), "{shell}: {missing:?}");
        folder.write(shell, ended.out());
    }
    assert_eq!(folder.run(&["completions", "tcsh"], "").code(), 64);
    for (shell, args) in [("bash", &["-n"][..]), ("zsh", &["-n"]), ("fish", &["--no-execute"])] {
        // Few machines have all of them.
        let is_there = Command::new(shell).arg("--version").output().is_ok();
        if is_there {
            let mut command = Command::new(shell);
            command.args(args).arg(folder.path(shell));
            let ended = run(command, b"");
            assert_eq!((ended.code(), ended.err()), (0, ""), "{shell}");
        }
    }
}

/// Bash completes a verb and an option, as on a terminal.
#[test]
fn bash_completes_a_verb_and_its_option() {
    if !hookgate_test_support::needs::program("bash") {
        return;
    }
    let folder = Folder::new();
    let script = folder.write("script", folder.run(&["completions", "bash"], "").out());
    let complete = |words: &str, at: usize| {
        let text = format!(
            ". {}; COMP_WORDS=({words}); COMP_CWORD={at}; _hookgate hookgate \"${{COMP_WORDS[{at}]}}\" \
             \"${{COMP_WORDS[{}]}}\"; echo \"${{COMPREPLY[@]}}\"",
            script.display(),
            at - 1
        );
        let mut command = Command::new("bash");
        command.args(["--norc", "-c", &text]);
        run(command, b"").out().trim().to_owned()
    };
    assert_eq!(complete("hookgate comp", 1), "completions");
    assert_eq!(complete("hookgate fmt --che", 2), "--check");
}

#[test]
fn every_verb_has_a_page_that_groff_can_read() {
    let folder = Folder::new();
    let verbs = verbs(&folder);
    let ended = folder.run(&["man", "--dir", "pages/man1"], "");
    assert_eq!((ended.code(), ended.err()), (0, ""));
    let main = folder.run(&["man"], "");
    let file = |name: &str| fs::read_to_string(folder.path("pages/man1").join(name)).unwrap();
    assert_eq!(main.out(), file("hookgate.1"));
    let has_groff = hookgate_test_support::needs::program("groff");
    for verb in verbs.iter().filter(|verb| *verb != "help") {
        assert!(main.out().contains(&format!("hookgate\\-{verb}(1)")), "{verb}");
        let page = file(&format!("hookgate-{verb}.1"));
        assert!(page.contains(".SH NAME") && page.is_ascii(), "{verb}");
    }
    // `reference` is for those who work on this program.
    assert!(!main.out().contains("hookgate\\-reference"));
    if has_groff {
        for entry in fs::read_dir(folder.path("pages/man1")).unwrap() {
            let mut command = Command::new("groff");
            command.args(["-man", "-Tutf8", "-ww", "-z"]).arg(entry.unwrap().path());
            let ended = run(command, b"");
            assert_eq!((ended.code(), ended.err()), (0, ""));
        }
    }
}

/// Editors take it from there. To renew it: `hookgate schema config > docs/schema/hooks.schema.json`. The kinds of
/// policies that a program is built with if it is asked to are left to the file: it knows them as settings of any
/// name, or with all of theirs.
#[test]
fn the_schema_in_the_repository_is_the_one_that_is_printed() {
    let file = fs::read_to_string(repository().join("docs/schema/hooks.schema.json")).unwrap();
    let printed = Folder::new().run(&["schema", "config"], "");
    let [file, printed] = [&file, printed.out()].map(|text| {
        let mut schema: Value = serde_json::from_str(text).unwrap();
        for kind in ["Cedar", "Rego"] {
            let taken = schema["$defs"].as_object_mut().unwrap().remove(kind);
            assert!(taken.is_some(), "{kind}");
        }
        schema
    });
    assert!(file == printed, "the schema of hooks.toml has changed");
}
