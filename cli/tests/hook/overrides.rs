//! Promise: the command line of the hook can add hooks, and take away only what binds no more than it does; a
//! mistake in it is the agent's deny.

use crate::daemon::machine::{Daemon, WHO, until};
use crate::support::{Answer, POLICY, Session, Stdin, each_program, run};

const DENY_LS: &str = r#"{"entries": [{"id": "no-ls", "event": "pre_tool_use", "runs": "ls",
    "builtin": {"name": "deny", "reason": "not in this run"}}]}"#;

fn call(session: &Session, command: &str, more: &[&str]) -> Answer {
    let envelope = session.envelope("PreToolUse", command).to_string();
    let arguments = [&["hook", "--agent", "claude"], more].concat();
    session.run(&arguments, &Stdin::Text(envelope.as_bytes()))
}

fn blocks(answer: &Answer) -> bool {
    answer.reaction("claude", "PreToolUse").blocks()
}

#[test]
fn hooks_are_added_for_one_call() {
    let session = Session::in_project(POLICY);
    assert!(!blocks(&call(&session, "ls", &[])));
    let added = call(&session, "ls", &["--hooks-override-json", DENY_LS]);
    assert!(blocks(&added) && added.text().contains("not in this run"), "{added:?}");
    // Those of the config stay in force.
    assert!(blocks(&call(&session, "git push --force", &["--hooks-override-json", DENY_LS])));
    let file = session.home.path().join("extra.json");
    std::fs::write(&file, DENY_LS).unwrap();
    assert!(blocks(&call(&session, "ls", &["--hooks-override-file", file.to_str().unwrap()])));
}

#[test]
fn no_guard_of_a_layer_above_is_taken_away() {
    let session = Session::in_project(POLICY);
    for flag in ["--disable", "--shadow"] {
        let refused = call(&session, "ls", &[flag, "no-force-push"]);
        assert!(blocks(&refused), "{flag}: {refused:?}");
        assert!(refused.text().contains("a hook of the layer `project`"), "{flag}: {refused:?}");
    }
    let json = r#"{"disable": ["no-force-push"]}"#;
    assert!(blocks(&call(&session, "ls", &["--hooks-override-json", json])));
    // All that can be reached are none.
    assert!(blocks(&call(&session, "git push --force", &["--shadow", "all"])));
}

#[test]
fn a_hook_of_the_command_line_can_be_left_out() {
    let session = Session::new();
    let file = session.home.path().join("mine.toml");
    std::fs::write(&file, POLICY).unwrap();
    let named = ["-c", file.to_str().unwrap()];
    assert!(blocks(&call(&session, "git push --force", &named)));
    for less in [["--disable", "no-force-push"], ["--shadow", "no-force-push"], ["--shadow", "all"]]
    {
        let answer = call(&session, "git push --force", &[&named[..], &less].concat());
        assert!(!blocks(&answer), "{less:?}: {answer:?}");
    }
}

#[test]
fn a_mistake_in_an_override_refuses_the_step() {
    let session = Session::in_project(POLICY);
    for (more, said) in [
        (["--disable", "no-force-psuh"], "there is no hook `no-force-psuh`"),
        (["--hooks-override-json", "{"], "--hooks-override-json:1:"),
        (
            [
                "--hooks-override-json",
                r#"{"entries": [{"id": "a", "event": "stop", "mdoe": "off", "builtin": "audit"}]}"#,
            ],
            "unknown key `mdoe`",
        ),
        (["--hooks-override-file", "/no/such/file.json"], "/no/such/file.json"),
    ] {
        let refused = call(&session, "ls", &more);
        assert!(blocks(&refused), "{more:?}: {refused:?}");
        assert!(refused.text().contains(said), "{more:?}: {}", refused.text());
        assert!(refused.text().contains("mend it in the hook config of the agent"), "{refused:?}");
    }
}

/// A daemon keeps the table of the configs; a call that changes it judges for itself.
#[test]
fn a_daemon_is_not_asked() {
    each_program(|program| {
        let daemon = Daemon::with(program, WHO);
        daemon.started();
        until(|| daemon.by_daemon());
        let envelope = daemon.0.envelope("PreToolUse", "ls").to_string();
        let mut command = daemon.command("60");
        command.args(["--hooks-override-json", DENY_LS]);
        let own = run(&mut command, &Stdin::Text(envelope.as_bytes()));
        assert!(blocks(&own) && !own.text().contains("daemon"), "{own:?}");
        assert!(daemon.by_daemon(), "the next one asks it");
    });
}
