//! The words of a hooks.toml: its keys and values from the schema, with the texts of the reference.

use hookgate::effects::Manifests;
use serde_json::{Map, Value};

use crate::config::registry;
use crate::reference::value_schema::ValueSchema;
use crate::reference::{Page, Setting, builtins};

/// What can be written.
#[derive(Debug)]
pub(super) struct Vocabulary {
    /// The schema of hooks.toml.
    schema: Value,
    /// The schema of the steps.
    steps: Value,
    pub(super) builtins: Vec<Page>,
    /// Tools that manifests cover.
    pub(super) tools: Vec<String>,
}

/// A value that can be written, with what it means.
#[derive(Debug)]
pub(super) struct Choice {
    /// As it is written in a file.
    pub(super) written: String,
    pub(super) meaning: String,
}

impl Vocabulary {
    pub(super) fn new() -> Self {
        Self {
            schema: hookgate::schema::config_with(&registry()),
            steps: hookgate::schema::envelope(),
            builtins: builtins(),
            tools: Manifests::default().names().into_iter().map(str::to_owned).collect(),
        }
    }

    fn definitions(&self) -> Option<&Map<String, Value>> {
        self.schema.get("$defs").and_then(Value::as_object)
    }

    /// Returns the keys of the table that a path leads to.
    pub(super) fn keys(&self, path: &[&str]) -> Vec<Setting> {
        let definitions = self.definitions();
        let mut keys: Vec<Setting> = Vec::new();
        for schema in self.at(path) {
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, schema) in properties.into_iter().flatten() {
                let value = ValueSchema { schema, definitions };
                if keys.iter().all(|known| known.name != *name) {
                    keys.push(value.setting(name));
                }
            }
        }
        keys
    }

    /// Returns the key that a path leads to.
    pub(super) fn key(&self, path: &[&str]) -> Option<Setting> {
        let (name, table) = path.split_last()?;
        self.keys(table).into_iter().find(|key| key.name == *name)
    }

    /// Returns the values that a key can have, as far as they can be listed.
    pub(super) fn values(&self, path: &[&str]) -> Vec<Choice> {
        let mut choices: Vec<Choice> = Vec::new();
        let mut add = |value: &Value, meaning: &str| {
            let written = value.to_string();
            if !value.is_null() && choices.iter().all(|known| known.written != written) {
                choices.push(Choice { written, meaning: meaning.to_owned() });
            }
        };
        for schema in self.at(path) {
            let meaning = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            for value in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
                add(value, "");
            }
            if let Some(value) = schema.get("const") {
                add(value, meaning);
            }
            if schema.get("type").is_some_and(|name| name == "boolean") {
                add(&Value::Bool(true), "");
                add(&Value::Bool(false), "");
            }
        }
        choices
    }

    /// Returns the fields of the payload of an event, and those within them, each with its pointer without
    /// the first `/`.
    pub(super) fn payload_fields(&self, event: &str) -> Vec<Setting> {
        let definitions = self.steps.get("$defs").and_then(Value::as_object);
        let payload = definitions.and_then(|all| all.get(event)).unwrap_or(&Value::Null);
        let below = |schema| ValueSchema { schema, definitions }.settings();
        let mut fields = Vec::new();
        for field in below(payload) {
            let schema = payload.get("properties").and_then(|all| all.get(&field.name));
            let items = schema.and_then(|schema| schema.get("items"));
            let inner = schema.into_iter().map(|schema| (schema, "/"));
            let inner: Vec<Setting> = inner
                .chain(items.map(|items| (items, "/*/")))
                .flat_map(|(schema, between)| {
                    let name = &field.name;
                    below(schema).into_iter().map(move |inner| Setting {
                        name: format!("{name}{between}{}", inner.name),
                        ..inner
                    })
                })
                .collect();
            fields.push(field);
            fields.extend(inner);
        }
        fields
    }

    /// Returns the builtin of a name.
    pub(super) fn builtin(&self, name: &str) -> Option<&Page> {
        self.builtins.iter().find(|page| page.name == name)
    }

    /// Returns the schemas that a path leads to, each taken apart.
    fn at(&self, path: &[&str]) -> Vec<&Value> {
        let mut here = Vec::new();
        self.expand(&self.schema, &mut here);
        for key in path {
            let mut below = Vec::new();
            for schema in here {
                let named = schema.get("properties").and_then(|properties| properties.get(key));
                let any = schema.get("additionalProperties").filter(|schema| schema.is_object());
                if let Some(schema) = named.or(any) {
                    self.expand(schema, &mut below);
                }
            }
            here = below;
        }
        here
    }

    /// Adds a schema, and those that it is made of: what it refers to, its alternatives and its items.
    fn expand<'s>(&'s self, schema: &'s Value, all: &mut Vec<&'s Value>) {
        if all.iter().any(|known| std::ptr::eq(*known, schema)) {
            return;
        }
        all.push(schema);
        let named =
            schema.get("$ref").and_then(Value::as_str).and_then(|name| name.rsplit_once('/'));
        if let Some(schema) = named.and_then(|(_, name)| self.definitions()?.get(name)) {
            self.expand(schema, all);
        }
        for several in ["anyOf", "oneOf", "allOf"] {
            for schema in schema.get(several).and_then(Value::as_array).into_iter().flatten() {
                self.expand(schema, all);
            }
        }
        if let Some(schema) = schema.get("items") {
            self.expand(schema, all);
        }
    }
}
