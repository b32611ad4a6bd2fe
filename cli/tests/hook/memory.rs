//! What hooks count and remember is the same for all processes of a session: one after the other, two at once,
//! and with a daemon. What was tampered with is a failure and never "nothing so far".

use std::fs;
use std::sync::Barrier;
use std::thread;

use hookgate_test_support::model_server::{Mode, Server};
use rusqlite::Connection;

use super::daemon::machine::{Daemon, until};
use crate::support::{Answer, POLICY, Session, Stdin, each_program, run};

/// A hook at `pre_tool_use` that lets one call pass and stops each one after it.
const OF_ONE: [(&str, &str); 4] = [
    ("limit of calls", "builtin = { name = 'limit', of = 'calls', over = 1, then = 'deny' }"),
    (
        "limit in a window",
        "builtin = { name = 'limit', of = 'calls', over = 1, per = '1h', then = 'deny' }",
    ),
    ("max_iterations", "builtin = { name = 'max_iterations', limit = 1 }"),
    ("count", "count = { over = 1 }\nbuiltin = { name = 'deny', reason = 'once' }"),
];

fn policy(hook: &str) -> String {
    format!("[[hook]]\nid = 'once'\nevent = 'pre_tool_use'\n{hook}\n")
}

/// Two rounds of the same marks: the first call passes, and what comes after it is stopped.
const MARKS: &str = "[[hook]]\nid = 'ran'\nevent = 'pre_tool_use'\nmark = 'ran'\nbuiltin = 'audit'\n\
    [[hook]]\nid = 'once'\nevent = 'pre_tool_use'\nmarked = 'ran'\n\
    builtin = { name = 'deny', reason = 'it ran already' }\n";

fn all() -> Vec<(&'static str, String)> {
    let mut all: Vec<_> = OF_ONE.iter().map(|(name, hook)| (*name, policy(hook))).collect();
    all.push(("mark", MARKS.to_owned()));
    all
}

fn call(session: &Session, agent: &str, number: usize) -> Answer {
    call_in(session, agent, "s-1", number)
}

fn call_in(session: &Session, agent: &str, id: &str, number: usize) -> Answer {
    let mut envelope = session.envelope(event_of(agent), "ls");
    envelope["session_id"] = id.into();
    envelope["tool_use_id"] = format!("call-{number}").into();
    let text = envelope.to_string();
    session.run(&["hook", "--agent", agent], &Stdin::Text(text.as_bytes()))
}

fn event_of(agent: &str) -> &'static str {
    if agent == "gemini" { "BeforeTool" } else { "PreToolUse" }
}

fn blocks(answer: &Answer, agent: &str) -> bool {
    answer.reaction(agent, event_of(agent)).blocks()
}

#[test]
fn a_limit_of_one_stops_the_second_process() {
    for (name, policy) in all() {
        for agent in ["claude", "codex", "gemini"] {
            let session = Session::with(&policy);
            let calls: Vec<_> = (0..3).map(|number| call(&session, agent, number)).collect();
            let stopped: Vec<_> = calls.iter().map(|answer| blocks(answer, agent)).collect();
            assert_eq!(stopped, [false, true, true], "{name}, {agent}: {calls:?}");
            // The control: another session has calls of its own.
            let other = call_in(&session, agent, "s-2", 9);
            assert!(!blocks(&other, agent), "{name}, {agent}: {other:?}");
        }
    }
}

#[test]
fn of_two_processes_at_once_one_passes_a_limit_of_one() {
    for (name, hook) in OF_ONE {
        for round in 0..3 {
            let session = Session::with(&policy(hook));
            let start = Barrier::new(2);
            let one = |number: usize| {
                start.wait();
                call(&session, "claude", number)
            };
            let one = &one;
            let answers: Vec<Answer> = thread::scope(|scope| {
                let both: Vec<_> = (0..2).map(|n| scope.spawn(move || one(n))).collect();
                both.into_iter().map(|one| one.join().unwrap()).collect()
            });
            let passed = answers.iter().filter(|answer| !blocks(answer, "claude")).count();
            assert_eq!(passed, 1, "{name}, round {round}: {answers:?}");
        }
    }
}

/// The call that starts the daemon judges by itself, and counts.
#[test]
fn a_daemon_counts_on_where_the_call_that_started_it_has_counted() {
    for (name, hook) in OF_ONE {
        each_program(|program| {
            let daemon = Daemon::with(program, &policy(hook));
            let step = |number: usize| {
                let mut envelope = daemon.0.envelope("PreToolUse", "ls");
                envelope["tool_use_id"] = format!("call-{number}").into();
                let text = envelope.to_string();
                let stdin = Stdin::Text(text.as_bytes());
                run(&mut daemon.command("60"), &stdin)
            };
            assert!(!blocks(&step(0), "claude"), "{name}");
            until(|| !daemon.sockets().is_empty());
            let second = step(1);
            assert!(blocks(&second, "claude"), "{name}: {second:?}");
            // And a process without a daemon after it.
            assert!(blocks(&call(&daemon.0, "claude", 2), "claude"), "{name}");
        });
    }
}

#[test]
fn what_was_tampered_with_is_a_failure_and_not_zero() {
    let denies: Vec<_> = all().into_iter().filter(|(name, _)| *name != "mark").collect();
    for (name, policy) in &denies {
        for (what, tamper) in TAMPERING {
            let session = Session::with(policy);
            assert!(!blocks(&call(&session, "claude", 0), "claude"));
            call_in(&session, "claude", "s-2", 0);
            let earlier = session.home.path().join("earlier.db");
            let kept = state(&session);
            kept.execute("VACUUM INTO ?1", [earlier.to_str().unwrap()]).unwrap();
            assert!(blocks(&call(&session, "claude", 1), "claude"));
            kept.execute("ATTACH ?1 AS earlier", [earlier.to_str().unwrap()]).unwrap();
            kept.execute_batch(tamper).unwrap();
            let after = call(&session, "claude", 2);
            assert!(blocks(&after, "claude"), "{name}, {what}: {after:?}");
            assert!(after.text().contains("new session"), "{name}, {what}: {after:?}");
            // The control: it is about that session alone.
            let other = call_in(&session, "claude", "s-3", 0);
            assert!(!blocks(&other, "claude"), "{name}, {what}: {other:?}");
        }
    }
}

/// The database of what is kept, as another program opens it.
fn state(session: &Session) -> Connection {
    Connection::open(session.home.path().join(".local/state/hookgate/state.db")).unwrap()
}

/// What a program does with the values of the session.
const TAMPERING: [(&str, &str); 4] = [
    ("removed", "DELETE FROM state WHERE scope = 'sessions/s-s-1'"),
    (
        "put back",
        "DELETE FROM state WHERE scope = 'sessions/s-s-1';
         INSERT INTO state SELECT * FROM earlier.state WHERE scope = 'sessions/s-s-1'",
    ),
    (
        "copied",
        "DELETE FROM state WHERE scope = 'sessions/s-s-1';
         INSERT INTO state SELECT 'sessions/s-s-1', key, owner, version, seal, value FROM state
         WHERE scope = 'sessions/s-s-2'",
    ),
    ("edited", "UPDATE state SET value = replace(value, '2', '1') WHERE scope = 'sessions/s-s-1'"),
];

/// The mark of another session, copied: `require` is not passed.
#[test]
fn a_mark_cannot_be_copied_from_another_session() {
    let session = Session::with(
        "[[hook]]\nid = 'test'\nevent = 'pre_tool_use'\ninput = { '/command' = { equals = 'make test' } }\n\
         mark = 'tested'\nbuiltin = 'audit'\n\
         [[hook]]\nid = 'push'\nevent = 'pre_tool_use'\ninput = { '/command' = { equals = 'git push' } }\n\
         builtin = { name = 'require', mark = 'tested' }\n",
    );
    let step = |id: &str, command: &str| {
        let mut envelope = session.envelope("PreToolUse", command);
        envelope["session_id"] = id.into();
        let text = envelope.to_string();
        session.run(&["hook", "--agent", "claude"], &Stdin::Text(text.as_bytes()))
    };
    step("a", "make test");
    assert!(!blocks(&step("a", "git push"), "claude"), "the control");
    assert!(blocks(&step("b", "git push"), "claude"));
    let copy = "DELETE FROM state WHERE scope = 'sessions/s-b';
                INSERT INTO state SELECT 'sessions/s-b', key, owner, version, seal, value FROM state
                WHERE scope = 'sessions/s-a'";
    state(&session).execute_batch(copy).unwrap();
    let forged = step("b", "git push");
    assert!(blocks(&forged, "claude"), "{forged:?}");
}

/// A project's hooks remember apart from those of the user. Were it one count, the second call would be stopped.
#[test]
fn hooks_of_a_project_count_for_themselves() {
    let limit = policy(OF_ONE[0].1);
    let session = Session::with(&limit.replace("over = 1", "over = 3"));
    session
        .write("hooks.toml", &limit.replace("'once'", "'theirs'").replace("over = 1", "over = 2"));
    let calls: Vec<_> = (0..4).map(|number| call(&session, "claude", number)).collect();
    let stopped: Vec<bool> = calls.iter().map(|answer| blocks(answer, "claude")).collect();
    assert_eq!(stopped, [false, false, true, true], "{calls:?}");
    assert!(calls[2].text().contains("limit of 2"), "{calls:?}");
    assert!(calls[3].text().contains("limit of 3"), "{calls:?}");
}

/// A limit of tokens where the agent says in its transcript what was used, and where nobody says it.
#[test]
fn tokens_are_read_in_the_transcript_and_are_never_zero_where_nobody_tells_them() {
    let session = Session::with(
        "[[hook]]\nid = 'tokens'\nevent = ['post_llm_response', 'pre_tool_use']\n\
         builtin = { name = 'limit', of = 'tokens', over = 100, then = 'deny' }\n",
    );
    let file = session.folder.path().join("t.jsonl");
    let step = |agent: &str, transcript: serde_json::Value| {
        let mut envelope = session.envelope("PreToolUse", "ls");
        envelope["transcript_path"] = transcript;
        let text = envelope.to_string();
        session.run(&["hook", "--agent", agent], &Stdin::Text(text.as_bytes()))
    };
    let codex = |tokens: u64| {
        let line = format!(
            "{{\"type\":\"event_msg\",\"payload\":{{\"type\":\"token_count\",\"info\":{{\
             \"total_token_usage\":{{\"total_tokens\":{tokens}}}}}}}}}\n"
        );
        fs::write(&file, line).unwrap();
        step("codex", file.to_str().into())
    };
    assert!(!blocks(&codex(90), "codex"));
    let over = codex(101);
    assert!(blocks(&over, "codex") && over.text().contains("limit of 100"), "{over:?}");
    // Whoever takes the transcript away has used no less.
    fs::remove_file(&file).unwrap();
    assert!(blocks(&step("codex", file.to_str().into()), "codex"));
    let unknown = step("codex", serde_json::Value::Null);
    assert!(unknown.text().contains("no transcript"), "{unknown:?}");
    let mut envelope = session.envelope("PreToolUse", "ls");
    envelope.as_object_mut().unwrap().remove("transcript_path");
    let text = envelope.to_string();
    let kimi = ["hook", "--agent", "kimi"];
    let kimi = session.run(&kimi, &Stdin::Text(text.as_bytes()));
    assert!(kimi.text().contains("no transcript"), "{kimi:?}");
}

#[test]
fn without_a_folder_a_limit_fails_by_its_posture() {
    let hook = |more: &str| Session::with(&policy(&format!("{more}{}", OF_ONE[0].1)));
    let call = |session: &Session| {
        let envelope = session.envelope("PreToolUse", "ls").to_string();
        let mut command = session.command(&["hook", "--agent", "claude"]);
        command.env("XDG_STATE_HOME", "/dev/null/no/folder");
        run(&mut command, &Stdin::Text(envelope.as_bytes()))
    };
    for more in ["", "on_failure = 'allow'\n"] {
        let answer = call(&hook(more));
        assert!(blocks(&answer, "claude"), "{more}: {answer:?}");
        assert!(answer.text().contains("/dev/null/no/folder"), "{answer:?}");
    }
    let allowed = call(&hook("on_state = 'allow'\n"));
    assert!(!blocks(&allowed, "claude") && allowed.text().contains("not enforced"), "{allowed:?}");
}

/// A judge's budget of two stops the third, its rate the second, and what it has said is known.
#[test]
fn judges_spend_from_one_purse_and_know_what_they_said() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let _entered = runtime.enter();
    for (settings, expected) in [
        ("cache = false, budget = { session = { calls = 2 } }", [true, true, false, false]),
        ("cache = false, budget = { hour = { calls = 2 } }", [true, true, false, false]),
        ("cache = false, limits = { rate = 1 }", [true, false, false, false]),
        ("cache = false, budget = { session = { tokens = 1 } }", [true, false, false, false]),
        ("cache = true", [true, false, false, false]),
    ] {
        let server = runtime.block_on(Server::start(Mode::Decision("allow")));
        let session = Session::with(&format!(
            "[[hook]]\nid = 'judge'\nevent = 'pre_tool_use'\non_failure = 'ask'\n\
             prompt = {{ model = 'small', base_url = '{}', prompt = 'Deny what deletes.', {settings} }}\n",
            server.base_url
        ));
        let mut asked = Vec::new();
        for number in 0..4 {
            let before = server.calls();
            let answer = call(&session, "claude", number);
            assert_eq!(answer.exit, Some(0), "{answer:?}");
            asked.push(server.calls() > before);
        }
        assert_eq!(asked, expected, "{settings}");
    }
}

/// What `hookgate doctor` sends: it says which hook could not count here, before anything happens.
#[test]
fn a_canary_says_what_cannot_be_counted_here() {
    let tokens = "[[hook]]\nid = 'tokens'\nevent = ['post_llm_response', 'pre_tool_use']\n\
                  builtin = { name = 'limit', of = 'tokens', over = 100, then = 'deny' }\n";
    let cost = tokens.replace("'tokens', over", "'cost', over");
    let calls = policy(OF_ONE[0].1);
    let nowhere = Some("/dev/null/no/folder");
    for (policy, agent, state, expected) in [
        (tokens, "claude", None, None),
        (tokens, "kimi", None, Some("limits tokens")),
        (&cost, "claude", None, Some("limits cost")),
        (&calls, "claude", nowhere, Some("cannot be kept")),
        (&calls, "claude", None, None),
        (POLICY, "claude", nowhere, None),
    ] {
        let session = Session::with(policy);
        let mut command = session.command(&["hook", "--agent", agent]);
        command.env("HOOKGATE_CANARY", "1");
        if let Some(state) = state {
            command.env("XDG_STATE_HOME", state);
        }
        let text = session.envelope("PreToolUse", "true").to_string();
        let stdin = Stdin::Text(text.as_bytes());
        let said = run(&mut command, &stdin).text();
        assert!(said.contains("hookgate canary"), "{agent}: {said}");
        match expected {
            Some(expected) => assert!(said.contains(expected), "{agent}: {said}"),
            None => assert!(!said.contains("set aside"), "{agent}: {said}"),
        }
    }
}

/// A call of any tool, as Claude Code sends it.
fn tool(session: &Session, id: &str, tool: &str, input: serde_json::Value) -> Answer {
    let mut envelope = session.envelope("PreToolUse", "ls");
    envelope["session_id"] = id.into();
    envelope["tool_name"] = tool.into();
    envelope["tool_input"] = input;
    let text = envelope.to_string();
    session.run(&["hook", "--agent", "claude"], &Stdin::Text(text.as_bytes()))
}

fn writes(session: &Session, id: &str, path: &str) -> Answer {
    let input = serde_json::json!({"file_path": path, "content": "ls"});
    tool(session, id, "Write", input)
}

fn shell(session: &Session, id: &str, command: &str) -> Answer {
    tool(session, id, "Bash", serde_json::json!({"command": command}))
}

#[test]
fn different_files_are_counted_over_processes() {
    let session = Session::with(
        "[[hook]]\nid = 'few'\nevent = 'pre_tool_use'\nwrites = '**'\n\
         count = { distinct = 'files', over = 2 }\nbuiltin = { name = 'deny', reason = 'enough' }\n",
    );
    for path in ["a", "b", "a", "b", "a"] {
        let answer = writes(&session, "s", path);
        assert!(!blocks(&answer, "claude"), "{path}: {answer:?}");
    }
    assert!(blocks(&shell(&session, "s", "touch c"), "claude"));
    assert!(blocks(&writes(&session, "s", "d"), "claude"));
    assert!(!blocks(&writes(&session, "s", "b"), "claude"), "one of the first two");
    // The control: another session.
    assert!(!blocks(&writes(&session, "t", "c"), "claude"));
    // What was removed is a failure, and not zero.
    state(&session).execute("DELETE FROM state WHERE scope = 'sessions/s-s'", ()).unwrap();
    assert!(blocks(&writes(&session, "s", "a"), "claude"));
}

#[test]
fn a_script_of_an_earlier_process_is_known_when_it_runs() {
    let session = Session::with(
        "[[hook]]\nid = 'look'\nevent = 'pre_tool_use'\ntool = 'Bash'\nruns = { written_in_session = true }\n\
         builtin = { name = 'deny', reason = 'look first' }\n",
    );
    assert!(!blocks(&shell(&session, "s", "bash x.sh"), "claude"), "nothing is written yet");
    assert!(!blocks(&writes(&session, "s", "x.sh"), "claude"));
    assert!(!blocks(&shell(&session, "s", "echo 'print(1)' > y.py"), "claude"));
    for command in ["bash x.sh", "chmod +x x.sh && ./x.sh", "python3 y.py"] {
        let answer = shell(&session, "s", command);
        assert!(blocks(&answer, "claude"), "{command}: {answer:?}");
    }
    // The controls: other files, and another session.
    assert!(!blocks(&shell(&session, "s", "bash z.sh; cat x.sh"), "claude"));
    assert!(!blocks(&shell(&session, "t", "bash x.sh"), "claude"));
    // A record that was removed is not an empty one.
    state(&session).execute("DELETE FROM state WHERE scope = 'sessions/s-s'", ()).unwrap();
    assert!(blocks(&shell(&session, "s", "bash x.sh"), "claude"));
}
