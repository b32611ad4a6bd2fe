//! A git repository as its files say: what is checked out, which refs there are, and its settings. No
//! process is started.
//!
//! ```
//! use hookgate_contract::Head;
//! use hookgate_git::head_of;
//!
//! assert_eq!(head_of("/no/such/folder".as_ref()), Head::NoRepository);
//! ```

mod head;
mod refs;
mod repository;
mod settings;

pub use repository::Repository;
pub use settings::Settings;

use std::path::Path;
use std::sync::OnceLock;

use hookgate_contract::Head;

/// Why no repository is read, if none is.
static UNREAD: OnceLock<String> = OnceLock::new();

/// From now on no repository is read by this process, and what is asked of one cannot be told, for this reason: for
/// tools that judge steps of another time, when something else was checked out. A later call changes nothing.
pub fn read_none(why: impl Into<String>) {
    // The first reason stays.
    let _ = UNREAD.set(why.into());
}

fn may_read() -> Result<(), String> {
    UNREAD.get().cloned().map_or(Ok(()), Err)
}

/// Returns what is checked out in a folder.
#[must_use]
pub fn head_of(folder: &Path) -> Head {
    match Repository::find(folder) {
        Ok(Some(repository)) => repository.head(),
        Ok(None) => Head::NoRepository,
        Err(why) => Head::Unreadable(why),
    }
}
