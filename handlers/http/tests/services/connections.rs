//! Promise: connections are reused, replaced when they are gone, opened within a deadline, and
//! routed only as the config says.

use std::io;
use std::net::IpAddr;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hookgate_contract::FailureClass::{HttpStatus, Unreachable, Untrusted};
use hookgate_contract::Verdict;
use hookgate_http::{Lookup, LookupFuture};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::kit::{Mode, Service, UnusedPort, build, build_in, failed, http, invoke, settings};

/// Knows one address, or none, and counts how often it was looked up.
#[derive(Clone)]
struct Known(Option<IpAddr>, Arc<AtomicUsize>);

impl Known {
    fn new(address: Option<&str>) -> Self {
        Self(address.map(|text| text.parse().unwrap()), Arc::default())
    }

    fn lookups(&self) -> usize {
        self.1.load(Ordering::SeqCst)
    }
}

impl Lookup for Known {
    fn lookup(&self, name: &str) -> LookupFuture {
        assert_eq!(name, "policy.test");
        self.1.fetch_add(1, Ordering::SeqCst);
        let address = self.0;
        Box::pin(async move {
            let unknown = io::Error::other("no such name");
            address.map(|address| vec![address]).ok_or(unknown)
        })
    }
}

fn at_policy_test(port: u16, more: &Value) -> Value {
    let mut settings = json!({
        "url": format!("http://policy.test:{port}/"),
        "allow_loopback": [format!("policy.test:{port}")],
    });
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    settings
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let service = Service::start(Mode::Padded(100)).await;
    let built = build(&settings(&service, &json!({}))).unwrap();
    for _ in 0..20 {
        invoke(&built).await.unwrap();
    }
    assert_eq!((service.requests().len(), service.accepted()), (20, 1));
}

/// A service that closes idle connections costs a new connection, never a failure.
#[tokio::test]
async fn a_connection_that_has_gone_is_replaced() {
    let service = Service::start(Mode::HangUp).await;
    let built = build(&settings(&service, &json!({}))).unwrap();
    for round in 1..=50 {
        assert_eq!(invoke(&built).await, Ok(Verdict::none()), "{round}");
        // The thread sleeps, so the end of the connection is not seen before the next request.
        if round % 2 == 0 {
            std::thread::sleep(Duration::from_millis(5));
        } else {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    assert_eq!((service.requests().len(), service.accepted()), (50, 50));
}

#[tokio::test]
async fn many_steps_at_once_have_a_connection_each() {
    let service = Service::start(Mode::Padded(100)).await;
    let built = Arc::new(build(&settings(&service, &json!({}))).unwrap());
    for _ in 0..2 {
        let mut steps = tokio::task::JoinSet::new();
        for _ in 0..16 {
            let built = Arc::clone(&built);
            steps.spawn(async move { invoke(&built).await });
        }
        for reply in steps.join_all().await {
            assert_eq!(reply, Ok(Verdict::deny("refused")));
        }
    }
    assert_eq!(service.requests().len(), 32);
    assert!(service.accepted() <= 32);
}

#[tokio::test]
async fn a_port_without_a_listener_is_unreachable() {
    let unused = UnusedPort::new();
    for (known, part) in [
        (Known::new(Some("127.0.0.1")), "refused"),
        (Known::new(None), "`policy.test` has no address: no such name"),
    ] {
        let handlers = http().lookup(known.clone());
        let built =
            build_in(&handlers, &at_policy_test(unused.port(), &json!({})), "".as_ref()).unwrap();
        let (class, detail) = failed(invoke(&built).await);
        assert_eq!(class, Unreachable, "{detail}");
        assert!(detail.contains(part) && detail.contains("policy.test"), "{detail}");
        assert_eq!(known.lookups(), 1);
    }
}

#[tokio::test]
async fn only_idempotent_hooks_call_twice_and_only_without_a_connection() {
    let unused = UnusedPort::new();
    let port = unused.port();
    for (idempotent, times) in [(false, 1), (true, 2)] {
        let known = Known::new(Some("127.0.0.1"));
        let wanted = at_policy_test(port, &json!({"idempotent": idempotent}));
        let handlers = http().lookup(known.clone());
        let built = build_in(&handlers, &wanted, "".as_ref()).unwrap();
        assert_eq!(failed(invoke(&built).await).0, Unreachable);
        assert_eq!(known.lookups(), times);
    }
    // What was sent may have had effects.
    let modes = [Mode::Close, Mode::Reset, Mode::WrongLength("{}"), Mode::Garbage];
    for mode in modes.into_iter().chain([Mode::Status(503, "", String::new())]) {
        let service = Service::start(mode.clone()).await;
        let built = build(&settings(&service, &json!({"idempotent": true}))).unwrap();
        failed(invoke(&built).await);
        assert_eq!((service.accepted(), service.requests().len()), (1, 1), "{mode:?}");
    }
    // An address that is not allowed does not become better.
    let known = Known::new(Some("169.254.169.254"));
    let wanted = at_policy_test(port, &json!({"idempotent": true}));
    let built = build_in(&http().lookup(known.clone()), &wanted, "".as_ref()).unwrap();
    assert_eq!((failed(invoke(&built).await).0, known.lookups()), (Untrusted, 1));
}

#[tokio::test]
async fn a_service_that_restarts_is_found_by_the_second_attempt() {
    let unused = UnusedPort::new();
    let port = unused.port();
    let later = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Service::on(unused.listen(), Mode::Padded(100))
    });
    let wanted = at_policy_test(port, &json!({"idempotent": true}));
    let handlers = http().lookup(Known::new(Some("127.0.0.1")));
    let built = build_in(&handlers, &wanted, "".as_ref()).unwrap();
    assert_eq!(invoke(&built).await, Ok(Verdict::deny("refused")));
    assert_eq!(later.await.unwrap().requests().len(), 1);
}

/// The handshake of TLS is a part of the connection.
#[tokio::test]
async fn a_connection_has_its_own_deadline() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let built = build(&json!({
        "url": format!("https://{address}/"),
        "allow_loopback": [address.to_string()],
        "connect_timeout": "150ms",
    }));
    let begun = Instant::now();
    let (class, detail) = failed(invoke(&built.unwrap()).await);
    assert_eq!(class, Unreachable);
    assert!(detail.contains("no connection within 150 ms"), "{detail}");
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let canary = Service::start(Mode::Verdict(String::new())).await;
    let location: &'static str = format!("location: {}\r\n", canary.url()).leak();
    for status in [301, 302, 303, 307, 308] {
        let service = Service::start(Mode::Status(status, location, String::new())).await;
        let all = [service.address.to_string(), canary.address.to_string()];
        let built = build(&json!({"url": service.url(), "allow_loopback": all})).unwrap();
        assert_eq!(failed(invoke(&built).await).0, HttpStatus);
    }
    assert_eq!(canary.accepted(), 0);
}

#[tokio::test]
async fn a_proxy_is_used_when_it_is_named() {
    let proxy = Service::start(Mode::Padded(100)).await;
    let url = format!("http://{}", proxy.address);
    let built = build(&at_policy_test(80, &json!({"proxy": url}))).unwrap();
    assert_eq!(invoke(&built).await, Ok(Verdict::deny("refused")));
    assert_eq!(proxy.requests()[0].line, "POST http://policy.test/ HTTP/1.1");
}

/// Runs a test of this file in a process with variables.
fn in_child(test: &str, variables: &[(&str, &str)]) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored"]).envs(variables.iter().copied());
    command.output().unwrap().status.success()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_of_the_environment_is_used_only_if_configured() {
    let (proxy, service) = (
        Service::start(Mode::Verdict(r#"{"decision":"deny","reason":"proxy"}"#.into())).await,
        Service::start(Mode::Verdict(r#"{"decision":"deny","reason":"service"}"#.into())).await,
    );
    let (proxy_url, address) = (format!("http://{}", proxy.address), service.address.to_string());
    for (wanted, reason) in [("none", "service"), ("env", "proxy")] {
        let variables = [
            ("HTTP_PROXY", proxy_url.as_str()),
            ("http_proxy", &proxy_url),
            ("HTTPS_PROXY", &proxy_url),
            ("ALL_PROXY", &proxy_url),
            ("NO_PROXY", ""),
            ("no_proxy", ""),
            ("SERVICE", &address),
            ("WANTED", wanted),
            ("REASON", reason),
        ];
        assert!(in_child("connections::child_with_a_proxy", &variables), "{wanted}");
    }
    assert_eq!((proxy.accepted(), service.accepted()), (1, 1));
}

#[tokio::test]
#[ignore = "another test runs it, with variables"]
async fn child_with_a_proxy() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let address = variable("SERVICE");
    let mut settings = json!({"url": format!("http://{address}/"), "allow_loopback": [address]});
    if variable("WANTED") == "env" {
        settings["proxy"] = "env".into();
    }
    let reply = invoke(&build(&settings).unwrap()).await;
    assert_eq!(reply, Ok(Verdict::deny(variable("REASON"))));
}
