//! Hooks in a JSON file that has other things in it too: only the text of the hooks changes.

mod add;
mod read;
mod remove;

pub(crate) use add::add;
pub(crate) use read::{to_value, value};
pub(crate) use remove::remove;
