//! An entry of a journal, as it is read.

use hookgate::recorder::{Record, ReloadRecord};
use hookgate_contract::json::{self, Integers};
use rusqlite::Row;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::config::ConfigNote;
use crate::error::StoreError;
use crate::row::read_step;

/// An entry of a journal.
///
/// As JSON it is one object: its number as `seq`, its kind as `kind`, and what it says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// Its number, from 1.
    pub seq: u64,
    /// Whether what it says at length is still there: the step, the reasons. Without it a record has neither.
    pub has_body: bool,
    /// What it says.
    pub says: Says,
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "almost every entry is of the large one")]
#[non_exhaustive]
pub enum Says {
    /// What was decided about a step.
    Step(Record),
    /// What came of a reload.
    Reload(ReloadRecord),
    /// A config that came into force.
    Config(ConfigNote),
    /// So many records before it were lost.
    Lost {
        /// When it was told, in milliseconds since 1970.
        time: u64,
        /// How many.
        count: u64,
    },
    /// The bodies of the entries up to this one were deleted, since they were too old or too many.
    Retention {
        /// When it was, in milliseconds since 1970.
        time: u64,
        /// The last entry without its body.
        through: u64,
    },
}

impl Entry {
    /// Reads an entry that was written as JSON.
    ///
    /// # Errors
    /// What makes the object something else than one entry.
    pub fn from_object(mut object: Map<String, Value>) -> serde_json::Result<Self> {
        let seq = object.remove("seq").and_then(|seq| seq.as_u64());
        let seq = seq.ok_or_else(|| serde::de::Error::custom("it has no `seq`"))?;
        let has_body = object.remove("body").is_none();
        Ok(Self { seq, has_body, says: Says::of(object)? })
    }

    /// Returns the record of a step, if it is one.
    #[must_use]
    pub const fn record(&self) -> Option<&Record> {
        match &self.says {
            Says::Step(record) => Some(record),
            _ => None,
        }
    }

    /// Returns when it was, in milliseconds since 1970.
    #[must_use]
    pub const fn time(&self) -> u64 {
        match &self.says {
            Says::Step(record) => record.time,
            Says::Reload(record) => record.time,
            Says::Config(config) => config.time,
            Says::Lost { time, .. } | Says::Retention { time, .. } => *time,
        }
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, value) = match &self.says {
            Says::Step(record) => ("step", serde_json::to_value(record)),
            Says::Reload(record) => ("reload", serde_json::to_value(record)),
            Says::Config(config) => ("config", serde_json::to_value(config)),
            Says::Lost { time, count } => ("lost", Ok(json!({"time": time, "count": count}))),
            Says::Retention { time, through } => {
                ("retention", Ok(json!({"time": time, "through": through})))
            }
        };
        let mut value = value.map_err(serde::ser::Error::custom)?;
        if let Some(object) = value.as_object_mut() {
            object.insert("seq".to_owned(), self.seq.into());
            object.insert("kind".to_owned(), kind.into());
            if !self.has_body {
                object.insert("body".to_owned(), "deleted".into());
            }
        }
        value.serialize(serializer)
    }
}

/// What is read of the file for an entry; a query names these columns.
pub(crate) const COLUMNS: &str =
    "record.seq, record.text, record.body_digest IS NOT NULL, body.text";

/// The columns of [`COLUMNS`].
pub(crate) struct Stored<'r> {
    seq: u64,
    text: &'r str,
    had_body: bool,
    body: Option<&'r str>,
}

impl<'r> Stored<'r> {
    pub(crate) fn of(row: &'r Row<'_>) -> rusqlite::Result<Self> {
        let (text, body) = (row.get_ref(1)?.as_str()?, row.get_ref(3)?.as_str_or_null()?);
        Ok(Self { seq: row.get(0)?, text, had_body: row.get(2)?, body })
    }

    /// Reads the entry.
    ///
    /// # Errors
    /// It is not what a hookgate writes.
    pub(crate) fn read(self) -> Result<Entry, StoreError> {
        let seq = self.seq;
        self.parse().map_err(|error| StoreError::Entry { seq, error })
    }

    fn parse(self) -> serde_json::Result<Entry> {
        let has_body = self.body.is_some() || !self.had_body;
        let body: Map<String, Value> = match self.body {
            Some(body) => read_object(body)?,
            None => Map::new(),
        };
        let says = match read_step(self.text, body)? {
            Ok(record) => Says::Step(record),
            Err(mut body) => {
                let mut text = read_object(self.text)?;
                for key in ["error", "files"] {
                    text.extend(body.remove(key).map(|value| (key.to_owned(), value)));
                }
                Says::of(text)?
            }
        };
        Ok(Entry { seq: self.seq, has_body, says })
    }
}

impl Says {
    /// Reads what an entry says.
    fn of(mut object: Map<String, Value>) -> serde_json::Result<Self> {
        let kind = object.remove("kind").unwrap_or_default();
        let number = |key| object.get(key).and_then(Value::as_u64).unwrap_or_default();
        Ok(match kind.as_str() {
            Some("lost") => Self::Lost { time: number("time"), count: number("count") },
            Some("retention") => {
                Self::Retention { time: number("time"), through: number("through") }
            }
            Some("step") => Self::Step(serde_json::from_value(Value::Object(object))?),
            Some("reload") => Self::Reload(serde_json::from_value(Value::Object(object))?),
            Some("config") => Self::Config(serde_json::from_value(Value::Object(object))?),
            _ => return Err(serde::de::Error::custom(format!("no kind of entry is {kind}"))),
        })
    }
}

/// Reads an object exactly: each number keeps its value.
fn read_object(text: &str) -> serde_json::Result<Map<String, Value>> {
    match json::parse_text(text, Integers::Exact) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(serde::de::Error::custom("it is no object")),
        Err(error) => Err(serde::de::Error::custom(error)),
    }
}
