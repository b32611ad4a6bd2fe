//! What comes back, in each class.

use std::time::{Duration, Instant};

use hookgate_contract::FailureClass::{Auth, HttpStatus, Malformed, Oversize, Unreachable};
use hookgate_contract::{FailureClass, Verdict, Word};
use serde_json::json;

use crate::kit::{Mode, OUTPUT, Service, ask, asked, build, failed, settings};

fn status(status: u16) -> Mode {
    Mode::Status(status, "", String::new())
}

fn typed(headers: &'static str, body: &str) -> Mode {
    Mode::Status(200, headers, body.to_owned())
}

#[tokio::test]
async fn the_body_is_the_verdict() {
    let deny = r#"{"decision":"deny","reason":"no"}"#;
    let said = [
        Mode::Verdict(deny.into()),
        Mode::Status(201, "", deny.into()),
        typed("content-type: Application/JSON; charset=utf-8\r\n", deny),
        typed("content-type: application/vnd.policy+json\r\n", deny),
        typed("content-encoding: identity\r\n", deny),
        Mode::Chunked(vec![r#"{"decision""#, r#":"deny","#, r#""reason":"no"}"#]),
    ];
    for mode in said {
        assert_eq!(asked(mode.clone(), json!({})).await, Ok(Verdict::deny("no")), "{mode:?}");
    }
    let silent = [
        Mode::Verdict(String::new()),
        Mode::Verdict("{}".into()),
        status(204),
        typed("content-type: text/plain\r\n", ""),
    ];
    for mode in silent {
        assert_eq!(asked(mode.clone(), json!({})).await, Ok(Verdict::none()), "{mode:?}");
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
        (status(429), HttpStatus, "too often"),
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
        (Mode::WrongLength(r#"{"decision":"allow"}"#), Malformed, "broke off after 20 bytes"),
        (Mode::Flood, Oversize, "raise limits.output"),
        (Mode::HugeHeader, Malformed, "headers are too large"),
        (Mode::ManyHeaders, Malformed, "headers are too large"),
        (Mode::Garbage, Malformed, "not HTTP/1.1"),
        (Mode::Close, Unreachable, "no answer came"),
        (Mode::Reset, Unreachable, "no answer came"),
    ];
    for (mode, class, part) in modes {
        let (found, detail) = failed(asked(mode.clone(), json!({})).await);
        assert_eq!(found, *class, "{mode:?}: {detail}");
        assert!(detail.contains(part), "{mode:?}: {detail}");
    }
}

/// A bomb is never unpacked: nobody accepts an encoding, and the packed bytes are no verdict.
#[tokio::test]
async fn a_bomb_does_not_go_off() {
    let packed: String = "\u{1f}\u{8}".chars().chain("x".repeat(OUTPUT * 4).chars()).collect();
    for headers in ["content-encoding: gzip\r\n", "content-encoding: deflate, gzip\r\n"] {
        let (class, detail) = failed(asked(typed(headers, &packed), json!({})).await);
        assert_eq!((class, detail.contains("compressed")), (Malformed, true), "{detail}");
    }
}

#[tokio::test]
async fn the_limit_is_exact() {
    for (length, fits) in [(OUTPUT - 1, true), (OUTPUT, true), (OUTPUT + 1, false)] {
        let reply = asked(Mode::Padded(length), json!({})).await;
        if fits {
            assert_eq!(reply, Ok(Verdict::deny("told so")), "{length}");
        } else {
            let failure = reply.unwrap_err();
            // The deny that stands in the beginning is not lost.
            assert_eq!((failure.class, failure.stands), (Oversize, Some(Word::Deny)));
        }
    }
}

#[tokio::test]
async fn a_damaged_deny_stands() {
    for (mode, stands) in [
        (Mode::WrongLength(r#"{"decision":"deny","reason":"n"#), Some(Word::Deny)),
        (Mode::WrongLength(r#"{"decision":"ask"}"#), Some(Word::Ask)),
        (Mode::WrongLength(r#"{"decision":"allow"}"#), None),
        (Mode::Verdict(r#"{"decision":"deny","resaon":"n"}"#.into()), Some(Word::Deny)),
    ] {
        let failure = asked(mode.clone(), json!({})).await.unwrap_err();
        assert_eq!((failure.class, failure.stands), (Malformed, stands), "{mode:?}");
    }
}

#[tokio::test]
async fn an_answer_must_be_to_this_request() {
    let wanted = || json!({"request_id": true});
    let right = asked(Mode::Echo { right: true }, wanted()).await;
    assert_eq!(right, Ok(Verdict::deny("told so")));
    for mode in [Mode::Echo { right: false }, Mode::Verdict("{}".into()), status(204)] {
        let (class, detail) = failed(asked(mode.clone(), wanted()).await);
        assert_eq!(class, Malformed, "{mode:?}");
        assert!(detail.contains("x-hookgate-request-id"), "{mode:?}: {detail}");
    }
    // An error is an error, whoever answers it.
    assert_eq!(failed(asked(status(502), wanted()).await).0, HttpStatus);
}

/// The deadline is the engine's: it drops the future, and the connection goes with it.
#[tokio::test]
async fn what_nobody_waits_for_is_dropped() {
    for mode in [Mode::Never, Mode::Drip, Mode::Interim] {
        let service = Service::start(mode.clone()).await;
        let built = build(&settings(&service, &json!({}))).unwrap();
        let begun = Instant::now();
        let reply = tokio::time::timeout(Duration::from_millis(200), ask(&built)).await;
        assert!(reply.is_err(), "{mode:?}: {reply:?}");
        assert!(begun.elapsed() < Duration::from_secs(2), "{mode:?}");
        assert_eq!(service.accepted(), 1, "{mode:?}");
    }
}
