//! Promise: `redact_secrets` removes every known shape of a secret, and leaves other text as it is.

use std::sync::LazyLock;

use hookgate_contract::payload::{
    AnyPayload, PostToolUse, PostToolUseFailure, PreLlmRequest, ToolCall, UserPromptSubmit,
};
use hookgate_contract::{BuiltHandler, Verdict};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::{build, invoke};

/// Samples are put together here, so that no scanner takes this file for a leak.
fn samples() -> Vec<(&'static str, String)> {
    let long = "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3";
    let token = |head: &str, length: usize| format!("{head}{}", long.get(..length).unwrap());
    vec![
        ("aws_key", format!("{}{}", "AKIA", "IOSFODNN7EXAMPLE")),
        ("github_token", token("ghp_", 36)),
        ("github_token", token("gho_", 36)),
        ("github_token", token("github_pat_", 40)),
        ("gitlab_token", token("glpat-", 20)),
        ("slack_token", token("xoxb-", 24)),
        ("openai_key", token("sk-proj-", 40)),
        ("anthropic_key", token("sk-ant-api03-", 40)),
        ("google_key", token("AIza", 35)),
        ("stripe_key", token("sk_live_", 24)),
        ("npm_token", token("npm_", 36)),
        ("pypi_token", token("pypi-AgEI", 40)),
        ("jwt", format!("{}.{}.{}", token("eyJ", 20), token("eyJ", 30), token("", 40))),
        (
            "private_key",
            format!(
                "-----BEGIN {0} KEY-----\n{long}\n{long}\n-----END {0} KEY-----",
                "RSA PRIVATE"
            ),
        ),
        ("private_key", format!("-----BEGIN {} KEY-----\n{long}\n{long}", "PRIVATE")),
        ("bearer_token", token("Bearer ", 24)),
    ]
}

fn redactor(settings: &Value) -> BuiltHandler {
    build("redact_secrets", settings).unwrap()
}

/// Its patterns take more than they should.
static GREEDY: LazyLock<BuiltHandler> =
    LazyLock::new(|| redactor(&json!({"patterns": [r"(?m)^.*b$", "ab?"]})));

static PLAIN: LazyLock<BuiltHandler> = LazyLock::new(|| redactor(&json!({})));

fn redact(text: &str) -> String {
    redact_with(&PLAIN, text)
}

fn redact_with(built: &BuiltHandler, text: &str) -> String {
    let verdict = invoke(built, &UserPromptSubmit::new(text)).unwrap();
    verdict
        .parts()
        .map_or_else(|| text.to_owned(), |parts| parts.patch["prompt"].as_str().unwrap().to_owned())
}

#[test]
fn known_tokens_are_found_and_nothing_around_them_is_lost() {
    for (kind, secret) in samples() {
        let hidden = match kind {
            "bearer_token" => "Bearer [redacted:bearer_token]".to_owned(),
            _ => format!("[redacted:{kind}]"),
        };
        assert_eq!(redact(&format!("before {secret} after")), format!("before {hidden} after"));
        // A program may have written the line break as two characters.
        assert_eq!(redact(&format!("x\\n{secret}")), format!("x\\n{hidden}"));
    }
}

#[test]
fn assignments_keep_their_key() {
    for (text, hidden) in [
        ("password=hunter2hunter2", "password=[redacted:assignment]"),
        ("DB_PASSWORD: 'correct horse'", "DB_PASSWORD: '[redacted:assignment]'"),
        (r#"{"api_key": "abcdefgh", "a": 1}"#, r#"{"api_key": "[redacted:assignment]", "a": 1}"#),
        (r#"\"token\":\"abcdefgh\","#, r#"\"token\":\"[redacted:assignment]\","#),
        ("AWS_SECRET_ACCESS_KEY=abc/defgh", "AWS_SECRET_ACCESS_KEY=[redacted:assignment]"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted:authorization]"),
        ("postgres://me:p@ss:w@db/x", "postgres://me:[redacted:url_password]@db/x"),
    ] {
        assert_eq!(redact(text), hidden);
    }
}

#[test]
fn ordinary_text_is_left_alone() {
    for text in [
        "the password is too short: secret",
        "token = short",
        "max_tokens: 123456789",
        "tokenizer=AutoTokenizer",
        "a task-force-with-a-rather-long-name-0123456789",
        "https://example.com:8080/a@b",
        "Bearer of good news",
        "if token == \"\" {",
        "AKIA is a prefix",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn a_result_keeps_its_structure() {
    let (_, key) = samples().swap_remove(0);
    let response = json!({
        "rows": [{"Client-Secret": "abc", "n": 1, "note": format!("uses {key}")}, null, true],
        "token": ["one", "", 7], "password": {"hint": "dog"}, (key): "kept",
    });
    let verdict =
        invoke(&redactor(&json!({})), &PostToolUse::new(call(json!({})), response)).unwrap();
    let expected = json!({
        "rows": [{"Client-Secret": "[redacted:field]", "n": 1, "note": "uses [redacted:aws_key]"},
            null, true],
        "token": ["[redacted:field]", "", "[redacted:field]"],
        "password": {"hint": "[redacted:field]"}, "[redacted:aws_key]": "kept",
    });
    assert_eq!(verdict, Verdict::none().patch("tool_response", expected).annotate("redacted", 6));
}

#[test]
fn keys_are_compared_by_their_last_words_and_what_is_below_goes_whole() {
    let redacted = |value: Value| redact_value(&PLAIN, value);
    let gone = "[redacted:field]";
    for key in [
        "SecretAccessKey",
        "SessionToken",
        "aws_secret_access_key",
        "db_password",
        "dbPassword",
        "accessToken",
        "passwd",
        "pwd",
        "credentials",
        "connectionString",
        "Client-Secret",
        "user[password]",
        "x-api-key",
        "PGPASSWORD",
    ] {
        for (value, expected) in [
            (json!("x"), json!(gone)),
            (json!(12345), json!(gone)),
            (json!({"a": [1, "b", null, true, ""]}), json!({"a": [gone, gone, null, true, ""]})),
        ] {
            assert_eq!(redacted(json!({(key): value})), json!({(key): expected}), "{key}");
        }
    }
    let token = samples().swap_remove(1).1;
    for (value, expected) in [
        (
            json!([{"name": "DB_PASSWORD", "value": 7}, {"Key": "apiToken", "Value": {"a": "b"}}]),
            json!([{"name": "DB_PASSWORD", "value": gone}, {"Key": "apiToken", "Value": {"a": gone}}]),
        ),
        (json!(["run", "--db-password", "x y", "-v"]), json!(["run", "--db-password", gone, "-v"])),
        (json!({(token.clone()): 1}), json!({"[redacted:github_token]": 1})),
        (json!({"stripe_key": "0aB1cD2eF3gH4iJ5kL6m"}), json!({"stripe_key": gone})),
    ] {
        assert_eq!(redacted(value), expected);
    }
    let two = redacted(json!({(format!("{token}1")): "a", (format!("{token}2")): "b"}));
    assert_eq!(two.as_object().unwrap().len(), 2, "no field is lost: {two}");
}

#[test]
fn values_that_only_look_like_secrets_stay() {
    for value in [
        json!({"pwd": "/srv/ledger", "nextToken": "abcdefghijklmnop", "max_tokens": 4096}),
        json!({"properties": {"password": {"type": "string", "minLength": 8}}}),
        json!({"primary_key": "0aB1cD2eF3gH4iJ5kL6m", "cache_key": "users/12", "key": "name"}),
        json!({"password": null, "secret": true, "token": "", "access_key_id": "x"}),
        json!([{"name": "color", "value": "red"}, {"name": "DB_PASSWORD"}]),
        json!(["--password", "--verbose"]),
    ] {
        assert_eq!(redact_value(&PLAIN, value.clone()), value);
    }
}

#[test]
fn a_clean_step_gets_no_patch() {
    let payloads: [&dyn AnyPayload; 3] = [
        &PostToolUse::new(call(json!({"password": "hunter2"})), "fine"),
        &PostToolUseFailure::new(call(json!({})), "not found"),
        &PreLlmRequest::new("m", 0),
    ];
    for payload in payloads {
        assert_eq!(invoke(&redactor(&json!({})), payload).unwrap(), Verdict::none());
    }
}

#[test]
fn arguments_are_redacted_only_if_configured() {
    let call = call(json!({"env": {"API_KEY": "x"}}));
    assert_eq!(invoke(&redactor(&json!({})), &call).unwrap(), Verdict::none());
    let verdict = invoke(&redactor(&json!({"tool_input": true})), &call).unwrap();
    assert_eq!(
        verdict.parts().unwrap().patch["tool_input"],
        json!({"env": {"API_KEY": "[redacted:field]"}})
    );
}

#[test]
fn blocks_that_show_a_secret_are_dropped_with_a_patch_of_the_result() {
    let mut result = PostToolUse::new(call(json!({})), "see the blocks");
    result.content_blocks = Some(json!([{"type": "text", "text": samples().remove(0).1}]));
    let verdict = invoke(&redactor(&json!({})), &result).unwrap();
    assert_eq!(
        verdict,
        Verdict::none().patch("tool_response", "see the blocks").annotate("redacted", 1)
    );
}

#[test]
fn messages_and_own_patterns_and_own_keys() {
    let built =
        redactor(&json!({"patterns": ["ACME-[0-9]+", "pin ([0-9]{4})"], "keys": ["x-pin"]}));
    let mut request = PreLlmRequest::new("m", 1);
    request.messages =
        Some(json!([{"role": "user", "content": "ACME-12, pin 1234", "X_PIN": "9"}]));
    let verdict = invoke(&built, &request).unwrap();
    assert_eq!(
        verdict.parts().unwrap().patch["messages"],
        json!([{"role": "user", "content": "[redacted:custom], pin [redacted:custom]",
            "X_PIN": "[redacted:field]"}])
    );
}

fn call(input: Value) -> ToolCall {
    ToolCall::new("Bash", input)
}

/// Text that is full of secrets, of halves of them, and of what surrounds them.
fn any_text() -> impl Strategy<Value = String> {
    let mut parts: Vec<String> = samples().into_iter().map(|(_, sample)| sample).collect();
    let more = [
        "password=",
        "token: ",
        "\"secret\":\"",
        "\"",
        "'",
        "\\n",
        " ",
        "\n",
        "@",
        "://",
        ":",
        "[",
        "redacted:",
        "]",
        "[redacted:jwt]",
        "ghp_",
        "AKIA",
        "Authorization: Bearer ",
        "ü",
        "abcdefgh",
        "-----BEGIN PRIVATE KEY-----",
        "https://user:",
        "/",
    ];
    parts.extend(more.map(str::to_owned));
    prop::collection::vec(prop_oneof![4 => prop::sample::select(parts), 1 => ".{0,12}"], 0..12)
        .prop_map(|parts| parts.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        3 => any_text().prop_map(Value::String),
        1 => any::<i64>().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
    ];
    let key = prop_oneof![
        prop::sample::select(vec!["password", "Api-Key", "note"]).prop_map(str::to_owned),
        any_text()
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((key.clone(), inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// The value with every string and number emptied, and without keys: what a redaction may not
/// change.
fn structure(value: &Value) -> Value {
    match value {
        Value::String(_) | Value::Number(_) => Value::String(String::new()),
        Value::Array(items) => items.iter().map(structure).collect(),
        Value::Object(map) => {
            let mut fields: Vec<Value> = map.values().map(structure).collect();
            fields.sort_by_key(Value::to_string);
            Value::Array(fields)
        }
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn redacting_twice_is_redacting_once(value in value()) {
        let once = redact_value(&GREEDY, value);
        prop_assert_eq!(redact_value(&GREEDY, once.clone()), once);
    }

    #[test]
    fn only_texts_numbers_and_keys_change(value in value()) {
        let before = structure(&value);
        prop_assert_eq!(structure(&redact_value(&PLAIN, value)), before);
    }

    #[test]
    fn a_token_between_words_never_survives(before in any_text(), after in any_text()) {
        let (_, token) = samples().remove(1);
        let redacted = redact(&format!("{before} {token} {after}"));
        prop_assert!(!redacted.contains(&token), "{redacted}");
    }
}

fn redact_value(built: &BuiltHandler, value: Value) -> Value {
    let payload = PostToolUse::new(call(json!({})), value.clone());
    let verdict = invoke(built, &payload).unwrap();
    verdict.into_parts().map_or(value, |mut parts| parts.patch.remove("tool_response").unwrap())
}
