//! What an agent reads as JSON beyond the standard.

/// The JSON of an agent. None reads a comma behind the last item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Syntax {
    /// Whether there may be comments.
    pub(crate) comments: bool,
    /// Whether there may be a byte order mark before all.
    pub(crate) mark: bool,
}

impl Syntax {
    /// The standard and nothing else.
    pub(crate) const STRICT: Self = Self { comments: false, mark: false };
    /// With comments.
    pub(crate) const COMMENTS: Self = Self { comments: true, mark: false };
    /// With comments, and with a byte order mark before all.
    pub(crate) const COMMENTS_AND_MARK: Self = Self { comments: true, mark: true };
}
