//! What the types of hooks.toml cannot say: exactly one handler, pointers as keys, and which settings
//! make no sense together or at an event.

use hookgate_contract::{Contract, Event, Posture, Role};
use serde_json::{Map, Value, json};

use crate::envelope::alias::ALIASES;

/// The kinds of handlers, each a key of a hook.
const HANDLERS: [&str; 5] = ["builtin", "command", "http", "prompt", "handler"];

/// Adds to the schema of hooks.toml what its types cannot say.
pub(super) fn narrow(schema: &mut Value) {
    insert(
        schema,
        "",
        "anyOf",
        json!([
            {"required": ["hook"]},
            {"properties": {"allow_empty": {"const": true}}, "required": ["allow_empty"]},
        ]),
    );
    insert(schema, "/properties/version", "const", json!(1));
    insert(schema, "/$defs/Hook/properties/id", "pattern", json!(r"^[\p{L}\p{N}_.:/-]+$"));
    let one = |key: &&str| json!({"required": [key]});
    insert(schema, "/$defs/Hook", "oneOf", HANDLERS.iter().map(one).collect());
    insert(schema, "/$defs/Hook", "allOf", senseless());
    insert(schema, "/$defs/Hook/properties/input", "propertyNames", pointer(true));
    insert(schema, "/$defs/Hook/properties/payload", "propertyNames", pointer(false));
    for key in ["input", "payload"] {
        insert(schema, &format!("/$defs/Hook/properties/{key}"), "minProperties", json!(1));
    }
    insert(schema, "/$defs/Tests", "minProperties", json!(1));
    insert(
        schema,
        "/$defs/Command",
        "oneOf",
        json!([
            {"required": ["argv"]},
            {"required": ["shell"]},
        ]),
    );
    insert(
        schema,
        "/$defs/Prompt",
        "oneOf",
        json!([
            {"required": ["prompt"]},
            {"required": ["prompt_file"]},
        ]),
    );
    insert(schema, "/$defs/Builtin", "anyOf", builtins());
    // What cannot be the name of a program: several words, `~`, a variable.
    let program = json!([{"not": {"pattern": r"^[~$]|\s"}}]);
    insert(schema, "/$defs/Command/properties/argv", "prefixItems", program);
    // Plain http goes to hosts that are named only.
    insert(schema, "/$defs/Http", "if", json!({"properties": {"url": {"pattern": "^http://"}}}));
    let named = json!([{"required": ["allow_loopback"]}, {"required": ["allow_private"]}]);
    insert(schema, "/$defs/Http", "then", json!({"anyOf": named}));
}

/// Sets a key of the object at a pointer.
fn insert(schema: &mut Value, pointer: &str, key: &str, value: Value) {
    if let Some(object) = schema.pointer_mut(pointer).and_then(Value::as_object_mut) {
        object.insert(key.to_owned(), value);
    }
}

/// A JSON pointer. The tool's input has none of the fields that are beside it.
fn pointer(of_input: bool) -> Value {
    let mut schema = json!({"pattern": "^(/[^/]+)*$"});
    if of_input && let Some(schema) = schema.as_object_mut() {
        schema.insert("not".into(), json!({"pattern": r"^/tool_(input|response)([./]|$)"}));
    }
    schema
}

/// The forms of a builtin: a name, or a name with settings.
fn builtins() -> Value {
    #[cfg(feature = "builtin")]
    let names = {
        let names: Vec<&str> = hookgate_builtin::BUILTINS.iter().map(|doc| doc.name).collect();
        json!({"enum": names})
    };
    #[cfg(not(feature = "builtin"))]
    let names = json!({"type": "string"});
    let with_reason = json!(["deny", "ask"]);
    json!([
        {"allOf": [{"type": "string"}, names.clone(), {"not": {"enum": with_reason.clone()}}]},
        {
            "type": "object",
            "properties": {"name": names},
            "required": ["name"],
            "if": {"properties": {"name": {"enum": with_reason}}},
            "then": {
                "required": ["reason"],
                "properties": {"reason": {"type": "string", "pattern": r"\S"}},
            },
        },
    ])
}

/// What makes no sense together, each as an `if` with a `then` that nothing meets.
fn senseless() -> Value {
    let builtin = |names: &[&str]| {
        json!({
            "properties": {"builtin": {
                "type": "object",
                "properties": {"name": {"enum": names}},
                "required": ["name"],
            }},
            "required": ["builtin"],
        })
    };
    let tool_keys = ["tool", "tool_glob", "tool_regex", "safety"];
    let any_tool_key: Vec<Value> = tool_keys.iter().map(|key| json!({"required": [key]})).collect();
    let role =
        |role: Role| json!({"properties": {"role": {"const": role.name()}}, "required": ["role"]});
    let patches = json!({"properties": {"merge": {"const": true}}, "required": ["merge"]});
    let deny = |contract: &Contract| !contract.takes_posture(Posture::Deny);
    json!([
        never(at(&|contract| !contract.tool), json!({"anyOf": any_tool_key})),
        never(at(&deny), builtin(&["deny"])),
        never(at(&|contract| !contract.ask), builtin(&["ask"])),
        never(at(&|contract| !contract.takes_role(Role::Guard)), role(Role::Guard)),
        never(at(&|contract| !contract.takes_role(Role::Rewrite)), role(Role::Rewrite)),
        never(builtin(&["deny", "ask", "audit"]), patches),
        never(builtin(&["deny", "ask", "audit"]), role(Role::Rewrite)),
    ])
}

/// Both parts do not go together.
fn never(one: Value, other: Value) -> Value {
    json!({"not": {"allOf": [one, other]}})
}

/// The event, or one of several, has a property.
fn at(has: &dyn Fn(&Contract) -> bool) -> Value {
    let own = Event::NAMED.into_iter().filter(|event| has(event.contract())).map(Event::name);
    let foreign =
        ALIASES.iter().filter(|alias| alias.events.iter().any(|event| has(event.contract())));
    let names: Vec<&str> = own.chain(foreign.map(|alias| alias.name)).collect();
    let mut event = Map::new();
    let named = json!({"enum": names});
    let listed = json!({"type": "array", "contains": named.clone()});
    event.insert("event".into(), json!({"anyOf": [named, listed]}));
    json!({"properties": event, "required": ["event"]})
}
