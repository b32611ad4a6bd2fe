//! Whatever fails is the agent's deny where it can be denied something, and nothing elsewhere: each failure
//! at each sort of event, for each agent.

use std::time::Duration;

use hookgate_test_support::agent_rules::Reaction;

use crate::daemon::machine::Daemon;
use crate::support::{Answer, POLICY, SMALL, Session, Stdin, run};

const AGENTS: [&str; 2] = ["claude", "codex"];

/// Events at which a step can be refused, and must be.
const GATES: [&str; 4] = ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "PostToolUse"];

/// Events at which nothing can be refused, and those that go on after a failure.
const OTHERS: [&str; 5] = ["SessionStart", "SessionEnd", "SubagentStart", "Stop", "PreCompact"];

/// A way to fail: what the session is, what the command line says beside the agent, and what cure the
/// reason must name.
struct Fault {
    name: &'static str,
    session: fn() -> Session,
    arguments: &'static [&'static str],
    stdin: fn(&str) -> Stdin<'_>,
    cure: &'static str,
}

const fn text(envelope: &str) -> Stdin<'_> {
    Stdin::Text(envelope.as_bytes())
}

/// A hook that does not answer within the time of the call.
fn slow() -> Session {
    Session::with(
        "[[hook]]\nid = 'slow'\nevent = '*'\nrole = 'observe'\ntimeout = '60s'\n\
         command = { shell = 'sleep 60' }\n",
    )
}

/// The faults that leave the event known.
const FAULTS: [Fault; 8] = [
    Fault {
        name: "no config",
        session: Session::new,
        arguments: &[],
        stdin: text,
        cure: "hookgate init",
    },
    Fault {
        name: "broken config",
        session: || Session::with("[[hook]\n"),
        arguments: &[],
        stdin: text,
        cure: "hookgate check -c",
    },
    Fault {
        name: "a config with a mistake, taken as a whole",
        session: || Session::with(&POLICY.replace("regex", "regexp")),
        arguments: &["--strict"],
        stdin: text,
        cure: "hooks.toml:6:",
    },
    Fault {
        name: "a config that is not there",
        session: Session::new,
        arguments: &["-c", "nowhere.toml"],
        stdin: text,
        cure: "hookgate check -c nowhere.toml",
    },
    Fault {
        name: "a hook that is too slow",
        session: slow,
        arguments: &["--timeout", "0.7"],
        stdin: text,
        cure: "`timeout`",
    },
    Fault {
        name: "an unknown option",
        session: || Session::with(POLICY),
        arguments: &["--no-such-option"],
        stdin: text,
        cure: "hookgate hook --help",
    },
    Fault {
        name: "a time that is none",
        session: || Session::with(POLICY),
        arguments: &["--timeout", "soon"],
        stdin: text,
        cure: "`soon` is not a number of seconds",
    },
    Fault {
        name: "a word too many",
        session: || Session::with(POLICY),
        arguments: &["what"],
        stdin: text,
        cure: "hookgate hook --help",
    },
];

fn fail(fault: &Fault, agent: &str, event: &str) -> Answer {
    let session = (fault.session)();
    let envelope = session.envelope(event, "ls").to_string();
    let mut arguments = vec!["hook", "--agent", agent];
    arguments.extend(fault.arguments);
    session.run(&arguments, &(fault.stdin)(&envelope))
}

/// An agent takes these for a crash, and most let the action pass then.
fn never_crashes(answer: &Answer, what: &str) {
    assert!(matches!(answer.exit, Some(0 | 2)), "{what}: {answer:?}");
    let stdout = answer.stdout.trim();
    let is_object = serde_json::from_str::<serde_json::Map<_, _>>(stdout).is_ok();
    assert!(stdout.is_empty() || is_object, "{what}: {answer:?}");
    if answer.exit == Some(2) {
        assert!(stdout.is_empty() && !answer.stderr.trim().is_empty(), "{what}: {answer:?}");
    }
}

/// The hook is set aside: without a condition that can be read, it is about every call of a tool.
#[test]
fn a_mistake_in_a_hook_denies_what_the_hook_is_about() {
    let session = Session::with(&POLICY.replace("regex", "regexp"));
    for agent in AGENTS {
        for event in GATES {
            let envelope = session.envelope(event, "ls").to_string();
            let answer = session.run(&["hook", "--agent", agent], &text(&envelope));
            let is_about = event == "PreToolUse";
            let what = format!("{agent}, {event}: {answer:?}");
            assert_eq!(answer.reaction(agent, event).blocks(), is_about, "{what}");
            assert!(!is_about || answer.text().contains("hooks.toml:6:"), "{what}");
        }
    }
}

#[test]
fn every_failure_is_a_deny_at_gates_and_nothing_elsewhere() {
    for fault in &FAULTS {
        for agent in AGENTS {
            for event in GATES.iter().chain(&OTHERS) {
                let answer = fail(fault, agent, event);
                let what = format!("{}, {agent}, {event}", fault.name);
                never_crashes(&answer, &what);
                let reaction = answer.reaction(agent, event);
                if GATES.contains(event) {
                    assert!(reaction.blocks(), "{what}: {reaction:?} to {answer:?}");
                } else {
                    assert_eq!(reaction, Reaction::Nothing, "{what}: {answer:?}");
                }
                assert!(answer.text().contains(fault.cure), "{what}: {answer:?}");
            }
        }
    }
}

/// The control: without a fault the same steps pass, and a command that fails as commands do would let
/// them pass, too. So the table above can tell.
#[test]
fn without_a_fault_the_steps_pass_and_a_crash_would_let_them_pass() {
    let session = Session::with(POLICY);
    for agent in AGENTS {
        for event in GATES.iter().chain(&OTHERS) {
            let answer = session.call(agent, event, "ls");
            assert_eq!((answer.exit, answer.text().as_str()), (Some(0), ""), "{agent} {event}");
            // The verb for people and scripts, in place of the one for agents.
            let envelope = session.envelope(event, "ls").to_string();
            let wrong = session.run(&["eval", "-c", "nowhere.toml"], &text(&envelope));
            assert!(!wrong.reaction(agent, event).blocks(), "{agent} {event}: {wrong:?}");
        }
    }
}

/// A session with a daemon, whose agent calls the small program.
fn with_daemon() -> Daemon {
    let mut daemon = Daemon::with(SMALL, POLICY);
    daemon.started();
    daemon.0.idle = Some("60");
    daemon
}

/// What keeps the event from being known could be about a gate, so it is refused.
#[test]
fn a_step_that_cannot_be_read_is_refused() {
    let large = format!("{{\"prompt\":\"{}\"}}", "x".repeat((16 << 20) + 1));
    let cases: [(&str, Stdin<'_>, &str); 10] = [
        ("closed", Stdin::Closed, "it is empty"),
        ("empty", Stdin::Text(b""), "it is empty"),
        ("blank", Stdin::Text(b" \n"), "it is empty"),
        ("no JSON", Stdin::Text(b"hello"), "not one JSON object"),
        ("no object", Stdin::Text(b"[1]"), "not a JSON object"),
        ("cut off", Stdin::Text(b"{\"hook_event_name\":\"PreToolUse\""), "not one JSON object"),
        (
            "two keys",
            Stdin::Text(br#"{"hook_event_name":"Stop","hook_event_name":"PreToolUse"}"#),
            "duplicate key",
        ),
        ("no UTF-8", Stdin::Text(b"{\"a\":\"\xff\"}"), "not one JSON object"),
        ("too large", Stdin::Text(large.as_bytes()), "larger than 16 MiB"),
        ("no event", Stdin::Text(b"{\"session_id\":\"s\"}"), "hook_event_name"),
    ];
    let (session, daemon) = (Session::with(POLICY), with_daemon());
    for (name, stdin, why) in cases {
        let sessions = [&session, &daemon.0];
        for (session, agent) in
            sessions.iter().flat_map(|session| AGENTS.map(|agent| (session, agent)))
        {
            let answer = session.run(&["hook", "--agent", agent], &stdin);
            let what = format!("{name}, {agent}");
            never_crashes(&answer, &what);
            assert!(answer.reaction(agent, "PreToolUse").blocks(), "{what}: {answer:?}");
            assert!(answer.stderr.contains(why), "{what}: {answer:?}");
        }
    }
}

#[test]
fn an_event_of_tomorrow_is_refused_and_named() {
    let session = Session::with(POLICY);
    for agent in AGENTS {
        let answer = session.call(agent, "PostQuantumUse", "ls");
        assert_eq!((answer.exit, answer.stdout.as_str()), (Some(2), ""), "{answer:?}");
        assert!(answer.stderr.contains("PostQuantumUse"), "{answer:?}");
        assert!(answer.stderr.contains("update hookgate"), "{answer:?}");
    }
}

#[test]
fn an_input_without_an_end_is_refused_in_time() {
    let (session, daemon) = (Session::with(POLICY), with_daemon());
    let envelope = session.envelope("PreToolUse", "ls").to_string();
    for stdin in [Stdin::Open(b""), Stdin::Open(envelope.as_bytes()), Stdin::Endless] {
        for session in [&session, &daemon.0] {
            let answer = session.run(&["hook", "--agent", "codex", "--timeout", "0.6"], &stdin);
            assert!(answer.reaction("codex", "PreToolUse").blocks(), "{answer:?}");
            assert!(answer.text().contains("in time"), "{answer:?}");
            let within = Duration::from_millis(500)..Duration::from_secs(5);
            assert!(within.contains(&answer.took), "{answer:?}");
        }
    }
}

#[test]
fn an_unknown_agent_gets_the_answer_that_most_obey() {
    let (session, daemon) = (Session::with(POLICY), with_daemon());
    let cases: [(&[&str], &str); 5] = [
        (&["hook", "--agent", "clade"], "did you mean `claude`?"),
        (&["hook", "--agent", ""], "knows no agent"),
        (&["hook"], "--agent"),
        (&["hook", "--agent"], "--agent"),
        (&["hok", "--agent", "claude"], "unrecognized subcommand"),
    ];
    for (arguments, why) in cases {
        for session in [&session, &daemon.0] {
            let envelope = session.envelope("PreToolUse", "ls").to_string();
            let answer = session.run(arguments, &Stdin::Text(envelope.as_bytes()));
            let (exit, stdout) = (answer.exit, answer.stdout.as_str());
            assert_eq!((exit, stdout), (Some(2), ""), "{arguments:?} {answer:?}");
            assert!(answer.stderr.contains(why), "{arguments:?} {answer:?}");
        }
    }
}

/// The log is asked for, and does not get into the way of the answer.
#[test]
fn no_line_of_log_is_on_stdout() {
    let session = Session::with(POLICY);
    let envelope = session.envelope("PreToolUse", "git push --force").to_string();
    let mut command = session.command(&["hook", "--agent", "codex"]);
    let answer = run(command.env("HOOKGATE_LOG", "trace"), &Stdin::Text(envelope.as_bytes()));
    assert!(answer.reaction("codex", "PreToolUse").blocks(), "{answer:?}");
    assert_eq!(answer.stdout.lines().count(), 1, "{answer:?}");
}
