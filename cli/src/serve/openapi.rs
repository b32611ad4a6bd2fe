//! The routes of HTTP as an OpenAPI document, made of the same types as the JSON Schema.

use serde_json::{Value, json};

use super::opa_answer::{ALLOW, WHOLE};
use super::schema::{Place, Schemas, schemas};

/// The statuses of errors. An error is never a 200.
const ERRORS: [&str; 5] = ["400", "413", "429", "500", "504"];

/// Returns the OpenAPI document of the routes.
pub(crate) fn openapi() -> Value {
    let of = |name: &str| Place::Components.of(name);
    let Schemas { requests, result, error, mut named, .. } = schemas(Place::Components);
    let event = of("event.params");
    for (name, schema) in [
        ("rpc.request", json!({ "oneOf": requests })),
        ("rpc.result", result),
        ("rpc.error", error),
        ("opa.question", opa_question()),
        ("opa.allow", opa_allow()),
    ] {
        named.insert(name.to_owned(), schema);
    }
    let known = json!({
        "name": "hookgate-caller",
        "in": "header",
        "required": true,
        "description": "The id that `hello` has returned in this header.",
        "schema": {"type": "string"},
    });
    let mut unnamed = known.clone();
    if let Some(required) = unnamed.get_mut("required") {
        *required = false.into();
    }
    let rpc = answers(
        &json!({
            "description": "The result.",
            "headers": {"hookgate-caller": {"description": "The id of the caller, in the answer to its first `hello`.", "schema": {"type": "string"}}},
            "content": {"application/json": {"schema": of("rpc.result")}},
        }),
        "rpc.error",
    );
    let stream = answers(
        &json!({
            "description": "A stream of server-sent events `event`, whose data is a JSON object.",
            "content": {"text/event-stream": {"schema": {"type": "string"}, "x-data": event}},
        }),
        "rpc.error",
    );
    let mut end = answers(&json!({"description": ""}), "rpc.error");
    if let Some(answers) = end.as_object_mut() {
        answers.remove("200");
        answers.insert(
            "204".to_owned(),
            json!({"description": "The caller and its sessions have ended."}),
        );
    }
    let opa = |summary: &str, answer: &str| {
        json!({"post": {
            "summary": summary,
            "requestBody": {"required": true, "content": {"application/json": {"schema": of("opa.question")}}},
            "responses": answers(&json!({
                "description": "What was decided.",
                "content": {"application/json": {"schema": of(answer)}},
            }), "opa.refusal"),
        }})
    };
    let health = json!({"application/json": {"schema": of("health.result")}});
    let mut paths = json!({
        "/rpc": {
            "post": {
                "summary": "Calls a method. All but the first `hello` say by whom.",
                "parameters": [unnamed],
                "requestBody": {"required": true, "content": {"application/json": {"schema": of("rpc.request")}}},
                "responses": rpc,
            },
            "delete": {"summary": "Ends a caller, with its sessions.", "parameters": [known], "responses": end},
        },
        "/events": {"get": {
            "summary": "Tells every decision from now on.",
            "parameters": [known],
            "responses": stream,
        }},
        "/health": {"get": {
            "summary": "Says whether steps are judged: those of the caller that is named, or any at all.",
            "parameters": [unnamed],
            "responses": {
                "200": {"description": "They are.", "content": health},
                "400": {"description": "No such caller.", "content": {"application/json": {"schema": of("rpc.error")}}},
                "401": {"description": "The token is missing or wrong."},
                "503": {"description": "They are not, and why.", "content": health},
            },
        }},
        "/metrics": {"get": {
            "summary": "Returns figures as OpenMetrics.",
            "responses": {
                "200": {"description": "Figures.", "content": {"application/openmetrics-text": {"schema": {"type": "string"}}}},
                "401": {"description": "The token is missing or wrong."},
            },
        }},
    });
    if let Some(paths) = paths.as_object_mut() {
        let about = "Judges a call of a tool, as OPA is asked; only with `--opa`.";
        paths.insert(format!("/v1/data/{WHOLE}"), opa(about, "opa.answer"));
        let about = "The same, with `allow` alone for the result; only with `--opa`.";
        paths.insert(format!("/v1/data/{ALLOW}"), opa(about, "opa.allow"));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "hookgate serve",
            "description": "Has the steps of a runtime judged. Whatever is no 200 is a no.",
            "version": env!("CARGO_PKG_VERSION"),
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": named,
        },
    })
}

/// Returns the responses of a route: one if all is well, the rest errors of one schema.
fn answers(well: &Value, error: &str) -> Value {
    let mut all = serde_json::Map::new();
    all.insert("200".to_owned(), well.clone());
    for status in ERRORS {
        all.insert(
            status.to_owned(),
            json!({
                "description": "Nothing was decided, and why.",
                "content": {"application/json": {"schema": Place::Components.of(error)}},
            }),
        );
    }
    for (status, why) in [
        ("401", "The token is missing or wrong."),
        ("403", "A page in a browser has asked."),
        ("421", "`host` is no name of this server."),
    ] {
        all.insert(status.to_owned(), json!({ "description": why }));
    }
    all.into()
}

/// What a gateway sends: the step with its session, or the step alone, which says its session.
fn opa_question() -> Value {
    json!({
        "type": "object",
        "properties": {"input": {"anyOf": [
            Place::Components.of("judge.params"),
            {
                "type": "object",
                "description": "An envelope (`hookgate schema envelope`) of the event `pre_tool_use`.",
                "properties": {"session_id": {"type": "string", "minLength": 1}, "step": false},
                "required": ["session_id", "hook_event_name"],
            },
        ]}},
        "required": ["input"],
        "additionalProperties": false,
    })
}

fn opa_allow() -> Value {
    json!({
        "type": "object",
        "properties": {"decision_id": {"type": "string"}, "result": {"type": "boolean"}},
        "required": ["decision_id", "result"],
        "additionalProperties": false,
    })
}
