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
use super::opa_answer::{OpaAnswer, OpaRefusal};
use super::told::EventParams;
use super::verdict::Judged;

/// Where the schemas of a document stand.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// In `$defs`, as a JSON Schema has them.
    Defs,
    /// In `components.schemas`, as OpenRPC and OpenAPI have them.
    Components,
}

impl Place {
    const fn path(self) -> &'static str {
        match self {
            Self::Defs => "/$defs",
            Self::Components => "/components/schemas",
        }
    }

    /// Returns what refers to a schema.
    pub(super) fn of(self, name: &str) -> Value {
        json!({ "$ref": format!("#{}/{name}", self.path()) })
    }
}

/// The schemas of the protocol.
pub(super) struct Schemas {
    /// A request, for each method.
    pub(super) requests: Vec<Value>,
    /// The response with a result.
    pub(super) result: Value,
    /// The response with an error.
    pub(super) error: Value,
    /// The notification.
    event: Value,
    /// The rest by their names: for each method `NAME.params` and `NAME.result`, `error`, `event.params`, `opa.answer`,
    /// `opa.refusal`, and what these consist of.
    pub(super) named: Map<String, Value>,
}

/// Returns the schema of a line: a request, a response or a notification. `$defs` has for each method `NAME.params` and
/// `NAME.result`, and `error`; `x-errors` are the codes.
pub(crate) fn schema() -> Value {
    let Schemas { mut requests, result, error, event, named } = schemas(Place::Defs);
    requests.extend([result, error, event]);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hookgate serve",
        "description": "One line of the protocol: JSON-RPC 2.0, one object a line.",
        "oneOf": requests,
        "x-errors": codes(),
        "$defs": named,
    })
}

/// Returns the codes of errors, with what they mean.
fn codes() -> Value {
    let codes = Code::ALL
        .map(|code| json!({"code": code.number(), "name": code.name(), "meaning": code.meaning()}));
    codes.to_vec().into()
}

/// Returns the schemas, as they refer to each other in a place.
pub(super) fn schemas(place: Place) -> Schemas {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = place.path().into();
    let mut generator = settings.into_generator();
    let (mut named, mut requests) = (Map::new(), Vec::new());
    for method in Method::ALL {
        let (params, result) = of(method, &mut generator);
        let name = method.name();
        named.insert(format!("{name}.params"), params.to_value());
        named.insert(format!("{name}.result"), result.to_value());
        requests.push(request(method, &place.of(&format!("{name}.params"))));
    }
    for (name, schema) in [
        ("error", generator.subschema_for::<ErrorBody<'static>>()),
        ("event.params", generator.subschema_for::<EventParams<'static>>()),
        ("opa.answer", generator.subschema_for::<OpaAnswer>()),
        ("opa.refusal", generator.subschema_for::<OpaRefusal>()),
    ] {
        named.insert(name.to_owned(), schema.to_value());
    }
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
        "properties": {"jsonrpc": version, "id": id, "error": place.of("error")},
        "required": ["jsonrpc", "id", "error"],
        "additionalProperties": false,
    });
    let event = json!({
        "title": "what subscribers are told",
        "type": "object",
        "properties": {
            "jsonrpc": version,
            "method": {"const": events::NOTIFICATION},
            "params": place.of("event.params"),
        },
        "required": ["jsonrpc", "method", "params"],
        "additionalProperties": false,
    });
    named.extend(generator.take_definitions(true));
    Schemas { requests, result, error, event, named }
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
