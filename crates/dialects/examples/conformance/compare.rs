//! Compares values of a case.

use serde_json::Value;

/// Compares values; numbers by their value.
pub(crate) fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| {
                    other.get(name).is_some_and(|other| is_equal(value, other))
                })
        }
        (one, other) => one == other,
    }
}

/// Tells whether all expected fields are there. `<…>` stands for any text that is not empty.
pub(crate) fn is_subset(expected: &Value, got: &Value) -> bool {
    expected.as_object().into_iter().flatten().all(|(name, expected)| {
        let got = got.get(name).unwrap_or(&Value::Null);
        let is_any = expected.as_str().is_some_and(|text| text.starts_with('<'));
        if is_any { got.as_str().is_some_and(|text| !text.is_empty()) } else { expected == got }
    })
}

pub(crate) fn is_any_containing(got: &Value, expected: &Value) -> bool {
    let expected = expected.as_str().unwrap_or_default();
    let texts = got.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.into_iter().any(|text| text.contains(expected))
}

/// Returns a list in an order that does not depend on that of its items.
pub(crate) fn sorted(list: &Value) -> Value {
    let mut items: Vec<_> = list.as_array().cloned().unwrap_or_default();
    items.sort_by_key(Value::to_string);
    items.into()
}
