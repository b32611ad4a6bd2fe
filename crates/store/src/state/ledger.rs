//! All scopes with the digests of what is kept in them: what was removed or put back to an older state is found out.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::key_file::{Key, Seal};

/// The scopes, and the number of changes.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    changes: u64,
    scopes: BTreeMap<String, Entry>,
}

#[derive(Debug)]
struct Entry {
    /// When it was changed last, in seconds.
    at: u64,
    digest: Seal,
}

impl Ledger {
    /// Reads all scopes, with the seal of the head; `None` if nothing was ever kept.
    pub(super) fn read(database: &Connection) -> rusqlite::Result<Option<(Self, Seal)>> {
        let head = database
            .prepare_cached("SELECT changes, seal FROM head")?
            .query_row((), |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((changes, seal)) = head else { return Ok(None) };
        let mut scopes = database.prepare_cached("SELECT name, at, digest FROM scope")?;
        let scopes = scopes.query_map((), |row| {
            Ok((row.get(0)?, Entry { at: row.get(1)?, digest: row.get(2)? }))
        })?;
        let scopes = scopes.collect::<rusqlite::Result<_>>()?;
        Ok(Some((Self { changes, scopes }, seal)))
    }

    /// Returns the seal that the head has.
    pub(super) fn seal(&self, key: &Key) -> Seal {
        let mut scopes = Vec::new();
        for (name, entry) in &self.scopes {
            scopes.extend((name.len() as u64).to_be_bytes());
            scopes.extend(name.as_bytes());
            scopes.extend(entry.at.to_be_bytes());
            scopes.extend(entry.digest);
        }
        key.seal(&[b"head", &self.changes.to_be_bytes(), &scopes])
    }

    /// Returns how many changes there were.
    pub(super) const fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns the number of the next change.
    pub(super) const fn next(&self) -> u64 {
        self.changes.saturating_add(1)
    }

    /// Returns the digest of a scope; `None` if nothing was kept there.
    pub(super) fn digest(&self, scope: &str) -> Option<&Seal> {
        self.scopes.get(scope).map(|entry| &entry.digest)
    }

    /// Returns how many scopes there are.
    pub(super) fn len(&self) -> usize {
        self.scopes.len()
    }

    /// Notes a change of a scope, at a time in seconds.
    pub(super) fn note(&mut self, scope: &str, at: u64, digest: Seal) {
        self.changes = self.next();
        self.scopes.insert(scope.to_owned(), Entry { at, digest });
    }

    /// Forgets the scopes that were not changed for the longest time, if there are more than `most` and as far as
    /// they are older than `young`; returns their names. A session that goes on is not forgotten, however many
    /// others are begun.
    pub(super) fn forget_old(&mut self, most: usize, young: Duration, now: u64) -> Vec<String> {
        let too_many = self.scopes.len().saturating_sub(most);
        if too_many == 0 {
            return Vec::new();
        }
        let before = now.saturating_sub(young.as_secs());
        let old = self.scopes.iter().filter(|(_, entry)| entry.at <= before);
        let mut old: Vec<(u64, String)> =
            old.map(|(name, entry)| (entry.at, name.clone())).collect();
        old.sort();
        old.truncate(too_many);
        old.into_iter()
            .map(|(_, name)| {
                self.scopes.remove(&name);
                name
            })
            .collect()
    }

    /// Writes a scope that was changed.
    pub(super) fn write_scope(&self, database: &Connection, scope: &str) -> rusqlite::Result<()> {
        let Some(entry) = self.scopes.get(scope) else { return Ok(()) };
        database
            .prepare_cached("INSERT OR REPLACE INTO scope(name, at, digest) VALUES (?1, ?2, ?3)")?
            .execute(params![scope, entry.at, entry.digest])
            .map(drop)
    }

    /// Writes the head, after all scopes.
    pub(super) fn write_head(&self, database: &Connection, key: &Key) -> rusqlite::Result<()> {
        database
            .prepare_cached("INSERT OR REPLACE INTO head(id, changes, seal) VALUES (1, ?1, ?2)")?
            .execute(params![self.changes, self.seal(key)])
            .map(drop)
    }
}

/// Returns the time in seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_lately_is_never_forgotten() {
        let day = Duration::from_secs(24 * 3600);
        let now = day.as_secs() * 2;
        let mut ledger = Ledger::default();
        for number in 0..10 {
            ledger.note(&format!("old-{number}"), number, [1; 32]);
        }
        for number in 0..10 {
            ledger.note(&format!("new-{number}"), now, [2; 32]);
        }
        let gone = ledger.forget_old(15, day, now);
        assert_eq!(gone, ["old-0", "old-1", "old-2", "old-3", "old-4"]);
        assert_eq!(ledger.forget_old(5, day, now).len(), 5);
        assert_eq!((ledger.len(), ledger.changes()), (10, 20), "those of today stay");
        assert_eq!((ledger.digest("new-3"), ledger.digest("old-9")), (Some(&[2; 32]), None));
    }
}
