//! The settings below the key of each kind of handler, for the schema of hooks.toml. They come
//! from the tables beside the code that reads them; a kind that is not compiled in takes any settings.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

/// Defines a type whose schema is made by a function.
macro_rules! settings_types {
    ($($(#[$doc:meta])* $name:ident = $schema:expr;)*) => { $(
        $(#[$doc])*
        pub(super) struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                Schema::try_from($schema).unwrap_or_default()
            }
        }
    )* };
}

settings_types! {
    /// The name of a builtin, or its name and settings.
    Builtin = builtin();
    /// A program.
    Command = command();
    /// A service.
    Http = http();
    /// A server.
    Mcp = mcp();
    /// A judge.
    Prompt = prompt();
    /// A policy in Rego.
    Rego = rego();
    /// Policies in Cedar.
    Cedar = cedar();
}

#[cfg(feature = "builtin")]
fn builtin() -> Value {
    use hookgate_builtin::BUILTINS;

    let names = |is_meant: fn(&hookgate_builtin::BuiltinDoc) -> bool| -> Vec<&str> {
        BUILTINS.iter().filter(|doc| is_meant(doc)).map(|doc| doc.name).collect()
    };
    let alone = names(|doc| doc.settings.iter().all(|setting| !setting.required));
    let each: Vec<Value> = BUILTINS
        .iter()
        .map(|doc| {
            json!({
                "if": {"properties": {"name": {"const": doc.name}}, "required": ["name"]},
                "then": doc.schema(),
            })
        })
        .collect();
    json!({
        "description": "The name of a builtin, or a table of its name and settings.",
        "anyOf": [
            {"enum": alone},
            {
                "type": "object",
                "properties": {"name": {"enum": names(|_| true)}},
                "required": ["name"],
                "allOf": each,
            },
        ],
    })
}

#[cfg(not(feature = "builtin"))]
fn builtin() -> Value {
    json!({"anyOf": [{"type": "string"}, any_table()]})
}

#[cfg(feature = "command")]
fn command() -> Value {
    hookgate_contract::SettingDoc::table_schema(hookgate_command::SETTINGS)
}

#[cfg(not(feature = "command"))]
fn command() -> Value {
    any_table()
}

#[cfg(feature = "http")]
fn http() -> Value {
    hookgate_contract::SettingDoc::table_schema(hookgate_http::SETTINGS)
}

#[cfg(not(feature = "http"))]
fn http() -> Value {
    any_table()
}

#[cfg(feature = "mcp")]
fn mcp() -> Value {
    hookgate_contract::SettingDoc::table_schema(hookgate_mcp::SETTINGS)
}

#[cfg(not(feature = "mcp"))]
fn mcp() -> Value {
    any_table()
}

#[cfg(feature = "prompt")]
fn prompt() -> Value {
    hookgate_contract::SettingDoc::table_schema(hookgate_prompt::SETTINGS)
}

#[cfg(not(feature = "prompt"))]
fn prompt() -> Value {
    any_table()
}

#[cfg(feature = "rego")]
fn rego() -> Value {
    hookgate_contract::SettingDoc::table_schema(hookgate_rego::SETTINGS)
}

#[cfg(not(feature = "rego"))]
fn rego() -> Value {
    any_table()
}

#[cfg(feature = "cedar")]
fn cedar() -> Value {
    hookgate_contract::SettingDoc::table_schema(hookgate_cedar::SETTINGS)
}

#[cfg(not(feature = "cedar"))]
fn cedar() -> Value {
    any_table()
}

/// The schema of a table of which nothing is known.
#[cfg_attr(
    all(
        feature = "builtin",
        feature = "cedar",
        feature = "command",
        feature = "http",
        feature = "mcp",
        feature = "prompt",
        feature = "rego"
    ),
    expect(dead_code, reason = "all kinds are known")
)]
fn any_table() -> Value {
    json!({"type": "object"})
}
