//! Shows what would change.

use super::change::Change;
use crate::terminal::diff;
use crate::terminal::style::{BOLD, DIM};

/// Shows all changes, one file after the other.
pub(super) fn all(changes: &[Change]) -> String {
    changes.iter().filter(|change| !change.is_nothing()).map(one).collect()
}

fn one(change: &Change) -> String {
    let path = change.path.display();
    let what = match (&change.before, &change.after) {
        (None, _) => "a new file",
        (Some(_), None) => "the file goes",
        (Some(_), Some(_)) => "",
    };
    let before = change.before.as_deref().unwrap_or_default();
    let after = change.after.as_deref().unwrap_or_default();
    let lines = diff::lines(before, after);
    format!("{BOLD}{path}{BOLD:#} {DIM}{what}{DIM:#}\n{lines}\n")
}
