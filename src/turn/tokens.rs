//! How tokens are counted.

use std::fmt;
use std::sync::Arc;

/// Counts the tokens of a text.
type Count = Arc<dyn Fn(&str) -> u64 + Send + Sync>;

/// The tokenizer of the runtime, or an estimate: a token for each four bytes that were begun.
#[derive(Clone, Default)]
pub(super) struct Tokens(Option<Count>);

impl Tokens {
    pub(super) fn counted_by(count: impl Fn(&str) -> u64 + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(count)))
    }

    /// Counts the tokens of a text.
    pub(super) fn of(&self, text: &str) -> u64 {
        match &self.0 {
            Some(count) => count(text),
            None => (text.len() as u64).div_ceil(4),
        }
    }

    /// Whether nobody has counted.
    pub(super) const fn are_estimated(&self) -> bool {
        self.0.is_none()
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.are_estimated() { "Tokens(estimated)" } else { "Tokens(counted)" })
    }
}
