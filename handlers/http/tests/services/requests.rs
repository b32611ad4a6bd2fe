//! Promise: a service gets the envelope as a POST, with the configured headers, a signature and a
//! request id of its own.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac_sha256::HMAC;
use serde_json::{Value, json};

use crate::kit::service::Request;
use crate::kit::{Mode, Service, build, invoke, invoke_as, settings, tell};

async fn sent(more: Value) -> Request {
    let service = Service::start(Mode::Echo { right: true }).await;
    let built = build(&settings(&service, &more)).unwrap();
    invoke(&built).await.unwrap();
    service.requests().remove(0)
}

#[tokio::test]
async fn it_is_a_post_of_the_envelope() {
    let request = sent(json!({})).await;
    assert_eq!(request.line, "POST /policy HTTP/1.1");
    let envelope: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(envelope["hook_event_name"], "pre_tool_use");
    assert_eq!(envelope["tool_input"]["command"], "ls");
    for (name, value) in [
        ("content-type", Some("application/json")),
        ("accept", Some("application/json")),
        ("accept-encoding", Some("identity")),
        ("content-length", Some(request.body.len().to_string().as_str())),
        ("x-hookgate-hook", Some("policy")),
        ("x-hookgate-event", Some("pre_tool_use")),
        ("user-agent", Some(concat!("hookgate/", env!("CARGO_PKG_VERSION")))),
        ("x-hookgate-signature", None),
        ("x-hookgate-timestamp", None),
        ("x-hookgate-request-id", None),
        ("cookie", None),
        ("referer", None),
    ] {
        assert_eq!(request.header(name), value, "{name}");
    }
}

#[tokio::test]
async fn headers_have_the_values_of_listed_variables() {
    let headers = json!({"Authorization": "Bearer ${TOKEN}", "x-both": "${TOKEN}/${TOKEN}"});
    let request = sent(json!({"env": ["TOKEN"], "headers": headers})).await;
    assert_eq!(request.header("authorization"), Some("Bearer correct-horse-battery"));
    assert_eq!(request.header("x-both"), Some("correct-horse-battery/correct-horse-battery"));
}

fn verify(request: &Request, header: &str) {
    let timestamp = request.header("x-hookgate-timestamp").unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    assert!(now.abs_diff(timestamp.parse().unwrap()) < 60);
    let signed = [timestamp.as_bytes(), b".", &request.body].concat();
    let mac = HMAC::mac(signed, b"it-is-a-secret");
    let hex: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(request.header(header), Some(format!("sha256={hex}").as_str()));
}

#[tokio::test]
async fn a_signature_is_over_time_and_body() {
    verify(&sent(json!({"hmac": {"env": "SECRET"}})).await, "x-hookgate-signature");
    let other = json!({"hmac": {"env": "SECRET", "header": "X-Hub-Signature-256"}});
    let request = sent(other).await;
    verify(&request, "x-hub-signature-256");
    assert_eq!(request.header("x-hookgate-signature"), None);
}

#[tokio::test]
async fn every_request_has_a_number_of_its_own() {
    let service = Service::start(Mode::Echo { right: true }).await;
    let built = build(&settings(&service, &json!({"request_id": true}))).unwrap();
    for _ in 0..10 {
        invoke(&built).await.unwrap();
    }
    let requests = service.requests();
    let numbers: BTreeSet<_> =
        requests.iter().map(|request| request.header("x-hookgate-request-id").unwrap()).collect();
    assert_eq!(numbers.len(), 10);
    assert!(numbers.iter().all(|number| number.len() == 32), "{numbers:?}");
}

#[tokio::test]
async fn a_body_of_its_own_is_sent_in_place_of_the_envelope() {
    let body = json!({"text": "{{ tool_name }} runs {{ tool_input.command }}", "input": "{{ tool_input }}", "n": [1]});
    let request = sent(json!({"body": body, "hmac": {"env": "SECRET"}})).await;
    verify(&request, "x-hookgate-signature");
    let sent: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(sent, json!({"text": "Bash runs ls", "input": {"command": "ls"}, "n": [1]}));
}

/// A chat answers `ok`, and not with a verdict.
#[tokio::test]
async fn who_is_told_of_a_decision_may_answer_anything_but_an_error() {
    let body = json!({"body": {"text": "{{ decision.outcome }} by {{ decision.by }}: {{ decision.reason }}"}});
    for (status, is_ok) in [(200, true), (204, true), (400, false), (503, false)] {
        let service =
            Service::start(Mode::Status(status, "content-type: text/plain\r\n", "ok".into()));
        let service = service.await;
        let built = build(&settings(&service, &body)).unwrap();
        assert_eq!(built.role, Some(hookgate_contract::Role::Observe));
        assert_eq!(tell(&built).await.is_ok(), is_ok, "{status}");
        let sent: Value = serde_json::from_slice(&service.requests()[0].body).unwrap();
        assert_eq!(sent, json!({"text": "deny by ['guard']: no \"quotes\""}));
    }
    // A guard asks, whatever it sends: an answer that is no verdict is a failure.
    let service =
        Service::start(Mode::Status(200, "content-type: text/plain\r\n", "ok".into())).await;
    let built = build(&settings(&service, &json!({"body": {"text": "{{ tool_name }}"}}))).unwrap();
    assert!(invoke(&built).await.is_err());
}

#[tokio::test]
async fn a_run_that_is_done_later_has_its_key() {
    let service = Service::start(Mode::Echo { right: true }).await;
    let own = json!({"headers": {"Idempotency-Key": "of the config"}});
    let built = build(&settings(&service, &own)).unwrap();
    let minute = Duration::from_secs(60);
    for _ in 0..2 {
        invoke_as(&built, minute, Some("sha256:0123")).await.unwrap().unwrap();
    }
    invoke(&built).await.unwrap();
    let requests = service.requests();
    let keys: Vec<_> = requests.iter().map(|request| request.header("idempotency-key")).collect();
    assert_eq!(keys, [Some("sha256:0123"), Some("sha256:0123"), Some("of the config")]);
}
