//! Promise: a hook with a mistake is set aside by `run` and `eval`, the steps that it is about get its posture,
//! and the other hooks are in force; `check` and `test` refuse the config.

use serde_json::{Value, json};

use crate::support::{Ended, Folder, bash};

/// A guard with a mistake in its handler, and one without.
const BROKEN: &str = r#"
[[hook]]
id = "no-push"
event = "pre_tool_use"
tool = "Bash"
runs = "git push"
builtin = { name = "dney", reason = "no" }

[[hook]]
id = "no-rm"
event = "pre_tool_use"
runs = "rm"
builtin = { name = "deny", reason = "nothing is deleted" }
"#;

/// Where the mistake is.
const PLACE: &str = "hooks.toml:7:20: ";

fn decisions(ended: &Ended) -> Vec<Value> {
    ended.lines().iter().map(|line| json!([line["decision"], line["by"]])).collect()
}

#[test]
fn a_run_goes_on_without_a_hook_that_has_a_mistake() {
    let folder = Folder::with_hooks(BROKEN);
    let steps = ["ls", "rm x", "git push"].map(bash).join("\n");
    let ended = folder.run(&["run"], &steps);
    assert_eq!(
        decisions(&ended),
        [json!(["allow", []]), json!(["deny", ["no-rm"]]), json!(["deny", ["no-push"]])]
    );
    let reason = ended.lines()[2]["reason"].to_string();
    assert!(reason.contains(PLACE), "{reason}");
    // The mistake is told at the beginning, and that it matters at the end.
    assert!(ended.err().contains(PLACE), "{}", ended.err());
    let last = ended.err().lines().last().unwrap_or_default();
    assert!(last.contains("1 mistake") && last.contains("--strict"), "{}", ended.err());
    assert_eq!(ended.code(), 0, "every step was judged");

    let strict = folder.run(&["run", "--strict"], &steps);
    assert_eq!((strict.code(), strict.out()), (3, ""));
    assert!(strict.err().contains(PLACE), "{}", strict.err());
}

#[test]
fn one_step_is_judged_by_the_hooks_that_are_left() {
    let folder = Folder::with_hooks(BROKEN);
    for (command, code) in [("ls", 0), ("rm x", 2), ("git push", 2)] {
        let ended = folder.run(&["eval"], bash(command));
        assert_eq!(ended.code(), code, "{command}: {}", ended.err());
        assert!(ended.err().contains(PLACE), "{}", ended.err());
    }
    let alone = folder.run(&["eval", "--hook", "no-push"], bash("git push"));
    assert_eq!(alone.lines()[0]["votes"][0]["failure"], "spawn", "{}", alone.out());
    assert_eq!(folder.run(&["eval", "--strict"], bash("ls")).code(), 3);
}

/// The posture that the hook asks for counts, as far as it could be read.
#[test]
fn the_posture_of_the_hook_counts() {
    let folder =
        Folder::with_hooks(&BROKEN.replacen("builtin", "on_failure = \"ask\"\nbuiltin", 1));
    assert_eq!(folder.run(&["eval"], bash("git push")).code(), 4);
    assert_eq!(folder.run(&["eval"], bash("ls")).code(), 0);
}

#[test]
fn check_and_test_refuse_the_config() {
    let folder = Folder::with_hooks(BROKEN);
    folder.write(
        "hooks_test.toml",
        "[[case]]\nname = \"a\"\nevent = \"stop\"\ndecision = \"allow\"\n",
    );
    for verb in ["check", "test"] {
        let ended = folder.run(&[verb], "");
        assert_eq!(ended.code(), 3, "{verb}");
        assert!(ended.err().contains(PLACE), "{verb}: {}", ended.err());
    }
}

/// A mistake that may hide a guard is not set aside: nobody can tell what would be missing.
#[test]
fn a_mistake_outside_of_hooks_refuses_the_config() {
    let folder = Folder::with_hooks(&format!("nonsense = 1\n{BROKEN}"));
    for verb in ["run", "eval", "list"] {
        let ended = folder.run(&[verb], bash("ls"));
        assert_eq!((ended.code(), ended.out()), (3, ""), "{verb}");
    }
}

/// `why` says that the hook did not run, and where its mistake is.
#[test]
fn why_names_the_mistake() {
    let folder = Folder::with_hooks(BROKEN);
    let ended = folder.run(&["why", "no-push"], bash("git push"));
    let found = &ended.lines()[0];
    assert_eq!((&found["because"], &found["ran"]), (&json!("set_aside"), &json!(false)));
    assert!(found["set_aside"].as_str().unwrap().contains(PLACE), "{found}");
    assert!(found["why"].as_str().unwrap().contains("counts as deny"), "{found}");
    let without = folder.run(&["why", "no-push", "--no-run"], bash("git push"));
    assert_eq!(without.lines()[0]["because"], "set_aside");
    // A condition that is false is the reason for the step, and the mistake is there all the same.
    let other = folder.run(&["why", "no-push", "--table"], bash("ls"));
    assert!(other.out().contains("is false"), "{}", other.out());
    assert!(other.out().contains("it is set aside"), "{}", other.out());
    // A hook without a mistake is said to be in force by silence.
    let sound = folder.run(&["why", "no-rm", "--table"], bash("rm x"));
    assert!(!sound.out().contains("in force"), "{}", sound.out());
}

#[test]
fn why_names_a_project_that_is_not_trusted() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = \"lint\"\nevent = \"pre_tool_use\"\ncommand = { argv = [\"true\"] }\n",
    );
    let ask = |args: &[&str]| {
        let mut command = folder.hookgate(args);
        command.env("XDG_STATE_HOME", folder.path("state"));
        crate::support::run(command, bash("ls").as_bytes())
    };
    assert_eq!(ask(&["why", "lint"]).lines()[0]["trust"], "untrusted");
    let said = ask(&["why", "lint", "--table"]);
    for part in ["✓ it ran", "`hookgate hook` does not run it", "hookgate trust /"] {
        assert!(said.out().contains(part), "{part}: {}", said.out());
    }
    assert_eq!(ask(&["trust", "--yes"]).code(), 0);
    assert_eq!(ask(&["why", "lint"]).lines()[0]["trust"], "trusted");
    let said = ask(&["why", "lint", "--table"]);
    assert!(!said.out().contains("does not run it"), "{}", said.out());
}
