//! Promise: damage to a verdict never makes it weaker, whatever the posture; the parser takes any
//! bytes; a verdict that is refused changes nothing.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use hookgate_test_support as support;
use hookgate_test_support::envelopes;

use hookgate::contract::CONTRACTS;
use hookgate::contract::json::JsonType;
use hookgate::contract::{
    AsyncHandler, BuiltHandler, Contract, Event, Handler, Invocation, Reply, ReplyFuture,
};
use hookgate::contract::{SyncHandler, VerdictDecision};
use hookgate::{Failure, FailureClass, Hook, Outcome, Posture, Report, Role, Verdict};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

// ==== Verdicts as text ====

/// A verdict as it is written: keys and values in their order, a key perhaps twice.
#[derive(Debug, Clone)]
struct Written {
    word: VerdictDecision,
    members: Vec<(String, String)>,
    trailing: String,
}

impl Written {
    fn text(&self) -> String {
        let members: Vec<_> = self
            .members
            .iter()
            .map(|(key, value)| format!("{}:{value}", Value::from(key.as_str())))
            .collect();
        format!("{{{}}}{}", members.join(","), self.trailing)
    }
}

/// What a verdict is about: an event, the role of the hook and a decision that exists there.
#[derive(Debug, Clone, Copy)]
struct Place {
    contract: &'static Contract,
    role: Role,
    word: VerdictDecision,
}

fn places() -> Vec<Place> {
    let mut places = Vec::new();
    for contract in &CONTRACTS {
        for role in [Role::Guard, Role::Rewrite].into_iter().filter(|r| contract.takes_role(*r)) {
            let words = [VerdictDecision::Ask, VerdictDecision::Deny, VerdictDecision::Halt];
            let words = words.into_iter().filter(|word| contract.allows(*word));
            places.extend(words.map(|word| Place { contract, role, word }));
        }
    }
    places
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        text().prop_map(Value::from),
        prop_oneof!["allow", "ask", "deny", "halt"].prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{0,8}", "\\PC{0,6}", Just("a \"quoted\"\nline\\".to_owned())]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z_]{1,8}", "decision|Decision|reason|patch|hookSpecificOutput|\\PC{0,4}"]
}

fn of_shape(shape: JsonType) -> BoxedStrategy<Value> {
    match shape {
        JsonType::Text => text().prop_map(Value::from).boxed(),
        JsonType::Object => Just(json!({"a": 1})).boxed(),
        JsonType::Count => any::<u32>().prop_map(Value::from).boxed(),
        JsonType::Number => (0.0..2.0).prop_map(Value::from).boxed(),
        JsonType::Flag => any::<bool>().prop_map(Value::from).boxed(),
        JsonType::List => Just(json!([{"role": "user"}])).boxed(),
        JsonType::Names => Just(json!(["Bash"])).boxed(),
        _ => json_value().prop_filter("null is no value", |value| !value.is_null()).boxed(),
    }
}

/// A legal verdict at a place: the decision, and some of all that may be said there.
fn legal(place: Place) -> impl Strategy<Value = Written> {
    let Place { contract, role, word } = place;
    let member = |key: &'static str, value: BoxedStrategy<Value>| {
        value.prop_map(move |value| (key.to_owned(), value.to_string())).boxed()
    };
    let mut members = vec![
        member("reason", text().prop_map(Value::from).boxed()),
        member("reason_code", Just(json!("safety_violation")).boxed()),
        member("message", text().prop_map(Value::from).boxed()),
        member("annotations", Just(json!({"decision": "allow"})).boxed()),
        member("payload", json_value().boxed()),
        member("contributions", Just(json!([{"kind": "audit", "event_kind": "seen"}])).boxed()),
    ];
    if contract.context {
        members.push(member("context", Just(json!(["careful"])).boxed()));
    }
    if role == Role::Rewrite && contract.answer {
        members.push(member("answer", Just(json!({"content": "x"})).boxed()));
    }
    if role == Role::Rewrite && !contract.patch.is_empty() {
        let fields = contract.patch.iter().map(|field| {
            let name = field.name.to_owned();
            of_shape(field.json_type).prop_map(move |value| (name.clone(), value)).boxed()
        });
        let patch = prop::sample::subsequence(fields.collect::<Vec<_>>(), 1..=contract.patch.len())
            .prop_flat_map(|fields| fields)
            .prop_map(|fields| Value::Object(fields.into_iter().collect()));
        members.push(member("patch", patch.boxed()));
    }
    let count = members.len();
    let some = prop::sample::subsequence(members, 0..=count).prop_flat_map(|some| some);
    // The decision stands somewhere among the other members.
    (some, 0..=count).prop_map(move |(mut members, at)| {
        let decision = ("decision".to_owned(), format!("\"{word}\""));
        members.insert(at.min(members.len()), decision);
        Written { word, members, trailing: String::new() }
    })
}

/// Damage to a verdict, of any sort that leaves its decision alone.
#[derive(Debug, Clone)]
enum Damage {
    Delete(prop::sample::Index),
    Replace(prop::sample::Index, Value),
    Rename(prop::sample::Index, String),
    Add(prop::sample::Index, String, Value),
    Repeat(prop::sample::Index, Value),
    Trail(String),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        at().prop_map(Damage::Delete),
        (at(), json_value()).prop_map(|(at, value)| Damage::Replace(at, value)),
        (at(), key()).prop_map(|(at, key)| Damage::Rename(at, key)),
        (at(), key(), json_value()).prop_map(|(at, key, value)| Damage::Add(at, key, value)),
        (at(), json_value()).prop_map(|(at, value)| Damage::Repeat(at, value)),
        prop_oneof![text(), Just("{\"decision\":\"allow\"}".to_owned())].prop_map(Damage::Trail),
    ]
}

fn harm(written: &mut Written, damage: &Damage) {
    let is_own = |member: &(String, String), word: VerdictDecision| {
        member.0 == "decision" && member.1 == format!("\"{word}\"")
    };
    let word = written.word;
    let others: Vec<usize> =
        (0..written.members.len()).filter(|&i| !is_own(&written.members[i], word)).collect();
    let other =
        |at: &prop::sample::Index| (!others.is_empty()).then(|| others[at.index(others.len())]);
    match damage {
        Damage::Delete(at) => {
            if let Some(place) = other(at) {
                written.members.remove(place);
            }
        }
        Damage::Replace(at, value) => {
            if let Some(place) = other(at) {
                written.members[place].1 = value.to_string();
            }
        }
        Damage::Rename(at, key) => {
            if let Some(place) = other(at) {
                written.members[place].0.clone_from(key);
            }
        }
        Damage::Add(at, key, value) => {
            let place = at.index(written.members.len() + 1);
            written.members.insert(place, (key.clone(), value.to_string()));
        }
        Damage::Repeat(at, value) => {
            let key = written.members[at.index(written.members.len())].0.clone();
            written.members.push((key, value.to_string()));
        }
        Damage::Trail(text) => written.trailing.push_str(text),
    }
}

/// One wound to the bytes of a verdict: a stretch is cut out and other bytes are put there. The
/// decision itself stays whole, and no backslash stands before it, which would change it.
#[derive(Debug, Clone)]
struct Wound {
    at: prop::sample::Index,
    length: usize,
    put: Vec<u8>,
}

fn wound() -> impl Strategy<Value = Wound> {
    let put = prop_oneof![
        Just(Vec::new()),
        prop::collection::vec(any::<u8>(), 1..3),
        prop::sample::select(b"\"\n{}[],:\\ \t".to_vec()).prop_map(|byte| vec![byte]),
    ];
    let length = prop_oneof![0..2_usize, 0..60_usize];
    (any::<prop::sample::Index>(), length, put).prop_map(|(at, length, put)| Wound {
        at,
        length,
        put,
    })
}

fn inflict(written: &Written, wound: &Wound) -> Vec<u8> {
    let text = written.text();
    let length = |(key, value): &(String, String)| format!("\"{key}\":{value}").len();
    let place = written.members.iter().position(|(key, _)| key == "decision").unwrap();
    let start: usize = 1 + written.members[..place].iter().map(|m| length(m) + 1).sum::<usize>();
    let end = start + length(&written.members[place]);
    assert_eq!(text[start..end], format!("\"decision\":\"{}\"", written.word));
    let (before, after) = (0..=start, end..=text.len());
    let place = wound.at.index(before.clone().count() + after.count());
    let from = if place < before.count() { place } else { end + place - start - 1 };
    let most = if from <= start { start } else { text.len() };
    let to = (from + wound.length).min(most);
    let mut put = wound.put.clone();
    if to == start && put.last().or(text.as_bytes()[..from].last()) == Some(&b'\\') {
        put.push(b' ');
    }
    [&text.as_bytes()[..from], &put, &text.as_bytes()[to..]].concat()
}

// ==== Dispatches ====

type Parser = fn(&[u8]) -> Reply;

/// A handler that answers these bytes, read by this parser, at once or after a while.
struct Says {
    bytes: Vec<u8>,
    parse: Parser,
}

impl SyncHandler for Says {
    fn handle(&self, _: Invocation<'_>) -> Reply {
        (self.parse)(&self.bytes)
    }
}

impl AsyncHandler for Says {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            SyncHandler::handle(self, invocation)
        })
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

fn report(runtime: &Runtime, place: Place, posture: Posture, built: BuiltHandler) -> Report {
    let hook = Hook::new("hook", "test", built)
        .event(place.contract.event)
        .role(place.role)
        .on_failure(posture);
    let engine = support::engine([hook]);
    runtime.block_on(engine.evaluate(&mut envelopes::incoming(place.contract.event)))
}

/// Checks that what comes out is never weaker than the decision that was written.
fn no_weaker(
    runtime: &Runtime,
    parse: Parser,
    place: Place,
    bytes: &[u8],
) -> Result<(), TestCaseError> {
    let postures = Posture::ALL.into_iter().filter(|p| place.contract.takes_posture(*p));
    for (index, posture) in postures.enumerate() {
        let says = Says { bytes: bytes.to_vec(), parse };
        let built = if index % 2 == 0 {
            BuiltHandler::from_async(says)
        } else {
            BuiltHandler::from_sync(says)
        };
        let report = report(runtime, place, posture, built);
        prop_assert!(
            report.decision >= Outcome::from(place.word),
            "{:?} at {} under {posture:?}: {:?} {:?}",
            report.decision,
            place.contract.name,
            String::from_utf8_lossy(bytes),
            report.votes,
        );
    }
    Ok(())
}

fn at_a_place() -> impl Strategy<Value = (Place, Written)> {
    prop::sample::select(places()).prop_flat_map(|place| (Just(place), legal(place)))
}

fn check<S: Strategy>(
    cases: u32,
    strategy: &S,
    law: impl Fn(S::Value) -> Result<(), TestCaseError>,
) -> Result<(), TestError<S::Value>> {
    let config =
        Config { cases, failure_persistence: None, max_shrink_iters: 500, ..Config::default() };
    TestRunner::new(config).run(strategy, law)
}

fn damaged_verdicts() -> impl Strategy<Value = (Place, Written, Vec<Damage>)> {
    let damaged = prop::collection::vec(damage(), 1..4);
    (at_a_place(), damaged).prop_map(|((place, written), damages)| (place, written, damages))
}

fn damage_law(parse: Parser, cases: u32) -> Result<(), String> {
    let runtime = runtime();
    check(cases, &damaged_verdicts(), |(place, mut written, damages)| {
        for damage in &damages {
            harm(&mut written, damage);
        }
        no_weaker(&runtime, parse, place, written.text().as_bytes())
    })
    .map_err(|error| error.to_string())
}

fn wound_law(parse: Parser, cases: u32) -> Result<(), String> {
    let runtime = runtime();
    check(cases, &(at_a_place(), wound()), |((place, written), wound)| {
        no_weaker(&runtime, parse, place, &inflict(&written, &wound))
    })
    .map_err(|error| error.to_string())
}

// ==== (a) Damage never weakens ====

#[test]
fn damage_never_weakens_a_verdict() {
    damage_law(Verdict::parse, 2000).unwrap();
}

#[test]
fn a_wound_in_the_bytes_never_weakens_a_verdict() {
    wound_law(Verdict::parse, 2000).unwrap();
}

/// A whole verdict does what it says, so the laws are about something.
#[test]
fn an_undamaged_verdict_is_the_decision() {
    let runtime = runtime();
    check(500, &at_a_place(), |(place, written)| {
        let says = Says { bytes: written.text().into_bytes(), parse: Verdict::parse };
        let report = report(&runtime, place, Posture::Allow, BuiltHandler::from_sync(says));
        prop_assert_eq!(report.decision, Outcome::from(place.word));
        prop_assert_eq!(report.votes[0].failure, None, "{:?} {}", report.votes, written.text());
        Ok(())
    })
    .unwrap();
}

// ==== (d) The laws catch those who break them ====

/// Reads the decision and ignores the rest; allows what it cannot read.
fn lenient(bytes: &[u8]) -> Reply {
    let value: Value = serde_json::from_slice(bytes).unwrap_or_default();
    Ok(match value["decision"].as_str().and_then(VerdictDecision::from_name) {
        Some(VerdictDecision::Ask) => Verdict::ask("lenient"),
        Some(VerdictDecision::Deny) => Verdict::deny("lenient"),
        Some(VerdictDecision::Halt) => Verdict::halt("lenient"),
        _ => Verdict::none(),
    })
}

/// Strict, but forgets what stood in the verdict that it refuses.
fn forgetful(bytes: &[u8]) -> Reply {
    Verdict::parse(bytes).map_err(|failure| failure.with_salvaged(None))
}

#[test]
fn a_lenient_or_forgetful_parser_breaks_the_laws() {
    for broken in [lenient, forgetful] {
        assert!(damage_law(broken, 2000).unwrap_err().contains(" under "));
        assert!(wound_law(broken, 2000).unwrap_err().contains(" under "));
    }
}

// ==== (b) The parser is total ====

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
        (at_a_place(), wound()).prop_map(|((_, written), wound)| inflict(&written, &wound)),
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
            Err(Failure { class, detail, salvaged: stands, .. }) => {
                prop_assert_eq!(class, FailureClass::Malformed);
                prop_assert!(!detail.is_empty());
                prop_assert!(stands != Some(VerdictDecision::Allow));
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

// ==== (c) A refused verdict changes nothing ====

/// A legal patch for each field of an event, and one more field that makes it illegal.
fn half_legal() -> impl Strategy<Value = (Place, Map<String, Value>, Map<String, Value>)> {
    let events: Vec<_> = CONTRACTS.iter().filter(|c| !c.patch.is_empty()).collect();
    prop::sample::select(events).prop_flat_map(|contract| {
        let place = Place { contract, role: Role::Rewrite, word: VerdictDecision::Allow };
        let fields: Vec<_> = contract
            .patch
            .iter()
            .map(|field| of_shape(field.json_type).prop_map(|value| (field.name.to_owned(), value)))
            .collect();
        let refused: Vec<(String, Value)> = contract
            .patch
            .iter()
            .filter(|field| !field.nullable)
            .map(|field| (field.name.to_owned(), Value::Null))
            .chain(contract.patch.iter().filter(|f| f.json_type != JsonType::Json).map(|field| {
                // A wrong type for every shape but `Json`.
                let wrong =
                    if field.json_type == JsonType::Text { json!(1) } else { json!("wrong") };
                (field.name.to_owned(), wrong)
            }))
            .chain([("unknown".to_owned(), json!(1)), ("tool_name".to_owned(), json!("Read"))])
            .collect();
        (Just(place), fields, prop::sample::select(refused)).prop_map(
            |(place, legal, (name, value))| {
                let legal: Map<_, _> = legal.into_iter().collect();
                let mut illegal = legal.clone();
                illegal.insert(name, value);
                (place, legal, illegal)
            },
        )
    })
}

/// The step after a patch, and whether it was refused.
fn patched(runtime: &Runtime, place: Place, patch: &Map<String, Value>) -> (Vec<u8>, Report) {
    let bytes = json!({"patch": patch, "message": "m"}).to_string().into_bytes();
    let built = BuiltHandler::from_sync(Says { bytes, parse: Verdict::parse });
    assert!(matches!(built.handler, Handler::Sync(_)));
    let event = place.contract.event;
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
    check(1000, &half_legal(), |(place, legal, illegal)| {
        let before = payload_bytes(&envelopes::incoming(place.contract.event));
        let (after, report) = patched(&runtime, place, &illegal);
        prop_assert_eq!(report.votes[0].failure, Some(FailureClass::Illegal), "{:?}", illegal);
        prop_assert!(report.patched.is_empty() && report.final_fields.is_empty());
        prop_assert!(after == before, "{}", String::from_utf8_lossy(&after));
        // The message of a refused verdict is not told either.
        prop_assert!(!report.messages.contains(&"m".to_owned()));
        // The control: without the illegal field the patch is applied.
        let (after, report) = patched(&runtime, place, &legal);
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
        let says = Says { bytes: verdict.to_string().into_bytes(), parse: Verdict::parse };
        let hook = Hook::new("hook", "test", BuiltHandler::from_sync(says))
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
