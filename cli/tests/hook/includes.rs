//! Files that a config includes are as good as the config: no better, and no worse.

use crate::support::{Session, Stdin};

fn deny(id: &str, reason: &str) -> String {
    format!(
        "[[hook]]\nid = '{id}'\nevent = 'pre_tool_use'\nbuiltin = {{ name = 'deny', reason = '{reason}' }}\n"
    )
}

#[test]
fn a_file_that_is_included_is_in_force() {
    let session = Session::with("include = ['more.toml']\n");
    let more = session.home.path().join(".config/hookgate/more.toml");
    std::fs::write(&more, deny("more", "the second file says no")).unwrap();
    let answer = session.call("claude", "PreToolUse", "ls");
    assert!(answer.text().contains("the second file says no"), "{answer:?}");
    std::fs::remove_file(&more).unwrap();
    let answer = session.call("claude", "PreToolUse", "ls");
    assert!(answer.text().contains("more.toml` is not there"), "{answer:?}");
}

/// An include is no way around the question whether a project is trusted.
#[test]
fn a_program_in_a_file_that_a_project_includes_is_not_started() {
    let session = Session::in_project("include = ['policies/*.toml']\n");
    let mark = session.folder.path().join("started");
    let command = format!(
        "[[hook]]\nid = 'runs'\nevent = 'pre_tool_use'\ncommand = {{ argv = ['touch', '{}'], silence = 'failure' }}\n",
        mark.display()
    );
    session.write("policies/a.toml", &command);
    let answer = session.call("claude", "PreToolUse", "ls");
    assert!(answer.text().contains("nobody has said that the project is trusted"), "{answer:?}");
    assert!(!mark.exists());
    // Negative control: a config that is named is trusted.
    let config = session.folder.path().join("hooks.toml");
    let envelope = session.envelope("PreToolUse", "ls").to_string();
    let arguments = ["hook", "--agent", "claude", "-c", config.to_str().unwrap()];
    session.run(&arguments, &Stdin::Text(envelope.as_bytes()));
    assert!(mark.exists());
}

#[test]
fn a_file_that_is_included_is_protected_with_the_config() {
    let session = Session::with(
        "include = ['/policies/guard.toml']\n[[hook]]\nid = 'own'\nevent = 'pre_tool_use'\nbuiltin = 'protect_config'\n"
            .replace("/policies", "../../policies")
            .as_str(),
    );
    std::fs::create_dir(session.home.path().join("policies")).unwrap();
    let guard = session.home.path().join("policies/guard.toml");
    std::fs::write(&guard, deny("never", "x").replace("pre_tool_use", "stop")).unwrap();
    let change = |file: &std::path::Path| format!("echo > {}", file.display());
    let guard = guard.canonicalize().unwrap();
    let refused = session.call("claude", "PreToolUse", &change(&guard)).text();
    assert!(refused.contains("guard.toml"), "{refused}");
    // Negative control: a file beside it is nobody's business.
    let other =
        session.call("claude", "PreToolUse", &change(&guard.with_file_name("notes.md"))).text();
    assert!(!other.contains("deny"), "{other}");
}
