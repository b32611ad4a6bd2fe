//! The chain of entries at its end: where the next one is written.

use hookgate::ConfigHash;
use rusqlite::{
    CachedStatement, Connection, OptionalExtension as _, Transaction, TransactionBehavior, params,
};

use crate::clock;
use crate::row::{Row, RowWriter, START, chained};

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
    let head = chain.into_head();
    write.commit()?;
    Ok(head)
}

/// The chain, at its end.
pub(crate) struct Chain<'t> {
    write: &'t Transaction<'t>,
    seq: u64,
    hash: [u8; 32],
    insert: CachedStatement<'t>,
    insert_body: CachedStatement<'t>,
    insert_spoke: CachedStatement<'t>,
}

impl<'t> Chain<'t> {
    pub(crate) fn at_end(write: &'t Transaction<'t>) -> rusqlite::Result<Self> {
        let (seq, hash) = head(write)?;
        let insert = write.prepare_cached(
            "INSERT INTO record(seq, time, kind, session, step, event, ending, attempt, tool, decision, config, text,
             body_digest, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
             ON CONFLICT DO NOTHING",
        )?;
        let insert_body = write.prepare_cached("INSERT INTO body(seq, text) VALUES (?1, ?2)")?;
        let insert_spoke = write.prepare_cached("INSERT INTO spoke(hook, seq) VALUES (?1, ?2)")?;
        Ok(Self { write, seq, hash, insert, insert_body, insert_spoke })
    }

    fn into_head(self) -> (u64, [u8; 32]) {
        (self.seq, self.hash)
    }

    /// Adds a row, unless it is there already.
    pub(crate) fn add(&mut self, row: &Row) -> rusqlite::Result<()> {
        if self.insert(&row.text(1), 1, row)? {
            return Ok(());
        }
        if self.is_there(row)? {
            return Ok(());
        }
        // The same step was judged again: that is another record.
        let next = self.last_attempt(row)? + 1;
        match self.insert(&row.text(next), next, row)? {
            true => Ok(()),
            false => Err(rusqlite::Error::StatementChangedRows(0)),
        }
    }

    /// Returns how often the step of a row was recorded.
    fn last_attempt(&self, row: &Row) -> rusqlite::Result<u64> {
        let mut find = self.write.prepare_cached(
            "SELECT max(attempt) FROM record
             WHERE session = ?1 AND step = ?2 AND event = ?3 AND ending = ?4",
        )?;
        let keys = &row.keys;
        find.query_row((&keys.session, &keys.step, &keys.event, &keys.ending), |row| row.get(0))
    }

    fn insert(&mut self, text: &str, attempt: u64, row: &Row) -> rusqlite::Result<bool> {
        let seq = self.seq + 1;
        let digest = row.body.as_ref().map(|body| &body.digest);
        let hash = chained(&self.hash, seq, text, digest);
        let keys = &row.keys;
        let count = self.insert.execute(params![
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
            digest,
            hash,
        ])?;
        if count == 0 {
            return Ok(false);
        }
        if let Some(body) = &row.body {
            self.insert_body.execute((seq, &body.text))?;
        }
        for hook in &keys.spoke {
            self.insert_spoke.execute((hook, seq))?;
        }
        (self.seq, self.hash) = (seq, hash);
        Ok(true)
    }

    /// Whether this very entry is in the journal. It is looked for by its time, which few entries share; `+` keeps
    /// SQLite from looking through all attempts of the step.
    fn is_there(&self, row: &Row) -> rusqlite::Result<bool> {
        let mut find = self.write.prepare_cached(
            "SELECT attempt, text FROM record WHERE time = ?1 AND +session = ?2 AND +step = ?3",
        )?;
        let keys = &row.keys;
        let mut found = find.query((keys.time, &keys.session, &keys.step))?;
        while let Some(entry) = found.next()? {
            if *entry.get_ref(1)?.as_str()? == *row.text(entry.get(0)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether the journal has a config with its files.
pub(crate) fn has_config(database: &Connection, hash: ConfigHash) -> rusqlite::Result<bool> {
    let mut find = database.prepare_cached(
        "SELECT 1 FROM record JOIN body USING (seq) WHERE config = ?1 AND kind = 'config'",
    )?;
    find.exists([hash.to_string()])
}

/// Returns the last entry and its hash.
pub(crate) fn head(database: &Connection) -> rusqlite::Result<(u64, [u8; 32])> {
    let last = "SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1";
    let last = database.prepare_cached(last)?.query_row((), |row| Ok((row.get(0)?, row.get(1)?)));
    Ok(last.optional()?.unwrap_or((0, START)))
}
