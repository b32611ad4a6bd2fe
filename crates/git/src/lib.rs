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

use hookgate_contract::Head;

/// Returns what is checked out in a folder.
#[must_use]
pub fn head_of(folder: &Path) -> Head {
    match Repository::find(folder) {
        Ok(Some(repository)) => repository.head(),
        Ok(None) => Head::NoRepository,
        Err(why) => Head::Unreadable(why),
    }
}
