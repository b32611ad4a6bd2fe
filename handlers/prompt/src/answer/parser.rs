//! From the text of a model to findings: a function that is total and strict.
//!
//! *Total*: any text gives findings or a failure, never a panic. *Strict*: one JSON object and
//! nothing else, every key once, the nonce of this question, no key that was not requested. Parsers
//! that search a text for "the last object that looks like an answer" can be fed by the judged data,
//! which the model may repeat; the tests hold this parser against such a one.

use hookgate_contract::{Failure, FailureClass, Verdict};
use serde_json::Value;

use super::completion::Completion;
use super::finding::{Finding, malformed};
use super::response_format::ResponseFormat;
use super::schema::rule_name;
use super::spec::AnswerSpec;

/// What a reply is held against.
pub(crate) struct ExpectedReply<'a> {
    pub(crate) nonce: &'a str,
    /// One spec for each rule, in the order of the question.
    pub(crate) specs: &'a [AnswerSpec<'a>],
    pub(crate) format: ResponseFormat,
}

/// Reads a reply: one finding or failure for each rule.
///
/// # Errors
/// A failure if the reply as a whole cannot be used. A decision in it that is stricter than allow
/// then counts for every rule, with or without the nonce: a forged one can only deny.
pub(crate) fn read_reply(
    reply: &Completion,
    expected: &ExpectedReply<'_>,
) -> Result<Vec<Result<Finding, Failure>>, Failure> {
    read_whole(reply, expected).map_err(|failure| {
        let decides = expected.specs.iter().any(|spec| spec.kind.decides());
        let salvaged = Verdict::salvage_anywhere(reply.content.as_bytes());
        failure.with_salvaged(salvaged.filter(|_| decides))
    })
}

/// Reads a reply without regard to what a refused one says.
fn read_whole(
    reply: &Completion,
    expected: &ExpectedReply<'_>,
) -> Result<Vec<Result<Finding, Failure>>, Failure> {
    if reply.refused {
        return Err(Failure::new(FailureClass::Unsure, "the model refused to judge"));
    }
    if reply.cut {
        return Err(malformed("it was cut off: raise `max_tokens`"));
    }
    let text = match expected.format {
        // Without a schema many models put a fence around JSON, and nothing else.
        ResponseFormat::Text => unfenced(reply.content.trim()),
        ResponseFormat::Schema | ResponseFormat::JsonObject => reply.content.as_str(),
    };
    if text.trim().is_empty() {
        return Err(malformed("it is empty"));
    }
    // The message of the JSON parser could quote a key of the answer, and so the data.
    let mut answer = match hookgate_contract::json::parse(text.as_bytes()) {
        Ok(Value::Object(answer)) => answer,
        Ok(_) => return Err(malformed("it is not a JSON object")),
        Err(_) => return Err(malformed("it is not one JSON object and nothing else")),
    };
    match answer.remove("nonce") {
        Some(Value::String(nonce)) if nonce == expected.nonce => {}
        Some(_) => return Err(malformed("it has a wrong nonce")),
        None => return Err(malformed("it has no nonce")),
    }
    if let [spec] = expected.specs {
        return Ok(vec![spec.read(answer)]);
    }
    let findings = expected
        .specs
        .iter()
        .enumerate()
        .map(|(index, spec)| read_rule(spec, answer.remove(&rule_name(index))))
        .collect();
    if !answer.is_empty() {
        return Err(malformed("it has keys that were not requested"));
    }
    Ok(findings)
}

/// Reads the answer about one of several rules. It fails alone: the others count.
fn read_rule(spec: &AnswerSpec<'_>, answer: Option<Value>) -> Result<Finding, Failure> {
    match answer {
        Some(Value::Object(answer)) => spec.read(answer),
        Some(_) => Err(malformed("what it says of this rule is not an object")),
        None => Err(malformed("this rule is missing")),
    }
}

/// Returns the text in a fence that begins and ends the whole; any other text as it is.
fn unfenced(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    match inner {
        Some(inner) => inner.strip_prefix("json").unwrap_or(inner),
        None => text,
    }
}
