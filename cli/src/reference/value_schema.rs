//! What a JSON Schema says of a value, in words and as rows of a table.

use serde_json::{Map, Value};

use crate::reference::Setting;

/// More names than this are not listed as the type of a value.
const MANY: usize = 12;

/// A schema with the definitions that it refers to.
#[derive(Clone, Copy)]
pub(crate) struct ValueSchema<'s> {
    pub(crate) schema: &'s Value,
    pub(crate) definitions: Option<&'s Map<String, Value>>,
}

impl<'s> ValueSchema<'s> {
    /// Returns the type of the value: `string or array of strings`.
    pub(crate) fn words(self) -> String {
        let here = self.resolved();
        let Value::Object(schema) = here.schema else { return "any value".to_owned() };
        if let Some(value) = schema.get("const") {
            return value.to_string();
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            let values: Vec<_> = values.iter().filter(|value| !value.is_null()).collect();
            if values.len() > MANY {
                return "string".to_owned();
            }
            return values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        }
        // The name of a type, such as `duration`, and not a phrase about a value.
        if let Some(title) = schema.get("title").and_then(Value::as_str)
            && !title.contains(' ')
        {
            return title.to_owned();
        }
        let others = if schema.contains_key("type") { Vec::new() } else { here.alternatives() };
        if !others.is_empty() {
            let mut all: Vec<String> = Vec::new();
            for words in others.into_iter().map(Self::words) {
                if !all.contains(&words) {
                    all.push(words);
                }
            }
            return all.join(" or ");
        }
        let items = || {
            let schema = schema.get("items")?;
            Some(ValueSchema { schema, ..self }.words())
        };
        let of_type = |name: &str| match name {
            "array" => match items() {
                Some(items) => format!("array of {}", plural(items)),
                None => "array".to_owned(),
            },
            "object" => "table".to_owned(),
            "boolean" => "bool".to_owned(),
            other => other.to_owned(),
        };
        match schema.get("type") {
            Some(Value::String(name)) => of_type(name),
            Some(Value::Array(names)) => {
                let names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
                names.map(of_type).collect::<Vec<_>>().join(" or ")
            }
            _ => "any value".to_owned(),
        }
    }

    /// Returns the keys of the value, if it is a table; of a table with keys of any name, the keys of
    /// each of its values.
    pub(crate) fn settings(self) -> Vec<Setting> {
        let here = self.resolved();
        let Value::Object(schema) = here.schema else { return Vec::new() };
        if let Some(Value::Object(properties)) = schema.get("properties") {
            let required = schema.get("required").and_then(Value::as_array);
            return properties
                .iter()
                .map(|(name, schema)| Setting {
                    required: required.is_some_and(|all| all.iter().any(|key| key == name)),
                    ..ValueSchema { schema, ..self }.setting(name)
                })
                .collect();
        }
        if let Some(schema @ Value::Object(_)) = schema.get("additionalProperties") {
            return ValueSchema { schema, ..self }.settings();
        }
        let alternatives = here.alternatives().into_iter().map(Self::settings);
        alternatives.max_by_key(Vec::len).unwrap_or_default()
    }

    /// Returns the value as a setting of this name that need not be there.
    pub(crate) fn setting(self, name: &str) -> Setting {
        let default = self.schema.get("default").filter(|value| !value.is_null());
        Setting {
            name: name.to_owned(),
            kind: self.words(),
            required: false,
            default: default.map(Value::to_string),
            meaning: self.description(),
        }
    }

    /// Returns what the schema says of itself.
    pub(crate) fn description(self) -> String {
        let own =
            |schema: &Value| schema.get("description").and_then(Value::as_str).map(str::to_owned);
        own(self.schema)
            .or_else(|| own(self.resolved().schema))
            .unwrap_or_default()
            .replace('\n', " ")
    }

    /// Follows a reference.
    fn resolved(self) -> Self {
        let name = self.schema.get("$ref").and_then(Value::as_str);
        let name = name.and_then(|name| name.rsplit_once('/')).map(|(_, name)| name);
        let found = name.and_then(|name| self.definitions?.get(name));
        found.map_or(self, |schema| Self { schema, ..self })
    }

    /// Returns the schemas of which one must hold, without that of null.
    fn alternatives(self) -> Vec<Self> {
        let found = ["anyOf", "oneOf"].iter().find_map(|key| self.schema.get(key)?.as_array());
        let is_null = |schema: &&Value| schema.get("type").is_some_and(|name| name == "null");
        let others = found.into_iter().flatten().filter(|schema| !is_null(schema));
        others.map(|schema| Self { schema, ..self }).collect()
    }
}

/// Returns the name of a type for more than one value.
fn plural(words: String) -> String {
    match words.as_str() {
        "string" | "integer" | "number" | "table" => format!("{words}s"),
        "any value" => "any values".to_owned(),
        _ => words,
    }
}
