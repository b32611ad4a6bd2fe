//! A folder in which hooks keep what they count and remember, for hosts that start one process for each
//! step, and for several processes of one session.
//!
//! ```
//! use std::sync::Arc;
//! use hookgate_contract::{Kept, StateScope};
//! use hookgate_state::StateFolder;
//!
//! let folder = tempfile::tempdir()?;
//! let call = || {
//!     // Each call is another process.
//!     let home = StateFolder::new(folder.path()).part("sessions");
//!     let calls: Kept<u64> = Kept::new("calls", 1).in_home(Some(Arc::new(home)));
//!     calls.update(StateScope::Session("session-1"), "my-hook", |count| {
//!         *count += 1;
//!         *count
//!     })
//! };
//! assert_eq!((call()?, call()?), (1, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is in it
//!
//! ```text
//! state.key              a random key of this user, mode 0600
//! state.lock             who holds it reads and writes; the system lets go of it when the process ends
//! state.ledger           how often each file below was written
//! PART/s-SESSION.json    what is kept of a session
//! PART/user/OWNER.json   what is kept over all sessions
//! ```
//!
//! The ledger and each file begin with a line that seals the rest: HMAC-SHA-256 with the key, over the path
//! of the file below the folder and over its content. The ledger knows the version of each file. So what was
//! edited, copied from another session, put back to what it was, or removed is an error and not "nothing was
//! kept".
//!
//! # What it cannot protect from
//!
//! Whoever has the rights of the user can read the key. A program of the user that forges the seals, puts the
//! *whole* folder, or the ledger together with each file that is newer than it, back to an earlier copy, or removes all
//! of it with the key, is not found out. If files are left without key and ledger, it is. Against an
//! agent help a guard on what it may touch (`protect_config`), a sandbox, or another account.
//!
//! A process that ends between the writing of a file and of the ledger leaves a file that is newer than the
//! ledger says; that is no error, and what was counted counts.

mod document;
mod files;
mod folder;
mod ledger;
mod seal;

pub use folder::{StateFolder, StatePart};
