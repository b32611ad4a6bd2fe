//! A journal that is read.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, Params, Row, params_from_iter};

use crate::config::ConfigNote;
use crate::database::{self, JOURNAL, refused};
use crate::entry::{COLUMNS, Entry, Says, Stored};
use crate::error::StoreError;
use crate::filter::Filter;
use crate::head::Head;
use crate::{chain, clock};

/// A journal that is read, also while others write to it.
#[derive(Debug)]
pub struct Reader {
    pub(crate) file: PathBuf,
    pub(crate) database: Connection,
}

impl Reader {
    /// Opens a journal that is there.
    ///
    /// # Errors
    /// The file is not there, cannot be read, is no journal or one of a newer hookgate.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        Ok(Self { file: file.to_owned(), database: database::open_to_read(file, &JOURNAL)? })
    }

    /// Returns the entries that are asked for, in the order in which they were recorded.
    ///
    /// # Errors
    /// The file cannot be read, or an entry is not what a hookgate writes.
    pub fn entries(&self, filter: &Filter) -> Result<Vec<Entry>, StoreError> {
        let mut entries = Vec::new();
        self.for_each(filter, |entry| {
            entries.push(entry);
            true
        })?;
        Ok(entries)
    }

    /// Calls a function with each entry that is asked for, as long as it returns `true`. No more than one of them is in
    /// memory.
    ///
    /// # Errors
    /// As [`entries`](Self::entries).
    pub fn for_each(
        &self,
        filter: &Filter,
        mut take: impl FnMut(Entry) -> bool,
    ) -> Result<(), StoreError> {
        let (query, values) = filter.query(COLUMNS);
        let mut query = self.database.prepare(&query).map_err(|error| self.refused(error))?;
        let rows = query.query(params_from_iter(values));
        let mut rows = rows.map_err(|error| self.refused(error))?;
        while let Some(row) = rows.next().map_err(|error| self.refused(error))? {
            if !take(Stored::of(row).map_err(|error| self.refused(error))?.read()?) {
                break;
            }
        }
        Ok(())
    }

    /// Returns one entry, if there is one of this number.
    ///
    /// # Errors
    /// As [`entries`](Self::entries).
    pub fn entry(&self, seq: u64) -> Result<Option<Entry>, StoreError> {
        let query =
            format!("SELECT {COLUMNS} FROM record LEFT JOIN body USING (seq) WHERE seq = ?1");
        self.one(&query, [seq])
    }

    /// Returns the last config of this hash, if the journal has it.
    ///
    /// # Errors
    /// As [`entries`](Self::entries).
    pub fn config(&self, hash: &str) -> Result<Option<ConfigNote>, StoreError> {
        let query = format!(
            "SELECT {COLUMNS} FROM record LEFT JOIN body USING (seq) WHERE kind = 'config'
             AND config = ?1 ORDER BY seq DESC LIMIT 1"
        );
        let entry = self.one(&query, [hash])?;
        Ok(entry.and_then(|entry| match entry.says {
            Says::Config(config) => Some(config),
            _ => None,
        }))
    }

    /// Returns the numbers of the entries that are asked for, in their order.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn numbers(&self, filter: &Filter) -> Result<Vec<u64>, StoreError> {
        let (query, values) = filter.query("record.seq");
        let mut query = self.database.prepare(&query).map_err(|error| self.refused(error))?;
        let rows = query.query_map(params_from_iter(values), |row| row.get(0));
        let rows = rows.map_err(|error| self.refused(error))?;
        rows.collect::<Result<_, _>>().map_err(|error| self.refused(error))
    }

    /// Returns how many entries are asked for.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn count(&self, filter: &Filter) -> Result<u64, StoreError> {
        let (query, values) = filter.query("record.seq");
        let query = format!("SELECT count(*) FROM ({query})");
        let count = self.database.query_row(&query, params_from_iter(values), |row| row.get(0));
        count.map_err(|error| self.refused(error))
    }

    /// Returns the head of the chain, to be kept elsewhere.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn head(&self) -> Result<Head, StoreError> {
        let (seq, hash) = chain::head(&self.database).map_err(|error| self.refused(error))?;
        Ok(Head::new(clock::unix_ms(), seq, &hash))
    }

    /// Returns the first entry of a query.
    fn one(&self, query: &str, values: impl Params) -> Result<Option<Entry>, StoreError> {
        let read = |row: &Row<'_>| Ok(Stored::of(row)?.read());
        let row = self.database.query_row(query, values, read).optional();
        row.map_err(|error| self.refused(error))?.transpose()
    }

    pub(crate) fn refused(&self, error: rusqlite::Error) -> StoreError {
        refused(&self.file, error)
    }
}
