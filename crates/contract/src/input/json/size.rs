//! How large a value would be as JSON, without making JSON of it.
//!
//! The engine asks this about every step that a heavy hook gets, so it must cost next to nothing for a
//! large one: the value is serialised into a counter, which fails as soon as the bound is exceeded.
//! Nothing is allocated.

use std::fmt;

use serde::Serialize;
use serde::ser::{self, Serializer};

use super::compound::compounds;

/// Tells whether a value would have more than about `bytes` bytes as JSON. Escapes are not counted, and
/// a number counts as four bytes.
///
/// ```
/// use hookgate_contract::json::is_larger_than;
///
/// assert!(!is_larger_than("ls -la", 64));
/// assert!(is_larger_than(&vec!["x".repeat(100); 10], 64));
/// ```
#[must_use]
pub fn is_larger_than<T: Serialize + ?Sized>(value: &T, bytes: usize) -> bool {
    value.serialize(&mut Left(bytes)).is_err()
}

/// How many bytes are left until the bound.
struct Left(usize);

/// The bound was exceeded, or the value cannot be serialised, so that its size is not known.
#[derive(Debug)]
struct Passed;

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("larger than the bound")
    }
}

impl std::error::Error for Passed {}

impl ser::Error for Passed {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

type Walked = Result<(), Passed>;

impl Left {
    fn take(&mut self, bytes: usize) -> Walked {
        self.0 = self.0.checked_sub(bytes).ok_or(Passed)?;
        Ok(())
    }

    /// A value in a list, with what separates it from the next one.
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Walked {
        self.take(1)?;
        value.serialize(self)
    }

    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Walked {
        self.element(key)
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Walked {
        self.element(value)
    }

    fn field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Walked {
        self.take(key.len().saturating_add(4))?;
        value.serialize(self)
    }

    #[expect(clippy::unused_self, reason = "the parts of a compound are told so")]
    const fn finish(&self) -> Walked {
        Ok(())
    }
}

/// Numbers and the like, at the bytes that they have about.
macro_rules! scalars {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, _: $type) -> Walked {
            self.take(4)
        })*
    };
}

impl Serializer for &mut Left {
    type Ok = ();
    type Error = Passed;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    scalars!(
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32,
        serialize_i64: i64, serialize_i128: i128, serialize_u8: u8, serialize_u16: u16,
        serialize_u32: u32, serialize_u64: u64, serialize_u128: u128, serialize_f32: f32,
        serialize_f64: f64, serialize_char: char
    );

    fn serialize_str(self, text: &str) -> Walked {
        self.take(text.len().saturating_add(2))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Walked {
        self.take(bytes.len())
    }

    fn serialize_none(self) -> Walked {
        self.take(4)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Walked {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Walked {
        self.take(4)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Walked {
        self.take(4)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Walked {
        self.take(variant.len())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Walked {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Walked {
        self.field(variant, value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Passed> {
        self.take(2)?;
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Passed> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Passed> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, Passed> {
        self.take(variant.len())?;
        self.serialize_seq(None)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Passed> {
        self.serialize_seq(None)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Passed> {
        self.serialize_seq(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, Passed> {
        self.take(variant.len())?;
        self.serialize_seq(None)
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Walked {
        struct Counting<'a>(&'a mut Left);
        impl fmt::Write for Counting<'_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                self.0.take(text.len()).map_err(|Passed| fmt::Error)
            }
        }
        fmt::write(&mut Counting(self), format_args!("{value}")).map_err(|fmt::Error| Passed)
    }
}

compounds!(&mut Left, Passed);
