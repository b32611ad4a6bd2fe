//! The content of one file: what is kept of a session, or of one owner over all sessions.

use std::collections::BTreeMap;

use hookgate_contract::{StateKey, StateScope};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest name of a file that is made of an id as it is.
const LONGEST_NAME: usize = 120;

/// Values by what keeps them and whose they are.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Document {
    /// How often it was written.
    pub(crate) version: u64,
    values: BTreeMap<String, BTreeMap<String, Value>>,
}

impl Document {
    /// Returns a value.
    pub(crate) fn value(&self, key: &StateKey<'_>) -> Option<&Value> {
        self.values.get(key.kind)?.get(key.owner)
    }

    /// Takes a value out.
    pub(crate) fn take(&mut self, key: &StateKey<'_>) -> Option<Value> {
        self.values.get_mut(key.kind)?.remove(key.owner)
    }

    /// Puts a value in.
    pub(crate) fn put(&mut self, key: &StateKey<'_>, value: Option<Value>) {
        let Some(value) = value else { return };
        self.values.entry(key.kind.to_owned()).or_default().insert(key.owner.to_owned(), value);
    }
}

/// Returns the name of the file of a key, below the folder of its part. Two sessions never share one.
pub(crate) fn file_name(key: &StateKey<'_>) -> String {
    match key.scope {
        StateScope::Session(session) => format!("{}.json", escaped("s-", session)),
        _ => format!("user/{}.json", escaped("", &format!("{} {}", key.kind, key.owner))),
    }
}

/// Returns an id as a name of a file that means nothing else.
fn escaped(prefix: &str, id: &str) -> String {
    let mut name = prefix.to_owned();
    for byte in id.bytes() {
        match byte {
            // Capitals are written out: some file systems do not tell them apart.
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(byte.into()),
            other => name.push_str(&format!("%{other:02x}")),
        }
    }
    if name.len() > LONGEST_NAME {
        let sum = hmac_sha256::Hash::hash(id.as_bytes());
        let sum = data_encoding::HEXLOWER.encode(&sum);
        name = format!("{}~{sum}", name.get(..40).unwrap_or_default());
    }
    name
}
