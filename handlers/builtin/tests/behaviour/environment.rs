//! Promise: the builtins that describe where the agent works say what is there, and no more.

use std::fs;
use std::path::Path;

use hookgate_contract::payload::TurnStart;
use hookgate_contract::{BuiltHandler, Verdict};
use serde_json::{Value, json};

use crate::support::{build, invoke_at};

fn builtin(name: &str, settings: &Value) -> BuiltHandler {
    build(name, settings).unwrap()
}

/// What is added for the model in a folder.
fn context(built: &BuiltHandler, folder: &Path) -> Vec<String> {
    let verdict = invoke_at(built, &TurnStart::new(1), folder, 1).unwrap();
    verdict.into_parts().map(|parts| parts.context).unwrap_or_default()
}

#[test]
fn the_environment_is_that_of_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let built = builtin("add_environment_info", &json!({}));
    let text = context(&built, folder.path()).concat();
    assert!(text.contains(&format!("folder: {}\n", folder.path().display())), "{text}");
    assert!(text.contains("git repository: no\n"), "{text}");
    assert!(text.contains(&format!("system: {}\n", std::env::consts::OS)), "{text}");
    fs::create_dir_all(folder.path().join("a/b")).unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let text = context(&built, &folder.path().join("a/b")).concat();
    assert!(text.contains("git repository: yes\n"), "{text}");
    assert!(context(&built, Path::new("relative")).is_empty());
}

#[cfg(unix)]
#[test]
fn the_user_is_the_one_of_the_account() {
    let id = std::process::Command::new("id").arg("-un").output().unwrap().stdout;
    let text = context(&builtin("add_user_info", &json!({})), Path::new("/")).concat();
    let name = String::from_utf8(id).unwrap();
    assert!(text.starts_with(&format!("user: {}", name.trim())), "{text}");
    assert!(text.contains("\nmachine: "), "{text}");
}

#[test]
fn a_listing_is_sorted_and_bounded() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["b.rs", "a.rs", ".hidden", "z\nfake"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    fs::create_dir(folder.path().join("src")).unwrap();
    let title = format!("In {}:\n", folder.path().display());
    let built = builtin("add_directory_listing", &json!({}));
    assert_eq!(context(&built, folder.path()), [format!("{title}a.rs\nb.rs\nsrc/\nz?fake\n")]);
    let built = builtin("add_directory_listing", &json!({"most": 2}));
    assert_eq!(context(&built, folder.path()), [format!("{title}a.rs\nb.rs\nand 2 more\n")]);
    assert!(context(&built, &folder.path().join("src")).is_empty());
    assert!(context(&built, &folder.path().join("no")).is_empty());
}

#[test]
fn instructions_are_found_upwards_the_outermost_first() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("app/src");
    fs::create_dir_all(&inner).unwrap();
    fs::write(folder.path().join("AGENTS.md"), "outer").unwrap();
    fs::write(inner.join("AGENTS.md"), "inner").unwrap();
    fs::write(inner.join("STYLE.md"), " \n").unwrap();
    let built = builtin("add_prompt_files", &json!({"files": ["AGENTS.md", "STYLE.md"]}));
    let texts = context(&built, &inner);
    let expected = |path: &Path, text| format!("Instructions from {}:\n{text}", path.display());
    assert_eq!(
        texts,
        [
            expected(&folder.path().join("AGENTS.md"), "outer"),
            expected(&inner.join("AGENTS.md"), "inner")
        ]
    );
    assert!(context(&built, Path::new("/")).is_empty());
}

#[test]
fn nested_instructions_are_only_named() {
    let folder = tempfile::tempdir().unwrap();
    for place in ["a", "a/b", "a/b/c", ".hidden", "node_modules/x"] {
        fs::create_dir_all(folder.path().join(place)).unwrap();
        fs::write(folder.path().join(place).join("AGENTS.md"), "nested").unwrap();
    }
    let built = builtin("add_prompt_files", &json!({"depth": 2}));
    let expected = "Read these before you work in their folders:\na/AGENTS.md\na/b/AGENTS.md";
    assert_eq!(context(&built, folder.path()), [expected]);
}

#[test]
fn an_instruction_that_is_no_text_is_passed_over_and_a_long_one_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("AGENTS.md"), b"a\0b").unwrap();
    let built = builtin("add_prompt_files", &json!({"max_bytes": 4}));
    assert!(context(&built, folder.path()).is_empty());
    fs::write(folder.path().join("AGENTS.md"), "123456").unwrap();
    let text = context(&built, folder.path()).concat();
    assert!(text.ends_with(":\n1234\n[the rest of the file is left out]"), "{text}");
    #[cfg(unix)]
    {
        fs::remove_file(folder.path().join("AGENTS.md")).unwrap();
        let made =
            std::process::Command::new("mkfifo").arg(folder.path().join("AGENTS.md")).status();
        assert!(made.unwrap().success());
        assert!(context(&built, folder.path()).is_empty(), "a pipe does not block");
    }
    for wrong in ["/etc/passwd", "../AGENTS.md", "", "./a"] {
        let error = build("add_prompt_files", &json!({"files": wrong})).unwrap_err();
        assert!(error.contains("is not the name of a file"), "{wrong}: {error}");
    }
}

#[test]
fn without_a_folder_there_is_nothing_to_say() {
    for name in ["add_environment_info", "add_directory_listing", "add_prompt_files"] {
        let verdict = crate::support::invoke_at(
            &builtin(name, &json!({})),
            &TurnStart::new(1),
            Path::new("relative"),
            1,
        );
        assert_eq!(verdict, Ok(Verdict::none()), "{name}");
    }
}
