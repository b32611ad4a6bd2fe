//! Which config is in force.

use crate::support::{POLICY, Session, Stdin, run};

fn deny(id: &str, reason: &str) -> String {
    format!(
        "[[hook]]\nid = '{id}'\nevent = 'pre_tool_use'\nbuiltin = {{ name = 'deny', reason = '{reason}' }}\n"
    )
}

fn reason(session: &Session) -> String {
    session.call("claude", "PreToolUse", "ls").text()
}

#[test]
fn the_config_is_found_from_the_folder_of_the_session_upwards() {
    let session = Session::new();
    session.write("a/b/c/file", "");
    session.write("hooks.toml", &deny("top", "from the top"));
    let mut envelope = session.envelope("PreToolUse", "ls");
    envelope["cwd"] = session.folder.path().join("a/b/c").to_str().unwrap().into();
    let text = envelope.to_string();
    let call = || session.run(&["hook", "--agent", "claude"], &Stdin::Text(text.as_bytes())).text();
    assert!(call().contains("from the top"));
    session.write("a/hooks.toml", &deny("near", "from nearby"));
    assert!(call().contains("from nearby") && !call().contains("from the top"));
    // A folder for such things goes first in its own folder only: nothing nearer is passed over because of it.
    session.write(".hookgate/hooks.toml", &deny("own", "from the folder"));
    assert!(call().contains("from nearby") && !call().contains("from the folder"));
    session.write("a/.hookgate/hooks.toml", &deny("both", "from the folder nearby"));
    assert!(call().contains("from the folder nearby"));
}

#[test]
fn drop_ins_count_without_a_config_beside_them() {
    let session = Session::with(&deny("users", "x").replace("pre_tool_use", "stop"));
    session.write(".hookgate/hooks.d/a.toml", &deny("alone", "from the drop-in"));
    assert!(reason(&session).contains("from the drop-in"));
}

#[test]
fn a_folder_that_is_gone_has_the_config_of_those_above() {
    let session = Session::in_project(&deny("top", "from above"));
    let mut envelope = session.envelope("PreToolUse", "ls");
    envelope["cwd"] = session.folder.path().join("gone/away").to_str().unwrap().into();
    let text = envelope.to_string();
    let answer = session.run(&["hook", "--agent", "claude"], &Stdin::Text(text.as_bytes()));
    assert!(answer.text().contains("from above"), "{answer:?}");
}

#[test]
fn the_configs_of_the_user_and_of_the_project_are_in_force_together() {
    let session = Session::in_project(POLICY);
    session.write_users(&deny("users", "the user says no"));
    let text = reason(&session);
    assert!(text.contains("the user says no"), "{text}");
    // That of the project is not instead of it, and not the other way round.
    session.write_users(&deny("users", "x").replace("pre_tool_use", "stop"));
    let pushed = session.call("claude", "PreToolUse", "git push --force").text();
    assert!(pushed.contains("force push"), "{pushed}");
    assert!(session.call("claude", "Stop", "").text().contains("\"reason\":\"x\""));
    // An id that both have could mean that one replaces the other. It does not: nobody knows.
    session.write_users(&POLICY.replace("force push", "that"));
    let text = reason(&session);
    assert!(text.contains("cannot be joined") && text.contains("no-force-push"), "{text}");
    // The same hook twice counts once.
    session.write_users(POLICY);
    let text = session.call("claude", "PreToolUse", "git push --force").text();
    assert!(text.contains("force push") && !text.contains("cannot be joined"), "{text}");
    // And a broken one is not left out.
    session.write_users("nonsense");
    assert!(reason(&session).contains("hookgate check -c"));
}

#[test]
fn a_config_that_is_named_is_in_force_alone() {
    let session = Session::in_project(&deny("project", "the project says no"));
    session.write("other.toml", &deny("other", "the other says no"));
    session
        .write("third.toml", &deny("third", "the third says no").replace("pre_tool_use", "stop"));
    let other = session.folder.path().join("other.toml");
    let third = session.folder.path().join("third.toml");
    let envelope = session.envelope("PreToolUse", "ls").to_string();
    let stdin = Stdin::Text(envelope.as_bytes());
    let by_option =
        session.run(&["hook", "--agent", "codex", "-c", other.to_str().unwrap()], &stdin);
    let mut command = session.command(&["hook", "--agent", "codex"]);
    let by_variable = run(command.env("HOOKGATE_CONFIG", &other), &stdin);
    for answer in [by_option, by_variable] {
        let text = answer.text();
        assert!(text.contains("the other says no") && !text.contains("the project"), "{text}");
    }
    let both =
        ["hook", "--agent", "codex", "-c", third.to_str().unwrap(), "-c", other.to_str().unwrap()];
    assert!(session.run(&both, &stdin).text().contains("the other says no"));
}
