//! What is too old, or too much: bodies go, from the oldest on. The chain stays, with an entry that says so.

use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use crate::chain::Chain;
use crate::clock;
use crate::row::RowWriter;
use crate::settings::JournalSettings;

/// How many bodies go in one transaction: it holds up every other writer.
const BATCH: u64 = 200;

/// How many batches go at one time.
const BATCHES: u64 = 20;

/// Deletes the bodies that are older than is kept, and the oldest ones while the file is larger than it may be. Sets
/// `has_deleted` if there were any.
pub(crate) fn apply(
    database: &mut Connection,
    settings: &JournalSettings,
    has_deleted: &mut bool,
) -> rusqlite::Result<()> {
    for _ in 0..BATCHES {
        let old = match settings.keep {
            Some(keep) => older_than(database, keep)?,
            None => None,
        };
        let through = match old {
            Some(through) => Some(through),
            None if is_too_large(database, settings)? => oldest_part(database)?,
            None => None,
        };
        let Some(through) = through else { break };
        *has_deleted |= delete_through(database, through)?;
    }
    Ok(())
}

fn is_too_large(database: &Connection, settings: &JournalSettings) -> rusqlite::Result<bool> {
    match settings.keep_size {
        Some(most) => Ok(size(database)? > most),
        None => Ok(false),
    }
}

/// Returns the last of the oldest bodies that are older than this; `None` if there are none.
fn older_than(database: &Connection, keep: Duration) -> rusqlite::Result<Option<u64>> {
    let keep = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
    let before = clock::unix_ms().saturating_sub(keep);
    // From the oldest on, and no further than to the first that stays: nearly always that is the first one.
    let mut bodies = database.prepare_cached(
        "SELECT seq, time FROM body JOIN record USING (seq) ORDER BY seq LIMIT ?1",
    )?;
    let mut last = None;
    for body in bodies.query_map([BATCH], |row| Ok((row.get(0)?, row.get::<_, u64>(1)?)))? {
        let (seq, time) = body?;
        if time >= before {
            break;
        }
        last = Some(seq);
    }
    Ok(last)
}

/// Returns the last of the oldest tenth of the bodies; `None` if there are none.
fn oldest_part(database: &Connection) -> rusqlite::Result<Option<u64>> {
    let ends = "SELECT (SELECT min(seq) FROM body), (SELECT max(seq) FROM body)";
    let ends = database.query_row(ends, (), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (Some(first), Some(last)) = ends else { return Ok(None) };
    let (first, last): (u64, u64) = (first, last);
    Ok(Some(first + (last.saturating_sub(first) / 10).min(BATCH)))
}

/// Returns how many bytes of the file are in use.
fn size(database: &Connection) -> rusqlite::Result<u64> {
    let number = |pragma| database.pragma_query_value(None, pragma, |row| row.get::<_, u64>(0));
    let used = number("page_count")?.saturating_sub(number("freelist_count")?);
    Ok(used.saturating_mul(number("page_size")?))
}

/// Deletes the bodies up to this one. Returns whether there were any.
fn delete_through(database: &mut Connection, through: u64) -> rusqlite::Result<bool> {
    let write = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if write.execute("DELETE FROM body WHERE seq <= ?1", [through])? == 0 {
        return Ok(false);
    }
    Chain::at_end(&write)?.add(&RowWriter::retention(clock::unix_ms(), through))?;
    write.commit()?;
    // The pages go back to the system bit by bit: a whole VACUUM would hold up every writer.
    let mut free = database.prepare("PRAGMA incremental_vacuum(1000)")?;
    let mut rows = free.query(())?;
    while rows.next()?.is_some() {}
    Ok(true)
}
