//! The methods as an OpenRPC document, made of the same types as the JSON Schema.

use serde_json::{Map, Value, json};

use super::error::Code;
use super::method::Method;
use super::schema::{Place, schemas};

/// Returns the OpenRPC document of the methods.
pub(crate) fn openrpc() -> Value {
    let named = schemas(Place::Components).named;
    let errors = Code::ALL.map(|code| json!({"code": code.number(), "message": code.meaning(), "data": {"name": code.name()}}));
    let methods = Method::ALL.map(|method| {
        let name = method.name();
        json!({
            "name": name,
            "summary": method.about(),
            "paramStructure": "by-name",
            "params": params(&named, name),
            "result": {"name": format!("{name}.result"), "schema": Place::Components.of(&format!("{name}.result"))},
            "errors": errors,
        })
    });
    json!({
        "openrpc": "1.3.2",
        "info": {
            "title": "hookgate serve",
            "description": "JSON-RPC 2.0: one object a line over stdio or a socket, one a body at `POST /rpc` over HTTP.",
            "version": env!("CARGO_PKG_VERSION"),
        },
        "methods": methods,
        "components": {"schemas": named},
    })
}

/// Returns the parameters of a method, each with its schema.
fn params(named: &Map<String, Value>, method: &str) -> Vec<Value> {
    let schema = named.get(&format!("{method}.params")).map(|schema| resolve(named, schema));
    let field = |key: &str| schema.and_then(|schema| schema.get(key));
    let is_needed = |name: &str| {
        let needed = field("required").and_then(Value::as_array);
        needed.is_some_and(|needed| needed.iter().any(|needed| needed == name))
    };
    let properties = field("properties").and_then(Value::as_object).into_iter().flatten();
    let mut params: Vec<(bool, Value)> = properties
        .map(|(name, schema)| {
            let required = is_needed(name);
            let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            (
                required,
                json!({"name": name, "description": about, "required": required, "schema": schema}),
            )
        })
        .collect();
    // OpenRPC wants those that are needed first.
    params.sort_by_key(|(required, _)| !required);
    params.into_iter().map(|(_, param)| param).collect()
}

/// Follows a schema that is nothing but a reference.
fn resolve<'s>(named: &'s Map<String, Value>, schema: &'s Value) -> &'s Value {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    name.and_then(|name| named.get(name)).unwrap_or(schema)
}
