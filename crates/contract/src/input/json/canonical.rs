//! JSON in its one canonical form (RFC 8785): what is equal has equal bytes, in any language.
//!
//! Hashes of calls and of configs are made of it, so that they are the same on every machine, in every
//! build and for every order of keys. Keys are sorted by UTF-16 code units, numbers are written as
//! ECMAScript does, and strings are escaped as little as JSON allows.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::text::write_text;

/// Whole numbers up to here are the same in every language.
const SAFE: u64 = (1 << 53) - 1;

/// Returns the canonical text of a value.
///
/// A whole number that a double does not hold keeps its digits, which RFC 8785 leaves open: two calls
/// that differ must not have the same text.
///
/// ```
/// use hookgate_contract::json::canonical;
/// use serde_json::json;
///
/// assert_eq!(canonical(&json!({"b": 1.0, "a": [true, 1e21]})), r#"{"a":[true,1e+21],"b":1}"#);
/// ```
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut out = Vec::new();
    write(value, &mut out);
    // All that is written is text: nothing is ever replaced.
    String::from_utf8(out).unwrap_or_else(|it| String::from_utf8_lossy(it.as_bytes()).into_owned())
}

fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => write_number(number, out),
        // As RFC 8785 wants: short forms of escapes, `\u00xx` in lower case, nothing else.
        Value::String(text) => write_text(out, text),
        Value::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(item, out);
            }
            out.push(b']');
        }
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by(|(a, _), (b, _)| by_utf16(a, b));
            out.push(b'{');
            for (index, (key, item)) in entries.into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_text(out, key);
                out.push(b':');
                write(item, out);
            }
            out.push(b'}');
        }
    }
}

/// Compares by UTF-16 code units, which is not the order of UTF-8 beyond the basic plane.
fn by_utf16(a: &str, b: &str) -> Ordering {
    if a.is_ascii() || b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}

fn write_number(number: &Number, out: &mut Vec<u8>) {
    let text = number.to_string();
    let digits = text.strip_prefix('-').unwrap_or(&text);
    let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<f64>() {
        Ok(double) if double.is_finite() && !(whole && beyond(digits)) => {
            let mut written = String::new();
            write_double(double, &mut written);
            out.extend_from_slice(written.as_bytes());
        }
        _ => out.extend_from_slice(text.as_bytes()),
    }
}

/// Whether a whole number is beyond those that every double holds.
fn beyond(digits: &str) -> bool {
    digits.parse::<u64>().is_ok_and(|number| number > SAFE) || digits.len() > 16
}

/// A double as ECMAScript writes it: the fewest digits that tell it from its neighbours, and an
/// exponent from 10²¹ on and below 10⁻⁶.
fn write_double(double: f64, out: &mut String) {
    if double == 0.0 {
        out.push('0');
        return;
    }
    // serde_json finds the same digits, ties included; only their layout differs.
    let text = Number::from_f64(double.abs()).map(|number| number.to_string()).unwrap_or_default();
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{part}");
    let significant = all.trim_start_matches('0');
    let length = |text: &str| i32::try_from(text.len()).unwrap_or(i32::MAX);
    let point = exponent.parse::<i32>().unwrap_or_default() + length(whole)
        - (length(&all) - length(significant));
    let digits = significant.trim_end_matches('0');
    let count = length(digits);
    if double < 0.0 {
        out.push('-');
    }
    let zeros = |number: i32| "0".repeat(usize::try_from(number).unwrap_or_default());
    let at = usize::try_from(point).unwrap_or_default();
    match point {
        _ if count <= point && point <= 21 => {
            out.push_str(digits);
            out.push_str(&zeros(point - count));
        }
        1..=21 => {
            let (before, after) = digits.split_at_checked(at).unwrap_or((digits, ""));
            out.push_str(before);
            out.push('.');
            out.push_str(after);
        }
        -5..=0 => {
            out.push_str("0.");
            out.push_str(&zeros(-point));
            out.push_str(digits);
        }
        _ => {
            let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
            out.push_str(first);
            if !rest.is_empty() {
                out.push('.');
                out.push_str(rest);
            }
            out.push_str(if point > 0 { "e+" } else { "e-" });
            out.push_str(&(point - 1).abs().to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn double(number: f64) -> String {
        canonical(&Value::from(number))
    }

    /// The samples of RFC 8785, appendix B.
    #[test]
    fn numbers_are_written_as_ecmascript_does() {
        let samples: [(u64, &str); 24] = [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ];
        for (bits, expected) in samples {
            assert_eq!(double(f64::from_bits(bits)), expected, "{bits:016x}");
        }
        assert_eq!(canonical(&json!([1, 1.0, -1, 10.5, 1e-7, 1e21])), "[1,1,-1,10.5,1e-7,1e+21]");
    }

    #[test]
    fn whole_numbers_beyond_the_safe_ones_keep_their_digits() {
        let two = json!([9_007_199_254_740_992_u64, 9_007_199_254_740_993_u64, u64::MAX, i64::MIN]);
        assert_eq!(
            canonical(&two),
            "[9007199254740992,9007199254740993,18446744073709551615,-9223372036854775808]"
        );
    }

    #[test]
    fn keys_are_in_the_order_of_utf_16_and_texts_are_escaped_shortly() {
        let value = json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
        assert_eq!(
            canonical(&value),
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}"
        );
        let text = "\u{20ac}$\u{f}\nA'B\"\\\\\"/\u{7f}\u{2028}";
        assert_eq!(
            canonical(&json!(text)),
            "\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\u{7f}\u{2028}\""
        );
    }

    /// The texts of another implementation, for the same numbers.
    #[test]
    fn equal_values_have_equal_texts_however_they_are_written() {
        let parse = |text: &str| canonical(&serde_json::from_str(text).unwrap_or_default());
        assert_eq!(parse(r#"{"b":1.0,"a":{"y":[],"x":null}}"#), r#"{"a":{"x":null,"y":[]},"b":1}"#);
        assert_eq!(
            parse(
                r#"{"i":1,"f":1.0,"neg0":-0.0,"big":1e+21,"small":1e-07,"pi":3.141592653589793}"#
            ),
            r#"{"big":1e+21,"f":1,"i":1,"neg0":0,"pi":3.141592653589793,"small":1e-7}"#
        );
        assert_eq!(parse("1e2"), parse("100"));
        assert_ne!(parse("1"), parse("\"1\""));
    }
}
