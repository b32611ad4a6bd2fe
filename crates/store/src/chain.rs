//! The chain of entries at its end: where the next one is written.

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use crate::clock;
use crate::config::ConfigNote;
use crate::row::{Row, RowWriter, START, chained, sha256};

/// How often one step can be judged and recorded.
const ATTEMPTS: u64 = 100_000;

/// Writes rows after those that are there. Returns the head of the chain.
pub(crate) fn write_rows(
    database: &mut Connection,
    rows: &[Row],
    untold: u64,
) -> rusqlite::Result<(u64, [u8; 32])> {
    let write = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut chain = Chain::at_end(&write)?;
    if untold > 0 {
        chain.add(&RowWriter::lost(clock::unix_ms(), untold))?;
    }
    for row in rows {
        chain.add(row)?;
    }
    let head = (chain.seq, chain.hash);
    write.commit()?;
    Ok(head)
}

/// The chain, at its end.
pub(crate) struct Chain<'t> {
    write: &'t Transaction<'t>,
    seq: u64,
    hash: [u8; 32],
}

impl<'t> Chain<'t> {
    pub(crate) fn at_end(write: &'t Transaction<'t>) -> rusqlite::Result<Self> {
        let (seq, hash) = head(write)?;
        Ok(Self { write, seq, hash })
    }

    /// Adds a row, unless it is there already.
    pub(crate) fn add(&mut self, row: &Row) -> rusqlite::Result<()> {
        let mut attempt = 1_u64;
        let mut text = row.text(attempt);
        while !self.insert(&text, attempt, row)? {
            if self.is_there(&text, row)? {
                return Ok(());
            }
            // The same step was judged again: that is another record.
            attempt += 1;
            if attempt > ATTEMPTS {
                return Err(rusqlite::Error::StatementChangedRows(0));
            }
            text = row.text(attempt);
        }
        Ok(())
    }

    fn insert(&mut self, text: &str, attempt: u64, row: &Row) -> rusqlite::Result<bool> {
        let seq = self.seq + 1;
        let body = row.body.as_deref().map(sha256);
        let hash = chained(&self.hash, seq, text, body.as_ref());
        let keys = &row.keys;
        let mut insert = self.write.prepare_cached(
            "INSERT INTO record(seq, time, kind, session, step, event, ending, attempt, tool, decision, config, text,
             body_digest, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
             ON CONFLICT DO NOTHING",
        )?;
        let count = insert.execute(params![
            seq,
            keys.time,
            keys.kind,
            keys.session,
            keys.step,
            keys.event,
            keys.ending,
            attempt,
            keys.tool,
            keys.decision,
            keys.config,
            text,
            body,
            hash,
        ])?;
        if count == 0 {
            return Ok(false);
        }
        if let Some(body) = &row.body {
            let mut insert =
                self.write.prepare_cached("INSERT INTO body(seq, text) VALUES (?1, ?2)")?;
            insert.execute((seq, body))?;
        }
        for hook in &keys.spoke {
            let mut insert =
                self.write.prepare_cached("INSERT INTO spoke(hook, seq) VALUES (?1, ?2)")?;
            insert.execute((hook, seq))?;
        }
        (self.seq, self.hash) = (seq, hash);
        Ok(true)
    }

    /// Whether this very entry is in the journal.
    fn is_there(&self, text: &str, row: &Row) -> rusqlite::Result<bool> {
        let mut find = self.write.prepare_cached(
            "SELECT 1 FROM record WHERE session = ?1 AND step = ?2 AND text = ?3",
        )?;
        find.exists((&row.keys.session, &row.keys.step, text))
    }
}

/// Whether the journal has a config with its files.
pub(crate) fn has_config(database: &Connection, config: &ConfigNote) -> rusqlite::Result<bool> {
    let mut find = database.prepare_cached(
        "SELECT 1 FROM record JOIN body USING (seq) WHERE config = ?1 AND kind = 'config'",
    )?;
    find.exists([config.config_hash.to_string()])
}

/// Returns the last entry and its hash.
pub(crate) fn head(database: &Connection) -> rusqlite::Result<(u64, [u8; 32])> {
    let last = "SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1";
    let last = database.prepare_cached(last)?.query_row((), |row| Ok((row.get(0)?, row.get(1)?)));
    Ok(last.optional()?.unwrap_or((0, START)))
}
