//! The values of one scope: what is kept of a session, or of one owner over all sessions.

use hmac_sha256::Hash;
use hookgate_contract::{StateKey, StateScope};
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::key_file::{Key, Seal};

/// The longest name that is made of an id as it is.
const LONGEST_NAME: usize = 120;

/// Returns the name of the scope of a key in a part. Two sessions never share one.
pub(super) fn scope_name(part: &str, key: &StateKey<'_>) -> String {
    match key.scope {
        StateScope::Session(session) => format!("{part}/{}", escaped("s-", session)),
        _ => format!("{part}/user/{}", escaped("", &format!("{} {}", key.kind, key.owner))),
    }
}

/// Returns an id as a name that means nothing else.
fn escaped(prefix: &str, id: &str) -> String {
    let mut name = prefix.to_owned();
    for byte in id.bytes() {
        match byte {
            // The former version had files of these names; capitals are written out since some file systems do not
            // tell them apart.
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(byte.into()),
            other => name.push_str(&format!("%{other:02x}")),
        }
    }
    if name.len() > LONGEST_NAME {
        let sum = data_encoding::HEXLOWER.encode(&Hash::hash(id.as_bytes()));
        name = format!("{}~{sum}", name.get(..40).unwrap_or_default());
    }
    name
}

/// The rows of a scope, without their values.
#[derive(Debug)]
pub(super) struct Values<'a> {
    scope: &'a str,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    id: i64,
    key: String,
    owner: String,
    seal: Seal,
    bytes: u64,
}

/// What is kept for a key.
pub(super) enum Found {
    Nothing,
    Value(Value),
    /// It was sealed for something else, or is something else.
    Altered,
}

impl<'a> Values<'a> {
    /// Reads the rows of a scope.
    pub(super) fn read(database: &Connection, scope: &'a str) -> rusqlite::Result<Self> {
        let mut rows = database.prepare_cached(
            "SELECT rowid, key, owner, seal, octet_length(value) FROM state WHERE scope = ?1",
        )?;
        let rows = rows.query_map([scope], |row| {
            let (id, key, owner) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(Row { id, key, owner, seal: row.get(3)?, bytes: row.get(4)? })
        })?;
        Ok(Self { scope, rows: rows.collect::<rusqlite::Result<_>>()? })
    }

    /// Returns the digest of all seals.
    pub(super) fn digest(&self) -> Seal {
        // In an order of their own: that of the database could be changed.
        let mut seals: Vec<&Seal> = self.rows.iter().map(|row| &row.seal).collect();
        seals.sort_unstable();
        let mut digest = Hash::new();
        seals.iter().for_each(|seal| digest.update(seal));
        digest.finalize()
    }

    /// Returns whether nothing is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns how many bytes all values have.
    pub(super) fn bytes(&self) -> u64 {
        self.rows.iter().map(|row| row.bytes).sum()
    }

    /// Reads a value.
    pub(super) fn find(
        &self,
        database: &Connection,
        sealed_by: &Key,
        key: &StateKey<'_>,
    ) -> rusqlite::Result<Found> {
        let Some(row) = self.position(key).and_then(|at| self.rows.get(at)) else {
            return Ok(Found::Nothing);
        };
        let (version, text): (u64, String) = database
            .prepare_cached("SELECT version, value FROM state WHERE rowid = ?1")?
            .query_row([row.id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if row.seal != self.seal(sealed_by, key, version, &text) {
            return Ok(Found::Altered);
        }
        Ok(serde_json::from_str(&text).map_or(Found::Altered, Found::Value))
    }

    /// Keeps the text of a value, as the change of this number; `None` removes it.
    pub(super) fn put(
        &mut self,
        database: &Connection,
        sealed_by: &Key,
        key: &StateKey<'_>,
        version: u64,
        text: Option<&str>,
    ) -> rusqlite::Result<()> {
        if let Some(at) = self.position(key) {
            let old = self.rows.swap_remove(at);
            database.prepare_cached("DELETE FROM state WHERE rowid = ?1")?.execute([old.id])?;
        }
        let Some(text) = text else { return Ok(()) };
        let seal = self.seal(sealed_by, key, version, text);
        database
            .prepare_cached(
                "INSERT INTO state(scope, key, owner, version, seal, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![self.scope, key.kind, key.owner, version, seal, text])?;
        self.rows.push(Row {
            id: database.last_insert_rowid(),
            key: key.kind.to_owned(),
            owner: key.owner.to_owned(),
            seal,
            bytes: text.len() as u64,
        });
        Ok(())
    }

    fn position(&self, key: &StateKey<'_>) -> Option<usize> {
        self.rows.iter().position(|row| row.key == key.kind && row.owner == key.owner)
    }

    fn seal(&self, sealed_by: &Key, key: &StateKey<'_>, version: u64, text: &str) -> Seal {
        sealed_by.seal(&[
            b"value",
            self.scope.as_bytes(),
            key.kind.as_bytes(),
            key.owner.as_bytes(),
            &version.to_be_bytes(),
            text.as_bytes(),
        ])
    }
}

/// Removes all values of a scope, and the scope.
pub(super) fn remove_scope(database: &Connection, scope: &str) -> rusqlite::Result<()> {
    database.prepare_cached("DELETE FROM state WHERE scope = ?1")?.execute([scope])?;
    database.prepare_cached("DELETE FROM scope WHERE name = ?1")?.execute([scope])?;
    Ok(())
}
