//! What a step does with a path.

/// What is done with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// It is read.
    Read,
    /// It is written or made.
    Write,
    /// It is removed or moved away.
    Delete,
}
