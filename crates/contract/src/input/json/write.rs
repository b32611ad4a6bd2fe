//! JSON as serde_json writes it, with its texts in blocks (`text.rs`).
//!
//! What is written is the same to the byte, and `writes_what_serde_json_writes` holds it to that. Numbers are left to
//! serde_json.

use std::fmt::{self, Display};

use serde::Serialize;
use serde::ser::{Error as _, Serializer};
use serde_json::{Error, Result};

use super::compound::compounds;
use super::text::write_text;

/// Appends a value to a buffer, as JSON without white space.
///
/// # Errors
/// As `serde_json::to_writer`: the value fails to serialise itself, or has a map whose keys are no texts.
/// What was written before stays in the buffer.
///
/// ```
/// use hookgate_contract::json::write;
///
/// let mut out = Vec::new();
/// write(&mut out, &serde_json::json!({"command": "echo \"hello\"\n"}))?;
/// assert_eq!(out, br#"{"command":"echo \"hello\"\n"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<()> {
    value.serialize(&mut Writer { out })
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
}

/// A list, map or struct whose elements are being written.
struct Elements<'w, 'a> {
    writer: &'w mut Writer<'a>,
    is_first: bool,
    /// What ends it.
    end: &'static [u8],
    /// Whether it is a number or JSON of serde_json, which is a struct whose only field is its text.
    is_verbatim: bool,
}

/// How serde_json names the structs by which it hands over what is to be written as it is.
const VERBATIM: &str = "$serde_json::private::";

impl<'a> Writer<'a> {
    fn elements<'w>(&'w mut self, begin: &[u8], end: &'static [u8]) -> Elements<'w, 'a> {
        self.out.extend_from_slice(begin);
        Elements { writer: self, is_first: true, end, is_verbatim: false }
    }

    /// Begins what is named, and therefore stands in an object of its own.
    fn variant<'w>(
        &'w mut self,
        name: &'static str,
        begin: &[u8],
        end: &'static [u8],
    ) -> Elements<'w, 'a> {
        self.out.push(b'{');
        write_text(self.out, name);
        self.out.push(b':');
        self.elements(begin, end)
    }
}

impl Elements<'_, '_> {
    #[inline]
    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.writer.out.push(b',');
        }
    }

    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.separate();
        self.value(value)
    }

    #[inline]
    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.separate();
        let start = self.writer.out.len();
        key.serialize(&mut *self.writer)?;
        if self.writer.out.get(start) != Some(&b'"') {
            self.quote(start)?;
        }
        self.writer.out.push(b':');
        Ok(())
    }

    /// Puts a key into quotes that was written without.
    #[cold]
    fn quote(&mut self, start: usize) -> Result<()> {
        // Only a number or a boolean can be a key as well.
        if !matches!(self.writer.out.get(start), Some(b'0'..=b'9' | b'-' | b't' | b'f')) {
            return Err(Error::custom("key must be a string"));
        }
        self.writer.out.insert(start, b'"');
        self.writer.out.push(b'"');
        Ok(())
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        if self.is_verbatim {
            return self.verbatim(value);
        }
        self.separate();
        write_text(self.writer.out, name);
        self.writer.out.push(b':');
        self.value(value)
    }

    #[cold]
    fn verbatim<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let text: String = serde_json::from_value(serde_json::to_value(value)?)?;
        self.writer.out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    #[inline]
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(&mut *self.writer)
    }

    #[inline]
    fn finish(self) -> Result<()> {
        self.writer.out.extend_from_slice(self.end);
        Ok(())
    }
}

/// What serde_json writes: numbers and the like.
macro_rules! scalars {
    ($($method:ident: $type:ty),*) => {
        $(#[inline]
        fn $method(self, value: $type) -> Result<()> {
            serde_json::to_writer(&mut *self.out, &value)
        })*
    };
}

impl<'w, 'a> Serializer for &'w mut Writer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Elements<'w, 'a>;
    type SerializeTuple = Elements<'w, 'a>;
    type SerializeTupleStruct = Elements<'w, 'a>;
    type SerializeTupleVariant = Elements<'w, 'a>;
    type SerializeMap = Elements<'w, 'a>;
    type SerializeStruct = Elements<'w, 'a>;
    type SerializeStructVariant = Elements<'w, 'a>;

    scalars!(
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32,
        serialize_i64: i64, serialize_i128: i128, serialize_u8: u8, serialize_u16: u16,
        serialize_u32: u32, serialize_u64: u64, serialize_u128: u128, serialize_f32: f32,
        serialize_f64: f64, serialize_char: char
    );

    #[inline]
    fn serialize_str(self, text: &str) -> Result<()> {
        write_text(self.out, text);
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<()> {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let mut object = self.elements(b"{", b"}");
        object.field(variant, value)?;
        object.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Elements<'w, 'a>> {
        Ok(self.elements(b"[", b"]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Elements<'w, 'a>> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Elements<'w, 'a>> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Elements<'w, 'a>> {
        Ok(self.variant(variant, b"[", b"]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Elements<'w, 'a>> {
        Ok(self.elements(b"{", b"}"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Elements<'w, 'a>> {
        if name.starts_with(VERBATIM) {
            return Ok(Elements { writer: self, is_first: true, end: b"", is_verbatim: true });
        }
        self.serialize_map(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Elements<'w, 'a>> {
        Ok(self.variant(variant, b"{", b"}}"))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        // Not by `to_string`, which panics if the value cannot be formatted.
        let mut text = String::new();
        fmt::write(&mut text, format_args!("{value}")).map_err(Error::custom)?;
        self.serialize_str(&text)
    }
}

compounds!(Elements<'_, '_>, Error);

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};
    use std::fmt;

    use proptest::prelude::*;
    use serde::{Serialize, Serializer};
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::write;

    #[track_caller]
    fn check<T: Serialize>(value: &T) {
        let mut written = b"before".to_vec();
        let ours = write(&mut written, value);
        match serde_json::to_vec(value) {
            Ok(expected) => {
                ours.unwrap();
                let written = String::from_utf8(written).unwrap();
                assert_eq!(written, format!("before{}", String::from_utf8(expected).unwrap()));
            }
            Err(expected) => assert_eq!(ours.unwrap_err().to_string(), expected.to_string()),
        }
    }

    /// Any value, with texts of any characters, control characters and quotes more often than others.
    fn values() -> impl Strategy<Value = Value> {
        let text = || prop_oneof!["[a-z \"\\\\\n\u{1f}ä]{0,40}", ".{0,70}", any::<String>()];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            text().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 48, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((text(), inner), 0..6)
                    .prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn writes_what_serde_json_writes(value in values()) {
            check(&value);
        }
    }

    #[derive(Serialize)]
    struct Unit;

    #[derive(Serialize)]
    struct Wrapped(u8);

    #[derive(Serialize)]
    enum Shape {
        Unit,
        One(f64),
        Two(i8, char),
        Named { width: Option<u16>, height: () },
    }

    #[derive(Serialize)]
    struct Fields<'a> {
        shapes: [Shape; 4],
        #[serde(skip_serializing_if = "Option::is_none")]
        left_out: Option<u8>,
        #[serde(flatten)]
        rest: BTreeMap<&'a str, Value>,
        bytes: &'a [u8],
        wide: (u128, i128, f32),
        empty: (Vec<u8>, BTreeMap<u8, u8>, Unit, Wrapped),
    }

    #[test]
    fn every_shape_that_serde_knows_is_written_as_by_serde_json() {
        check(&Fields {
            shapes: [
                Shape::Unit,
                Shape::One(f64::NAN),
                Shape::Two(-1, '"'),
                Shape::Named { width: Some(7), height: () },
            ],
            left_out: None,
            rest: BTreeMap::from([("a\n", Value::from(1.5)), ("b", Value::Null)]),
            bytes: b"\0\xff",
            wide: (u128::MAX, i128::MIN, 0.1),
            empty: (Vec::new(), BTreeMap::new(), Unit, Wrapped(9)),
        });
        check(&format_args!("{}\t", 1));
        check(&"\u{e9}\u{1f600}".repeat(20));
    }

    #[test]
    fn keys_that_are_no_texts_are_written_as_texts_or_refused() {
        check(&HashMap::from([(7_u64, 'x')]));
        check(&HashMap::from([(-7_i8, 'x')]));
        check(&HashMap::from([(true, 'x')]));
        check(&HashMap::from([('"', 'x')]));
        check(&HashMap::from([("", 'x')]));
        check(&HashMap::from([([1_u8], 'x')]));
        check(&HashMap::from([((), 'x')]));
        check(&HashMap::from([(None::<u8>, 'x')]));
    }

    #[test]
    fn a_value_that_cannot_be_formatted_is_an_error() {
        struct Unformatted;
        impl fmt::Display for Unformatted {
            fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
                Err(fmt::Error)
            }
        }
        impl Serialize for Unformatted {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        assert!(write(&mut Vec::new(), &[Unformatted]).is_err());
    }

    /// Keys behind whatever serde wraps them in, and keys that only look like texts or numbers.
    #[test]
    fn keys_in_other_types_are_written_as_by_serde_json() {
        #[derive(Serialize, PartialEq, Eq, Hash)]
        enum Key {
            Unit,
            Wrapped(u8),
            Named { text: char },
        }
        #[derive(Serialize, PartialEq, Eq, Hash)]
        struct Text(&'static str);

        check(&HashMap::from([(Key::Unit, 1)]));
        check(&HashMap::from([(Key::Wrapped(1), 1)]));
        check(&HashMap::from([(Key::Named { text: 'x' }, 1)]));
        check(&HashMap::from([(Text("true"), 1)]));
        check(&HashMap::from([(Some("a\"b"), 1)]));
        check(&HashMap::from([(i128::MIN, 1)]));
        check(&HashMap::from([(("x", 1), 1)]));
        check(&BTreeMap::from([(Vec::<u8>::new(), BTreeMap::from([("", ())]))]));
    }

    #[test]
    fn what_is_json_already_is_written_as_it_is() {
        let raw = RawValue::from_string(r#"{ "a" : [1.0, "\u00e9"] }"#.to_owned()).unwrap();
        check(&[&raw]);
        check(&BTreeMap::from([("raw", raw)]));
    }
}
