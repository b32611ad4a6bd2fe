//! Promise: the parser takes any bytes: they are a verdict or malformed.

use hookgate::contract::VerdictDecision;
use hookgate::{Failure, FailureClass, Verdict};
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::damage::{inflict, wound};
use super::{check, in_a_situation};

fn answer_bytes() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\\",
        "\"decision\"",
        "\"deny\"",
        "\"patch\"",
        "null",
        "1e999",
        "\\ud800",
        "\u{feff}",
        "-",
        "0",
        "true",
        " ",
        "\n",
        "\u{0}",
        "é",
    ]);
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..64),
        prop::collection::vec(pieces, 0..24).prop_map(|all| all.concat().into_bytes()),
        (in_a_situation(), wound()).prop_map(|((_, written), wound)| inflict(&written, &wound)),
    ]
}

#[test]
fn any_bytes_are_a_verdict_or_malformed() {
    check(6000, &answer_bytes(), |bytes| {
        match Verdict::parse(&bytes) {
            Ok(verdict) if bytes.trim_ascii().is_empty() => {
                prop_assert_eq!(verdict, Verdict::none());
            }
            Ok(_) => {
                let value: Result<Map<String, Value>, _> = serde_json::from_slice(&bytes);
                prop_assert!(value.is_ok(), "{}", String::from_utf8_lossy(&bytes));
            }
            Err(Failure { class, detail, salvaged, .. }) => {
                prop_assert_eq!(class, FailureClass::Malformed);
                prop_assert!(!detail.is_empty());
                prop_assert!(salvaged != Some(VerdictDecision::Allow));
            }
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn deep_and_long_answers_are_refused_without_harm() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("{\"patch\":", "}")] {
        for depth in [100, 1000, 200_000] {
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let class = Verdict::parse(text.as_bytes()).map_err(|failure| failure.class);
            assert!(depth == 100 || class == Err(FailureClass::Malformed), "{open} {depth}");
            let text = format!("{{\"payload\":{text},\"decision\":\"deny\"}}");
            match Verdict::parse(text.as_bytes()) {
                Ok(verdict) => {
                    assert_eq!(verdict.parts().unwrap().decision, Some(VerdictDecision::Deny))
                }
                Err(failure) => {
                    assert_eq!(failure.salvaged, Some(VerdictDecision::Deny), "{depth}")
                }
            }
        }
    }
}
