//! Promise: what a hook does later is queued by the call that is about its step, and done exactly once, whichever process
//! is killed meanwhile; an agent that waits for the end of the call waits no longer for it than two seconds.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::daemon::machine::Daemon;
use crate::support::{Answer, SMALL, Session, Stdin};

/// How long a test waits for what takes milliseconds.
const LONG: Duration = Duration::from_secs(60);

/// A session whose hook does this later. `$LATER` is a folder of the test.
fn session(shell: &str) -> Session {
    let session = Session::new();
    session.write_users(&config(&session, "\n[journal]\n", shell));
    session
}

fn config(session: &Session, journal: &str, shell: &str) -> String {
    let later = session.home.path().display();
    format!(
        "{journal}[[hook]]\nid = 'mirror'\nevent = 'pre_tool_use'\nrole = 'observe'\nbackground = 'record'\n\
         timeout = '50s'\ncommand = {{ shell = '''cd {later}; {shell}''' }}\n"
    )
}

/// A program that hangs when it is called first.
const HANGS_ONCE: &str = r#"echo "$HOOKGATE_IDEMPOTENCY_KEY" >> keys
if [ ! -e hung ]; then touch hung; sleep 100; fi; echo >> done"#;

/// A program that fails until a file is there.
const FAILS_FIRST: &str = "[ -e mended ] || exit 1; echo >> done";

fn file(session: &Session, name: &str) -> PathBuf {
    session.home.path().join(name)
}

fn lines(session: &Session, name: &str) -> Vec<String> {
    let text = fs::read_to_string(file(session, name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < LONG, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn runs(session: &Session, args: &[&str]) -> Answer {
    let mut command = session.command(&[&["runs"], args].concat());
    command.current_dir(session.folder.path()).env("HOOKGATE_DAEMON", "");
    crate::support::run(&mut command, &Stdin::Closed)
}

fn list(session: &Session) -> Vec<Value> {
    let answer = runs(session, &["list", "--json"]);
    assert_eq!(answer.exit, Some(0), "{answer:?}");
    json(&answer)
}

fn json(answer: &Answer) -> Vec<Value> {
    answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn states(runs: &[Value]) -> Vec<(&str, u64)> {
    let state = |run: &Value| run["attempts"].as_u64().unwrap();
    runs.iter().map(|run| (run["state"].as_str().unwrap(), state(run))).collect()
}

/// Starts a call of an agent.
fn start(session: &Session) -> Child {
    use std::io::Write as _;
    let mut command = session.command(&["hook", "--agent", "claude"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let envelope = session.envelope("PreToolUse", "ls").to_string();
    child.stdin.take().unwrap().write_all(envelope.as_bytes()).unwrap();
    child
}

/// Has a call killed in the middle of what it does later.
fn kill_in_the_middle(session: &Session) {
    let mut call = start(session);
    until("the hook is called", || file(session, "hung").exists());
    call.kill().unwrap();
    call.wait().unwrap();
    assert_eq!(states(&list(session)), [("running", 1)]);
}

#[test]
fn a_call_queues_it_and_does_it_after_the_answer() {
    let session = session("echo >> done");
    let answer = session.call("claude", "PreToolUse", "ls");
    assert!(!answer.text().contains("recorded"), "{answer:?}");
    assert_eq!(states(&list(&session)), [("succeeded", 1)]);
    assert_eq!(lines(&session, "done").len(), 1);
}

#[test]
fn a_daemon_does_so_as_well() {
    let daemon = Daemon::with(SMALL, "");
    daemon.0.write_users(&config(&daemon.0, "[journal]\n", "echo >> done"));
    daemon.started();
    let so_far = list(&daemon.0).len();
    daemon.call("ls -a");
    until("it is done", || {
        let runs = list(&daemon.0);
        runs.len() == so_far + 1 && runs.iter().all(|run| run["state"] == "succeeded")
    });
    assert_eq!(lines(&daemon.0, "done").len(), so_far + 1);
}

#[test]
fn what_a_killed_call_had_is_taken_up_by_a_worker_and_ends_once() {
    let session = session(HANGS_ONCE);
    kill_in_the_middle(&session);
    let work = runs(&session, &["work", "--until-empty"]);
    assert_eq!(work.exit, Some(0), "{work:?}");
    assert_eq!(states(&json(&work)), [("succeeded", 2)]);
    assert_eq!(states(&list(&session)), [("succeeded", 2)]);
    let keys = lines(&session, "keys");
    assert_eq!((keys.len(), &keys[0]), (2, &keys[1]), "the same key, each time");
    assert_eq!(lines(&session, "done").len(), 1);
    // Nothing is left.
    let again = runs(&session, &["work", "--once"]);
    assert_eq!((again.exit, again.stdout.as_str()), (Some(0), ""), "{again:?}");
}

#[test]
fn what_a_killed_call_had_is_taken_up_by_a_later_call_and_ends_once() {
    let session = session(HANGS_ONCE);
    kill_in_the_middle(&session);
    let other = || session.call("claude", "PreToolUse", "pwd");
    // The first of them sees that the process is gone, and waits a second before it is tried again.
    until("it is taken up", || {
        assert_eq!(other().exit, Some(0));
        states(&list(&session))[0] == ("succeeded", 2)
    });
    let runs = list(&session);
    assert!(states(&runs)[1..].iter().all(|run| *run == ("succeeded", 1)), "{runs:?}");
    assert_eq!(lines(&session, "done").len(), runs.len());
}

#[test]
fn an_agent_does_not_wait_for_what_takes_long_and_a_worker_does_it() {
    let session = session("[ -e mended ] || sleep 40; echo >> done");
    let answer = session.call("claude", "PreToolUse", "ls");
    assert!(answer.took < Duration::from_secs(5), "two seconds, and a busy machine: {answer:?}");
    let waits = &list(&session)[0];
    assert_eq!((&waits["state"], &waits["class"]), (&"queued".into(), &"timeout".into()));
    assert!(waits["why"].as_str().unwrap().contains("hookgate runs work"), "{waits}");
    fs::write(file(&session, "mended"), "").unwrap();
    assert_eq!(runs(&session, &["work", "--until-empty"]).exit, Some(0));
    assert_eq!(
        (states(&list(&session)), lines(&session, "done").len()),
        (vec![("succeeded", 2)], 1)
    );
}

#[test]
fn without_a_journal_it_is_told() {
    let session = Session::new();
    session.write_users(&config(&session, "", "echo >> done"));
    let answer = session.call("claude", "PreToolUse", "ls");
    assert!(answer.text().contains("is not recorded"), "{answer:?}");
    assert_eq!(lines(&session, "done").len(), 1, "and called all the same");
}

#[test]
fn what_an_earlier_config_has_queued_is_superseded_and_that_is_no_success() {
    let session = session(FAILS_FIRST);
    session.call("claude", "PreToolUse", "ls");
    assert_eq!(states(&list(&session)), [("queued", 1)]);
    session.write_users(&config(&session, "[journal]\n", "echo other >> done"));
    let work = runs(&session, &["work", "--until-empty"]);
    assert_eq!(work.exit, Some(2), "{work:?}");
    assert_eq!(json(&work)[0]["state"], "superseded");
    assert!(lines(&session, "done").is_empty());
}

#[test]
fn what_other_configs_have_queued_stays_and_is_told() {
    let session = session(FAILS_FIRST);
    session.call("claude", "PreToolUse", "ls");
    fs::write(file(&session, "mended"), "").unwrap();
    let file = file(&session, ".local/state/hookgate/journal.db");
    let others = ["-c", "others.toml", "--journal", file.to_str().unwrap()];
    session.write("others.toml", "[[hook]]\nid = 'mirror'\nevent = 'stop'\nbuiltin = 'audit'\n");
    let work = runs(&session, &[&["work", "--until-empty", "--table"][..], &others].concat());
    assert_eq!((work.exit, work.stdout.as_str()), (Some(0), "nothing was due\n"), "{work:?}");
    assert!(work.stderr.contains("left to other configs: 1 run of "), "{work:?}");
    assert!(work.stderr.contains(".config/hookgate/hooks.toml"), "{work:?}");
    assert_eq!(states(&list(&session)), [("queued", 1)]);
    // A call with changed hooks leaves it, too.
    let envelope = session.envelope("PreToolUse", "pwd").to_string();
    let named = session.home.path().join(".config/hookgate/hooks.toml");
    let named = named.to_str().unwrap();
    let change = ["hook", "--agent", "claude", "-c", named, "--disable", "mirror"];
    assert_eq!(session.run(&change, &Stdin::Text(envelope.as_bytes())).exit, Some(0));
    assert_eq!(states(&list(&session)), [("queued", 1)]);
    assert_eq!(runs(&session, &["work", "--until-empty"]).exit, Some(0));
    assert_eq!(states(&list(&session)), [("succeeded", 2)]);
}

#[test]
fn a_project_that_is_not_trusted_any_more_has_nothing_done_and_nothing_superseded() {
    let session =
        Session::with("[journal]\n[[hook]]\nid = 'a'\nevent = 'stop'\nbuiltin = 'audit'\n");
    session.write(".hookgate/hooks.toml", &config(&session, "", FAILS_FIRST));
    let trust = |args: &[&str]| {
        let mut command = session.command(args);
        command.current_dir(session.folder.path());
        let answer = crate::support::run(&mut command, &Stdin::Closed);
        assert_eq!(answer.exit, Some(0), "{answer:?}");
    };
    trust(&["trust", "--yes"]);
    session.call("claude", "PreToolUse", "ls");
    assert_eq!(states(&list(&session)), [("queued", 1)]);
    let trusted = fs::read_to_string(session.folder.path().join(".hookgate/hooks.toml")).unwrap();
    session.write(".hookgate/hooks.toml", &format!("{trusted}# changed\n[[hook]]\nid = 'b'\nevent = 'stop'\ncommand = {{ shell = 'true' }}\n"));
    fs::write(file(&session, "mended"), "").unwrap();
    let work = runs(&session, &["work", "--once"]);
    assert_eq!(work.exit, Some(3), "{work:?}");
    session.call("claude", "PreToolUse", "pwd");
    assert_eq!(states(&list(&session))[0], ("queued", 1));
    session.write(".hookgate/hooks.toml", &trusted);
    assert_eq!(runs(&session, &["work", "--until-empty"]).exit, Some(0));
    assert_eq!(states(&list(&session))[0], ("succeeded", 2));
}

#[test]
fn a_worker_goes_on_until_it_is_interrupted_and_reads_the_configs_again() {
    let session = session(FAILS_FIRST);
    session.call("claude", "PreToolUse", "ls");
    let mut command = session.command(&["runs", "work", "--json"]);
    command.current_dir(session.folder.path()).stdout(Stdio::piped());
    let mut worker = command.spawn().unwrap();
    fs::write(file(&session, "mended"), "").unwrap();
    until("the first is done", || states(&list(&session))[0].0 == "succeeded");
    // What a later config queues is its work as well, and no other's.
    session.write_users(&config(&session, "[journal]\n", "[ -e again ] || exit 1; echo >> done"));
    session.call("claude", "PreToolUse", "pwd");
    fs::write(file(&session, "again"), "").unwrap();
    until("the second is done", || states(&list(&session))[1].0 == "succeeded");
    let pid = worker.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(worker.wait().unwrap().code(), Some(0));
    assert_eq!(lines(&session, "done").len(), 2);
}
