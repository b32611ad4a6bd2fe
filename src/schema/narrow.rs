//! What the types of hooks.toml cannot say: exactly one handler, pointers as keys, and which settings
//! make no sense together or at an event.

use hookgate_contract::{Contract, Event, Posture, Role};
use serde_json::{Map, Value, json};

use crate::envelope::alias::ALIASES;
use crate::table::Limits;

/// The kinds of handlers, each a key of a hook.
pub(super) const HANDLERS: [&str; 8] =
    ["builtin", "command", "http", "mcp", "prompt", "rego", "cedar", "handler"];

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
    for place in ["Hook", "Conditions"] {
        for key in ["input", "payload"] {
            let place = format!("/$defs/{place}/properties/{key}");
            insert(schema, &place, "propertyNames", pointer(key == "input"));
            insert(schema, &place, "minProperties", json!(1));
        }
    }
    insert(schema, "/$defs/Hook/properties/event", "allOf", each_event_once());
    insert(schema, "/$defs/Hook/properties/handler", "required", json!(["kind"]));
    // Two hooks that are alike have the same id.
    insert(schema, "/properties/hook", "uniqueItems", json!(true));
    for (key, default) in limits() {
        insert(schema, &format!("/$defs/LimitsToml/properties/{key}"), "default", default);
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
    insert(
        schema,
        "/$defs/Mcp",
        "oneOf",
        json!([
            {"required": ["tool"]},
            {"required": ["interceptor"]},
        ]),
    );
    insert(schema, "/$defs/Builtin", "allOf", json!([reason_with_text()]));
    insert(schema, "/$defs/Command/properties/argv", "minItems", json!(1));
    insert(schema, "/$defs/Command/properties/shell", "minLength", json!(1));
    insert(schema, "/$defs/Prompt/properties/model", "minLength", json!(1));
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

/// The reason of a deny or an ask says something.
fn reason_with_text() -> Value {
    json!({
        "if": {
            "type": "object",
            "properties": {"name": {"enum": ["deny", "ask"]}},
            "required": ["name"],
        },
        "then": {"properties": {"reason": {"pattern": r"\S"}}},
    })
}

/// No event is named twice, be it by its own name and by that of another system.
fn each_event_once() -> Value {
    let names = |event: Event| -> Vec<&str> {
        let foreign = ALIASES.iter().filter(|alias| alias.events == [event]);
        std::iter::once(event.name()).chain(foreign.map(|alias| alias.name)).collect()
    };
    let twice = |event: Event| json!({"type": "array", "contains": {"enum": names(event)}, "minContains": 2});
    Event::NAMED.into_iter().map(|event| json!({"not": twice(event)})).collect()
}

/// The limits of a file that sets none.
fn limits() -> [(&'static str, Value); 8] {
    let limits = Limits::default();
    let size = |bytes: usize| match bytes >> 20 {
        0 => json!(format!("{}KiB", bytes >> 10)),
        mebibytes => json!(format!("{mebibytes}MiB")),
    };
    [
        ("dispatch_deadline", json!(format!("{}s", limits.dispatch_deadline.as_secs()))),
        ("payload", size(limits.payload)),
        ("output", size(limits.output)),
        ("background_queue", json!(limits.background_queue)),
        ("concurrency", json!(limits.concurrency)),
        ("stop_denials", json!(limits.stop_denials)),
        ("stop_at", json!(limits.stop_at.name())),
        ("integers", json!(limits.integers.name())),
    ]
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
