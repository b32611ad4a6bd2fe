//! The policy of a turn: one value for each key.

use hookgate_contract::contribution::Contribution;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Given;
use super::note::TurnNote;
use super::source::Source;
use super::tokens::Tokens;
use super::whole::{Sourced, first_of_each, within_budget};
use crate::table::ContributionLimits;

/// A setting of the turn's policy, and who has set it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PolicyEntry {
    /// Where it comes from; its slot is the domain.
    pub source: Source,
    /// The area that the key belongs to.
    pub domain: String,
    /// The setting.
    pub key: String,
    /// Its value.
    pub value: Value,
}

impl Sourced for PolicyEntry {
    fn source(&self) -> &Source {
        &self.source
    }

    fn source_mut(&mut self) -> &mut Source {
        &mut self.source
    }

    fn into_source(self) -> Source {
        self.source
    }
}

/// The policy of a turn: of each key of a domain one value. The lowest priority wins; of several with the same one, the
/// first in the order of hooks by name, and that is a conflict.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PolicySet {
    /// The settings, by domain and key.
    pub entries: Vec<PolicyEntry>,
    /// What became of the settings that do not count.
    pub notes: Vec<TurnNote>,
}

impl PolicySet {
    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, domain: &str, key: &str) -> Option<&Value> {
        let found = |entry: &&PolicyEntry| entry.domain == domain && entry.key == key;
        self.entries.iter().find(found).map(|entry| &entry.value)
    }

    /// Returns the settings as later phases read them: `{"shell": {"network": false}}`.
    #[must_use]
    pub fn to_payload(&self) -> Value {
        let mut domains: Map<String, Value> = Map::new();
        for entry in &self.entries {
            let domain = domains.entry(entry.domain.clone()).or_insert_with(|| Map::new().into());
            if let Value::Object(keys) = domain {
                keys.insert(entry.key.clone(), entry.value.clone());
            }
        }
        domains.into()
    }

    pub(super) fn of(given: &[Given], limits: &ContributionLimits, tokens: &Tokens) -> Self {
        let mut notes = Vec::new();
        let all = given.iter().filter_map(|one| entry(one, tokens)).collect();
        let key = |entry: &PolicyEntry| (entry.domain.clone(), entry.key.clone());
        let first = first_of_each(all, limits, key, "value", &mut notes);
        let mut entries = within_budget(first, limits, &mut notes);
        entries.sort_by(|a, b| (&a.domain, &a.key).cmp(&(&b.domain, &b.key)));
        Self { entries, notes }
    }
}

fn entry(given: &Given, tokens: &Tokens) -> Option<PolicyEntry> {
    let Contribution::Policy(setting) = &given.contribution else { return None };
    let named = (setting.key.as_str(), setting.domain.as_str(), setting.priority);
    Some(PolicyEntry {
        source: Source::of_whole(&given.hook, &given.contribution, named, &setting.value, tokens),
        domain: setting.domain.clone(),
        key: setting.key.clone(),
        value: setting.value.clone(),
    })
}
