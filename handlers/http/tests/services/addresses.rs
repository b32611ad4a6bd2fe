//! Promise: a request reaches only addresses that the config allows.

mod urls;

use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookgate_contract::FailureClass::{Unreachable, Untrusted};
use hookgate_contract::{FailureClass, Verdict};
use hookgate_http::{Lookup, LookupFuture};
use serde_json::{Value, json};
use urls::{ROWS, addresses, rows};

use crate::kit::{Mode, Service, build_in, failed, http, invoke};

/// An authority of ours: to read those of the system for each row would take a while.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = rcgen::CertificateParams::default().self_signed(&key).unwrap();
    std::fs::write(folder.path().join("ca.pem"), certificate.pem()).unwrap();
    folder
}

fn settings(url: &str, more: &Value) -> Value {
    let mut settings = json!({"url": url});
    if url.starts_with("https:") {
        settings["ca_file"] = "ca.pem".into();
    }
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    settings
}

#[test]
fn a_url_is_checked_before_anything_is_connected() {
    let (folder, rows) = (folder(), rows());
    assert!(rows.len() >= ROWS, "{}", rows.len());
    for (url, wrong) in &rows {
        let errors = build_in(&http(), &settings(url, &json!({})), folder.path()).err();
        let errors = errors.unwrap_or_default().join("\n");
        match wrong {
            None => assert_eq!(errors, "", "{url:?}"),
            Some(part) => assert!(errors.contains(part), "{url:?}: {errors}"),
        }
    }
}

#[test]
fn an_opt_in_names_host_and_port() {
    let folder = folder();
    let rows = [
        ("https://127.0.0.1:8443/", "allow_loopback", "127.0.0.1:8443", true),
        ("https://2130706433:8443/", "allow_loopback", "127.1:8443", true),
        ("https://[::1]:8443/", "allow_loopback", "[::1]:8443", true),
        ("https://[0::1]:8443/", "allow_loopback", "[0:0::1]:8443", true),
        ("https://127.0.0.1/", "allow_loopback", "127.0.0.1:443", true),
        ("https://10.0.0.1:8443/", "allow_private", "10.0.0.1:8443", true),
        ("https://100.64.0.1:8443/", "allow_private", "100.64.0.1:8443", true),
        ("https://[fd00::1]:8443/", "allow_private", "[fd00::1]:8443", true),
        ("http://policy.internal:80/", "allow_private", "POLICY.internal:80", true),
        ("http://localhost:8080/", "allow_loopback", "localhost:8080", true),
        ("https://127.0.0.1:8443/", "allow_loopback", "127.0.0.1:8444", false),
        ("https://127.0.0.1:8443/", "allow_loopback", "127.0.0.2:8443", false),
        ("https://127.0.0.1:8443/", "allow_loopback", "localhost:8443", false),
        ("https://127.0.0.1:8443/", "allow_private", "127.0.0.1:8443", false),
        ("https://10.0.0.1:8443/", "allow_loopback", "10.0.0.1:8443", false),
        ("https://10.0.0.1:8443/", "allow_private", "10.0.0.0:8443", false),
        ("http://policy.internal/", "allow_private", "policy.internal:8080", false),
        // What no opt-in is for.
        ("https://169.254.169.254:80/", "allow_private", "169.254.169.254:80", false),
        ("https://0.0.0.0:80/", "allow_loopback", "0.0.0.0:80", false),
        ("https://[::ffff:127.0.0.1]:80/", "allow_loopback", "[::ffff:127.0.0.1]:80", false),
        ("https://[fe80::1]:80/", "allow_private", "[fe80::1]:80", false),
        ("https://224.0.0.1:80/", "allow_private", "224.0.0.1:80", false),
    ];
    for (url, key, authority, fine) in rows {
        let built = build_in(&http(), &settings(url, &json!({key: [authority]})), folder.path());
        assert_eq!(built.is_ok(), fine, "{url} {key} {authority} {:?}", built.err());
    }
}

/// Answers one list of addresses after the other.
#[derive(Clone)]
struct Flipping(Vec<Vec<IpAddr>>, Arc<AtomicUsize>);

impl Flipping {
    fn new<const N: usize>(answers: [&[&str]; N]) -> Self {
        let parsed = |list: &&[&str]| list.iter().map(|text| text.parse().unwrap()).collect();
        Self(answers.iter().map(parsed).collect(), Arc::default())
    }
}

impl Lookup for Flipping {
    fn lookup(&self, _: &str) -> LookupFuture {
        let turn = self.1.fetch_add(1, Ordering::SeqCst);
        let answer = self.0[turn % self.0.len()].clone();
        Box::pin(async move { io::Result::Ok(answer) })
    }
}

/// A public address that is not routed: the range was given back in 2006.
const NOWHERE: &str = "3ffe:ffff::1";

/// Invokes a service whose name flips, so often, and returns how each call failed.
async fn invoke_flipping(
    flipping: &Flipping,
    canary: &Service,
    base: &Path,
    more: &Value,
    times: usize,
) -> Vec<FailureClass> {
    let url = format!("https://flip.test:{}/", canary.address.port());
    let handlers = http().lookup(flipping.clone());
    let built = build_in(&handlers, &settings(&url, more), base).unwrap();
    let mut classes = Vec::new();
    for _ in 0..times {
        classes.push(failed(invoke(&built).await).0);
    }
    classes
}

#[tokio::test]
async fn a_name_that_changes_its_address_reaches_no_service() {
    let (folder, canary) = (folder(), Service::start(Mode::Verdict(String::new())).await);
    let quick = json!({"connect_timeout": "50ms", "idempotent": true});
    let flips: [&[&[&str]]; 3] = [
        &[&[NOWHERE], &["127.0.0.1"]],
        &[&["127.0.0.1"], &[NOWHERE]],
        &[&["127.0.0.1", NOWHERE], &[NOWHERE, "127.0.0.1"], &["127.0.0.1"]],
    ];
    for answers in flips {
        let parsed =
            answers.iter().map(|list| list.iter().map(|text| text.parse().unwrap()).collect());
        let flipping = Flipping(parsed.collect(), Arc::default());
        let classes = invoke_flipping(&flipping, &canary, folder.path(), &quick, 12).await;
        assert!(classes.iter().all(|class| matches!(class, Untrusted | Unreachable)));
        assert!(classes.contains(&Untrusted) && flipping.1.load(Ordering::SeqCst) >= 12);
    }
    assert_eq!(canary.accepted(), 0);
}

#[tokio::test]
async fn a_name_is_checked_by_each_of_its_addresses() {
    let (folder, canary) = (folder(), Service::start(Mode::Verdict(String::new())).await);
    for (address, is) in addresses() {
        let Some(is) = is else { continue };
        let flipping = Flipping(vec![vec![address]], Arc::default());
        let url = format!("https://flip.test:{}/", canary.address.port());
        let built = build_in(&http().lookup(flipping), &settings(&url, &json!({})), folder.path());
        let (class, detail) = failed(invoke(&built.unwrap()).await);
        assert_eq!(class, Untrusted, "{address} {detail}");
        assert!(detail.contains(is) && detail.contains(&address.to_string()), "{detail}");
    }
    assert_eq!(canary.accepted(), 0);
}

/// The control: the canary is there, and the opt-in is what makes it reachable.
#[tokio::test]
async fn the_opt_in_allows_the_connection() {
    let (folder, canary) = (folder(), Service::start(Mode::Verdict("{}".into())).await);
    let port = canary.address.port();
    let opted = json!({"allow_loopback": [format!("flip.test:{port}")]});
    let flipping = Flipping::new([&["127.0.0.1"]]);
    let classes = invoke_flipping(&flipping, &canary, folder.path(), &opted, 1).await;
    // It does not speak TLS.
    assert_eq!((classes, canary.accepted()), (vec![Unreachable], 1));

    let url = format!("http://flip.test:{port}/");
    let built = build_in(&http().lookup(flipping.clone()), &settings(&url, &opted), folder.path());
    assert_eq!(invoke(&built.unwrap()).await, Ok(Verdict::none()));
    // An opt-in for loopback does not hold for private addresses, nor the other for loopback.
    let private = Flipping::new([&["10.0.0.1"]]);
    assert_eq!(invoke_flipping(&private, &canary, folder.path(), &opted, 1).await, [Untrusted]);
    let other = json!({"allow_private": [format!("flip.test:{port}")]});
    assert_eq!(invoke_flipping(&flipping, &canary, folder.path(), &other, 1).await, [Untrusted]);
}

/// In clear text a step goes to no public address, whatever a name resolves to today.
#[tokio::test]
async fn plain_http_that_was_opted_in_goes_to_no_public_address() {
    let (folder, canary) = (folder(), Service::start(Mode::Verdict("{}".into())).await);
    let port = canary.address.port();
    let url = format!("http://flip.test:{port}/");
    let authority = format!("flip.test:{port}");
    let quick = |key: &str| json!({"connect_timeout": "50ms", key: [authority]});
    for key in ["allow_private", "allow_loopback"] {
        let flipping = Flipping::new([&[NOWHERE], &["93.184.215.14"]]);
        let built = build_in(&http().lookup(flipping), &settings(&url, &quick(key)), folder.path());
        let built = built.unwrap();
        for _ in 0..4 {
            let (class, detail) = failed(invoke(&built).await);
            assert_eq!(class, Untrusted, "{detail}");
            assert!(detail.contains("is a public address"), "{detail}");
        }
    }
    // Of several addresses only those of the opted-in class are connected to.
    let flipping = Flipping::new([&[NOWHERE, "127.0.0.1"], &["127.0.0.1", NOWHERE]]);
    let opted = quick("allow_loopback");
    let built = build_in(&http().lookup(flipping), &settings(&url, &opted), folder.path()).unwrap();
    for _ in 0..4 {
        assert_eq!(invoke(&built).await, Ok(Verdict::none()));
    }
    // Written as an address it is refused when it is loaded.
    for host in ["93.184.215.14", "[2606:4700::1]"] {
        let opted = json!({"allow_private": [format!("{host}:80")]});
        let url = format!("http://{host}/");
        let wrong = build_in(&http(), &settings(&url, &opted), folder.path()).unwrap_err();
        assert!(wrong.join("").contains("is a public address"), "{wrong:?}");
    }
}

/// With the resolver of the system.
#[tokio::test]
async fn localhost_must_be_named() {
    let (folder, canary) = (folder(), Service::start(Mode::Verdict(String::new())).await);
    let port = canary.address.port();
    for host in ["localhost", "LOCALHOST"] {
        let url = format!("https://{host}:{port}/");
        let built = build_in(&http(), &settings(&url, &json!({})), folder.path()).unwrap();
        let (class, detail) = failed(invoke(&built).await);
        assert_eq!(class, Untrusted, "{detail}");
        assert!(detail.contains(&format!("allow_loopback = [\"localhost:{port}\"]")), "{detail}");
    }
    assert_eq!(canary.accepted(), 0);
}
