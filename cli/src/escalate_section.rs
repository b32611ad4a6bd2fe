//! The section `[escalate]`: what happens when a session tries again what it was denied.
//!
//! It stands for two hooks, the builtins `repeated_denials` and `note_denials`. Their ids name the layer, so that
//! those of a user and those of a project are both in force, and the stricter wins.

use hookgate::contract::settings::Settings;
use hookgate::contract::{ConfigSection, Layer};
use serde_json::{Value, json};

/// The key at the top of the file.
const NAME: &str = "escalate";

/// A priority before and behind all that people write.
const FAR: i64 = 1_000_000;

const DECISIONS: &[&str] = &["ask", "deny", "halt"];

/// Returns the section.
pub(crate) fn section() -> ConfigSection {
    ConfigSection::new(NAME, |settings: &mut Settings<'_>, _| {
        let mut table = settings.table(NAME)?;
        table.within("after", 2..=i64::MAX);
        table.choice("then", DECISIONS, |name| DECISIONS.contains(&name).then_some(()));
        let errors = table.finish();
        let is_right = errors.is_empty();
        settings.absorb(errors);
        is_right.then_some(())
    })
    .about("what happens when a session tries again what it was denied, in any words; docs/limits.md says more")
    .schema(schema)
    .hooks(hooks)
}

fn hooks(written: &Value, layer: Layer) -> Vec<Value> {
    let mut builtin = written.clone();
    if let Some(builtin) = builtin.as_object_mut() {
        builtin.insert("name".to_owned(), "repeated_denials".into());
    }
    // A halt is said before any hook ends the calls with a deny. What is less comes last, so that it never takes the
    // place of what a hook would have said.
    let halts = written.get("then").and_then(Value::as_str) == Some("halt");
    let priority = if halts { -FAR } else { FAR };
    let event = "pre_tool_use";
    vec![
        json!({"id": format!("{NAME}-{layer}"), "event": event, "priority": priority, "builtin": builtin}),
        json!({"id": format!("{NAME}-{layer}-notes"), "event": event, "builtin": "note_denials"}),
    ]
}

fn schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "after": {
                "type": "integer",
                "minimum": 2,
                "default": 3,
                "description": "At which try, counting the one that was denied first.",
            },
            "then": {
                "enum": DECISIONS,
                "default": "deny",
                "description": "What happens from that try on.",
            },
        },
    })
}
