//! A project that nobody has said to be trusted starts nothing, sends nothing and changes nothing; what it
//! would have done is told.

mod agent;
mod ground;
mod handlers;
mod in_daemon;
mod lines;
mod matrix;
mod others;
mod places;
mod postures;
mod store;
mod unasked;
mod verb;

use hookgate_test_support::agent_rules::Reaction;

use crate::support::{Answer, Session, Stdin};

/// Handlers that a project must not have called, as they stand in its config. The first ones would leave a
/// file in the folder of the session.
const HANDLERS: [&str; 15] = [
    "command = { shell = 'touch ran' }",
    "command = { shell = 'touch ran', mode = 'worker' }",
    "builtin = { name = 'log', file = 'ran' }",
    "command = { argv = ['touch', 'ran'], of_tomorrow = true }",
    "builtin = 'snapshot'",
    "builtin = 'add_git_status'",
    "builtin = { name = 'add_prompt_files', files = ['/etc/passwd'] }",
    "builtin = { name = 'add_context', text = 'you may' }",
    "builtin = { name = 'rewrite', field = '/command', replace = 'a', with = 'b' }",
    "builtin = { name = 'answer', content = 'done' }",
    "builtin = { name = 'redact_secrets', tool_input = true, patterns = ['push'] }",
    "http = { url = 'http://127.0.0.1:9/hook' }",
    "prompt = { model = 'm', prompt = 'fine?' }",
    "handler = { kind = 'command', shell = 'touch ran' }",
    "handler = { kind = 'of-tomorrow', anything = 1 }",
];

/// What such a hook may say of itself to look harmless.
const EXCUSES: [&str; 5] = [
    "",
    "role = 'observe'",
    "role = 'observe'\nbackground = true",
    "mode = 'shadow'",
    "mode = 'warn'",
];

fn hook(events: &str, handler: &str, more: &str) -> String {
    format!("[[hook]]\nid = 'theirs'\nevent = {events}\n{more}\n{handler}\n")
}

/// The reason names the hook, its file, and what to do.
fn is_told(answer: &Answer, session: &Session) {
    let text = answer.text();
    let folder = session.folder.path().canonicalize().unwrap();
    let cure = format!("hookgate trust {}", folder.display());
    for part in ["`theirs`", "`hooks.toml`", &cure] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

fn has_run(session: &Session) -> bool {
    session.folder.path().join("ran").exists() || session.home.path().join("ran").exists()
}

#[test]
fn a_hook_that_does_more_than_refuse_is_a_refusal() {
    for handler in HANDLERS {
        for more in EXCUSES {
            let session = Session::in_project(&hook("'pre_tool_use'", handler, more));
            for agent in ["claude", "codex"] {
                let answer = session.call(agent, "PreToolUse", "ls");
                let blocks = answer.reaction(agent, "PreToolUse").blocks();
                assert!(blocks, "{handler} {more}: {answer:?}");
                is_told(&answer, &session);
            }
            assert!(!has_run(&session), "{handler} {more}");
        }
    }
}

/// The control: the same hooks are called if somebody names the file.
#[test]
fn a_file_that_is_named_is_used_as_it_is() {
    for handler in HANDLERS.iter().take(3) {
        let session = Session::in_project(&hook("'pre_tool_use'", handler, ""));
        let envelope = session.envelope("PreToolUse", "ls").to_string();
        let file = session.folder.path().join("hooks.toml");
        let arguments = ["hook", "--agent", "claude", "-c", file.to_str().unwrap()];
        session.run(&arguments, &Stdin::Text(envelope.as_bytes()));
        assert!(has_run(&session), "{handler}");
    }
}

#[test]
fn only_the_steps_that_it_is_about_are_refused() {
    let session = Session::in_project(&hook("'pre_tool_use'", HANDLERS[0], "tool = 'WebFetch'"));
    let answer = session.call("claude", "PreToolUse", "ls");
    assert_eq!((answer.exit, answer.text().as_str()), (Some(0), ""));
}

#[test]
fn where_nothing_can_be_refused_it_is_only_told() {
    for event in ["SessionStart", "SessionEnd", "SubagentStart", "Stop", "PreCompact"] {
        let session = Session::in_project(&hook("'*'", HANDLERS[0], ""));
        for agent in ["claude", "codex"] {
            let answer = session.call(agent, event, "ls");
            assert_eq!(answer.reaction(agent, event), Reaction::Nothing, "{event}: {answer:?}");
            is_told(&answer, &session);
        }
        assert!(!has_run(&session), "{event}");
    }
}

#[test]
fn hooks_that_can_only_refuse_are_called() {
    let refuses = [
        "builtin = { name = 'deny', reason = 'not here' }",
        "builtin = { name = 'ask', reason = 'not here' }",
        "builtin = { name = 'require', mark = 'tested', reason = 'not here' }",
    ];
    for handler in refuses {
        let session = Session::in_project(&hook("'pre_tool_use'", handler, ""));
        let answer = session.call("claude", "PreToolUse", "ls");
        assert!(answer.text().contains("not here"), "{handler}: {answer:?}");
    }
    for handler in ["builtin = 'audit'", "builtin = 'redact_secrets'", "builtin = 'protect_config'"]
    {
        let event = if handler.contains("redact") { "'post_tool_use'" } else { "'pre_tool_use'" };
        let session = Session::in_project(&hook(event, handler, ""));
        for event in ["PreToolUse", "PostToolUse"] {
            let answer = session.call("claude", event, "ls");
            assert_eq!((answer.exit, answer.text().as_str()), (Some(0), ""), "{handler}");
        }
    }
    let session = Session::in_project(&hook("'session_start'", "builtin = 'add_date'", ""));
    assert!(session.call("claude", "SessionStart", "").stdout.contains("additionalContext"));
}
