//! How much of a text may be shown before all hooks have judged it.

/// How many bytes of a text may be shown before the hooks that want the whole have judged it.
///
/// Hooks that judge pieces have judged these bytes as well.
///
/// ```
/// use hookgate::stream::Exposure;
///
/// assert_eq!(Exposure::default(), Exposure::NONE);
/// assert_eq!(Exposure::bytes(0), Exposure::NONE);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exposure(usize);

impl Exposure {
    /// Nothing is shown before all hooks have judged it.
    pub const NONE: Self = Self(0);

    /// At most so many bytes are, which the user may see although a hook denies them at the end.
    #[must_use]
    pub const fn bytes(most: usize) -> Self {
        Self(most)
    }

    /// Returns how many bytes.
    #[must_use]
    pub const fn most(self) -> usize {
        self.0
    }
}
