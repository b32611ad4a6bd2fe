//! Promise: an agent that tries what it was denied in other words is stopped at the try that `[escalate]` names, and
//! one that does something else is not. Each try is a process of its own.

use std::cell::Cell;
use std::sync::Barrier;
use std::thread;

use hookgate_test_support::agent_rules::Reaction;
use hookgate_test_support::same_actions::ACTIONS;

use crate::support::{Answer, Session, Stdin, run};

/// A hook that denies one command in these words only.
fn policy(command: &str, escalate: &str) -> String {
    format!(
        "{escalate}\n[[hook]]\nid = 'rule'\nevent = 'pre_tool_use'\n\
         input = {{ '/command' = {{ equals = '{command}' }} }}\n\
         builtin = {{ name = 'deny', reason = 'not here' }}\n"
    )
}

/// Tries a command, as a step of its own.
fn tries(session: &Session, command: &str) -> Answer {
    tries_in(session, "s-1", command)
}

fn tries_in(session: &Session, id: &str, command: &str) -> Answer {
    thread_local!(static STEPS: Cell<u64> = const { Cell::new(0) });
    STEPS.set(STEPS.get() + 1);
    call(session, id, &format!("step-{}", STEPS.get()), command)
}

fn call(session: &Session, id: &str, step: &str, command: &str) -> Answer {
    let mut envelope = session.envelope("PreToolUse", command);
    envelope["session_id"] = id.into();
    envelope["tool_use_id"] = step.into();
    let text = envelope.to_string();
    session.run(&["hook", "--agent", "claude"], &Stdin::Text(text.as_bytes()))
}

fn blocks(answer: &Answer) -> bool {
    answer.reaction("claude", "PreToolUse").blocks()
}

#[test]
fn who_tries_it_in_twelve_wordings_is_stopped_at_the_third_try() {
    for (denied, wordings, _) in ACTIONS {
        let session = Session::with(&policy(denied, "[escalate]\nafter = 3\n"));
        let first = tries(&session, denied);
        assert!(blocks(&first), "{first:?}");
        for (number, words) in (2..).zip(wordings) {
            let answer = tries(&session, words);
            assert_eq!(blocks(&answer), number >= 3, "{number}: {words}: {answer:?}");
            if number >= 3 {
                let named = format!("tried {number} times; first denied at step");
                let text = answer.text();
                assert!(text.contains(&named) && text.contains("`rule`: not here"), "{text}");
            }
        }
        // The control: another session was denied nothing.
        assert!(!blocks(&tries_in(&session, "s-2", wordings[0])));
    }
}

#[test]
fn who_does_something_else_twelve_times_is_not_stopped() {
    for (denied, wordings, others) in ACTIONS {
        let session = Session::with(&policy(denied, "[escalate]\nafter = 2\n"));
        assert!(blocks(&tries(&session, denied)));
        for words in others {
            let answer = tries(&session, words);
            assert!(!blocks(&answer), "{words}: {answer:?}");
        }
        assert!(blocks(&tries(&session, wordings[0])), "{}", wordings[0]);
        // The control: without the section no other words are stopped.
        let session = Session::with(&policy(denied, ""));
        assert!(blocks(&tries(&session, denied)));
        assert!(wordings.iter().all(|words| !blocks(&tries(&session, words))));
    }
}

#[test]
fn what_is_denied_anyway_becomes_what_the_section_says() {
    let all = "[[hook]]\nid = 'rule'\nevent = 'pre_tool_use'\ndeletes = 'build'\n\
               builtin = { name = 'deny', reason = 'not here' }\n";
    let words = ["rm -rf build", "find build -delete", "rm -r ./build", "sudo rm -rf build"];
    let reactions = |escalate: &str| {
        let session = Session::with(&format!("{escalate}{all}"));
        words.map(|words| tries(&session, words).reaction("claude", "PreToolUse"))
    };
    let denied = |reaction: &Reaction| matches!(reaction, Reaction::Blocked(_));
    assert!(reactions("").iter().all(denied));
    // A deny is more than a question.
    assert!(reactions("[escalate]\nthen = 'ask'\n").iter().all(denied));
    let halted = reactions("[escalate]\nafter = 3\nthen = 'halt'\n");
    assert!(halted[..2].iter().all(denied), "{halted:?}");
    for (reaction, tries) in halted[2..].iter().zip(3..) {
        let Reaction::Halted(reason) = reaction else { panic!("{halted:?}") };
        assert!(reason.contains(&format!("tried {tries} times")), "{reason}");
    }
}

#[test]
fn the_user_is_asked_where_the_section_says_so() {
    let session = Session::with(&policy("rm -rf build", "[escalate]\nafter = 2\nthen = 'ask'\n"));
    assert!(blocks(&tries(&session, "rm -rf build")));
    let answer = tries(&session, "find build -delete");
    assert_eq!(answer.reaction("claude", "PreToolUse"), Reaction::Asks, "{answer:?}");
}

#[test]
fn of_two_tries_at_once_one_is_the_later() {
    for round in 0..3 {
        let session = Session::with(&policy("rm -rf build", "[escalate]\nafter = 3\n"));
        assert!(blocks(&tries(&session, "rm -rf build")));
        let start = Barrier::new(2);
        let one = |number: usize| {
            start.wait();
            call(&session, "s-1", &format!("at-once-{number}"), "find build -delete")
        };
        let one = &one;
        let answers: Vec<Answer> = thread::scope(|scope| {
            let both: Vec<_> = (0..2).map(|n| scope.spawn(move || one(n))).collect();
            both.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let passed = answers.iter().filter(|answer| !blocks(answer)).count();
        assert_eq!(passed, 1, "round {round}: {answers:?}");
    }
}

#[test]
fn a_project_that_nobody_trusts_can_tighten_it_and_not_loosen_it() {
    let project = |text: &str| {
        let session = Session::with(&policy("rm -rf build", "[escalate]\nafter = 3\n"));
        session.write(".hookgate/hooks.toml", text);
        let words = ["rm -rf build", "find build -delete", "rm -r ./build"];
        words.map(|words| blocks(&tries(&session, words)))
    };
    assert_eq!(project("[escalate]\nafter = 9\nthen = 'ask'\n"), [true, false, true]);
    assert_eq!(project("[escalate]\nafter = 2\n"), [true, true, true]);
}

#[test]
fn where_nothing_can_be_kept_the_step_is_denied() {
    let session = Session::with(&policy("rm -rf build", "[escalate]\n"));
    let envelope = session.envelope("PreToolUse", "ls").to_string();
    let mut command = session.command(&["hook", "--agent", "claude"]);
    command.env("XDG_STATE_HOME", "/dev/null/no/folder");
    let answer = run(&mut command, &Stdin::Text(envelope.as_bytes()));
    let why = "`escalate-user` failed (state), which counts as deny";
    assert!(blocks(&answer) && answer.text().contains(why), "{answer:?}");
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (section, place, what) in [
        ("[escalate]\nafter = 1\n", ":2:9", "2"),
        ("[escalate]\nthen = 'stop'\n", ":2:8", "`stop`"),
        ("[escalate]\nafer = 3\n", ":2:1", "did you mean `after`?"),
    ] {
        let session = Session::with(&policy("ls", section));
        let answer = session.run(&["check"], &Stdin::Closed);
        let text = answer.text();
        assert!(answer.exit != Some(0) && text.contains(place) && text.contains(what), "{text}");
        // It is the only mistake.
        assert!(text.contains("has 1 error") && !text.contains("no hook"), "{text}");
    }
}
