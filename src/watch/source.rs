//! What can be followed.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::config::Loaded;
use crate::reload::ReloadError;
use crate::table::HandlerTable;

/// Configs that can be followed: how they are loaded, and where they could change. Both run on a thread that may wait.
pub trait Source: Send + Sync + 'static {
    /// Finds and loads all that is to be in force. It gets the table in force, for
    /// [`Loader::keeping`](crate::config::Loader::keeping).
    ///
    /// # Errors
    /// Why the last good table has to stay.
    fn load(&self, in_force: &HandlerTable) -> Result<Loaded, ReloadError>;

    /// Returns the files, and the places where others could appear. It is asked at each look, twice a second and
    /// oftener. What was loaded need not be in it: what files include, and what their hooks are made of, is known.
    fn places(&self) -> Places;
}

/// The files of a config, and where others could appear.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Files and folders whose folders are listened to: a change is found at once.
    pub listened: BTreeSet<PathBuf>,
    /// Those that are only looked at, twice a second: in their folders so much happens that is none of our business.
    pub looked_at: BTreeSet<PathBuf>,
}
