//! A warning about a condition that can be compiled.

/// A warning about a condition.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    /// The key of hooks.toml.
    pub(crate) key: &'static str,
    /// The pattern or pointer below the key that it is about.
    pub(crate) about: String,
    /// What to write instead.
    pub(crate) text: String,
}

impl Advice {
    pub(super) fn new(key: &'static str, about: &str, text: String) -> Self {
        Self { key, about: about.to_owned(), text }
    }
}
