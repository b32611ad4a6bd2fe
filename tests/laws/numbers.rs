//! Promise: hook, record and tool see the same number. One that not every reader of JSON understands
//! alike is refused wherever it could come in, or passed on digit by digit.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use hookgate_test_support as support;
use hookgate_test_support::naive_json;

use hookgate::contract::Failure;
use hookgate::contract::contribution::AuditLine;
use hookgate::contract::json::{Integers, parse, parse_with};
use hookgate::envelope::Incoming;
use hookgate::table::Limits;
use hookgate::{
    Engine, FailureClass, HandlerTable, Hook, HookEngine, Outcome, Role, ToolUse, Verdict,
};
use naive_json::naive_json;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use support::{bash, context, sync};

const LARGE: i64 = 9_007_199_254_740_993;

fn literal() -> impl Strategy<Value = String> {
    let edge = prop::sample::select(vec![
        "9007199254740991",
        "9007199254740992",
        "-9007199254740991",
        "-9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "9007199254740993.0",
        "9007199254740992.0",
        "0.1",
        "0.10000000000000001",
        "0.1234567890123456789",
        "1e5",
        "-0",
        "-0.0",
        "0e0",
        "1E+2",
        "00",
        "1.",
        ".5",
        "-",
        "+1",
        "1e",
        "1.5e-3",
        "0.30000000000000004",
        "123456789012345678",
    ]);
    let digits = "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,19})?([eE][+-]?[0-9]{1,2})?";
    prop_oneof![1 => edge.prop_map(str::to_owned), 2 => digits]
}

/// The bounded form of the fuzz target `strict_json`.
#[test]
fn the_strict_parser_takes_what_the_naive_one_takes() {
    let leaf = prop_oneof![
        4 => literal(),
        1 => prop::sample::select(vec!["null", "true", "\"1e999\"", "\"a\\\"9\"", "\"\\\\\"", "nul", "\"\u{e9}\""])
            .prop_map(str::to_owned),
    ];
    let text = leaf.prop_recursive(3, 12, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4)
            .prop_map(|all| format!("[{}]", all.join(", ")));
        let key = prop::sample::select(vec!["\"a\"", "\"b\"", "\"\\u0061\"", "\"1.5e3\""]);
        let map = prop::collection::vec((key, inner), 0..3).prop_map(|all| {
            let all: Vec<_> =
                all.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
            format!("{{{}}}", all.join(","))
        });
        prop_oneof![list, map]
    });
    let config = Config { cases: 8000, failure_persistence: None, ..Config::default() };
    let (mut taken, mut refused, mut hard) = (0, 0, 0);
    let counts = std::cell::RefCell::new((&mut taken, &mut refused, &mut hard));
    TestRunner::new(config)
        .run(&text, |text| {
            for integers in Integers::ALL {
                let expected = naive_json(&text, integers == Integers::Exact);
                let read = parse_with(text.as_bytes(), integers);
                let mut counts = counts.borrow_mut();
                match expected {
                    Some(true) => *counts.0 += 1,
                    Some(false) => *counts.1 += 1,
                    None => *counts.2 += 1,
                }
                if let Some(expected) = expected {
                    prop_assert_eq!(read.is_ok(), expected, "{} under {:?}", text, integers);
                }
                if let Ok(value) = read {
                    // What is printed is the same again.
                    prop_assert_eq!(
                        parse_with(value.to_string().as_bytes(), integers).unwrap(),
                        value
                    );
                }
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(taken > 1500 && refused > 1500, "{taken} {refused} {hard}");
}

#[test]
fn a_number_that_readers_understand_differently_is_refused_wherever_duplicate_keys_are() {
    for number in [
        "9007199254740993",
        "-9007199254740992",
        "18446744073709551616",
        "9007199254740993.0",
        "0.1234567890123456789",
        "1e400",
        "1e-400",
    ] {
        let input = format!("{{\"a\":{{\"n\":{number}}}}}");
        let error = ToolUse::propose("Bash", &input).unwrap_err().to_string();
        assert!(error.contains("line 1 column"), "{error}");
        let envelope = format!(
            "{{\"hook_event_name\":\"pre_tool_use\",\"tool_name\":\"t\",\"tool_input\":{input}}}"
        );
        assert!(Incoming::parse(envelope.as_bytes()).is_err(), "{number}");
        assert!(parse(number.as_bytes()).is_err(), "{number}");
    }
    for number in
        ["9007199254740991", "0.1", "-0.0", "22.0", "2.2e1", "1e22", "0.10000000000000001"]
    {
        assert!(ToolUse::propose("Bash", &format!("{{\"n\":{number}}}")).is_ok(), "{number}");
    }
}

#[test]
fn exact_integers_pass_digit_by_digit_if_the_table_takes_them() {
    for number in ["9007199254740993", "-9223372036854775808", "18446744073709551615"] {
        let input = format!("{{\"n\":{number}}}");
        let tool = ToolUse::propose_with("Bash", &input, Integers::Exact).unwrap();
        let engine = Engine::new(HandlerTable::builder().build().unwrap());
        let cleared = engine.pass(tool).ok().unwrap();
        assert_eq!(cleared.call().tool_input.to_string(), input);
        let envelope = format!(
            "{{\"hook_event_name\":\"pre_tool_use\",\"tool_name\":\"t\",\"tool_input\":{input}}}"
        );
        let read = Incoming::parse_with(envelope.as_bytes(), Integers::Exact).unwrap();
        assert!(read.payload.to_value().unwrap().to_string().contains(number));
    }
    for number in ["18446744073709551616", "-9223372036854775809", "1e400", "9007199254740993.0"] {
        assert!(ToolUse::propose_with("Bash", &format!("[{number}]"), Integers::Exact).is_err());
    }
}

fn engine(integers: Integers, hook: Hook) -> Engine {
    let mut limits = Limits::default();
    limits.integers = integers;
    Engine::new(HandlerTable::builder().limits(limits).insert(hook).build().unwrap())
}

/// Whatever kind of handler answers, and wherever in its answer the number is: it would reach
/// another hook, the record or the tool.
#[tokio::test]
async fn no_answer_brings_in_an_integer_that_the_table_does_not_take() {
    type Make = fn(Value) -> Verdict;
    let parts: [(&str, Make); 5] = [
        ("patch", |value| Verdict::none().patch("tool_input", value)),
        ("answer", |value| Verdict::none().answer(value, false)),
        ("annotation", |value| Verdict::none().annotate("k", value)),
        ("payload", |value| Verdict::deny("no").payload(value)),
        ("contribution", |value| Verdict::none().contribute(AuditLine::new("e").details(value))),
    ];
    for (name, make) in parts {
        for (integers, number, refused) in [
            (Integers::Interoperable, json!({"a": [LARGE]}), true),
            (Integers::Interoperable, json!({"a": [-LARGE, 1]}), true),
            (Integers::Interoperable, json!({"a": [9_007_199_254_740_991_i64, 1e300]}), false),
            (Integers::Exact, json!({"a": [LARGE, u64::MAX]}), false),
        ] {
            let given = number.clone();
            let hook = sync("h", move |_| Ok(make(given.clone()))).role(Role::Rewrite);
            let (_, report) =
                engine(integers, hook).dispatch_reported(bash("ls"), &context()).await;
            let failure = refused.then_some(FailureClass::Malformed);
            assert_eq!(report.votes[0].failure, failure, "{name} {integers:?} {number}");
            assert_eq!(report.decision == Outcome::Deny, refused || name == "payload", "{name}");
        }
    }
}

/// The same for an answer that was printed: the deny in it counts.
#[tokio::test]
async fn a_deny_with_such_a_number_counts() {
    let hook = sync("h", |_| {
        Verdict::parse(
            b"{\"decision\":\"deny\",\"reason\":\"no\",\"annotations\":{\"n\":9007199254740993}}",
        )
    });
    let hook = hook.on_failure(hookgate::Posture::Allow);
    let (_, report) =
        engine(Integers::Interoperable, hook).dispatch_reported(bash("ls"), &context()).await;
    assert_eq!(report.decision, Outcome::Deny);
    let refused: Failure =
        Verdict::parse(b"{\"decision\":\"deny\",\"annotations\":{\"n\":1e400}}").unwrap_err();
    assert_eq!(refused.salvaged, Some(hookgate::contract::VerdictDecision::Deny));
}

/// Whatever features of `serde_json` another crate of the program turns on: the number that a guard
/// decides on is the one that the tool reads from the same bytes. `.ci/full` runs it under each.
#[tokio::test]
async fn a_guard_reads_the_number_that_the_tool_reads() {
    let amount = |value: &Value| value.pointer("/amount").and_then(Value::as_f64);
    let guard = sync("large", move |call| {
        let input = call.json().map(|envelope| envelope["tool_input"].clone());
        let large = input.is_ok_and(|input| amount(&input).is_none_or(|amount| amount > 100.0));
        Ok(if large { Verdict::deny("too much") } else { Verdict::none() })
    });
    let engine = Engine::new(HandlerTable::builder().insert(guard).build().unwrap());
    let mut seen = [0, 0, 0];
    for number in [
        "100",
        "100.5",
        "99.5",
        "1e1",
        "1e3",
        "1E+2",
        "-0",
        "-1000.5",
        "1000.50",
        "0.1",
        "1e300",
        "1000000000000000000000000",
        "9007199254740993",
        "0.12345678901234567890",
        r#"{"$serde_json::private::Number":"1000.5"}"#,
        r#"{"$serde_json::private::Number":"5"}"#,
        r#"{"$serde_json::private::RawValue":"5"}"#,
    ] {
        let input = format!("{{\"amount\":{number}}}");
        let Ok(call) = ToolUse::propose("Pay", &input) else {
            seen[0] += 1;
            continue;
        };
        let cleared = engine.dispatch(call, &context()).await.cleared();
        // The tool, or the server that it asks, reads the text once more, by the plain reader.
        let read: Value = serde_json::from_str(&input).unwrap();
        let passes = amount(&read).is_some_and(|amount| amount <= 100.0);
        assert_eq!(cleared.is_some(), passes, "{number}: {read}");
        seen[if passes { 1 } else { 2 }] += 1;
        if let Some(cleared) = cleared {
            let handed = cleared.call().tool_input.to_string();
            let handed: Value = serde_json::from_str(&handed).unwrap();
            assert_eq!(amount(&handed), amount(&read), "{number}");
        }
    }
    assert!(seen.iter().all(|count| *count > 3), "refused, passed, denied: {seen:?}");
}
