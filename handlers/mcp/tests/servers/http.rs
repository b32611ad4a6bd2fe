//! A server that is a service of the loopback.

use std::time::{Duration, Instant};

use hookgate_contract::{FailureClass, Verdict, VerdictDecision};
use serde_json::json;

use crate::{Service, ask, bash, give_up, load, reason};

#[tokio::test]
async fn a_service_answers_with_json_or_with_events() {
    for flags in [&[][..], &["--events"]] {
        let service = Service::start(flags);
        let built = load(&service.scan()).unwrap();
        let start = Instant::now();
        let denied = ask(&built, &bash("rm -rf /")).await.unwrap();
        assert_eq!(denied, Verdict::deny("no deletes"), "{flags:?}");
        assert_eq!(ask(&built, &bash("ls")).await.unwrap(), Verdict::none());
        assert_eq!(ask(&built, &bash("close")).await.unwrap(), Verdict::none());
        assert!(start.elapsed() < Duration::from_secs(3), "the end of the stream is not awaited");
    }
}

#[tokio::test]
async fn the_session_is_kept_and_begun_anew_when_the_service_forgot_it() {
    let service = Service::start(&[]);
    let built = load(&service.scan()).unwrap();
    assert_eq!(reason(ask(&built, &bash("count")).await), "1 0");
    assert_eq!(reason(ask(&built, &bash("forget")).await), "2 0");
    // The session is unknown now: the call is made in another one, and counted once.
    assert_eq!(reason(ask(&built, &bash("count")).await), "3 0");
}

#[tokio::test]
async fn versions_without_a_handshake_are_spoken() {
    let service = Service::start(&["--stateless"]);
    let built = load(&service.scan()).unwrap();
    assert_eq!(ask(&built, &bash("rm")).await.unwrap(), Verdict::deny("no deletes"));
}

#[tokio::test]
async fn what_goes_wrong_is_a_failure_with_a_class_that_fits() {
    let service = Service::start(&[]);
    let built = load(&service.scan()).unwrap();
    let failure = ask(&built, &bash("500")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::HttpStatus);
    assert_eq!(failure.salvaged, Some(VerdictDecision::Deny));
    let failure = ask(&built, &bash("big")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Oversize);
    let failure = ask(&built, &bash("prose")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Malformed);
    let settings = service.scan();
    drop(service);
    let failure = ask(&load(&settings).unwrap(), &bash("ls")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Unreachable);
}

#[tokio::test]
async fn a_call_that_is_given_up_closes_its_connection_only() {
    let service = Service::start(&[]);
    let built = load(&service.scan()).unwrap();
    assert_eq!(give_up(&built, "hang", Duration::from_millis(300)).await, None);
    assert_eq!(ask(&built, &bash("rm")).await.unwrap(), Verdict::deny("no deletes"));
}

#[tokio::test]
async fn credentials_come_from_listed_variables_only() {
    let service = Service::start(&["--auth"]);
    let failure = ask(&load(&service.scan()).unwrap(), &bash("ls")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Auth);
    let mut settings = service.scan();
    settings["server"]["headers"] = json!({"authorization": "Bearer t0ken"});
    assert_eq!(ask(&load(&settings).unwrap(), &bash("ls")).await.unwrap(), Verdict::none());
    settings["server"]["headers"] = json!({"authorization": "Bearer ${TOKEN}"});
    let errors = load(&settings).unwrap_err();
    assert!(errors.contains("env = [\"TOKEN\"]"), "{errors}");
}

#[test]
fn a_config_cannot_reach_what_it_does_not_name() {
    let server = |url: &str| load(&json!({"server": {"url": url}, "tool": "scan"}));
    let errors = server("http://127.0.0.1:9/mcp").unwrap_err();
    assert!(errors.contains("allow_loopback"), "{errors}");
    assert!(server("http://169.254.169.254/latest").unwrap_err().contains("link-local"));
}
