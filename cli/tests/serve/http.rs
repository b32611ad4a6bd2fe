//! Promise: over HTTP the methods are the same, a caller is known by its id alone, and whatever is no 200 is a no.

use std::io::{BufReader, ErrorKind, Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http_client::{Http, head, listening};
use crate::support::{Folder, HOOKS, PATIENCE, hello, judge};

const ALL: &[&str] = &["deny", "ask", "halt", "patch", "answer", "context"];

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        sleep(Duration::from_millis(10));
    }
}

fn figure(http: &Http, name: &str) -> u64 {
    let text = http.get("/metrics").body;
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
    line.unwrap_or_else(|| panic!("{text}")).parse().unwrap()
}

#[test]
fn a_caller_is_known_by_the_id_that_hello_has_returned() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, http) = listening(&folder, &[]);
    // Nobody is a caller before `hello`, nor by a `hello` that was refused.
    assert_eq!(http.call(None, "judge", &judge("s", "ls")).error(), "hello_first");
    let refused = http.call(None, "hello", &hello(&["stop"], ALL));
    assert_eq!((refused.error().as_str(), refused.header("hookgate-caller")), ("unenforced", None));
    assert_eq!(figure(&http, "hookgate_callers"), 0);

    let (one, other) = (http.hello(), http.hello());
    assert!(one.len() == 64 && one != other, "{one}");
    let judged = |caller: &str, command: &str| {
        let reply = http.call(Some(caller), "judge", &judge("s", command));
        assert_eq!(reply.header("content-type"), Some("application/json"));
        reply
    };
    assert_eq!(judged(&one, "ls").json()["result"]["verdict"], "pass");
    assert_eq!(judged(&one, "git push --force").json()["result"]["verdict"], "deny");
    // Its sessions are its own.
    assert_eq!(judged(&other, "ls").error(), "session_in_use");
    for wrong in ["", "0", &one.to_uppercase(), &format!("{one}0"), &one[..63]] {
        assert_eq!(judged(wrong, "ls").error(), "hello_first", "{wrong}");
    }
    let twice = [format!("hookgate-caller: {one}"), format!("hookgate-caller: {one}")];
    let twice: Vec<&str> = twice.iter().map(String::as_str).collect();
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "status"}).to_string();
    assert_eq!(http.send("POST /rpc", &twice, request.as_bytes()).error(), "hello_first");

    let end = |id: &str| http.send("DELETE /rpc", &[&format!("hookgate-caller: {id}")], b"");
    assert_eq!(end("0").error(), "hello_first");
    assert_eq!((end(&one).status, figure(&http, "hookgate_callers")), (204, 1));
    assert_eq!(judged(&one, "ls").error(), "hello_first");
    assert_eq!(end(&one).error(), "hello_first");
    assert_eq!(judged(&other, "ls").json()["result"]["verdict"], "pass", "the session is free");
}

#[test]
fn what_is_wrong_is_no_200() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, http) = listening(&folder, &["--callers", "1"]);
    let id = http.hello();
    let caller = format!("hookgate-caller: {id}");
    for (body, status, name) in [
        ("", 400, "parse_error"),
        ("{", 400, "parse_error"),
        ("[]", 400, "invalid_request"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"judg"}"#, 400, "unknown_method"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"judge","params":{}}"#, 400, "invalid_params"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"events"}"#, 400, "unknown_method"),
    ] {
        let reply = http.send("POST /rpc", &[&caller], body.as_bytes());
        assert_eq!((reply.status, reply.error().as_str()), (status, name), "{body}");
    }
    let late = json!({"session": "s", "step": crate::support::bash("slow"), "deadline_ms": 50});
    let late = http.call(Some(&id), "judge", &late);
    assert_eq!((late.status, late.error().as_str()), (504, "deadline_passed"));
    let many = http.call(None, "hello", &hello(&["pre_tool_use"], ALL));
    assert_eq!((many.status, many.error().as_str()), (429, "too_many"));
    for (line, status) in [
        ("GET /rpc", 405),
        ("PUT /rpc", 405),
        ("POST /events", 405),
        ("POST /health", 405),
        ("GET /", 404),
        ("GET /rpc/", 404),
        // OPA is asked only where that was said.
        ("POST /v1/data/hookgate", 404),
    ] {
        assert_eq!(http.send(line, &[&caller], b"").status, status, "{line}");
    }
    assert_eq!(http.get("/events").error(), "hello_first");
}

#[test]
fn a_body_has_at_most_16_mib_and_a_request_a_head_of_bounded_size() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, http) = listening(&folder, &[]);
    let id = http.hello();
    let caller = format!("hookgate-caller: {id}");
    let body = |size: usize| {
        let request =
            json!({"jsonrpc": "2.0", "id": 1, "method": "judge", "params": judge("s", "ls")});
        let mut text = request.to_string().into_bytes();
        text.resize(size, b' ');
        text
    };
    let largest = http.send("POST /rpc", &[&caller], &body(16 << 20));
    assert_eq!(largest.json()["result"]["verdict"], "pass");
    let larger = http.send("POST /rpc", &[&caller], &body((16 << 20) + 1));
    assert_eq!((larger.status, larger.error().as_str()), (413, "too_large"));
    // So it is if nobody says how long it is.
    let mut stream = http.connect();
    let Http { address, token } = &http;
    write!(stream, "POST /rpc HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n{caller}\r\ntransfer-encoding: chunked\r\n\r\n").unwrap();
    let piece =
        [format!("{:x}\r\n", 1 << 20).into_bytes(), vec![b' '; 1 << 20], b"\r\n".to_vec()].concat();
    for _ in 0..16 {
        stream.write_all(&piece).unwrap();
    }
    stream.write_all(b"1\r\n \r\n").unwrap();
    assert_eq!(head(&mut BufReader::new(stream)).unwrap().status, 413);
    let long = format!("x-long: {}", "x".repeat(1 << 20));
    let token = format!("authorization: Bearer {token}");
    let lines = ["GET /health HTTP/1.1", "host: localhost", "connection: close", &token, &long];
    assert!(http.raw(&lines, b"").is_none_or(|reply| reply.status == 431));
    assert_eq!(http.get("/health").status, 200);
}

#[test]
fn a_caller_that_asks_nothing_ends_with_its_sessions_unless_it_has_something_at_work() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, http) = listening(&folder, &["--idle", "3"]);
    let (idle, listener) = (http.hello(), http.hello());
    let told = http.events(&listener);
    http.call(Some(&idle), "judge", &judge("s", "ls"));
    told.recv_timeout(PATIENCE).unwrap();
    until("the caller does not end", || figure(&http, "hookgate_callers") == 1);
    until("the session does not end", || figure(&http, "hookgate_sessions") == 0);
    assert_eq!(http.call(Some(&idle), "judge", &judge("s", "ls")).error(), "hello_first");
    // Who listens is there: the time has long passed.
    let third = http.hello();
    http.call(Some(&third), "judge", &judge("s", "git push --force"));
    let told: Value = serde_json::from_str(&told.recv_timeout(PATIENCE).unwrap()).unwrap();
    assert_eq!((&told["lost"], &told["told"]["decision"]["decision"]), (&json!(0), &json!("deny")));
}

#[test]
fn a_caller_that_ends_stops_what_it_has_at_work() {
    let folder = Folder::with_hooks(&HOOKS.replace("sleep 1;", "sleep 15;"));
    let (_server, http) = listening(&folder, &[]);
    let id = http.hello();
    let told = http.events(&id);
    let (asking, caller) = (http.clone(), id.clone());
    let slow = spawn(move || asking.call(Some(&caller), "judge", &judge("s", "slow")));
    until("the slow hook was not called", || folder.path("slow-has-begun").exists());
    let ended = http.send("DELETE /rpc", &[&format!("hookgate-caller: {id}")], b"");
    assert_eq!(ended.status, 204);
    assert_eq!(slow.join().unwrap().error(), "hello_first");
    let end = told.recv_timeout(PATIENCE);
    assert_eq!(end, Err(RecvTimeoutError::Disconnected), "it ends, and nothing was decided");
    assert_eq!(figure(&http, "hookgate_sessions"), 0);
}

#[test]
fn requests_at_work_and_connections_are_bounded() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, http) = listening(&folder, &["--in-flight", "1", "--callers", "2"]);
    let id = http.hello();
    let (asking, caller) = (http.clone(), id.clone());
    let slow = spawn(move || asking.call(Some(&caller), "judge", &judge("s", "slow")));
    until("the slow hook was not called", || folder.path("slow-has-begun").exists());
    // The next one waits until it is done.
    let quick = http.call(Some(&id), "judge", &judge("s", "ls"));
    assert_eq!(quick.json()["result"]["verdict"], "pass");
    assert_eq!(figure(&http, "hookgate_verdicts_total{verdict=\"deny\"}"), 1, "it has waited");
    assert_eq!(slow.join().unwrap().json()["result"]["verdict"], "deny");
    until("something is at work", || figure(&http, "hookgate_in_flight") == 0);
    // Four for each caller; the next one is closed. It has sent a head that does not end.
    let mut open: Vec<_> = (0..8)
        .map(|_| {
            let mut stream = http.connect();
            stream.write_all(b"GET /health HTTP/1.1\r\n").unwrap();
            stream
        })
        .collect();
    until("one more is served", || {
        let mut one_more = http.connect();
        let _ = one_more.write_all(b"GET /health HTTP/1.1\r\n");
        match one_more.read(&mut [0]) {
            Ok(read) => read == 0,
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        }
    });
    open.clear();
    until("none is served any more", || {
        http.raw(&["GET / HTTP/1.1", "host: localhost", "connection: close"], b"")
            .is_some_and(|reply| reply.status == 401)
    });
}

#[test]
fn a_terminated_server_answers_what_has_begun_and_ends_well() {
    let folder = Folder::with_hooks(HOOKS);
    let (mut server, http) = listening(&folder, &[]);
    let id = http.hello();
    let told = http.events(&id);
    // An open connection holds nothing up.
    let idle = http.connect();
    let (asking, caller) = (http.clone(), id.clone());
    let slow = spawn(move || asking.call(Some(&caller), "judge", &judge("s", "slow")));
    until("the slow hook was not called", || folder.path("slow-has-begun").exists());
    assert_eq!(http.get("/health").json()["ok"], true);
    server.signal("TERM");
    assert_eq!(slow.join().unwrap().json()["result"]["report"]["reason"], "at last");
    assert_eq!(server.ended(), Some(0));
    assert!(told.iter().count() <= 1, "the stream ends");
    assert!(std::net::TcpStream::connect(&http.address).is_err());
    drop(idle);
    let tokens = std::fs::read_dir(folder.path("run/hookgate")).unwrap();
    assert_eq!(tokens.count(), 0, "the token goes with the server");
}

#[test]
fn a_terminated_server_does_not_wait_for_a_host_that_reads_nothing() {
    let folder = Folder::with_hooks(HOOKS);
    let (mut server, http) = listening(&folder, &["--close", "1"]);
    let Http { address, token } = &http;
    let request = format!(
        "GET /metrics HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n"
    );
    let mut unread = http.connect();
    let mut writing = unread.try_clone().unwrap();
    let written = Arc::new(AtomicU64::new(0));
    let so_far = Arc::clone(&written);
    spawn(move || {
        while writing.write_all(request.as_bytes()).is_ok() {
            so_far.fetch_add(1, Ordering::Relaxed);
        }
    });
    let mut before = 0;
    loop {
        sleep(Duration::from_millis(300));
        let now = written.load(Ordering::Relaxed);
        if now > 0 && now == before {
            break;
        }
        before = now;
    }
    server.signal("TERM");
    assert_eq!(server.ended(), Some(0));
    assert!(unread.read(&mut [0]).is_ok(), "it was answered at first");
}
