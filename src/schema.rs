//! JSON Schemas of the wire formats, made from the Rust types.
//!
//! The schemas are derived, so they cannot fall behind the types; what serde does not know (which
//! payload belongs to which event, that a reason needs a decision, that null is a mistake) is added
//! here. Descriptions are the first paragraphs of the documentation.
//!
//! ```
//! use hookgate::schema;
//!
//! let envelope = schema::envelope();
//! assert_eq!(envelope["$defs"]["run_failed"]["required"], serde_json::json!(["error"]));
//! assert_eq!(schema::verdict()["dependentRequired"]["reason"][0], "decision");
//! ```

mod conditions;
mod config;
mod execution;
mod handlers;
mod lists;
mod narrow;
mod texts;

use hookgate_contract::CONTRACTS;
use hookgate_contract::Observed;
use hookgate_contract::Parts;
use hookgate_contract::ReasonCode;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::registry::Registry;
use crate::report::Report;

/// Returns the schema of a decision record, as the engine writes it.
#[must_use]
pub fn decision() -> Value {
    // The engine writes it and others read it: what is optional is what the engine may leave out.
    generate::<Report>(SchemaSettings::draft2020_12().for_serialize(), "hookgate decision record")
}

/// Returns the schema of hooks.toml, for an editor that checks the file.
///
/// It knows the kinds of handlers that hookgate has and their settings, and is wider than the loader:
/// whether a file is there, a variable is set or an expression can be read is not its business.
#[must_use]
pub fn config() -> Value {
    let mut schema = schema_of::<config::HooksToml>("hooks.toml");
    strip_null(&mut schema);
    narrow::narrow(&mut schema);
    schema
}

/// Returns the schema of a hooks.toml that may use what a registry has: its kinds of handlers and of
/// conditions, and its sections.
///
/// ```
/// use hookgate::{Registry, schema};
/// use hookgate::contract::ConfigSection;
///
/// let registry = Registry::new();
/// let section = ConfigSection::new("holidays", |_, _| Some(()));
/// registry.add_section(section.schema(|| serde_json::json!({"type": "object"})))?;
/// let properties = &schema::config_with(&registry)["properties"];
/// assert_eq!(properties["holidays"]["type"], "object");
/// # Ok::<(), hookgate::registry::RegistryError>(())
/// ```
#[must_use]
pub fn config_with(registry: &Registry) -> Value {
    let mut schema = config();
    for kind in registry.conditions() {
        let value = described(&kind.value_schema(), kind.about_text());
        let mut places = vec!["/$defs/Hook/properties"];
        places.extend(kind.is_nestable().then_some("/$defs/Conditions/properties"));
        for place in places {
            add_property(&mut schema, place, kind.name(), value.clone());
        }
    }
    for section in registry.sections() {
        let value = described(&section.value_schema(), section.about_text());
        add_property(&mut schema, "/properties", section.name(), value);
    }
    for kind in registry.kinds() {
        if !narrow::HANDLERS.contains(&kind.as_str()) {
            let table = json!({"type": "object", "description": "A kind of this program."});
            add_property(&mut schema, "/$defs/Hook/properties", &kind, table);
            let one = schema.pointer_mut("/$defs/Hook/oneOf").and_then(Value::as_array_mut);
            one.into_iter().for_each(|one| one.push(json!({"required": [kind]})));
        }
    }
    schema
}

fn add_property(schema: &mut Value, place: &str, name: &str, value: Value) {
    if let Some(properties) = schema.pointer_mut(place).and_then(Value::as_object_mut) {
        properties.insert(name.to_owned(), value);
    }
}

/// Adds a description to a schema that has none.
fn described(schema: &Value, about: &str) -> Value {
    let mut schema = schema.clone();
    if schema == Value::Bool(true) {
        schema = json!({});
    }
    if let Some(object) = schema.as_object_mut().filter(|_| !about.is_empty()) {
        object.entry("description").or_insert_with(|| about.into());
    }
    schema
}

/// Returns the schema of a verdict.
///
/// Which fields are legal depends on the event and the role of the hook; see
/// [`Contract`](crate::Contract).
#[must_use]
pub fn verdict() -> Value {
    let mut schema = schema_of::<Parts>("hookgate verdict");
    strip_null(&mut schema);
    if let Some(object) = schema.as_object_mut() {
        // No field is required, but a reason needs a decision.
        object.remove("required");
        object.insert(
            "dependentRequired".into(),
            json!({"reason": ["decision"], "reason_code": ["decision"]}),
        );
    }
    if let Some(code) = schema.pointer_mut("/$defs/ReasonCode") {
        let codes: Vec<_> =
            ReasonCode::ALL.into_iter().filter(|code| code.is_for_hooks()).collect();
        *code = json!({"description": "Why, for programs.", "enum": codes});
    }
    schema
}

/// Returns the schema of an envelope: the header, and one of the payloads, by `hook_event_name`.
///
/// The payload of an event is `$defs/<name>`. Events of the embedder are open objects.
#[must_use]
pub fn envelope() -> Value {
    let mut defs = Map::new();
    let header = schema_of::<Header<'_>>("header");
    let mut events = Vec::new();
    for (contract, payload_schema) in CONTRACTS.iter().zip(PAYLOADS) {
        let mut payload = payload_schema();
        take_defs(&mut payload, &mut defs);
        strip_meta(&mut payload);
        if let Some(object) = payload.as_object_mut() {
            let properties = object.entry("properties").or_insert_with(|| json!({}));
            if let Some(properties) = properties.as_object_mut() {
                properties.insert("hook_event_name".into(), json!({"const": contract.name}));
            }
            object.insert("title".into(), contract.name.into());
        }
        defs.insert(contract.name.to_owned(), payload);
        events.push(json!({"$ref": format!("#/$defs/{}", contract.name)}));
    }
    events.push(json!({
        "title": "an event of the embedder",
        "properties": {"hook_event_name": {"pattern": r"^x\.[a-z0-9_.-]+$"}}
    }));
    let mut schema = header;
    take_defs(&mut schema, &mut defs);
    if let Some(object) = schema.as_object_mut() {
        object.insert("title".into(), "hookgate envelope".into());
        object.insert("oneOf".into(), Value::Array(events));
        object.insert("$defs".into(), Value::Object(defs));
    }
    schema
}

/// The part of an envelope that is the same for all events.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is the schema of what `Envelope` writes by hand")]
struct Header<'a> {
    /// The version of the format: 1.
    protocol: Option<u32>,
    /// The event.
    hook_event_name: &'a str,
    /// The step.
    step_id: Option<&'a str>,
    /// The session.
    session_id: Option<&'a str>,
    /// The turn, from 1; 0 before the first.
    turn: Option<u64>,
    /// The folder that the session works in.
    cwd: Option<&'a str>,
    /// The agent, where there are several.
    agent_id: Option<&'a str>,
    /// What kind of agent it is.
    agent_type: Option<&'a str>,
    /// The generation of the table that evaluates the step.
    generation: Option<u64>,
    /// Whether the step is evaluated again after a rewrite.
    rejudge: Option<bool>,
    /// Facts of the host that have no field here.
    host: Option<Map<String, Value>>,
    /// What was decided; observers see it.
    decision: Option<Observed<'a>>,
}

macro_rules! define_payload_schemas {
    ($($event:ident($payload:ident) $name:literal $kind:ident [$($rule:ident)*] {$($rest:tt)*})*) => {
        /// The schema of the payload of each event, in the order of the events.
        const PAYLOADS: [fn() -> Value; CONTRACTS.len()] =
            [$(|| schema_of::<hookgate_contract::payload::$payload>("")),*];
    };
}

hookgate_contract::with_events!(define_payload_schemas);

/// Returns the schema of a type as it is read, with a title unless that is empty.
fn schema_of<T: JsonSchema>(title: &str) -> Value {
    generate::<T>(SchemaSettings::draft2020_12(), title)
}

fn generate<T: JsonSchema>(settings: SchemaSettings, title: &str) -> Value {
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(object) = schema.as_object_mut().filter(|_| !title.is_empty()) {
        object.insert("title".into(), title.into());
    }
    cut_descriptions(&mut schema);
    schema
}

/// Keeps the first paragraph of each description: what follows it in the documentation of a type is
/// for readers of the Rust documentation.
fn cut_descriptions(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(cut_descriptions),
        Value::Object(object) => {
            if let Some(Value::String(description)) = object.get_mut("description")
                && let Some((first, _)) = description.split_once("\n\n")
            {
                *description = first.to_owned();
            }
            object.values_mut().for_each(cut_descriptions);
        }
        _ => {}
    }
}

/// Moves the definitions of a schema into those of the whole.
fn take_defs(schema: &mut Value, into: &mut Map<String, Value>) {
    if let Some(Value::Object(defs)) =
        schema.as_object_mut().and_then(|object| object.remove("$defs"))
    {
        into.extend(defs);
    }
}

/// Removes what only a whole schema has.
fn strip_meta(schema: &mut Value) {
    if let Some(object) = schema.as_object_mut() {
        object.remove("$schema");
    }
}

/// Removes `null` from the types of optional fields: an absent field is left out, and null is a
/// mistake.
fn strip_null(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(strip_null),
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| *choice != json!({"type": "null"}));
                if let [only] = choices.as_slice() {
                    let only = only.clone();
                    object.remove("anyOf");
                    if let Value::Object(only) = only {
                        object.extend(only);
                    }
                }
            }
            object.values_mut().for_each(strip_null);
        }
        _ => {}
    }
}
