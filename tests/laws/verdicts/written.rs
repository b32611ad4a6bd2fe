//! Legal verdicts as text, with a decision that exists at their event.

use hookgate::Role;
use hookgate::contract::CONTRACTS;
use hookgate::contract::Contract;
use hookgate::contract::VerdictDecision;
use hookgate::contract::json::JsonType;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A verdict as it is written: keys and values in their order, a key perhaps twice.
#[derive(Debug, Clone)]
pub(super) struct Written {
    pub(super) decision: VerdictDecision,
    pub(super) members: Vec<(String, String)>,
    pub(super) trailing: String,
}

impl Written {
    pub(super) fn text(&self) -> String {
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
pub(super) struct Situation {
    pub(super) contract: &'static Contract,
    pub(super) role: Role,
    pub(super) decision: VerdictDecision,
}

pub(super) fn situations() -> Vec<Situation> {
    let mut situations = Vec::new();
    for contract in &CONTRACTS {
        for role in [Role::Guard, Role::Rewrite].into_iter().filter(|r| contract.takes_role(*r)) {
            let decisions = [VerdictDecision::Ask, VerdictDecision::Deny, VerdictDecision::Halt];
            let decisions = decisions.into_iter().filter(|decision| contract.allows(*decision));
            situations.extend(decisions.map(|decision| Situation { contract, role, decision }));
        }
    }
    situations
}

pub(super) fn json_value() -> impl Strategy<Value = Value> {
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

pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{0,8}", "\\PC{0,6}", Just("a \"quoted\"\nline\\".to_owned())]
}

pub(super) fn key() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z_]{1,8}", "decision|Decision|reason|patch|hookSpecificOutput|\\PC{0,4}"]
}

pub(super) fn of_type(json_type: JsonType) -> BoxedStrategy<Value> {
    match json_type {
        JsonType::Text => text().prop_map(Value::from).boxed(),
        JsonType::Object => Just(json!({"a": 1})).boxed(),
        JsonType::Count => any::<u32>().prop_map(Value::from).boxed(),
        JsonType::Number => (0.0..2.0).prop_map(Value::from).boxed(),
        JsonType::Flag => any::<bool>().prop_map(Value::from).boxed(),
        JsonType::List => Just(json!([{"role": "user"}])).boxed(),
        JsonType::Names => Just(json!(["Bash"])).boxed(),
        _ => json_value().prop_filter("null is not a value", |value| !value.is_null()).boxed(),
    }
}

/// A legal verdict in a situation: the decision, and some of the members that may come with it.
pub(super) fn legal(situation: Situation) -> impl Strategy<Value = Written> {
    let Situation { contract, role, decision } = situation;
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
            of_type(field.json_type).prop_map(move |value| (name.clone(), value)).boxed()
        });
        let patch = prop::sample::subsequence(fields.collect::<Vec<_>>(), 1..=contract.patch.len())
            .prop_flat_map(|fields| fields)
            .prop_map(|fields| Value::Object(fields.into_iter().collect()));
        members.push(member("patch", patch.boxed()));
    }
    let count = members.len();
    let some = prop::sample::subsequence(members, 0..=count).prop_flat_map(|some| some);
    // The decision is somewhere among the other members.
    (some, 0..=count).prop_map(move |(mut members, at)| {
        let member = ("decision".to_owned(), format!("\"{decision}\""));
        members.insert(at.min(members.len()), member);
        Written { decision, members, trailing: String::new() }
    })
}
