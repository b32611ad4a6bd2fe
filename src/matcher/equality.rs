//! When two JSON values are equal, and which of two numbers is greater.
//!
//! Guards compare values that a model has written, and a tool may read `"22"` as 22. So values of
//! two types are not different: the result is unknown. Numbers are compared by value and exactly,
//! since two large integers may round to the same double.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::truth::{Truth, conjunction};

/// Returns whether a value is the one that a condition names. For values of two types it is
/// unknown, except for null: it is equal to nothing but null.
pub(super) fn equal(wanted: &Value, value: &Value) -> Truth {
    match (wanted, value) {
        (Value::Null, _) | (_, Value::Null) => (wanted == value).into(),
        (Value::Bool(a), Value::Bool(b)) => (a == b).into(),
        (Value::String(a), Value::String(b)) => (a == b).into(),
        (Value::Number(a), Value::Number(b)) => same_number(a, b).into(),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            conjunction(a.iter().zip(b).map(|(a, b)| equal(a, b)))
        }
        (Value::Array(_), Value::Array(_)) => Truth::False,
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            conjunction(a.iter().map(|(key, a)| b.get(key).map_or(Truth::False, |b| equal(a, b))))
        }
        (Value::Object(_), Value::Object(_)) => Truth::False,
        _ => Truth::Unknown,
    }
}

/// Returns whether two values are surely equal: numbers by value, all else as it is.
pub(crate) fn are_equal(a: &Value, b: &Value) -> bool {
    equal(a, b) == Truth::True
}

/// Returns whether two numbers have the same value: 22 is 22.0 and 2.2e1, 0 is -0.0.
fn same_number(a: &Number, b: &Number) -> bool {
    compare(a, b) == Some(Ordering::Equal)
}

/// Compares two numbers by value. No integer is converted into a double, which may be another
/// number. Every number of JSON can be compared; `None` is only for one that is not of JSON.
pub(super) fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (Some(a), None) => with_double(a, b.as_f64()?),
        (None, Some(b)) => Some(with_double(b, a.as_f64()?)?.reverse()),
        (None, None) => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// Compares an integer with a double. The cast is exact: the whole part of a double is not rounded,
/// and the cast saturates at bounds that no integer of 64 bits reaches.
fn with_double(integer: i128, double: f64) -> Option<Ordering> {
    if double.is_nan() {
        return None;
    }
    let whole = double.trunc();
    let by_fraction = 0.0_f64.partial_cmp(&(double - whole))?;
    Some(integer.cmp(&(whole as i128)).then(by_fraction))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_compare_by_value_and_exactly() {
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        for (a, b) in [
            ("22", "22.0"),
            ("22", "2.2e1"),
            ("0", "-0.0"),
            ("0.0", "-0"),
            ("[1, {\"a\": 2}]", "[1.0, {\"a\": 2e0}]"),
            ("9007199254740992", "9007199254740992.0"),
            ("18446744073709551615", "18446744073709551615"),
        ] {
            assert_eq!(equal(&read(a), &read(b)), Truth::True, "{a} {b}");
            assert_eq!(equal(&read(b), &read(a)), Truth::True, "{b} {a}");
        }
        for (a, b) in [
            ("22", "22.5"),
            ("9007199254740993", "9007199254740992.0"),
            ("18446744073709551615", "18446744073709551616.0"),
            ("18446744073709551615", "-1"),
            ("9223372036854775807", "9223372036854775808.0"),
            ("1", "1e300"),
            ("[1, 2]", "[1, 2, 3]"),
            ("{\"a\": 1}", "{\"b\": 1}"),
            ("null", "0"),
        ] {
            assert_eq!(equal(&read(a), &read(b)), Truth::False, "{a} {b}");
            assert_eq!(equal(&read(b), &read(a)), Truth::False, "{b} {a}");
        }
    }

    #[test]
    fn numbers_are_ordered_by_value_and_exactly() {
        let read = |text: &str| serde_json::from_str::<Number>(text).unwrap();
        for (less, greater) in [
            ("1", "2"),
            ("1", "1.5"),
            ("-1.5", "-1"),
            ("0.5", "1"),
            ("-0.5", "0"),
            ("9007199254740992.0", "9007199254740993"),
            ("18446744073709551615", "18446744073709551616.0"),
            ("-9223372036854775808", "-9223372036854775807"),
            ("-1e300", "-9223372036854775808"),
            ("18446744073709551615", "1e300"),
        ] {
            let (a, b) = (read(less), read(greater));
            assert_eq!(compare(&a, &b), Some(Ordering::Less), "{less} {greater}");
            assert_eq!(compare(&b, &a), Some(Ordering::Greater), "{greater} {less}");
        }
    }

    #[test]
    fn another_type_cannot_be_told() {
        for (a, b) in
            [(json!(22), json!("22")), (json!(true), json!("true")), (json!("a"), json!(["a"]))]
        {
            assert_eq!(equal(&a, &b), Truth::Unknown, "{a} {b}");
        }
        assert_eq!(equal(&json!([1, 2]), &json!(["1", 3])), Truth::False, "false beats unknown");
        assert_eq!(equal(&json!({"a": 1}), &json!({"a": "1"})), Truth::Unknown);
    }
}
