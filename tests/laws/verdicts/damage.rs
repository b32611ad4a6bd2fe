//! Promise: damage to a verdict never makes it weaker, whatever the posture.

use hookgate::contract::VerdictDecision;
use hookgate::contract::{BuiltHandler, Reply};
use hookgate::{Outcome, Posture, Verdict};
use proptest::prelude::*;
use serde_json::Value;

use super::written::{Situation, Written, json_value, key, text};
use super::{FixedReply, Parser, check, in_a_situation, no_weaker, report, runtime};

/// Damage to a verdict, of any kind that leaves its decision alone.
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
    let is_own = |member: &(String, String), decision: VerdictDecision| {
        member.0 == "decision" && member.1 == format!("\"{decision}\"")
    };
    let decision = written.decision;
    let others: Vec<usize> =
        (0..written.members.len()).filter(|&i| !is_own(&written.members[i], decision)).collect();
    let other =
        |at: &prop::sample::Index| (!others.is_empty()).then(|| others[at.index(others.len())]);
    match damage {
        Damage::Delete(at) => {
            if let Some(index) = other(at) {
                written.members.remove(index);
            }
        }
        Damage::Replace(at, value) => {
            if let Some(index) = other(at) {
                written.members[index].1 = value.to_string();
            }
        }
        Damage::Rename(at, key) => {
            if let Some(index) = other(at) {
                written.members[index].0.clone_from(key);
            }
        }
        Damage::Add(at, key, value) => {
            let index = at.index(written.members.len() + 1);
            written.members.insert(index, (key.clone(), value.to_string()));
        }
        Damage::Repeat(at, value) => {
            let key = written.members[at.index(written.members.len())].0.clone();
            written.members.push((key, value.to_string()));
        }
        Damage::Trail(text) => written.trailing.push_str(text),
    }
}

/// One wound to the bytes of a verdict: a stretch is cut out and other bytes are put there. The
/// decision itself stays whole, and no backslash precedes it, which would change it.
#[derive(Debug, Clone)]
pub(super) struct Wound {
    at: prop::sample::Index,
    length: usize,
    put: Vec<u8>,
}

pub(super) fn wound() -> impl Strategy<Value = Wound> {
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

pub(super) fn inflict(written: &Written, wound: &Wound) -> Vec<u8> {
    let text = written.text();
    let length = |(key, value): &(String, String)| format!("\"{key}\":{value}").len();
    let index = written.members.iter().position(|(key, _)| key == "decision").unwrap();
    let start: usize = 1 + written.members[..index].iter().map(|m| length(m) + 1).sum::<usize>();
    let end = start + length(&written.members[index]);
    assert_eq!(text[start..end], format!("\"decision\":\"{}\"", written.decision));
    let (before, after) = (0..=start, end..=text.len());
    let offset = wound.at.index(before.clone().count() + after.count());
    let from = if offset < before.count() { offset } else { end + offset - start - 1 };
    let most = if from <= start { start } else { text.len() };
    let to = (from + wound.length).min(most);
    let mut put = wound.put.clone();
    if to == start && put.last().or(text.as_bytes()[..from].last()) == Some(&b'\\') {
        put.push(b' ');
    }
    [&text.as_bytes()[..from], &put, &text.as_bytes()[to..]].concat()
}

fn damaged_verdicts() -> impl Strategy<Value = (Situation, Written, Vec<Damage>)> {
    let damaged = prop::collection::vec(damage(), 1..4);
    (in_a_situation(), damaged)
        .prop_map(|((situation, written), damages)| (situation, written, damages))
}

fn damage_law(parse: Parser, cases: u32) -> Result<(), String> {
    let runtime = runtime();
    check(cases, &damaged_verdicts(), |(situation, mut written, damages)| {
        for damage in &damages {
            harm(&mut written, damage);
        }
        no_weaker(&runtime, parse, situation, written.text().as_bytes())
    })
    .map_err(|error| error.to_string())
}

pub(super) fn wound_law(parse: Parser, cases: u32) -> Result<(), String> {
    let runtime = runtime();
    check(cases, &(in_a_situation(), wound()), |((situation, written), wound)| {
        no_weaker(&runtime, parse, situation, &inflict(&written, &wound))
    })
    .map_err(|error| error.to_string())
}

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
    check(500, &in_a_situation(), |(situation, written)| {
        let reply = FixedReply { bytes: written.text().into_bytes(), parse: Verdict::parse };
        let report = report(&runtime, situation, Posture::Allow, BuiltHandler::from_sync(reply));
        prop_assert_eq!(report.decision, Outcome::from(situation.decision));
        prop_assert_eq!(report.votes[0].failure, None, "{:?} {}", report.votes, written.text());
        Ok(())
    })
    .unwrap();
}

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

/// Strict, but drops the decision of a verdict that it refuses.
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
