//! What hooks count and remember, for hosts that start one process for each step, and for several processes of one
//! session: in a SQLite file of its own, beside no journal.
//!
//! # What is in the folder
//!
//! ```text
//! state.db     the values (`schema.sql`), and SQLite's log and index beside it (`-wal`, `-shm`)
//! state.key    a random key of this user, and how many changes there were; its lock is the right to read and change
//! ```
//!
//! Each value has a seal: HMAC-SHA-256 with the key, over whose it is, what it is, the number of its change and the
//! value. A session has a digest of the seals of its values, the head of the database has a seal over all digests and
//! the number of changes, and that number is in the file of the key as well. So what was edited, copied from another
//! session, put back to what it was, or removed is an error and not "nothing was kept"; so is a database that is older
//! than the file of the key, or without its log.
//!
//! A change is one transaction, and is on the disk before it counts. The file of the key is written after it: a
//! process that ends between the two leaves a database that is newer than the key says. That is no error, and what
//! was counted counts.
//!
//! # What it cannot protect from
//!
//! Whoever has the rights of the user can read the key. A program of the user that forges the seals, puts the
//! database *and* the file of the key back to earlier copies, or removes both, is not found out. If only one of them
//! is left, it is. Against an agent help a guard on what it may touch (`protect_config`), a sandbox, or another account.

mod folder;
mod former;
mod home;
mod ledger;
mod values;

pub use home::{StateDatabase, StatePart};
