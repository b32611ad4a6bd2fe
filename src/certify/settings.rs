//! The section `[certify]` of a config.

use std::time::Duration;

use hookgate_contract::ConfigSection;
use hookgate_contract::settings::{Node, NodeValue, SettingEntry, Settings};
use serde_json::{Value, json};

use crate::table::HandlerTable;

/// The key at the top of the file.
const NAME: &str = "certify";

/// How often hooks are proved if the section does not say it.
const EVERY: Duration = Duration::from_secs(600);

/// The least time between two rounds.
const LEAST: Duration = Duration::from_secs(1);

/// What happens with a hook that was found dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnDead {
    /// What it is about gets its posture, until it is proved again.
    #[default]
    Posture,
    /// It stays in force, and somebody is told.
    Warn,
}

impl OnDead {
    /// The names in a config.
    pub const NAMES: &[&str] = &["posture", "warn"];

    /// Returns the one of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "posture" => Some(Self::Posture),
            "warn" => Some(Self::Warn),
            _ => None,
        }
    }
}

/// How often hooks are proved while they are in force, and what happens with a dead one.
///
/// ```
/// use hookgate::certify::{CertifySettings, OnDead};
/// use serde_json::json;
///
/// let settings = CertifySettings::of_section(&json!({"every": "5m"}));
/// assert_eq!((settings.every.as_secs(), settings.on_dead), (300, OnDead::Posture));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CertifySettings {
    /// The time between two rounds.
    pub every: Duration,
    /// What happens with a hook that was found dead.
    pub on_dead: OnDead,
}

impl Default for CertifySettings {
    fn default() -> Self {
        Self { every: EVERY, on_dead: OnDead::default() }
    }
}

impl CertifySettings {
    /// Returns what the config of a table says: of several layers, what the one that binds most says. `None` if
    /// nothing is to be proved.
    #[must_use]
    pub fn of_table(table: &HandlerTable) -> Option<Self> {
        table.section(NAME).map(Self::of_section)
    }

    /// Reads the section as a table has it.
    #[must_use]
    pub fn of_section(section: &Value) -> Self {
        let entry =
            SettingEntry { key: NAME.to_owned(), key_span: 0..0, node: Node::from_json(section) };
        let table = Node { span: 0..0, value: NodeValue::Table(vec![entry]) };
        // A section with a mistake is in no table.
        read(&mut Settings::new(&table)).unwrap_or_default()
    }
}

/// Returns the section `[certify]`, to be [added](crate::Registry::add_section) to a registry.
#[must_use]
pub fn section() -> ConfigSection {
    ConfigSection::new(NAME, |settings, _| read(settings))
        .about("how often each guard is proved while it is in force: docs/certify.md")
        .schema(schema)
}

fn read(settings: &mut Settings<'_>) -> Option<CertifySettings> {
    let mut table = settings.table(NAME)?;
    let mut read = CertifySettings::default();
    if let Some(every) = table.duration("every") {
        read.every = every;
    }
    if read.every < LEAST {
        table.invalid("every", "shorter than a second, in which hooks would do little else");
    }
    read.on_dead = table.choice("on_dead", OnDead::NAMES, OnDead::from_name).unwrap_or_default();
    let errors = table.finish();
    let is_right = errors.is_empty();
    settings.absorb(errors);
    is_right.then_some(read)
}

fn schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "every": {
                "type": "string",
                "default": "10m",
                "description": "How often each hook gets its canaries: `10m`. At least a second.",
            },
            "on_dead": {
                "enum": OnDead::NAMES,
                "default": "posture",
                "description": "`posture`: what a dead hook is about gets its posture, until it is proved again. `warn`: it stays in force, and the user is told.",
            },
        },
    })
}
