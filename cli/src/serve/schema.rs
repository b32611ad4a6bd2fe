//! The JSON Schema of the protocol, made of the types that read and write it.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::error::{Code, ErrorBody};
use super::frame::Id;
use super::method::Method;
use super::methods::{
    ask, batch, events, health, hello, judge, metrics, observe, overrides, replace, session, status,
};
use super::told::EventParams;
use super::verdict::Judged;

/// Returns the schema of a line: a request, a response or a notification. `$defs` has for each method `NAME.params` and
/// `NAME.result`, and `error`; `x-errors` are the codes.
pub(crate) fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let (mut named, mut requests) = (Map::new(), Vec::new());
    for method in Method::ALL {
        let (params, result) = of(method, &mut generator);
        let name = method.name();
        named.insert(format!("{name}.params"), params.to_value());
        named.insert(format!("{name}.result"), result.to_value());
        let params = json!({"$ref": format!("#/$defs/{name}.params")});
        requests.push(request(method, &params));
    }
    named.insert("error".to_owned(), generator.subschema_for::<ErrorBody<'static>>().to_value());
    named.insert(
        "event.params".to_owned(),
        generator.subschema_for::<EventParams<'static>>().to_value(),
    );
    let id = generator.subschema_for::<Id>().to_value();
    let version = json!({"const": "2.0"});
    let result = json!({
        "title": "the result of a request",
        "type": "object",
        "properties": {"jsonrpc": version, "id": id, "result": {"type": "object"}},
        "required": ["jsonrpc", "id", "result"],
        "additionalProperties": false,
    });
    let error = json!({
        "title": "the error of a request: it is never an allow",
        "type": "object",
        "properties": {"jsonrpc": version, "id": id, "error": {"$ref": "#/$defs/error"}},
        "required": ["jsonrpc", "id", "error"],
        "additionalProperties": false,
    });
    let event = json!({
        "title": "what subscribers are told",
        "type": "object",
        "properties": {
            "jsonrpc": version,
            "method": {"const": events::NOTIFICATION},
            "params": {"$ref": "#/$defs/event.params"},
        },
        "required": ["jsonrpc", "method", "params"],
        "additionalProperties": false,
    });
    let codes = Code::ALL
        .map(|code| json!({"code": code.number(), "name": code.name(), "meaning": code.meaning()}));
    let mut defs = generator.take_definitions(true);
    defs.extend(named);
    requests.extend([result, error, event]);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hookgate serve",
        "description": "One line of the protocol: JSON-RPC 2.0, one object a line.",
        "oneOf": requests,
        "x-errors": codes,
        "$defs": defs,
    })
}

fn request(method: Method, params: &Value) -> Value {
    json!({
        "title": method.name(),
        "description": method.about(),
        "type": "object",
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["integer", "string"]},
            "method": {"const": method.name()},
            "params": params,
        },
        "required": ["jsonrpc", "id", "method"],
        "additionalProperties": false,
    })
}

/// Returns the schemas of what a method takes and returns.
fn of(method: Method, generator: &mut SchemaGenerator) -> (Schema, Schema) {
    match method {
        Method::Hello => pair::<hello::Hello, hello::Greeting>(generator),
        Method::Judge => pair::<judge::Judge, Judged>(generator),
        Method::JudgeBatch => pair::<batch::Batch, batch::Batched>(generator),
        Method::Observe => pair::<observe::Observe, observe::Observed>(generator),
        Method::AskAnswer => pair::<ask::AskAnswer, Judged>(generator),
        Method::Override => pair::<overrides::Override, overrides::Overridden>(generator),
        Method::SessionBegin => pair::<session::Begin, session::Begun>(generator),
        Method::SessionEnd => pair::<session::End, session::Ended>(generator),
        Method::Replace => pair::<replace::Replace, replace::Replaced>(generator),
        Method::Status => pair::<status::Nothing, status::Status>(generator),
        Method::Health => pair::<status::Nothing, health::Health>(generator),
        Method::Metrics => pair::<status::Nothing, metrics::Metrics>(generator),
        Method::Events => pair::<status::Nothing, events::Subscribed>(generator),
    }
}

fn pair<P: JsonSchema, R: JsonSchema>(generator: &mut SchemaGenerator) -> (Schema, Schema) {
    (generator.subschema_for::<P>(), generator.subschema_for::<R>())
}
