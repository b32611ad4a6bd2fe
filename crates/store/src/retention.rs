//! What is too old, or too much: bodies go, from the oldest on. The chain stays, with an entry that says so.

use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use crate::clock;
use crate::row::RowWriter;
use crate::settings::JournalSettings;
use crate::writer::Chain;

/// What part of the bodies goes at once if the file is too large: one in so many.
const PART: u64 = 10;

/// Deletes the bodies that are older than is kept, and the oldest ones while the file is larger than it may be.
pub(crate) fn apply(database: &mut Connection, settings: &JournalSettings) -> rusqlite::Result<()> {
    if let Some(keep) = settings.keep {
        let through = older_than(database, keep)?;
        delete_through(database, through)?;
    }
    let Some(most) = settings.keep_size else { return Ok(()) };
    while size(database)? > most {
        let Some(through) = oldest_part(database)? else { break };
        delete_through(database, through)?;
    }
    Ok(())
}

/// Returns the last entry that is older, 0 if none is.
fn older_than(database: &Connection, keep: Duration) -> rusqlite::Result<u64> {
    let keep = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
    let time = clock::unix_ms().saturating_sub(keep);
    let last = "SELECT ifnull(max(seq), 0) FROM record WHERE time < ?1";
    database.query_row(last, [time], |row| row.get(0))
}

/// Returns how many bytes of the file are in use.
fn size(database: &Connection) -> rusqlite::Result<u64> {
    let number = |pragma| database.pragma_query_value(None, pragma, |row| row.get::<_, u64>(0));
    let used = number("page_count")?.saturating_sub(number("freelist_count")?);
    Ok(used.saturating_mul(number("page_size")?))
}

/// Returns the last entry of the oldest part of the bodies; `None` if there are none.
fn oldest_part(database: &Connection) -> rusqlite::Result<Option<u64>> {
    let count: u64 = database.query_row("SELECT count(*) FROM body", (), |row| row.get(0))?;
    let part = count.div_ceil(PART);
    let last = "SELECT max(seq) FROM (SELECT seq FROM body ORDER BY seq LIMIT ?1)";
    database.query_row(last, [part], |row| row.get(0))
}

fn delete_through(database: &mut Connection, through: u64) -> rusqlite::Result<()> {
    let write = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if write.execute("DELETE FROM body WHERE seq <= ?1", [through])? == 0 {
        return Ok(());
    }
    Chain::at_end(&write)?.add(&RowWriter::retention(clock::unix_ms(), through))?;
    write.commit()?;
    // The pages go back to the system bit by bit: a whole VACUUM would hold up every writer.
    let mut free = database.prepare("PRAGMA incremental_vacuum(1000)")?;
    let mut rows = free.query(())?;
    while rows.next()?.is_some() {}
    Ok(())
}
