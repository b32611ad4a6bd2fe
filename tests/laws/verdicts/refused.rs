//! Promise: a verdict that is refused changes nothing.

use hookgate::contract::CONTRACTS;
use hookgate::contract::VerdictDecision;
use hookgate::contract::json::JsonType;
use hookgate::contract::{BuiltHandler, Event, Handler};
use hookgate::{FailureClass, Hook, Posture, Report, Role, Verdict};
use hookgate_test_support as support;
use hookgate_test_support::envelopes;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

use super::written::{Situation, of_type};
use super::{FixedReply, check, runtime};

/// A legal patch for each field of an event, and one more field that makes it illegal.
fn half_legal() -> impl Strategy<Value = (Situation, Map<String, Value>, Map<String, Value>)> {
    let events: Vec<_> = CONTRACTS.iter().filter(|c| !c.patch.is_empty()).collect();
    prop::sample::select(events).prop_flat_map(|contract| {
        let situation =
            Situation { contract, role: Role::Rewrite, decision: VerdictDecision::Allow };
        let fields: Vec<_> = contract
            .patch
            .iter()
            .map(|field| of_type(field.json_type).prop_map(|value| (field.name.to_owned(), value)))
            .collect();
        let refused: Vec<(String, Value)> = contract
            .patch
            .iter()
            .filter(|field| !field.nullable)
            .map(|field| (field.name.to_owned(), Value::Null))
            .chain(contract.patch.iter().filter(|f| f.json_type != JsonType::Json).map(|field| {
                // A wrong value for every type but `Json`.
                let wrong =
                    if field.json_type == JsonType::Text { json!(1) } else { json!("wrong") };
                (field.name.to_owned(), wrong)
            }))
            .chain([("unknown".to_owned(), json!(1)), ("tool_name".to_owned(), json!("Read"))])
            .collect();
        (Just(situation), fields, prop::sample::select(refused)).prop_map(
            |(situation, legal, (name, value))| {
                let legal: Map<_, _> = legal.into_iter().collect();
                let mut illegal = legal.clone();
                illegal.insert(name, value);
                (situation, legal, illegal)
            },
        )
    })
}

/// The step after a patch, and whether it was refused.
fn patched(
    runtime: &Runtime,
    situation: Situation,
    patch: &Map<String, Value>,
) -> (Vec<u8>, Report) {
    let bytes = json!({"patch": patch, "message": "m"}).to_string().into_bytes();
    let built = BuiltHandler::from_sync(FixedReply { bytes, parse: Verdict::parse });
    assert!(matches!(built.handler, Handler::Sync(_)));
    let event = situation.contract.event;
    let hook = Hook::new("hook", "test", built)
        .event(event)
        .role(Role::Rewrite)
        .on_failure(Posture::Allow);
    let engine = support::engine([hook]);
    let mut incoming = envelopes::incoming(event);
    let report = runtime.block_on(engine.evaluate(&mut incoming));
    (payload_bytes(&incoming), report)
}

fn payload_bytes(incoming: &hookgate::envelope::Incoming) -> Vec<u8> {
    let mut out = Vec::new();
    incoming.payload.write_json(&mut out).unwrap();
    out
}

#[test]
fn a_refused_patch_leaves_the_step_as_it_was_to_the_byte() {
    let runtime = runtime();
    let moved = std::cell::Cell::new(0);
    check(1000, &half_legal(), |(situation, legal, illegal)| {
        let before = payload_bytes(&envelopes::incoming(situation.contract.event));
        let (after, report) = patched(&runtime, situation, &illegal);
        prop_assert_eq!(report.votes[0].failure, Some(FailureClass::Illegal), "{:?}", illegal);
        prop_assert!(report.patched.is_empty() && report.final_fields.is_empty());
        prop_assert!(after == before, "{}", String::from_utf8_lossy(&after));
        // Nor is the message of a refused verdict reported.
        prop_assert!(!report.messages.contains(&"m".to_owned()));
        // The control: without the illegal field the patch is applied.
        let (after, report) = patched(&runtime, situation, &legal);
        prop_assert_eq!(report.votes[0].failure, None, "{:?} {:?}", legal, report.votes);
        moved.set(moved.get() + u32::from(after != before));
        Ok(())
    })
    .unwrap();
    assert!(moved.get() > 900, "{} of 1000 legal patches changed the step", moved.get());
}

/// Not only a patch makes a verdict illegal: whatever does, nothing of it is applied.
#[test]
fn a_patch_is_not_applied_where_another_part_is_refused() {
    let runtime = runtime();
    let cases = [
        // No context, no answer, no such contribution, no halt.
        (Event::PreCompact, json!({"patch": {"summary": "s"}, "context": ["c"]})),
        (Event::PostToolUse, json!({"patch": {"tool_response": 1}, "answer": {"content": 1}})),
        (
            Event::ToolSelection,
            json!({"patch": {"tool_names": []},
                "contributions": [{"kind": "prompt_section", "section_id": "s", "content": "c"}]}),
        ),
        (Event::RunCompleted, json!({"patch": {"result_text": "r"}, "decision": "halt"})),
    ];
    for (event, verdict) in cases {
        let reply = FixedReply { bytes: verdict.to_string().into_bytes(), parse: Verdict::parse };
        let hook = Hook::new("hook", "test", BuiltHandler::from_sync(reply))
            .event(event)
            .role(Role::Rewrite)
            .on_failure(Posture::Allow);
        let mut incoming = envelopes::incoming(event);
        let before = payload_bytes(&incoming);
        let report = runtime.block_on(support::engine([hook]).evaluate(&mut incoming));
        assert_eq!(report.votes[0].failure, Some(FailureClass::Illegal), "{event}");
        assert_eq!(payload_bytes(&incoming), before, "{event}");
        assert!(report.context.is_empty() && report.contributions.is_empty(), "{event}");
    }
}
