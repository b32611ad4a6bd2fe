//! A value that is in force, and those that are not.

use serde::Serialize;
use serde_json::Value;

use crate::commands::config::written::WordPlace;
use crate::terminal::sanitize::line;
use crate::terminal::style::{BOLD, DIM, DOUBTFUL};

/// A value that is in force.
#[derive(Debug, Serialize)]
pub(super) struct Fact {
    pub(super) key: String,
    pub(super) value: Value,
    /// Where it is written; without that it is a default, or what follows from the layers.
    pub(super) from: Option<WordPlace>,
    /// Why it is that value, if nobody has written it.
    pub(super) why: Option<String>,
    pub(super) overruled: Vec<Overruled>,
}

/// What is written, and not in force.
#[derive(Debug, Serialize)]
pub(super) struct Overruled {
    pub(super) value: Value,
    pub(super) from: Option<WordPlace>,
    pub(super) why: String,
}

impl Fact {
    /// A value that is written there.
    pub(super) fn written(key: String, value: Value, from: WordPlace) -> Self {
        Self { key, value, from: Some(from), why: None, overruled: Vec::new() }
    }

    /// A value that nobody has written.
    pub(super) fn unwritten(key: String, value: Value, why: &str) -> Self {
        Self { key, value, from: None, why: Some(why.to_owned()), overruled: Vec::new() }
    }

    /// Puts another value in force in place of this one.
    pub(super) fn overrule(&mut self, value: Value, from: Option<WordPlace>, why: &str) {
        let (value, was) = (std::mem::replace(&mut self.value, value), self.from.take());
        self.from = from;
        self.overruled.push(Overruled { value, from: was, why: why.to_owned() });
    }

    /// Returns it for people.
    pub(super) fn to_text(&self) -> String {
        let from = match (&self.from, &self.why) {
            (Some(from), Some(why)) => format!("{from}: {why}"),
            (Some(from), None) => from.to_string(),
            (None, why) => why.clone().unwrap_or_default(),
        };
        let mut text = format!(
            "{BOLD}{}{BOLD:#} = {}\n  {DIM}{}{DIM:#}\n",
            line(&self.key),
            line(&self.value.to_string()),
            line(&from)
        );
        for Overruled { value, from, why } in &self.overruled {
            let from = from.as_ref().map_or_else(|| "default".to_owned(), ToString::to_string);
            text.push_str(&format!(
                "  {DOUBTFUL}overruled{DOUBTFUL:#} {}  {DIM}{}{DIM:#}: {}\n",
                line(&value.to_string()),
                line(&from),
                line(why)
            ));
        }
        text
    }
}
