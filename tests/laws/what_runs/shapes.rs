//! Payloads of any shape that serde can write, with setters of any manner.

use hookgate::contract::json::JsonType;
use hookgate::contract::payload::{FieldRef, Payload};
use hookgate::contract::{Contract, PatchField};
use hookgate::{EventKind, hook_step};
use serde::ser::{Error as _, SerializeMap, SerializeSeq, SerializeTupleVariant};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::Random;

pub(super) const EVENT: &str = "x.any";

const FIELDS: &[PatchField] = &[
    PatchField::new("a", JsonType::Json),
    PatchField::new("b", JsonType::Json),
    PatchField::new("c", JsonType::Object),
];

pub(super) static STEP: Contract =
    Contract::custom(EVENT, EventKind::Gate).takes_patch(FIELDS).may_ask();
static OTHER: Contract = Contract::custom("x.other", EventKind::Gate).may_ask();

/// A part of a payload.
#[derive(Debug, Clone)]
enum Leaf {
    Nothing,
    Unit,
    Flag(bool),
    Small(i8),
    Large(u64),
    Huge(u128),
    Float(f64),
    Short(f32),
    Letter(char),
    Text(String),
    Bytes(Vec<u8>),
    Some(Box<Self>),
    List(Vec<Self>),
    Fields(Vec<(String, Self)>),
    Numbered(Vec<(u32, Self)>),
    Variant(Box<Self>),
    Pair(Box<(Self, Self)>),
    Json(Value),
    Fails,
}

impl Serialize for Leaf {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nothing => to.serialize_none(),
            Self::Unit => to.serialize_unit_struct("Unit"),
            Self::Flag(flag) => to.serialize_bool(*flag),
            Self::Small(number) => to.serialize_i8(*number),
            Self::Large(number) => to.serialize_u64(*number),
            Self::Huge(number) => to.serialize_u128(*number),
            Self::Float(number) => to.serialize_f64(*number),
            Self::Short(number) => to.serialize_f32(*number),
            Self::Letter(letter) => to.serialize_char(*letter),
            Self::Text(text) => to.serialize_str(text),
            Self::Bytes(bytes) => to.serialize_bytes(bytes),
            Self::Some(inner) => to.serialize_some(inner),
            Self::List(list) => {
                // The length need not be known.
                let mut sequence = to.serialize_seq(None)?;
                list.iter().try_for_each(|item| sequence.serialize_element(item))?;
                sequence.end()
            }
            Self::Fields(fields) => write_fields(fields, to),
            Self::Numbered(fields) => {
                let mut map = to.serialize_map(Some(fields.len()))?;
                fields.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
                map.end()
            }
            Self::Variant(inner) => to.serialize_newtype_variant("Enum", 0, "variant", inner),
            Self::Pair(pair) => {
                let mut variant = to.serialize_tuple_variant("Enum", 1, "pair", 2)?;
                variant.serialize_field(&pair.0)?;
                variant.serialize_field(&pair.1)?;
                variant.end()
            }
            Self::Json(value) => value.serialize(to),
            Self::Fails => Err(S::Error::custom("it cannot be written")),
        }
    }
}

fn write_fields<S: Serializer>(fields: &[(String, Leaf)], to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    fields.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
    map.end()
}

const TEXTS: &[&str] =
    &["", "a", "ls", "\u{0}", "\u{2028}", "\u{feff}", "é", "e\u{301}", "\"", "\\"];
const KEYS: &[&str] = &["a", "b", "c", "a", "b", "", "A", "tool_name", "x.y", "a\u{0}"];
/// Keys that every envelope has.
const HEADER_KEYS: &[&str] = &["session_id", "hook_event_name", "cwd", "rejudge"];
const SHORT: &[f32] = &[0.5, 0.1, f32::MAX, 16_777_216.0, f32::NAN];
const FLOATS: &[f64] =
    &[0.0, -0.0, 0.1, 1e300, 5e-324, f64::NAN, f64::INFINITY, 1e16, 9_007_199_254_740_993.0];

fn pick<T: Clone>(list: &[T], random: &mut Random) -> T {
    list[random.below(list.len() as u64) as usize].clone()
}

fn leaf(random: &mut Random, depth: u32) -> Leaf {
    let simple = if depth == 0 { 13 } else { 21 };
    let inner = |random: &mut Random| Box::new(leaf(random, depth - 1));
    match random.below(simple) {
        0 => Leaf::Nothing,
        1 => Leaf::Unit,
        2 => Leaf::Flag(random.one_in(2)),
        3 => Leaf::Small(random.below(4) as i8 - 2),
        4 => Leaf::Large(u64::MAX - random.below(2)),
        5 => Leaf::Float(pick(FLOATS, random)),
        6 => Leaf::Short(pick(SHORT, random)),
        7 => Leaf::Letter(pick(&['a', '\u{0}', '😀'], random)),
        8..=10 => Leaf::Text(pick(TEXTS, random).to_owned()),
        11 => Leaf::Bytes(vec![random.below(256) as u8; 2]),
        12 if random.one_in(8) => Leaf::Huge(u128::from(random.next()) << random.below(64)),
        12 if random.one_in(8) => Leaf::Fails,
        12 => Leaf::Json(value(random)),
        13 => Leaf::Some(inner(random)),
        14 => Leaf::Variant(inner(random)),
        15 => Leaf::Pair(Box::new((*inner(random), *inner(random)))),
        16 => Leaf::List((0..random.below(3)).map(|_| *inner(random)).collect()),
        17 => {
            Leaf::Numbered((0..random.below(3)).map(|key| (key as u32, *inner(random))).collect())
        }
        _ => Leaf::Fields(fields(random, depth - 1)),
    }
}

fn fields(random: &mut Random, depth: u32) -> Vec<(String, Leaf)> {
    let mut fields: Vec<(String, Leaf)> = Vec::new();
    for _ in 0..random.below(4) {
        // A key of the envelope, or one that is there twice, is a mistake, and so it is rare.
        let keys = if random.one_in(32) { HEADER_KEYS } else { KEYS };
        let key = pick(keys, random).to_owned();
        if random.one_in(32) || fields.iter().all(|(known, _)| *known != key) {
            fields.push((key, leaf(random, depth)));
        }
    }
    fields
}

/// A value that a rewriter sets.
pub(super) fn value(random: &mut Random) -> Value {
    match random.below(5) {
        0 => random.below(3).into(),
        1 => random.one_in(2).into(),
        2 => serde_json::json!({"n": random.below(3)}),
        3 => serde_json::json!([random.below(2)]),
        _ => pick(TEXTS, random).into(),
    }
}

/// How a payload sets a field, and what it says of it.
#[derive(Debug, Clone, Copy)]
enum Manner {
    Honest,
    /// It says that nothing has changed.
    Silent,
    /// It sets nothing, and says that it has.
    Lies,
    /// It sets another field.
    Elsewhere,
    /// It leaves the old one beside the new one.
    Twice,
    /// It says that each field has a value that it has not.
    WrongField,
}

/// A step of any shape.
#[derive(Debug, Clone)]
pub(super) struct Any {
    fields: Vec<(String, Leaf)>,
    /// What is written in place of the fields.
    other: Option<Leaf>,
    manner: Manner,
    contract: &'static Contract,
}

impl Any {
    pub(super) fn random(random: &mut Random) -> Self {
        let manner = match random.below(12) {
            0 | 1 => Manner::Silent,
            2 => Manner::Lies,
            3 => Manner::Elsewhere,
            4 => Manner::Twice,
            5 => Manner::WrongField,
            _ => Manner::Honest,
        };
        Self {
            fields: fields(random, 2),
            other: random.one_in(8).then(|| leaf(random, 1)),
            manner,
            contract: if random.one_in(32) { &OTHER } else { &STEP },
        }
    }
}

impl Serialize for Any {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.other {
            Some(other) => other.serialize(to),
            None => write_fields(&self.fields, to),
        }
    }
}

impl Payload for Any {
    fn contract(&self) -> &'static Contract {
        self.contract
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        match self.manner {
            Manner::WrongField => Some(FieldRef::Text("ls")),
            _ => {
                let field = self.fields.iter().find(|(known, _)| known == name);
                match &field?.1 {
                    Leaf::Json(value) => Some(FieldRef::Json(value)),
                    Leaf::Text(text) => Some(FieldRef::Text(text)),
                    _ => None,
                }
            }
        }
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        let listed = FIELDS.iter().find(|field| field.name == name)?.name;
        let name = if matches!(self.manner, Manner::Elsewhere) { "b" } else { name };
        match self.manner {
            Manner::Lies => return Some(listed),
            Manner::Twice => {}
            _ => self.fields.retain(|(known, _)| known != name),
        }
        self.fields.push((name.to_owned(), Leaf::Json(value)));
        match self.manner {
            Manner::Silent => None,
            _ => Some(listed),
        }
    }
}

hook_step!(Any: &STEP => Cleared, Denied, Asked);
