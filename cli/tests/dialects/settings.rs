//! The setting itself: what is wrong is told when the config is loaded.

use crate::support::Folder;

fn problems(event: &str, command: &str) -> String {
    let hook = format!("[[hook]]\nid = 'h'\nevent = '{event}'\ncommand = {{ {command} }}\n");
    let folder = Folder::with(&hook);
    let ended = folder.run(&["check"], "");
    String::from_utf8(ended.stdout).unwrap() + &String::from_utf8(ended.stderr).unwrap()
}

#[test]
fn a_mistake_is_told() {
    let cases = [
        ("pre_tool_use", "argv = ['true'], dialect = 'claud'", "did you mean `claude`?"),
        (
            "turn_boundary",
            "argv = ['true'], dialect = 'claude'",
            "has no event for `turn_boundary`",
        ),
        ("pre_tool_use", "argv = ['true'], dialect = 'claude', stdout = 'context'", "leave it out"),
        (
            "pre_tool_use",
            "argv = ['true'], dialect = 'claude', mode = 'worker'",
            "no agent has workers",
        ),
        (
            "pre_tool_use",
            "argv = ['true'], dialect = 'cursor', dialect_event = 'beforeReadFil'",
            "did you mean `beforeReadFile`?",
        ),
        (
            "pre_tool_use",
            "argv = ['true'], dialect = 'cursor', dialect_event = 'stop'",
            "`stop` is `stop` here, and no event of this hook",
        ),
        (
            "pre_tool_use",
            "argv = ['true'], dialect_event = 'stop'",
            "event of the agent in `dialect`, which",
        ),
    ];
    for (event, command, expected) in cases {
        let told = problems(event, command);
        assert!(told.contains(expected), "{command}: {told}");
    }
}

/// A script under the name of an event of another system is warned of, unless its agent is named.
#[test]
fn a_foreign_name_of_an_event_is_no_surprise_beside_a_dialect() {
    let without = problems("PreToolUse", "argv = ['true']");
    assert!(without.contains("is the name of"), "{without}");
    assert!(without.contains("dialect"), "{without}");
    let with = problems("PreToolUse", "argv = ['true'], dialect = 'claude'");
    assert!(!with.contains("is the name of"), "{with}");
    let by_kind = Folder::with(
        "[[hook]]\nid = 'h'\nevent = 'PreToolUse'\n\
         handler = { kind = 'command', argv = ['true'], dialect = 'claude' }\n",
    );
    let ended = by_kind.run(&["check"], "");
    assert!(ended.status.success(), "{ended:?}");
    assert!(!String::from_utf8(ended.stderr).unwrap().contains("is the name of"));
}
