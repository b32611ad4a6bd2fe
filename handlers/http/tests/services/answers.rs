//! Promise: every answer of a service is a verdict, or a failure of the right class.

use std::time::{Duration, Instant};

use hookgate_contract::FailureClass::{Auth, HttpStatus, Malformed, Oversize, Unreachable};
use hookgate_contract::StepId;
use hookgate_contract::payload::ToolCall;
use hookgate_contract::{
    Envelope, FailureClass, Handler, Invocation, StepContext, Verdict, VerdictDecision,
};
use serde_json::json;

use crate::kit::{
    Mode, OUTPUT, Service, build, failed, invoke, invoke_once, invoke_within, settings,
};

fn status(status: u16) -> Mode {
    Mode::Status(status, "", String::new())
}

fn typed(headers: &'static str, body: &str) -> Mode {
    Mode::Status(200, headers, body.to_owned())
}

#[tokio::test]
async fn the_body_is_the_verdict() {
    let deny = r#"{"decision":"deny","reason":"no"}"#;
    let modes = [
        Mode::Verdict(deny.into()),
        Mode::Status(201, "", deny.into()),
        typed("content-type: Application/JSON; charset=utf-8\r\n", deny),
        typed("content-type: application/vnd.policy+json\r\n", deny),
        typed("content-encoding: identity\r\n", deny),
        Mode::Chunked(vec![r#"{"decision""#, r#":"deny","#, r#""reason":"no"}"#]),
    ];
    for mode in modes {
        assert_eq!(invoke_once(mode.clone(), json!({})).await, Ok(Verdict::deny("no")), "{mode:?}");
    }
    let silent = [
        Mode::Verdict("{}".into()),
        Mode::Verdict(" {}\n".into()),
        Mode::Closed("{}"),
        status(204),
    ];
    for mode in silent {
        assert_eq!(invoke_once(mode.clone(), json!({})).await, Ok(Verdict::none()), "{mode:?}");
    }
}

#[tokio::test]
async fn each_bad_answer_is_in_its_class() {
    let location = "location: http://127.0.0.1:1/elsewhere\r\n";
    let modes: &[(Mode, FailureClass, &str)] = &[
        (status(401), Auth, "status 401"),
        (status(403), Auth, "refused the credentials"),
        (Mode::Status(301, location, String::new()), HttpStatus, "not followed"),
        (Mode::Status(307, location, String::new()), HttpStatus, "not followed"),
        (status(304), HttpStatus, "status 304"),
        (status(404), HttpStatus, "path"),
        (status(418), HttpStatus, "status 418"),
        (status(429), HttpStatus, "too many requests"),
        (status(500), HttpStatus, "see its log"),
        (status(503), HttpStatus, "not running"),
        (Mode::Verdict("sure, go on".into()), Malformed, ""),
        (Mode::Verdict(r#"{"decision":"allow"} {"decision":"allow"}"#.into()), Malformed, ""),
        (Mode::Verdict(r#"["deny"]"#.into()), Malformed, ""),
        (Mode::Verdict("\u{0}".into()), Malformed, ""),
        (typed("content-type: text/html\r\n", "{}"), Malformed, "application/json"),
        (typed("content-type: application/jsonp\r\n", "{}"), Malformed, "application/json"),
        (typed("content-encoding: gzip\r\n", "{}"), Malformed, "compressed"),
        (typed("content-encoding: br\r\n", ""), Malformed, "compressed"),
        (Mode::Verdict(String::new()), Malformed, "answer {} or status 204"),
        (Mode::Verdict(" \n".into()), Malformed, "is empty"),
        (Mode::Status(202, "", String::new()), Malformed, "is empty"),
        (Mode::Status(206, "content-type: application/json\r\n", "{}".into()), Malformed, "206"),
        (typed("content-type: text/plain\r\n", ""), Malformed, "is empty"),
        (Mode::Closed(""), Malformed, "is empty"),
        (Mode::ChunkedCut("{}"), Malformed, "broke off after 2 bytes"),
        (Mode::WrongLength(r#"{"decision":"allow"}"#), Malformed, "broke off after 20 bytes"),
        (Mode::Flood, Oversize, "raise limits.output"),
        (Mode::HugeHeader, Malformed, "headers are too large"),
        (Mode::ManyHeaders, Malformed, "headers are too large"),
        (Mode::Garbage, Malformed, "not HTTP/1.1"),
        (Mode::Close, Unreachable, "no answer arrived"),
        (Mode::Reset, Unreachable, "no answer arrived"),
    ];
    for (mode, class, part) in modes {
        let (found, detail) = failed(invoke_once(mode.clone(), json!({})).await);
        assert_eq!(found, *class, "{mode:?}: {detail}");
        assert!(detail.contains(part), "{mode:?}: {detail}");
    }
}

/// A bomb is never unpacked: no encoding is accepted, and the packed bytes are not a verdict.
#[tokio::test]
async fn a_bomb_does_not_go_off() {
    let packed: String = "\u{1f}\u{8}".chars().chain("x".repeat(OUTPUT * 4).chars()).collect();
    for headers in ["content-encoding: gzip\r\n", "content-encoding: deflate, gzip\r\n"] {
        let (class, detail) = failed(invoke_once(typed(headers, &packed), json!({})).await);
        assert_eq!((class, detail.contains("compressed")), (Malformed, true), "{detail}");
    }
}

#[tokio::test]
async fn the_limit_is_exact() {
    for (length, fits) in [(OUTPUT - 1, true), (OUTPUT, true), (OUTPUT + 1, false)] {
        let reply = invoke_once(Mode::Padded(length), json!({})).await;
        if fits {
            assert_eq!(reply, Ok(Verdict::deny("refused")), "{length}");
        } else {
            let failure = reply.unwrap_err();
            // The deny at the beginning is not lost.
            assert_eq!((failure.class, failure.salvaged), (Oversize, Some(VerdictDecision::Deny)));
        }
    }
}

#[tokio::test]
async fn a_damaged_deny_is_salvaged() {
    for (mode, salvaged) in [
        (Mode::WrongLength(r#"{"decision":"deny","reason":"n"#), Some(VerdictDecision::Deny)),
        (Mode::WrongLength(r#"{"decision":"ask"}"#), Some(VerdictDecision::Ask)),
        (Mode::WrongLength(r#"{"decision":"allow"}"#), None),
        (Mode::Verdict(r#"{"decision":"deny","resaon":"n"}"#.into()), Some(VerdictDecision::Deny)),
    ] {
        let failure = invoke_once(mode.clone(), json!({})).await.unwrap_err();
        assert_eq!((failure.class, failure.salvaged), (Malformed, salvaged), "{mode:?}");
    }
}

#[tokio::test]
async fn silence_can_be_a_failure() {
    let wanted = || json!({"silence": "failure"});
    let (class, detail) = failed(invoke_once(status(204), wanted()).await);
    assert_eq!(class, Malformed);
    assert!(detail.contains("`silence` is \"failure\""), "{detail}");
    assert_eq!(invoke_once(Mode::Verdict("{}".into()), wanted()).await, Ok(Verdict::none()));
    assert_eq!(invoke_once(status(204), json!({"silence": "abstain"})).await, Ok(Verdict::none()));
}

/// However an answer is refused, the decision in it is kept; an allow never is.
#[tokio::test]
async fn a_decision_is_salvaged_from_every_refused_answer() {
    const DECISIONS: [(&str, Option<VerdictDecision>); 4] = [
        ("allow", None),
        ("ask", Some(VerdictDecision::Ask)),
        ("deny", Some(VerdictDecision::Deny)),
        ("halt", Some(VerdictDecision::Halt)),
    ];
    for (decision, salvaged) in DECISIONS {
        let whole = format!(r#"{{"decision":"{decision}","reason":"n"}}"#);
        let part: &'static str = whole.trim_end_matches("n\"}").to_owned().leak();
        let id = json!({"request_id": true});
        let none = json!({});
        let refusals: Vec<(Mode, &serde_json::Value, FailureClass)> = vec![
            (typed("content-type: text/plain\r\n", &whole), &none, Malformed),
            (typed("content-type: text/html\r\n", &format!("<p>{whole}</p>")), &none, Malformed),
            (typed("content-encoding: gzip\r\n", &whole), &none, Malformed),
            (typed("x-hookgate-request-id: 1\r\n", &whole), &id, Malformed),
            (Mode::Verdict(whole.clone()), &id, Malformed),
            (Mode::Status(403, "", whole.clone()), &none, Auth),
            (Mode::Status(404, "", whole.clone()), &none, HttpStatus),
            (Mode::Status(307, "location: /\r\n", whole.clone()), &none, HttpStatus),
            (Mode::Status(500, "", whole.clone()), &none, HttpStatus),
            (Mode::Status(500, "", format!("{whole}{}", " ".repeat(OUTPUT))), &none, HttpStatus),
            (Mode::Verdict(format!("{whole}{}", " ".repeat(OUTPUT))), &none, Oversize),
            (Mode::WrongLength(part), &none, Malformed),
            (Mode::ChunkedCut(part), &none, Malformed),
            (Mode::Closed(part), &none, Malformed),
            (Mode::Verdict(whole.to_uppercase()), &none, Malformed),
            (Mode::Verdict(format!("{whole} and more")), &none, Malformed),
            (Mode::Verdict(format!("so be it: {whole}")), &none, Malformed),
            (Mode::Verdict(format!("\u{feff}{whole}")), &none, Malformed),
            (Mode::Verdict(whole.replace("\"n\"", "1")), &none, Malformed),
            (Mode::Verdict(whole.replace('"', "'")), &none, Malformed),
            (Mode::Verdict(json!(whole).to_string()), &none, Malformed),
            (Mode::Bytes("", [whole.as_bytes(), b"\xff"].concat()), &none, Malformed),
        ];
        for (mode, more, class) in refusals {
            let failure = invoke_once(mode.clone(), more.clone()).await.unwrap_err();
            assert_eq!((failure.class, failure.salvaged), (class, salvaged), "{mode:?}");
        }
    }
}

/// The part of an answer that arrived before the call was given up is not lost.
#[tokio::test]
async fn a_decision_is_salvaged_from_an_answer_that_does_not_end_in_time() {
    for (part, salvaged) in [
        (r#"{"decision":"deny","reas"#, Some(VerdictDecision::Deny)),
        (r#"{"decision":"ask""#, Some(VerdictDecision::Ask)),
        (r#"{"decision":"allow","reas"#, None),
        ("", None),
    ] {
        let service = Service::start(Mode::Stall(part)).await;
        let built = build(&settings(&service, &json!({}))).unwrap();
        let left = invoke_within(&built, Duration::from_secs(1)).await;
        assert_eq!(left, Err(salvaged), "{part}");
    }
}

/// An error whose body never ends is reported as what it is, and soon.
#[tokio::test]
async fn the_body_of_an_error_is_not_waited_for_long() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        let head = b"HTTP/1.1 500 X\r\ncontent-length: 99\r\n\r\n{\"decision\":\"deny\"";
        stream.write_all(head).await.unwrap();
        std::future::pending::<()>().await;
    });
    let url = format!("http://{address}/");
    let built = build(&json!({"url": url, "allow_loopback": [address.to_string()]})).unwrap();
    let begun = Instant::now();
    let failure = invoke(&built).await.unwrap_err();
    assert_eq!((failure.class, failure.salvaged), (HttpStatus, Some(VerdictDecision::Deny)));
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn outside_a_runtime_it_is_a_failure_and_not_a_panic() {
    let settings = json!({"url": "https://policy.example.com/"});
    let built = build(&settings).unwrap();
    let call = ToolCall::new("Bash", json!({"command": "ls"}));
    let (context, id) = (StepContext::new("s"), StepId::new(Some("step-1"), String::new));
    let envelope = Envelope::new(&call, &context, &id, 1, 1024);
    let Handler::Async(handler) = &built.handler else { panic!("it must wait") };
    let reply = poll_once(handler.handle(Invocation::new("policy", &envelope)));
    assert_eq!(failed(reply).0, FailureClass::Spawn);
}

/// Polls a future once, without any runtime.
fn poll_once<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => panic!("it waits for a runtime that does not exist"),
    }
}

#[tokio::test]
async fn an_answer_must_be_to_this_request() {
    let wanted = || json!({"request_id": true});
    let right = invoke_once(Mode::Echo { right: true }, wanted()).await;
    assert_eq!(right, Ok(Verdict::deny("refused")));
    for mode in [Mode::Echo { right: false }, Mode::Verdict("{}".into()), status(204)] {
        let (class, detail) = failed(invoke_once(mode.clone(), wanted()).await);
        assert_eq!(class, Malformed, "{mode:?}");
        assert!(detail.contains("x-hookgate-request-id"), "{mode:?}: {detail}");
    }
    // An error is an error, whoever answers it.
    assert_eq!(failed(invoke_once(status(502), wanted()).await).0, HttpStatus);
}

/// The deadline is the engine's: it drops the future, and the connection goes with it.
#[tokio::test]
async fn a_call_that_is_given_up_closes_its_connection() {
    for mode in [Mode::Never, Mode::Drip, Mode::Interim] {
        let service = Service::start(mode.clone()).await;
        let built = build(&settings(&service, &json!({}))).unwrap();
        let begun = Instant::now();
        let reply = tokio::time::timeout(Duration::from_millis(200), invoke(&built)).await;
        assert!(reply.is_err(), "{mode:?}: {reply:?}");
        assert!(begun.elapsed() < Duration::from_secs(2), "{mode:?}");
        assert_eq!(service.accepted(), 1, "{mode:?}");
    }
}
