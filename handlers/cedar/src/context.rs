//! The context of a request: the envelope, or the fields of it that the config names.

use cedar_policy::{Context, RestrictedExpression};
use hookgate_contract::{Envelope, Failure, FailureClass};
use serde_json::{Map, Value};

/// The key of the effects, if the host knows effects.
pub(crate) const EFFECTS: &str = "effects";

/// The numbers that a decimal of Cedar holds: 64 bits with four digits behind the point.
const LARGEST_DECIMAL: f64 = 900_000_000_000_000.0;

/// The fields of the context, each with the pointer to its value; `None` for the whole envelope.
#[derive(Debug)]
pub(crate) struct ContextFields(pub(crate) Option<Vec<(String, String)>>);

impl ContextFields {
    /// Returns whether one of the fields is in the effects.
    pub(crate) fn has_effects(&self) -> bool {
        let prefix = format!("/{EFFECTS}");
        self.0
            .as_ref()
            .is_none_or(|fields| fields.iter().any(|(_, pointer)| pointer.starts_with(&prefix)))
    }

    /// Makes the context of a step. A field that is not there is left out, so that `has` finds it
    /// missing.
    ///
    /// # Errors
    /// If the envelope cannot be made.
    pub(crate) fn context(
        &self,
        envelope: &Envelope<'_>,
        effects: Option<Value>,
    ) -> Result<Context, Failure> {
        let whole = envelope.value()?;
        let effects = effects.map(|report| named_effects(&report));
        let pairs: Vec<(String, RestrictedExpression)> = match &self.0 {
            None => {
                let fields = whole.as_object().into_iter().flatten();
                let effects = effects.iter().map(|effects| (EFFECTS, effects));
                let all = fields.map(|(key, value)| (key.as_str(), value)).chain(effects);
                all.filter_map(|(key, value)| Some((key.to_owned(), expression(value)?))).collect()
            }
            Some(fields) => {
                let holder = Value::Object(Map::from_iter(
                    effects.map(|effects| (EFFECTS.to_owned(), effects)),
                ));
                let find =
                    |pointer: &str| whole.pointer(pointer).or_else(|| holder.pointer(pointer));
                let found = fields
                    .iter()
                    .filter_map(|(key, pointer)| Some((key.clone(), expression(find(pointer)?)?)));
                found.collect()
            }
        };
        Context::from_pairs(pairs).map_err(|_| {
            let detail = "the step cannot be made into a context of Cedar";
            Failure::new(FailureClass::Malformed, detail)
        })
    }
}

/// Makes an expression of a JSON value; `None` for null, which Cedar does not have.
///
/// It is made directly and not by way of Cedar's JSON, in which an object such as
/// `{"__entity": …}` is an entity: a step could otherwise name one.
fn expression(value: &Value) -> Option<RestrictedExpression> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(flag) => RestrictedExpression::new_bool(*flag),
        Value::String(text) => RestrictedExpression::new_string(text.clone()),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => RestrictedExpression::new_long(integer),
            None => match number.as_f64().and_then(decimal) {
                Some(decimal) => RestrictedExpression::new_decimal(decimal),
                // As text it is there, and whatever compares it with a number fails.
                None => RestrictedExpression::new_string(number.to_string()),
            },
        },
        Value::Array(items) => RestrictedExpression::new_set(items.iter().filter_map(expression)),
        Value::Object(fields) => {
            let fields =
                fields.iter().filter_map(|(key, value)| Some((key.clone(), expression(value)?)));
            // It fails only for a key that is there twice, which no object has.
            RestrictedExpression::new_record(fields).ok()?
        }
    })
}

/// Returns a number as a decimal of Cedar, if it has at most four digits behind the point.
fn decimal(number: f64) -> Option<String> {
    let written = format!("{number:.4}");
    let is_same = written.parse() == Ok(number) && number.abs() < LARGEST_DECIMAL;
    is_same.then_some(written)
}

/// Makes sets of names of the effects, since Cedar tests sets of texts and not what is in records:
/// programs, paths (with `/**` for all that is below) and hosts.
fn named_effects(report: &Value) -> Value {
    let name = |effect: &Value| -> Value {
        let text = ["program", "path", "host", "what"].iter().find_map(|key| effect[*key].as_str());
        match text {
            Some(text) if effect["below"] == true => format!("{text}/**").into(),
            Some(text) => text.into(),
            None => effect.clone(),
        }
    };
    let fields = report.as_object().into_iter().flatten().map(|(key, value)| {
        let named = match value {
            Value::Array(effects) => effects.iter().map(name).collect(),
            other => other.clone(),
        };
        (key.clone(), named)
    });
    Value::Object(fields.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_decimals_where_these_are_exact() {
        assert_eq!(decimal(0.5).as_deref(), Some("0.5000"));
        assert_eq!(decimal(-12.3456).as_deref(), Some("-12.3456"));
        for other in [0.123_456, 1e300, 1e15, f64::MIN_POSITIVE] {
            assert_eq!(decimal(other), None, "{other}");
        }
    }

    #[test]
    fn effects_become_sets_of_names() {
        let report = json!({"tool_name": "Bash", "runs": [{"program": "rm", "args": ["-r"]}],
            "deletes": [{"path": "/a", "by": "rm", "below": true}, {"path": "/b", "by": "rm"}],
            "connects": [{"host": "docs.rs", "port": 443}], "unclear": [{"what": "program"}]});
        let named = json!({"tool_name": "Bash", "runs": ["rm"], "deletes": ["/a/**", "/b"],
            "connects": ["docs.rs"], "unclear": ["program"]});
        assert_eq!(named_effects(&report), named);
    }
}
