//! Promise: whatever comes in, an error goes out: no crash, and nothing that could be taken for an allow.

use hookgate_test_support::cases;
use serde_json::{Value, json};

use crate::support::{Folder, Host, Random, bash, hello, judge};

/// Denies whatever is declared, so that any pass is a mistake.
const DENY_ALL: &str = r#"
[[hook]]
id = "nothing"
event = "pre_tool_use"
builtin = { name = "deny", reason = "nothing goes" }
"#;

fn request(id: Value, method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// Requests as they should be.
fn good() -> Vec<String> {
    let hello = hello(&["pre_tool_use"], &["deny", "ask", "halt", "patch", "answer", "context"]);
    let deny =
        json!({"id": "mine", "event": "pre_tool_use", "builtin": {"name": "deny", "reason": "no"}});
    let item = |id: &str| json!({"id": id, "session": "s", "step": bash("ls")});
    vec![
        request(json!(1), "hello", hello),
        request(json!(2), "judge", judge("s", "ls")),
        request(json!("three"), "judge", judge("s", "rm -rf / \u{202e} \u{1F980}")),
        request(json!(4), "judge_batch", json!({"items": [item("a"), item("b")]})),
        request(json!(5), "override", json!({"session": "s", "hooks": [deny], "disable": []})),
        request(
            json!(6),
            "ask.answer",
            json!({"session": "s", "question": {}, "answer": "approve"}),
        ),
        request(json!(7), "session.end", json!({"session": "s"})),
        request(json!(8), "replace", json!({"toml": "", "if_generation": 1})),
        request(json!(9), "status", json!({})),
    ]
}

/// Breaks a line in one of many ways. It stays one line.
fn broken(random: &mut Random, good: &[String]) -> Vec<u8> {
    let mut line = good[random.below(good.len())].clone().into_bytes();
    let at = random.below(line.len());
    match random.below(12) {
        0 => line.truncate(at),
        1 => line[at] ^= 1 << random.below(8),
        2 => _ = line.remove(at),
        3 => line.insert(at, random.below(256) as u8),
        4 => line.splice(1..1, b"\"id\":1,".iter().copied()).for_each(drop),
        5 => line = [vec![b'['; 1 + random.below(300)], line].concat(),
        6 => {
            let depth = random.below(5000);
            let deep = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
            line = request(json!(1), "judge", json!({"session": "s"})).into_bytes();
            line.splice(line.len() - 2..line.len() - 2, format!(",\"step\":{deep}").into_bytes())
                .for_each(drop);
        }
        7 => line = (0..random.below(200)).map(|_| random.below(256) as u8).collect(),
        8 => {
            let ids = [
                json!(null),
                json!(1.5),
                json!([1]),
                json!({"a": 1}),
                json!(true),
                json!(u64::MAX),
                json!("x".repeat(400)),
            ];
            line = request(ids[random.below(ids.len())].clone(), "judge", judge("s", "ls"))
                .into_bytes();
        }
        9 => {
            line = request(
                json!(1),
                ["jugde", "", "rpc.x", "Judge", "judge "][random.below(5)],
                judge("s", "ls"),
            )
            .into_bytes()
        }
        10 => {
            let number =
                ["1e999", "12345678901234567890123", "-0", "9007199254740993", "NaN", "01"]
                    [random.below(6)];
            line = request(json!(1), "judge", judge("s", "NUMBER"))
                .replace("\"NUMBER\"", number)
                .into_bytes();
        }
        _ => {
            line = request(
                json!(1),
                "judge",
                json!({"session": "s", "step": bash("ls"), "verdict": "allow"}),
            )
            .into_bytes()
        }
    }
    line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
    line
}

/// Fails if a line of the server can be taken for an allow, or is no answer at all. Returns whether it is an error.
fn check(answer: &Value) -> bool {
    assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
    if let Some(error) = answer.get("error") {
        assert!(answer.get("result").is_none() && error["data"]["name"].is_string(), "{answer}");
        return true;
    }
    let result = &answer["result"];
    let items = result["items"].as_array().cloned().unwrap_or_default();
    let judged = items.iter().map(|item| &item["result"]).chain([result]);
    for judged in judged.filter(|judged| judged.get("report").is_some()) {
        assert_eq!(judged["verdict"], "deny", "{answer}");
        assert!(judged.get("step").is_none(), "{answer}");
    }
    false
}

#[test]
fn a_broken_frame_is_an_error_and_never_an_allow() {
    const AT_ONCE: u32 = 40;
    let folder = Folder::with_hooks(DENY_ALL);
    let (_server, mut host) = Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml"]);
    let good = good();
    host.send_text(&good[0]);
    assert!(!check(&host.line().unwrap()));
    let mut random = Random(u64::from(std::process::id()));
    let (all, mut errors, seed) = (cases(4000, 1_000_000), 0, random.0);
    let mut sent = 0;
    while sent < all {
        for _ in 0..AT_ONCE {
            let line = broken(&mut random, &good);
            let out = host.out.as_mut().unwrap();
            out.write_all(&line).unwrap();
            out.write_all(b"\n").unwrap();
        }
        for _ in 0..AT_ONCE {
            let answer = host.line().unwrap_or_else(|| panic!("the server is gone, seed {seed}"));
            errors += u32::from(check(&answer));
        }
        sent += AT_ONCE;
    }
    assert!(
        errors > all / 2,
        "only {errors} of {all} were refused: the frames are not broken enough"
    );
    host.send_text(&good[1]);
    assert_eq!(host.line().unwrap()["result"]["verdict"], "deny");
}

#[test]
fn a_line_beyond_the_limit_is_refused_and_the_next_one_is_read() {
    let folder = Folder::with_hooks(DENY_ALL);
    let (_server, mut host) = Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml"]);
    host.send_text(&good()[0]);
    assert!(!check(&host.line().unwrap()));
    host.send_text(&request(json!(1), "judge", judge("s", &"x".repeat(17 << 20))));
    let refused = host.line().unwrap();
    assert_eq!(
        (&refused["id"], &refused["error"]["data"]["name"]),
        (&json!(null), &json!("too_large"))
    );
    assert_eq!(host.judge("s", "ls")["verdict"], "deny");
}

/// A control: the check of the answers finds an allow.
#[test]
#[should_panic(expected = "pass")]
fn an_allow_would_be_found() {
    check(
        &json!({"jsonrpc": "2.0", "id": 1, "result": {"verdict": "pass", "report": {}, "step": {}}}),
    );
}
