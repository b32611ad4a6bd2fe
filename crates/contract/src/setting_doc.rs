//! The description of settings, as data: what a page of reference shows and what the JSON Schema of
//! hooks.toml asks for.

use serde_json::{Map, Value, json};

/// The description of one setting of a handler.
///
/// ```
/// use hookgate_contract::{SettingDoc, SettingType};
///
/// const SETTINGS: &[SettingDoc] = &[
///     SettingDoc::required("url", SettingType::Text, "where to ask"),
///     SettingDoc::optional("tries", SettingType::Integer(1, 9), "how often").default("3"),
/// ];
/// let schema = SettingDoc::table_schema(SETTINGS);
/// assert_eq!(schema["required"], serde_json::json!(["url"]));
/// assert_eq!(schema["properties"]["tries"]["maximum"], 9);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Describes a setting that must be there.
    #[must_use]
    pub const fn required(name: &'static str, kind: SettingType, meaning: &'static str) -> Self {
        Self { name, kind, required: true, default: None, meaning }
    }

    /// Describes a setting that may be absent.
    #[must_use]
    pub const fn optional(name: &'static str, kind: SettingType, meaning: &'static str) -> Self {
        Self { name, kind, required: false, default: None, meaning }
    }

    /// Says which value an absent setting has. It is JSON, which is TOML too for what a setting can be.
    #[must_use]
    pub const fn default(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    /// Returns the JSON Schema of the value.
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        if let Some(object) = schema.as_object_mut() {
            object.insert("description".into(), self.meaning.into());
            if let Some(default) = self.default.and_then(|text| serde_json::from_str(text).ok()) {
                object.insert("default".into(), default);
            }
        }
        schema
    }

    /// Returns the JSON Schema of a table with these settings and no others.
    #[must_use]
    pub fn table_schema(settings: &[Self]) -> Value {
        let properties: Map<String, Value> =
            settings.iter().map(|setting| (setting.name.to_owned(), setting.schema())).collect();
        let required: Vec<&str> = settings
            .iter()
            .filter(|setting| setting.required)
            .map(|setting| setting.name)
            .collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
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
    /// A string of this name that this regular expression finds.
    Matching(&'static str, &'static str),
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// A string of any form or one of these.
    TextOr(&'static [&'static str]),
    /// True or false.
    Flag,
    /// An integer within these bounds, which are included.
    Integer(i64, i64),
    /// A number within these bounds, which are included.
    Number(i64, i64),
    /// An integer of 1 or more, a number or a duration; which of them depends on another setting.
    Amount,
    /// A duration, such as `"250ms"`.
    Duration,
    /// A number of bytes, or a string such as `"256KiB"`.
    Size,
    /// A list of strings.
    Texts,
    /// A string or a list of strings.
    OneOrMoreTexts,
    /// A list of values of this type.
    List(&'static Self),
    /// A table with keys of any name, and values of this type.
    Map(&'static Self),
    /// A table with these keys.
    Table(&'static [SettingDoc]),
    /// A value of one of these types.
    Either(&'static [Self]),
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
            Self::Matching(name, _) => name.into(),
            Self::Choice(names) => quoted(names),
            Self::TextOr(names) => format!("{} or string", quoted(names)),
            Self::Flag => "bool".into(),
            Self::Integer(..) => "integer".into(),
            Self::Number(..) => "number".into(),
            Self::Amount => "integer, number or duration".into(),
            Self::Duration => "duration".into(),
            Self::Size => "size".into(),
            Self::Texts => "array of strings".into(),
            Self::OneOrMoreTexts => "string or array of strings".into(),
            Self::List(item) => format!("array of {}", item.plural()),
            Self::Map(Self::Any) | Self::Table(_) => "table".into(),
            Self::Map(value) => format!("table of {}", value.plural()),
            Self::Either(types) => {
                types.iter().map(|kind| kind.words()).collect::<Vec<_>>().join(" or ")
            }
            Self::Any => "any value".into(),
        }
    }

    fn plural(self) -> String {
        match self {
            Self::Regex | Self::Either(_) | Self::Choice(_) => self.words(),
            _ => format!("{}s", self.words()),
        }
    }

    /// Returns the keys of the tables that the value can hold, and what stands between the name of the
    /// setting and such a key: `.`, `[].` for a list of tables, `.*.` for a table of tables.
    #[must_use]
    pub fn inner(self) -> Option<(&'static str, &'static [SettingDoc])> {
        match self {
            Self::Table(settings) => Some((".", settings)),
            Self::List(Self::Table(settings)) => Some(("[].", settings)),
            Self::Map(Self::Table(settings)) => Some((".*.", settings)),
            Self::Either(types) => types.iter().find_map(|kind| kind.inner()),
            _ => None,
        }
    }

    /// Returns the JSON Schema of a value.
    #[must_use]
    pub fn schema(self) -> Value {
        match self {
            Self::Text | Self::Template | Self::Path | Self::TextOr(_) => json!({"type": "string"}),
            Self::Regex => json!({"type": "string", "format": "regex"}),
            Self::Pointer => json!({"type": "string", "pattern": "^(/.*)?$"}),
            Self::Matching(_, pattern) => json!({"type": "string", "pattern": pattern}),
            Self::Choice(names) => json!({"enum": names}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Integer(least, most) => bounded("integer", least, most),
            Self::Number(least, most) => bounded("number", least, most),
            Self::Amount => json!({"type": ["number", "string"]}),
            Self::Duration => {
                json!({"title": "duration", "type": "string", "pattern": DURATION})
            }
            Self::Size => json!({"title": "size", "anyOf": [
                {"type": "integer", "minimum": 0},
                {"type": "string", "pattern": SIZE},
            ]}),
            Self::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Self::OneOrMoreTexts => json!({"anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
            ]}),
            Self::List(item) => json!({"type": "array", "items": item.schema()}),
            Self::Map(value) => {
                json!({"type": "object", "additionalProperties": value.schema()})
            }
            Self::Table(settings) => SettingDoc::table_schema(settings),
            Self::Either(types) => {
                json!({"anyOf": types.iter().map(|kind| kind.schema()).collect::<Vec<_>>()})
            }
            Self::Any => json!({}),
        }
    }
}

/// The form of a duration.
const DURATION: &str = r"^\s*(\d+\s*[a-zµ]+\s*)+$";

/// The form of a size.
const SIZE: &str = r"^\d+ *(B|KiB|MiB|GiB|kB|KB|MB|GB)? *$";

/// The schema of a number. The bounds of the type itself are not written.
fn bounded(name: &str, least: i64, most: i64) -> Value {
    let mut schema = Map::new();
    schema.insert("type".into(), name.into());
    if least != i64::MIN {
        schema.insert("minimum".into(), least.into());
    }
    if most != i64::MAX {
        schema.insert("maximum".into(), most.into());
    }
    Value::Object(schema)
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`\"{name}\"`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const INNER: &[SettingDoc] = &[SettingDoc::optional("size", SettingType::Size, "how many")];

    #[test]
    fn the_keys_of_inner_tables_are_found() {
        let table = SettingType::Table(INNER);
        assert_eq!(table.inner(), Some((".", INNER)));
        assert_eq!(SettingType::List(&SettingType::Table(INNER)).inner(), Some(("[].", INNER)));
        let either = SettingType::Either(&[SettingType::Flag, SettingType::Table(INNER)]);
        assert_eq!(either.inner(), Some((".", INNER)));
        assert_eq!(either.words(), "bool or table");
        assert_eq!(SettingType::Flag.inner(), None);
    }

    #[test]
    fn a_schema_of_a_table_takes_its_keys_and_no_others() {
        let schema = SettingType::Map(&SettingType::Table(INNER)).schema();
        assert_eq!(schema["additionalProperties"]["additionalProperties"], false);
        assert_eq!(
            SettingType::Integer(1, i64::MAX).schema(),
            json!({"type": "integer", "minimum": 1})
        );
    }
}
