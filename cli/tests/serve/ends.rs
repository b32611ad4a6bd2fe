//! Promise: whatever ends, no step is left with an allow: the host, the stream, the server, the time.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Folder, HOOKS, Host, PATIENCE, Server, bash, hello, judge};

/// Waits until the slow hook is at work.
fn slow_has_begun(folder: &Folder) {
    let began = Instant::now();
    while !folder.path("slow-has-begun").exists() {
        assert!(began.elapsed() < PATIENCE, "the slow hook was not called");
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_killed_server_has_answered_nothing() {
    let folder = Folder::with_hooks(HOOKS);
    let (mut server, mut host) = Host::spawn(&folder);
    let number = host.send("judge", judge("s", "slow"));
    slow_has_begun(&folder);
    server.child.kill().unwrap();
    assert_eq!(host.answer(number), None);
}

#[test]
fn a_terminated_server_answers_what_has_begun_and_ends_well() {
    let folder = Folder::with_hooks(HOOKS);
    let (mut server, mut host) = Host::spawn(&folder);
    let number = host.send("judge", judge("s", "slow"));
    slow_has_begun(&folder);
    server.signal("TERM");
    assert_eq!(host.answer(number).unwrap()["result"]["report"]["reason"], "at last");
    assert_eq!(host.line(), None);
    assert_eq!(server.ended(), Some(0));
}

#[test]
fn a_terminated_server_does_not_wait_for_a_host_that_reads_nothing() {
    let folder = Folder::with_hooks(HOOKS);
    let args = ["--stdio", "-c", "hooks.toml", "--close", "1"];
    let (mut server, (mut out, unread)) = Server::start(&folder, &args);
    let hello = hello(&["pre_tool_use"], &["deny", "ask", "halt", "patch", "answer"]);
    let line = |id: u32, method: &str, params: &Value| {
        format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    };
    out.write_all(line(0, "hello", &hello).as_bytes()).unwrap();
    let written = Arc::new(AtomicU64::new(0));
    let so_far = Arc::clone(&written);
    spawn(move || {
        // It goes on until the server is gone: nobody reads what it is answered.
        for id in 1.. {
            if out.write_all(line(id, "metrics", &json!({})).as_bytes()).is_err() {
                break;
            }
            so_far.fetch_add(1, Ordering::Relaxed);
        }
    });
    let mut before = 0;
    loop {
        sleep(Duration::from_millis(100));
        let now = written.load(Ordering::Relaxed);
        if now > 0 && now == before {
            break;
        }
        before = now;
    }
    server.signal("TERM");
    assert_eq!(server.ended(), Some(0));
    drop(unread);
}

#[test]
fn a_stream_that_ends_is_answered_to_its_last_request_and_a_cut_one_is_refused() {
    let folder = Folder::with_hooks(HOOKS);
    let (mut server, mut host) = Host::spawn(&folder);
    let first = host.send("judge", judge("s", "slow"));
    let second = host.send("judge", judge("s", "ls"));
    let cut = json!({"jsonrpc": "2.0", "id": 99, "method": "judge", "params": judge("s", "ls")})
        .to_string();
    host.out.as_mut().unwrap().write_all(&cut.as_bytes()[..cut.len() / 2]).unwrap();
    drop(host.out.take());
    assert_eq!(host.answer(second).unwrap()["result"]["verdict"], "pass");
    assert_eq!(host.answer(first).unwrap()["result"]["verdict"], "deny");
    assert_eq!(server.ended(), Some(0));
    // The cut request has no id that could be read, and no answer but an error.
    assert_eq!(host.answer(99), None);
}

#[test]
fn a_step_that_is_not_judged_in_time_is_an_error() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn(&folder);
    let late = json!({"session": "s", "step": bash("slow"), "deadline_ms": 50});
    assert_eq!(host.err("judge", late).0, "deadline_passed");
    assert_eq!(host.judge("s", "ls")["verdict"], "pass");
}

#[test]
fn requests_that_wait_hold_up_no_others() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn(&folder);
    let slow: Vec<u64> = (0..3).map(|_| host.send("judge", judge("s", "slow"))).collect();
    let quick = host.send("judge", judge("s", "git push --force"));
    let came: Vec<Value> = (0..4).map(|_| host.line().unwrap()["id"].clone()).collect();
    assert_eq!(came[0], json!(quick), "{came:?}");
    assert!(slow.iter().all(|number| came.contains(&json!(number))), "{came:?}");
}

/// A host that reads nothing is not read from any more: the server keeps what fits in a pipe, and not all that is sent.
#[test]
fn a_host_that_reads_nothing_is_not_read() {
    const SENT: u64 = 400;
    let folder = Folder::with_hooks(HOOKS);
    let (mut server, (mut stdin, stdout)) =
        Server::start(&folder, &["--stdio", "-c", "hooks.toml"]);
    let written = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&written);
    let text = "x".repeat(100_000);
    let sender = spawn(move || {
        let events = json!({"jsonrpc": "2.0", "id": 0, "method": "hello", "params":
            hello(&["pre_tool_use"], &["deny", "ask", "halt", "patch", "answer"])});
        writeln!(stdin, "{events}").unwrap();
        for id in 1..=SENT {
            let params = json!({"session": "s", "step": bash(&text)});
            let request = json!({"jsonrpc": "2.0", "id": id, "method": "judge", "params": params});
            writeln!(stdin, "{request}").unwrap();
            counted.store(id, Ordering::SeqCst);
        }
    });
    let sent = || written.load(Ordering::SeqCst);
    let began = Instant::now();
    let mut last = (0, Instant::now());
    while last.1.elapsed() < Duration::from_millis(700) || last.0 == 0 {
        assert!(began.elapsed() < PATIENCE);
        if sent() != last.0 {
            last = (sent(), Instant::now());
        }
        sleep(Duration::from_millis(20));
    }
    assert!(last.0 < SENT / 2, "{} of {SENT} were taken while nobody read an answer", last.0);
    let mut host = Host::new(std::io::sink(), stdout);
    // Large steps are judged by other threads, so they are answered as they are done.
    let mut answered: Vec<u64> =
        (0..=SENT).map(|_| host.line().unwrap()["id"].as_u64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, (0..=SENT).collect::<Vec<_>>());
    sender.join().unwrap();
    assert_eq!(server.ended(), Some(0));
}
