//! Promise: who listens is told every decision, and who listens too slowly how many it has missed.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;

use serde_json::json;

use crate::support::{Folder, HOOKS, Host, judge};

#[test]
fn every_decision_is_told_also_those_of_others() {
    let folder = Folder::with_hooks(HOOKS);
    let (server, mut silent) =
        Host::spawn_silent(&folder, &["--socket", "run/s.sock", "-c", "hooks.toml"]);
    drop(silent.out.take());
    server.wait_for("listening");
    let (mut listening, mut judging) =
        (Host::connect(&folder, "run/s.sock"), Host::connect(&folder, "run/s.sock"));
    listening.hello();
    judging.hello();
    assert_eq!(listening.ok("events", json!({}))["behind"], 1024);
    judging.judge("s", "ls");
    judging.judge("s", "git push --force");
    judging.ok(
        "observe",
        json!({"session": "s", "step": {"hook_event_name": "session_end", "reason": "x"}}),
    );
    let mut told = || listening.line().unwrap()["params"].clone();
    for (event, decision) in
        [("pre_tool_use", "allow"), ("pre_tool_use", "deny"), ("session_end", "allow")]
    {
        let params = told();
        assert_eq!(params["lost"], 0);
        let record = &params["told"]["decision"];
        assert_eq!(
            (&record["event"], &record["decision"]),
            (&json!(event), &json!(decision)),
            "{params}"
        );
    }
}

#[test]
fn who_listens_too_slowly_is_told_how_many_it_has_missed() {
    let folder = Folder::with_hooks(HOOKS);
    let (server, mut silent) =
        Host::spawn_silent(&folder, &["--socket", "run/s.sock", "-c", "hooks.toml"]);
    drop(silent.out.take());
    server.wait_for("listening");
    let mut judging = Host::connect(&folder, "run/s.sock");
    judging.hello();
    // A listener that reads nothing until all is over: what it is told fills the socket first.
    let mut stream = UnixStream::connect(folder.path("run/s.sock")).unwrap();
    let hello =
        crate::support::hello(&["pre_tool_use"], &["deny", "ask", "halt", "patch", "answer"]);
    for (id, method, params) in [(1, "hello", hello), (2, "events", json!({}))] {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(stream, "{request}").unwrap();
        let mut byte = [0];
        while byte != *b"\n" {
            stream.read_exact(&mut byte).unwrap();
        }
    }
    let steps = 4000;
    let mut sent = 0;
    while sent < steps {
        let numbers: Vec<u64> =
            (0..50).map(|_| judging.send("judge", judge("s", "git push --force"))).collect();
        numbers.into_iter().for_each(|number| _ = judging.answer(number).unwrap());
        sent += 50;
    }
    let mut reading = Host::new(std::io::sink(), stream);
    let (mut lost, mut records) = (0, 0);
    while records + lost < steps {
        let Some(line) = reading.line() else { panic!("{records} told, {lost} lost") };
        if line.get("method").is_none() {
            continue;
        }
        lost += line["params"]["lost"].as_u64().unwrap();
        records += u64::from(line["params"].get("told").is_some());
    }
    assert!(lost > 0 && records > 0, "{lost} lost of {steps}");
    assert_eq!(lost + records, steps);
    let text = judging.ok("metrics", json!({}))["text"].as_str().unwrap().to_owned();
    assert!(text.contains(&format!("hookgate_decisions_lost_total {lost}\n")), "{text}");
}
