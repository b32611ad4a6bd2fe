//! What can be wrong with a journal.

use std::io;
use std::path::PathBuf;

/// A journal cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It is not known where the journal is to be.
    #[error(
        "the journal has no place: neither HOME nor XDG_STATE_HOME is set: name an absolute path as `[journal] file`"
    )]
    Nowhere,
    /// The file, or its folder, cannot be used.
    #[error("the journal `{}` cannot be used: {error}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file is on a network file system, on which processes cannot share it safely.
    #[error(
        "the journal `{}` is on a network file system ({system}), where several processes would damage it: name a \
         file on a local disk as `[journal] file`",
        file.display()
    )]
    Network {
        /// The file.
        file: PathBuf,
        /// The kind of file system.
        system: &'static str,
    },
    /// The file is something else than a journal.
    #[error("`{}` is no journal of hookgate: name another file as `[journal] file`", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// The file is there, and nothing was ever recorded in it.
    #[error("nothing has been recorded in the journal `{}` yet", file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// The journal was written by a newer hookgate.
    #[error(
        "the journal `{}` has the schema {found}, and this hookgate knows those up to {known}: use the newer hookgate, \
         or name another file as `[journal] file`",
        file.display()
    )]
    Newer {
        /// The file.
        file: PathBuf,
        /// The version of its schema.
        found: i64,
        /// The newest version that is known here.
        known: i64,
    },
    /// SQLite refuses.
    #[error("the journal `{}`: {error}", file.display())]
    Sqlite {
        /// The file.
        file: PathBuf,
        /// What SQLite says.
        error: rusqlite::Error,
    },
    /// An entry is not what a hookgate writes.
    #[error(
        "the entry {seq} of the journal cannot be read: {error}: `hookgate journal verify` tells what was changed"
    )]
    Entry {
        /// Its number.
        seq: u64,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// A head of the chain did not get to where it is kept.
    #[error("the heads of the journal are not kept elsewhere: {0}")]
    Heads(String),
    /// The thread that writes has ended.
    #[error("the writer of the journal has ended")]
    Ended,
    /// What was recorded is not in the journal.
    #[error("{lost} records were lost: {problem}")]
    Lost {
        /// How many.
        lost: u64,
        /// Why the last of them was.
        problem: String,
    },
    /// What was recorded was not written in time.
    #[error("the journal was not written in time: another process holds it, or the disk is slow")]
    Late,
}
