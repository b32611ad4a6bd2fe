//! Which numbers every reader of JSON understands alike.

use std::cell::Cell;
use std::sync::LazyLock;

use serde_json::{Number, Value};

/// The largest integer up to which doubles hold every integer: 2^53 − 1.
const LARGEST: u64 = (1 << 53) - 1;

/// The most significant digits that the decimal form of a double has.
const MOST_DIGITS: usize = 767;

/// The most characters of a literal that are quoted.
const QUOTED: usize = 40;

/// What the keys begin with that `serde_json` keeps for itself.
pub(super) const PRIVATE_KEYS: &str = "$serde_json::private::";

/// The key under which a number comes as its text, if [`keeps_digits`].
pub(super) const PRIVATE_NUMBER: &str = "$serde_json::private::Number";

/// Whether `serde_json` keeps numbers as their texts: whether any crate of the program turns on its
/// feature `arbitrary_precision`.
pub(super) fn keeps_digits() -> bool {
    static KEEPS: LazyLock<bool> =
        LazyLock::new(|| "1.50".parse::<Number>().is_ok_and(|number| number.to_string() == "1.50"));
    *KEEPS
}

/// A number as one of the types that languages of policies have.
///
/// ```
/// use hookgate_contract::json::PlainNumber;
///
/// assert_eq!(PlainNumber::from(&(-1).into()), PlainNumber::Signed(-1));
/// assert_eq!(PlainNumber::from(&u64::MAX.into()), PlainNumber::Unsigned(u64::MAX));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlainNumber {
    /// An integer of 64 bits.
    Signed(i64),
    /// An integer of 64 bits that is too large to have a sign.
    Unsigned(u64),
    /// Any other number.
    Float(f64),
}

impl From<&Number> for PlainNumber {
    fn from(number: &Number) -> Self {
        match (number.as_i64(), number.as_u64()) {
            (Some(integer), _) => Self::Signed(integer),
            (None, Some(integer)) => Self::Unsigned(integer),
            // No reader of this crate takes a number that no double holds.
            (None, None) => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
        }
    }
}

crate::name_enum! {
    /// Which integers are taken; `[limits] integers` in hooks.toml.
    ///
    /// Hook, record and tool see the same digits under either. Floats are taken if a double holds
    /// what was written; integers beyond 64 bits never are. It is the same whether or not another crate
    /// of the program turns on the feature `arbitrary_precision` of `serde_json`; none here does, since
    /// features add up over the whole program.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Integers {
        /// Those up to ±(2^53−1), which readers that keep numbers as doubles (JavaScript, jq, Go by
        /// default) see as they were written.
        #[default]
        Interoperable = "interoperable",
        /// All of 64 bits, with or without a sign, digit by digit. Every hook of the table must then
        /// read integers exactly.
        Exact = "exact",
    }
}

impl Integers {
    /// Tells whether an integer of this size, its sign left out, is taken.
    pub(super) const fn takes(self, size: u64) -> bool {
        size <= LARGEST || matches!(self, Self::Exact)
    }

    /// Returns what is wrong with a number in a value that is not taken, the last one if there are
    /// several, or `None` if all are.
    ///
    /// A value that holds no array and no object, and one of nothing but such values, costs no
    /// allocation, and there is no recursion.
    #[must_use]
    pub fn problem(self, value: &Value) -> Option<String> {
        if self == Self::Exact && !keeps_digits() {
            return None;
        }
        let Some(mut items) = Items::of(value) else { return self.problem_of_scalar(value) };
        // The arrays and objects around the present one.
        let mut outer = Vec::new();
        loop {
            let Some(item) = items.next_back() else {
                items = outer.pop()?;
                continue;
            };
            if let Some(inner) = Items::of(item) {
                outer.push(std::mem::replace(&mut items, inner));
            } else if let Some(problem) = self.problem_of_scalar(item) {
                return Some(problem);
            }
        }
    }

    fn problem_of_scalar(self, value: &Value) -> Option<String> {
        let Value::Number(number) = value else { return None };
        match number.as_u64().or(number.as_i64().map(i64::unsigned_abs)) {
            Some(size) => (!self.takes(size)).then(|| beyond(number)),
            // A float is a double already, unless it is kept as its text.
            None if keeps_digits() => double(&number.to_string()).err(),
            None => None,
        }
    }
}

/// What is still to be looked at of an array or an object.
enum Items<'a> {
    Array(std::slice::Iter<'a, Value>),
    Object(serde_json::map::Values<'a>),
}

impl<'a> Items<'a> {
    /// Returns the values in a value; `None` if it is neither an array nor an object.
    fn of(value: &'a Value) -> Option<Self> {
        match value {
            Value::Array(items) => Some(Self::Array(items.iter())),
            Value::Object(map) => Some(Self::Object(map.values())),
            _ => None,
        }
    }

    fn next_back(&mut self) -> Option<&'a Value> {
        match self {
            Self::Array(items) => items.next_back(),
            Self::Object(values) => values.next_back(),
        }
    }
}

/// The message about an integer that is not taken.
#[cold]
pub(super) fn beyond(number: &Number) -> String {
    format!(
        "the integer {number} is beyond ±(2^53−1), where a reader that keeps numbers as doubles \
         sees another one: send it as a string, or set `[limits] integers = \"exact\"`"
    )
}

/// The numbers of a JSON text that are no plain integers of 64 bits, in their order.
pub(super) struct Literals<'a> {
    bytes: &'a [u8],
    next: Cell<usize>,
}

impl<'a> Literals<'a> {
    pub(super) const fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, next: Cell::new(0) }
    }

    /// The next of them as a double, or why a double does not hold it.
    pub(super) fn next_double(&self) -> Result<f64, String> {
        while let Some(literal) = self.next_literal() {
            if !is_plain(literal) {
                return double(literal);
            }
        }
        Err("number out of range".to_owned())
    }

    /// The next number outside of strings. The text is good JSON up to there.
    fn next_literal(&self) -> Option<&'a str> {
        let mut at = self.next.get();
        loop {
            let byte = *self.bytes.get(at)?;
            if byte == b'"' {
                at += string_length(self.bytes.get(at..)?);
            } else if byte == b'-' || byte.is_ascii_digit() {
                break;
            } else {
                at += 1;
            }
        }
        let rest = self.bytes.get(at..)?;
        let part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let length = rest.iter().position(|byte| !part(byte)).unwrap_or(rest.len());
        self.next.set(at + length);
        str::from_utf8(rest.get(..length)?).ok()
    }
}

/// The length of the string that bytes begin with, quotes included.
fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Whether the parser reads a literal as an integer. `-0` is a double to it.
pub(super) fn is_plain(literal: &str) -> bool {
    literal != "-0" && (literal.parse::<i64>().is_ok() || literal.parse::<u64>().is_ok())
}

/// The double of a literal, if it holds what was written: printed with as many digits as the
/// literal has, it has the same ones.
pub(super) fn double(literal: &str) -> Result<f64, String> {
    let mantissa = literal.split(['e', 'E']).next().unwrap_or_default();
    let digits = significant(mantissa);
    let whole = mantissa.len() == literal.len() && !literal.contains('.');
    if whole && !digits.is_empty() {
        return Err(format!(
            "the integer {} is beyond 64 bits, which few readers keep as it is: send it as a string",
            quoted(literal)
        ));
    }
    let value: f64 = literal.parse().unwrap_or(f64::NAN);
    let held = if digits.is_empty() {
        true
    } else if !value.is_finite() || value == 0.0 || digits.len() > MOST_DIGITS {
        false
    } else {
        let printed = format!("{:.*e}", digits.len() - 1, value.abs());
        significant(printed.split('e').next().unwrap_or_default()) == digits
    };
    if held {
        return Ok(value);
    }
    let becomes = if value.is_finite() {
        format!("it would become {value:?}")
    } else {
        "it is too large".into()
    };
    Err(format!(
        "the number {} is not one that a double holds, {becomes}: send fewer digits, or a string",
        quoted(literal)
    ))
}

/// The digits of a decimal number without zeros at either end.
fn significant(mantissa: &str) -> String {
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

fn quoted(literal: &str) -> String {
    if literal.len() <= QUOTED {
        return literal.to_owned();
    }
    format!("{}… ({} characters)", literal.get(..QUOTED).unwrap_or_default(), literal.len())
}

#[cfg(test)]
mod tests {
    use super::super::{parse, parse_with};
    use super::*;

    fn taken(text: &str) -> bool {
        parse(text.as_bytes()).is_ok()
    }

    #[test]
    fn a_number_that_a_double_does_not_hold_is_refused() {
        for good in [
            "0.1",
            "0.10000000000000001",
            "1.10",
            "-0",
            "-0.0",
            "0e5",
            "0.000",
            "2.2e1",
            "22.0",
            "1e22",
            "1e300",
            "5e-324",
            "4.9406564584124654e-324",
            "1.7976931348623157e308",
            "9007199254740992.0",
            "0.1000000000000000055511151231257827",
            "123456.789E-3",
            "100000000000000000000e-3",
        ] {
            assert!(taken(good), "{good}");
        }
        for bad in [
            "9007199254740993.0",
            "9007199254740993e0",
            "0.1234567890123456789",
            "1e400",
            "-1e400",
            "1e-400",
            "2.5e-324",
            "3.14159265358979323846",
            "0.10000000000000000001",
        ] {
            assert!(!taken(bad), "{bad}");
        }
        assert!(!taken(&format!("0.{}", "1".repeat(1000))));
        // The nearest double, also where a fast parser misses it.
        let value = parse(b"[1, \"2.5e\\\"1\", 8.533e+68, {\"0.1\": 4.1e-44}]").unwrap();
        assert_eq!(value.to_string(), "[1,\"2.5e\\\"1\",8.533e+68,{\"0.1\":4.1e-44}]");
    }

    #[test]
    fn an_integer_beyond_the_doubles_is_refused_unless_integers_are_exact() {
        let both = ["9007199254740991", "-9007199254740991", "0", "-1"];
        let exact = [
            "9007199254740992",
            "9007199254740993",
            "-9007199254740993",
            "9223372036854775807",
            "-9223372036854775808",
            "18446744073709551615",
        ];
        let never = ["18446744073709551616", "-9223372036854775809", "100000000000000000000000000"];
        for text in both.iter().chain(&exact).chain(&never) {
            let read = parse_with(text.as_bytes(), Integers::Exact);
            assert_eq!(read.is_ok(), !never.contains(text), "{text}");
            if let Ok(value) = read {
                assert_eq!(value.to_string(), *text);
                assert_eq!(Integers::Interoperable.problem(&value).is_none(), both.contains(text));
                assert_eq!(Integers::Exact.problem(&value), None);
            }
            assert_eq!(taken(text), both.contains(text), "{text}");
        }
    }

    #[test]
    fn the_error_names_the_place_and_what_to_do() {
        let error = parse(b"{\"a\": 1,\n \"b\": [2.5, 9007199254740993]}").unwrap_err();
        assert_eq!((error.line(), error.column()), (2, 28), "{error}");
        assert!(error.to_string().contains("integers = \"exact\""), "{error}");
        let error = parse(b"[0.1, 0.1234567890123456789]").unwrap_err();
        assert_eq!(error.line(), 1);
        assert!(error.to_string().contains("0.1234567890123456789"), "{error}");
        assert!(error.to_string().contains("0.12345678901234568"), "{error}");
    }
}
