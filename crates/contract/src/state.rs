//! What outlives a step: where handlers and conditions keep what they count and remember.
//!
//! Most hosts start one process for each step, so a field of a handler is gone at the next one. Whatever a
//! hook counts or remembers is a [`Kept`] value instead: in the memory of the process, or in a [`StateHome`]
//! that the host hands over, such as a folder of files or a data base.
//!
//! A limit is kept by *reserving before and settling after*: [`Kept::update`] reads, changes and keeps in one
//! step that nobody else comes between, so of two processes that count to a limit of one only one is first.

mod home;
mod kept;
mod sessions;

pub use home::{StateChange, StateError, StateHome, StateKey, StateScope};
pub use kept::Kept;
