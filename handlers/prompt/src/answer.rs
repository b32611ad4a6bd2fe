//! From what a model said to findings: a total function, and a strict one.

use hookgate_contract::{Failure, FailureClass, Verdict};
use serde_json::{Map, Value};

use crate::model::{Completion, Format};
use crate::nonce::PATTERN;
use crate::shape::{Finding, Shape, malformed};

/// What the answer has to be held against.
pub(crate) struct Expected<'a> {
    pub(crate) nonce: &'a str,
    /// One for each rule, in the order of the question.
    pub(crate) shapes: &'a [Shape<'a>],
    pub(crate) format: Format,
}

/// The name of a rule in a question that has several.
pub(crate) fn rule_name(index: usize) -> String {
    format!("r{}", index + 1)
}

/// The findings for the rules, or why the whole answer cannot be used. A decision in it that is
/// stricter than allow stands for every rule, also without the nonce: a forged one can only deny.
pub(crate) fn read(
    said: &Completion,
    expected: &Expected<'_>,
) -> Result<Vec<Result<Finding, Failure>>, Failure> {
    whole(said, expected).map_err(|failure| {
        let decides = expected.shapes.iter().any(|shape| shape.respond.decides());
        let stands = Verdict::salvage_anywhere(said.content.as_bytes());
        failure.with_salvaged(stands.filter(|_| decides))
    })
}

fn whole(
    said: &Completion,
    expected: &Expected<'_>,
) -> Result<Vec<Result<Finding, Failure>>, Failure> {
    if said.refused {
        return Err(Failure::new(FailureClass::Unsure, "the model refused to judge"));
    }
    if said.cut {
        return Err(malformed("it was cut off: raise `max_tokens`"));
    }
    let text = match expected.format {
        // Without a schema many models put a fence around JSON, and nothing else.
        Format::Text => unfenced(said.content.trim()),
        Format::Schema | Format::JsonObject => said.content.as_str(),
    };
    if text.trim().is_empty() {
        return Err(malformed("it is empty"));
    }
    // The parser's own words could quote a key of the answer, and so the data.
    let mut answer = match hookgate_contract::json::parse(text.as_bytes()) {
        Ok(Value::Object(answer)) => answer,
        Ok(_) => return Err(malformed("it is no JSON object")),
        Err(_) => return Err(malformed("it is not one JSON object and nothing else")),
    };
    match answer.remove("nonce") {
        Some(Value::String(nonce)) if nonce == expected.nonce => {}
        Some(_) => return Err(malformed("it has a wrong nonce")),
        None => return Err(malformed("it has no nonce")),
    }
    if let [shape] = expected.shapes {
        return Ok(vec![shape.read(answer)]);
    }
    let findings = expected
        .shapes
        .iter()
        .enumerate()
        .map(|(index, shape)| of_rule(shape, answer.remove(&rule_name(index))))
        .collect();
    if !answer.is_empty() {
        return Err(malformed("there are keys that nobody asked for"));
    }
    Ok(findings)
}

fn of_rule(shape: &Shape<'_>, answer: Option<Value>) -> Result<Finding, Failure> {
    match answer {
        Some(Value::Object(answer)) => shape.read(answer),
        Some(_) => Err(malformed("what it says of this rule is no object")),
        None => Err(malformed("this rule is missing")),
    }
}

/// The text in a fence that begins and ends the whole; any other text as it is.
fn unfenced(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    match inner {
        Some(inner) => inner.strip_prefix("json").unwrap_or(inner),
        None => text,
    }
}

/// The schema of an answer. Strict servers want every key required and no other.
pub(crate) fn schema(shapes: &[Shape<'_>]) -> Value {
    let mut keys = Map::new();
    keys.insert("nonce".into(), serde_json::json!({"type": "string", "pattern": PATTERN}));
    match shapes {
        [shape] => keys.extend(shape.properties()),
        _ => {
            for (index, shape) in shapes.iter().enumerate() {
                keys.insert(rule_name(index), object(shape.properties()));
            }
        }
    }
    object(keys)
}

fn object(keys: Map<String, Value>) -> Value {
    let required: Vec<Value> = keys.keys().cloned().map(Value::String).collect();
    serde_json::json!({
        "type": "object",
        "properties": keys,
        "required": required,
        "additionalProperties": false,
    })
}
