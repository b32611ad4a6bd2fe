//! A table that was not put in force.

use crate::generation::Generation;
use crate::table::HandlerTable;

/// A table was not put in force, because another one was meanwhile. The table is in the error.
#[derive(Debug, thiserror::Error)]
#[error("generation {found} is in force, not {expected}: the table was not swapped")]
pub struct SwapError {
    expected: Generation,
    found: Generation,
    table: Box<HandlerTable>,
}

impl SwapError {
    pub(super) fn new(expected: Generation, found: Generation, table: HandlerTable) -> Self {
        Self { expected, found, table: Box::new(table) }
    }

    /// Returns the generation that should have been in force.
    #[must_use]
    pub const fn expected(&self) -> Generation {
        self.expected
    }

    /// Returns the generation that was in force when the error was made.
    #[must_use]
    pub const fn found(&self) -> Generation {
        self.found
    }

    /// Returns the table that was not put in force.
    #[must_use]
    pub fn into_table(self) -> HandlerTable {
        *self.table
    }
}
