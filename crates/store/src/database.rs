//! A SQLite file: opened, with its schema.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::StoreError;
use crate::place;

/// What a file is, and the tables in it.
pub(crate) struct Schema {
    /// What says that a file is one of ours.
    pub(crate) application: i64,
    /// The versions, each made of the one before. What is here was released, and does not change.
    pub(crate) migrations: &'static [&'static str],
    /// How many pages the log of writes may have before it is written into the file. Who opens a file that nobody has
    /// open reads the whole log.
    pub(crate) log_pages: u32,
}

/// A journal: `hook`.
pub(crate) const JOURNAL: Schema =
    Schema { application: 0x686f_6f6b, migrations: &[include_str!("schema.sql")], log_pages: 256 };

impl Schema {
    /// Returns the version that this build writes.
    fn known(&self) -> i64 {
        i64::try_from(self.migrations.len()).unwrap_or(i64::MAX)
    }
}

/// How long another process may hold the file.
const BUSY: Duration = Duration::from_secs(2);

/// How many bytes a page has.
const PAGE: u64 = 4096;

/// Opens a file for writing; makes it if it is not there.
///
/// # Errors
/// It cannot be used, or has no schema that this hookgate knows.
pub(crate) fn open(
    file: &Path,
    schema: &Schema,
    is_durable: bool,
) -> Result<Connection, StoreError> {
    place::prepare(file)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let refuse = |error| refused(file, error);
    let mut database = Connection::open_with_flags(file, flags).map_err(refuse)?;
    database.busy_timeout(BUSY).map_err(refuse)?;
    // A process for each step would else write the log into the file at the end of each of them.
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(refuse)?;
    // A schema that somebody else has changed must not decide about what is written.
    for part in [DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW] {
        database.set_db_config(part, false).map_err(refuse)?;
    }
    if version(&database, file, schema)? < schema.known() {
        migrate(&mut database, file, schema)?;
    }
    let (sync, pages) = (if is_durable { "FULL" } else { "NORMAL" }, schema.log_pages);
    database
        .execute_batch(&format!(
            "PRAGMA synchronous = {sync}; PRAGMA wal_autocheckpoint = {pages}; PRAGMA secure_delete = ON;"
        ))
        .map_err(refuse)?;
    empty_log(&database, file, schema);
    Ok(database)
}

/// Writes a log that has grown into the file, and empties it. SQLite does the first by itself, but which part of a log
/// is in the file is known only while somebody has that open: of processes that write once each, none would begin it
/// anew.
pub(crate) fn empty_log(database: &Connection, file: &Path, schema: &Schema) {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    let bytes = std::fs::metadata(log).map_or(0, |found| found.len());
    if bytes <= u64::from(schema.log_pages) * PAGE {
        return;
    }
    let _ = truncate_log(database);
}

/// Writes the log into the file, and empties it. Returns whether that was done: where others read or write now, it is
/// for another time, since nobody waits for it.
pub(crate) fn truncate_log(database: &Connection) -> rusqlite::Result<bool> {
    database.busy_timeout(Duration::ZERO)?;
    let truncate = "PRAGMA wal_checkpoint(TRUNCATE)";
    let is_busy = database.query_row(truncate, (), |row| row.get::<_, bool>(0));
    database.busy_timeout(BUSY)?;
    Ok(!is_busy?)
}

/// Opens a file for reading.
///
/// # Errors
/// It is not there, or has no schema that this hookgate knows.
pub(crate) fn open_to_read(file: &Path, schema: &Schema) -> Result<Connection, StoreError> {
    place::check_readable(file)
        .map_err(|error| StoreError::File { file: file.to_owned(), error })?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let refuse = |error| refused(file, error);
    let database = Connection::open_with_flags(file, flags).map_err(refuse)?;
    database.busy_timeout(BUSY).map_err(refuse)?;
    match version(&database, file, schema)? {
        0 => Err(StoreError::Empty { file: file.to_owned() }),
        _ => Ok(database),
    }
}

/// Returns the version of the schema, 0 for an empty file.
fn version(database: &Connection, file: &Path, schema: &Schema) -> Result<i64, StoreError> {
    let refuse = |error| refused(file, error);
    let number = |pragma| database.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let application = number("application_id").map_err(refuse)?;
    let version = number("user_version").map_err(refuse)?;
    let tables = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = database.query_row(tables, (), |row| row.get(0)).map_err(refuse)?;
    let (is_ours, known) = (application == schema.application, schema.known());
    match version {
        0 if application == 0 && tables == 0 => Ok(0),
        1.. if is_ours && version > known => {
            Err(StoreError::Newer { file: file.to_owned(), found: version, known })
        }
        1.. if is_ours => Ok(version),
        _ => Err(StoreError::Foreign { file: file.to_owned() }),
    }
}

/// Brings the schema up to date. Another process may do the same at this time.
fn migrate(database: &mut Connection, file: &Path, schema: &Schema) -> Result<(), StoreError> {
    let refuse = |error| refused(file, error);
    // Neither of them can be set in a transaction; both stay with the file. An empty file has no other user yet.
    database
        .execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;")
        .map_err(refuse)?;
    let write = database
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(refuse)?;
    let version = usize::try_from(version(&write, file, schema)?).unwrap_or(usize::MAX);
    for migration in schema.migrations.iter().skip(version) {
        write.execute_batch(migration).map_err(refuse)?;
    }
    write.pragma_update(None, "application_id", schema.application).map_err(refuse)?;
    write.pragma_update(None, "user_version", schema.known()).map_err(refuse)?;
    write.commit().map_err(refuse)
}

/// Returns the error of a file that SQLite refuses.
pub(crate) fn refused(file: &Path, error: rusqlite::Error) -> StoreError {
    let file = file.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::Foreign { file },
        _ => StoreError::Sqlite { file, error },
    }
}
