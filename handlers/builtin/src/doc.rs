//! What a builtin is, as data: its name, its role, its settings and an example.
//!
//! Each builtin has one [`BuiltinDoc`] beside its code. The kind `builtin`, the reference pages, the
//! command line and the JSON Schema of hooks.toml are made from it, so they cannot differ; a test
//! proves that the parser of each builtin reads exactly the settings that are listed.

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, Event, Factory, Role, Supports};
use serde_json::{Map, Value, json};

use crate::host::Host;

/// The description of a builtin, from which its handlers are built too.
///
/// ```
/// let deny = hookgate_builtin::builtin("deny").unwrap();
/// assert_eq!(deny.role.name(), "guard");
/// assert!(deny.events().contains(&"pre_tool_use") && !deny.events().contains(&"session_end"));
/// assert_eq!(deny.settings[0].name, "reason");
/// assert_eq!(deny.schema()["properties"]["reason"]["type"], "string");
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct BuiltinDoc {
    /// The name that a config uses.
    pub name: &'static str,
    /// The role of a hook that names none.
    pub role: Role,
    /// What it does, as a clause without a full stop.
    pub about: &'static str,
    /// Refuses the events at which it could do nothing, whatever its settings are; `None` if it can be
    /// used at all.
    pub supports: Option<Supports>,
    /// The settings, the required ones first.
    pub settings: &'static [SettingDoc],
    /// A hook in TOML that uses it.
    pub example: &'static str,
    /// Whether it needs a part of the [`Host`].
    pub(crate) build: Build,
}

/// How the handlers of a builtin are built.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Build {
    /// From their settings alone.
    Alone(Factory),
    /// With what the host knows.
    WithHost(fn(&mut Settings<'_>, &BuildContext<'_>, &Host) -> Option<BuiltHandler>),
}

impl BuiltinDoc {
    /// Builds a handler from its settings. If it cannot, it has noted the reason in the settings.
    pub fn build(
        &self,
        settings: &mut Settings<'_>,
        context: &BuildContext<'_>,
        host: &Host,
    ) -> Option<BuiltHandler> {
        match self.build {
            Build::Alone(build) => build(settings, context),
            Build::WithHost(build) => build(settings, context, host),
        }
    }

    /// Returns the names of the events at which it can be used.
    #[must_use]
    pub fn events(&self) -> Vec<&'static str> {
        let fits = |event: &Event| {
            let contract = event.contract();
            contract.takes_role(self.role)
                && self.supports.is_none_or(|supports| supports(contract).is_ok())
        };
        Event::NAMED.into_iter().filter(fits).map(Event::name).collect()
    }

    /// Returns the JSON Schema of the table that a config has below `builtin`.
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut properties = Map::new();
        properties.insert("name".into(), json!({"const": self.name, "description": self.about}));
        for setting in self.settings {
            properties.insert(setting.name.into(), setting.schema());
        }
        let required = self.settings.iter().filter(|setting| setting.required);
        let required = required.map(|setting| setting.name);
        let required: Vec<_> = std::iter::once("name").chain(required).collect();
        json!({
            "type": "object",
            "description": self.about,
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

/// The description of one setting.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SettingDoc {
    /// The key.
    pub name: &'static str,
    /// The type of its value.
    pub kind: SettingType,
    /// Whether it must be there.
    pub required: bool,
    /// What is taken if it is absent, as in the file; `None` if nothing is.
    pub default: Option<&'static str>,
    /// What it is for, as a clause without a full stop.
    pub meaning: &'static str,
}

impl SettingDoc {
    pub(crate) const fn required(
        name: &'static str,
        kind: SettingType,
        meaning: &'static str,
    ) -> Self {
        Self { name, kind, required: true, default: None, meaning }
    }

    pub(crate) const fn optional(
        name: &'static str,
        kind: SettingType,
        meaning: &'static str,
    ) -> Self {
        Self { name, kind, required: false, default: None, meaning }
    }

    /// The value that an absent setting has. It is JSON, which is TOML too for what a setting can be.
    pub(crate) const fn default(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    /// Returns the JSON Schema of the value.
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        schema.insert("description".into(), self.meaning.into());
        if let Some(default) = self.default.and_then(|text| serde_json::from_str(text).ok()) {
            schema.insert("default".into(), default);
        }
        Value::Object(schema)
    }
}

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingType {
    /// A string.
    Text,
    /// A string that may be a template.
    Template,
    /// A regular expression.
    Regex,
    /// A JSON pointer.
    Pointer,
    /// A path, which starts at the folder of the config.
    Path,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// A string of any form or one of these.
    TextOr(&'static [&'static str]),
    /// True or false.
    Flag,
    /// An integer within these bounds, which are included.
    Integer(i64, i64),
    /// An integer of 1 or more, a number or a duration; which of them depends on another setting.
    Amount,
    /// A number of bytes, or a string such as `"256KiB"`.
    Size,
    /// A list of strings.
    Texts,
    /// A string or a list of strings.
    OneOrMoreTexts,
    /// Any value.
    Any,
}

impl SettingType {
    /// Returns the name of the type, as a table in a page shows it.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Text => "string".into(),
            Self::Template => "string or template".into(),
            Self::Regex => "regular expression".into(),
            Self::Pointer => "JSON pointer".into(),
            Self::Path => "path".into(),
            Self::Choice(names) => quoted(names),
            Self::TextOr(names) => format!("{} or string", quoted(names)),
            Self::Flag => "bool".into(),
            Self::Integer(..) => "integer".into(),
            Self::Amount => "integer, number or duration".into(),
            Self::Size => "size".into(),
            Self::Texts => "array of strings".into(),
            Self::OneOrMoreTexts => "string or array of strings".into(),
            Self::Any => "any value".into(),
        }
    }

    fn schema(self) -> Map<String, Value> {
        let schema = match self {
            Self::Text | Self::Template | Self::Path | Self::TextOr(_) => json!({"type": "string"}),
            Self::Regex => json!({"type": "string", "format": "regex"}),
            Self::Pointer => json!({"type": "string", "pattern": "^(/.*)?$"}),
            Self::Choice(names) => json!({"enum": names}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Integer(least, i64::MAX) => json!({"type": "integer", "minimum": least}),
            Self::Integer(least, most) => {
                json!({"type": "integer", "minimum": least, "maximum": most})
            }
            Self::Amount => json!({"type": ["number", "string"]}),
            Self::Size => json!({"type": ["integer", "string"]}),
            Self::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Self::OneOrMoreTexts => json!({"anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
            ]}),
            Self::Any => json!({}),
        };
        match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        }
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`\"{name}\"`")).collect::<Vec<_>>().join(", ")
}
