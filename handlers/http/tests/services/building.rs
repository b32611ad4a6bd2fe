//! Promise: wrong settings are refused when the handler is built, each with its reason.

use serde_json::{Value, json};

use crate::kit::{build, build_in, http};

const URL: &str = "http://127.0.0.1:1/";

fn with(more: Value) -> Value {
    let mut settings = json!({"url": URL, "allow_loopback": ["127.0.0.1:1"]});
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    settings
}

#[test]
fn each_wrong_setting_is_reported() {
    let pin = format!("sha256:{}", "0".repeat(64));
    let rows = [
        (json!({"url": null}), "`url` must be a string"),
        (json!({"url": "policy.example.com"}), "it is not a URL"),
        (json!({"env": ["UNSET"]}), "the variable `UNSET` is not set"),
        (json!({"env": ["EMPTY"]}), "the variable `EMPTY` is empty"),
        (json!({"env": ["A=B"]}), "not the name of a variable"),
        (json!({"headers": {"a": "${TOKEN}"}}), "`TOKEN` is not listed: write env = [\"TOKEN\"]"),
        (json!({"headers": {"a": "${TOKEN"}}), "`${` without `}`"),
        (json!({"headers": {"a": 1}}), "it must be a string"),
        (json!({"headers": {"a b": "c"}}), "it is not the name of a header"),
        (json!({"headers": {"A": "1", "a": "2"}}), "`a` is given twice"),
        (json!({"headers": {"Host": "x"}}), "hookgate sets it itself"),
        (json!({"headers": {"content-length": "1"}}), "hookgate sets it itself"),
        (json!({"headers": {"X-Hookgate-Hook": "x"}}), "hookgate sets x-hookgate-* itself"),
        (json!({"headers": "a: b"}), "it must be a table"),
        (json!({"env": ["BREAK"], "headers": {"a": "${BREAK}"}}), "cannot be sent in a header"),
        (json!({"hmac": {}}), "`env` is missing"),
        (json!({"hmac": {"env": "UNSET"}}), "the variable `UNSET` is not set"),
        (
            json!({"hmac": {"env": "SECRET", "header": "host"}}),
            "cannot be the header of a signature",
        ),
        (json!({"hmac": {"env": "SECRET", "algorithm": "md5"}}), "unknown key `algorithm`"),
        (json!({"allow_loopback": ["127.0.0.1"]}), "`127.0.0.1` is not `host:port`"),
        (json!({"allow_loopback": ["http://127.0.0.1:1"]}), "is not `host:port`"),
        (json!({"allow_loopback": ["127.0.0.1:1/x"]}), "is not `host:port`"),
        (json!({"allow_loopback": ["127.0.0.1:99999"]}), "is not `host:port`"),
        (json!({"allow_private": ["user@10.0.0.1:1"]}), "is not `host:port`"),
        (json!({"connect_timeout": "0s"}), "a duration of zero"),
        (json!({"proxy": "socks5://proxy:1080"}), "neither `env` nor a URL"),
        (json!({"proxy": "http://me:pw@proxy:1"}), "a password does not belong in a config"),
        (json!({"pin": "sha256:00"}), "64 hex digits"),
        (json!({"pin": pin}), "it is for https"),
        (json!({"ca_file": "no-such-file"}), "no-such-file"),
        (json!({"body": "text"}), "must be a table"),
        (json!({"body": {"text": "{{ tool_name"}}), "`body`"),
        (json!({"redirects": true}), "unknown key `redirects`"),
        (json!({"insecure": true}), "unknown key `insecure`"),
        (json!({"idempotnt": true}), "did you mean `idempotent`?"),
    ];
    for (more, part) in rows {
        let errors = build(&with(more.clone())).err().unwrap_or_default();
        assert!(errors.iter().any(|error| error.contains(part)), "{more} {errors:?}");
    }
    assert_eq!(build(&json!({})).unwrap_err(), ["`url` is missing"]);
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let errors = build(&json!({
        "url": "ftp://example.com", "env": ["UNSET"], "pin": "x", "proxy": "y",
        "connect_timeout": 1, "headers": {"host": "z"}, "surprise": 1,
    }));
    assert_eq!(errors.unwrap_err().len(), 7);
}

#[test]
fn files_are_those_beside_the_config() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("empty.pem"), "nothing").unwrap();
    let url = "https://policy.example.com/";
    let rows = [
        (json!({"url": url, "ca_file": "empty.pem"}), "not a PEM file with certificates"),
        (json!({"url": url, "client_cert": "empty.pem"}), "`client_key` is missing"),
        (json!({"url": url, "client_key": "empty.pem"}), "`client_cert` is missing"),
    ];
    for (settings, part) in rows {
        let errors = build_in(&http(), &settings, folder.path()).unwrap_err();
        assert!(errors.iter().any(|error| error.contains(part)), "{settings} {errors:?}");
    }
    let both = json!({"url": url, "client_cert": "empty.pem", "client_key": "empty.pem"});
    let errors = build_in(&http(), &both, folder.path()).unwrap_err();
    assert!(errors[0].contains("not a PEM file with certificates"), "{errors:?}");
    assert!(errors[1].contains("not a PEM file with a private key"), "{errors:?}");
}

/// A reload keeps the handler, and its connections, if nothing has changed; not if the variables come
/// from a source of the embedder.
#[test]
fn a_handler_has_an_identity_if_its_sources_are_those_of_the_system() {
    let own = hookgate_http::HttpFactory::default();
    let built = |http| build_in(http, &with(json!({})), "".as_ref()).unwrap();
    assert!(built(&own).identity.is_some());
    assert_eq!(built(&own).identity, built(&own).identity);
    assert_eq!(built(&http()).identity, None);
}

#[test]
fn a_secret_in_the_config_is_pointed_out() {
    let warnings = |value: &str| {
        let more = json!({"env": ["TOKEN"], "headers": {"Authorization": value, "x-team": "core"}});
        build(&with(more)).unwrap().warnings
    };
    assert_eq!(warnings("Bearer ${TOKEN}"), [""; 0]);
    let warnings = warnings("Bearer hunter2");
    assert!(warnings[0].contains("`authorization`") && !warnings[0].contains("hunter2"));
}
