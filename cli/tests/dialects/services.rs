//! Services that were written for an agent.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};

use crate::support::Folder;

/// Answers one request with this body, and returns the body of the request.
fn serve(answer: &'static str) -> (u16, thread::JoinHandle<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
        let body = loop {
            let count = stream.read(&mut buffer).unwrap();
            seen.extend_from_slice(&buffer[..count]);
            let text = String::from_utf8_lossy(&seen).into_owned();
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().unwrap())
            });
            if body.len() >= length.unwrap_or(0) {
                break body.to_owned();
            }
        };
        write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{answer}",
            answer.len()
        )
        .unwrap();
        serde_json::from_str(&body).unwrap()
    });
    (port, served)
}

fn called(port: u16) -> Folder {
    Folder::with(&format!(
        "[[hook]]\nid = 'service'\nevent = 'pre_tool_use'\n[hook.http]\n\
         url = 'http://127.0.0.1:{port}/hook'\nallow_loopback = ['127.0.0.1:{port}']\ndialect = 'claude'\n"
    ))
}

#[test]
fn a_service_for_claude_code_guards_gemini_cli() {
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not here"}}"#;
    let (port, served) = serve(deny);
    let folder = called(port);
    let answer = folder.hook("gemini", "BeforeTool", &folder.gemini("ls"));
    assert_eq!(answer, json!({"decision": "deny", "reason": "not here"}));
    let sent = served.join().unwrap();
    assert_eq!(
        (&sent["hook_event_name"], &sent["tool_name"]),
        (&json!("PreToolUse"), &json!("Bash"))
    );
}

#[test]
fn silence_is_no_opinion_and_text_is_no_answer() {
    let (port, _served) = serve("");
    let folder = called(port);
    assert_eq!(folder.hook("gemini", "BeforeTool", &folder.gemini("ls")), Value::Null);
    let (port, _served) = serve("all fine");
    let folder = called(port);
    let answer = folder.hook("gemini", "BeforeTool", &folder.gemini("ls"));
    assert_eq!(answer["decision"], "deny", "{answer}");
}
