//! Promise: no failure and no error in the settings shows a secret of the config.

use std::fmt::Write as _;

use hookgate_contract::{BuiltHandler, FailureClass, Reply};
use serde_json::{Value, json};

use crate::kit::{Mode, Service, UnusedPort, build_in, invoke};
use hookgate_http::HttpFactory;

const COUNT: usize = 100;

fn secret(index: usize) -> String {
    format!("planted-{:x}-{index}", index.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn http() -> HttpFactory {
    HttpFactory::default().variables(|name| {
        let index = name.strip_prefix("SECRET_")?.parse().ok()?;
        Some(secret(index))
    })
}

fn settings(url: &str, authority: &str) -> Value {
    let names: Vec<_> = (0..COUNT - 1).map(|index| format!("SECRET_{index}")).collect();
    let headers: serde_json::Map<_, _> = (names.iter().enumerate())
        .map(|(index, name)| (format!("x-{index}"), format!("Bearer ${{{name}}}").into()))
        .collect();
    json!({
        "url": url,
        "allow_loopback": [authority],
        "env": names,
        "headers": headers,
        "hmac": {"env": format!("SECRET_{}", COUNT - 1)},
        "connect_timeout": "200ms",
    })
}

fn all_secrets() -> String {
    (0..COUNT).fold(String::new(), |mut text, index| {
        let _ = write!(text, "{} ", secret(index));
        text
    })
}

fn check(shown: &str, source: &str) {
    for index in 0..COUNT {
        assert!(!shown.contains(&secret(index)), "{index} in {source}: {shown}");
    }
    assert!(!shown.contains("query-secret"), "{source}: {shown}");
}

fn shown(built: &BuiltHandler, reply: &Reply) -> String {
    let error = reply.as_ref().err().map(ToString::to_string).unwrap_or_default();
    format!("{built:?} {:?} {reply:?} {error}", built.warnings)
}

/// A service that repeats all that it was sent, in every part of its answer.
#[tokio::test]
async fn no_answer_of_a_service_shows_them() {
    let all = all_secrets();
    let reason: &'static str = format!("x-echo: {all}\r\n").leak();
    let quoted: &'static str = format!("content-type: {all}\r\n").leak();
    let verdicts = [
        json!({"decision": "deny", "reason": all}),
        json!({"message": all}),
        json!({"context": [all]}),
        json!({"annotations": {"seen": [all, {"deep": all}]}}),
    ];
    let modes = [
        Mode::Verdict(all.clone()),
        Mode::Verdict(json!({"decision": all}).to_string()),
        Mode::Verdict(json!({all.as_str(): 1}).to_string()),
        Mode::Verdict(format!("{{\"decision\":\"deny\"}} {all}")),
        Mode::Status(401, reason, all.clone()),
        Mode::Status(500, reason, all.clone()),
        Mode::Status(302, reason, all.clone()),
        Mode::Status(200, quoted, all.clone()),
        Mode::Reset,
        Mode::Garbage,
    ];
    let verdicts = verdicts.map(|verdict| Mode::Verdict(verdict.to_string()));
    let read = verdicts.clone();
    for mode in verdicts.into_iter().chain(modes) {
        let service = Service::start(mode.clone()).await;
        let url = format!("{}?key=query-secret", service.url());
        let authority = service.address.to_string();
        let built = build_in(&http(), &settings(&url, &authority), "".as_ref()).unwrap();
        let reply = invoke(&built).await;
        check(&shown(&built, &reply), &format!("{mode:?}"));
        if read.contains(&mode) {
            // The control: the verdict was read, and each secret was in it.
            let shown = format!("{:?}", reply.unwrap());
            assert!(
                (0..COUNT).all(|index| shown.contains(&format!("[SECRET_{index}]"))),
                "{shown}"
            );
        }
        assert!(service.requests()[0].header("x-98").unwrap().contains(&secret(98)));
    }
}

#[tokio::test]
async fn no_failure_to_connect_shows_them() {
    let unused = UnusedPort::new();
    let port = unused.port();
    for (scheme, host) in [("http", "127.0.0.1"), ("https", "127.0.0.1"), ("https", "localhost")] {
        let url = format!("{scheme}://{host}:{port}/query-secret?key=query-secret");
        let authority = format!("127.0.0.1:{port}");
        let built = build_in(&http(), &settings(&url, &authority), "".as_ref()).unwrap();
        let reply = invoke(&built).await;
        let class = reply.as_ref().unwrap_err().class;
        // The opt-in does not name `localhost`.
        let expected = match host {
            "localhost" => FailureClass::Untrusted,
            _ => FailureClass::Unreachable,
        };
        assert_eq!(class, expected, "{reply:?}");
        check(&shown(&built, &reply), &url);
    }
}

#[test]
fn no_error_in_the_settings_shows_them() {
    let http = HttpFactory::default().variables(|name| match name {
        "SECRET_LINES" => Some(format!("{}\r\n{}", secret(0), secret(1))),
        "SECRET_ZERO" => Some(format!("{}\0", secret(2))),
        _ => None,
    });
    let headers = json!({"a": "${SECRET_LINES}", "b": "${SECRET_ZERO}", "c": "${SECRET_UNSET}"});
    let errors = build_in(
        &http,
        &json!({
            "url": "https://user:query-secret@policy.example.com/",
            "env": ["SECRET_LINES", "SECRET_ZERO", "SECRET_UNSET"],
            "headers": headers,
            "proxy": "http://user:query-secret@proxy.example.com/",
            "hmac": {"env": "SECRET_UNSET"},
        }),
        "".as_ref(),
    );
    let errors = errors.unwrap_err();
    assert_eq!(errors.len(), 6, "{errors:?}");
    check(&errors.join("\n"), "settings");
}
