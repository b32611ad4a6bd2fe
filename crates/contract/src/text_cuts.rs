//! Where a text that still comes can be cut.

use std::fmt;

/// Says where a text can be cut so that what a handler answers about the whole is what it answers about the pieces, one
/// after the other.
///
/// A handler that [declares](crate::BuiltHandler::judges_pieces) this judges the text of a model while it comes. All
/// others are called once about the whole.
///
/// ```
/// use hookgate_contract::TextCuts;
///
/// /// For a handler that looks for single words.
/// struct BetweenWords;
///
/// impl TextCuts for BetweenWords {
///     fn last_cut(&self, text: &str, most: usize) -> usize {
///         text.get(..most).and_then(|begin| begin.rfind(' ')).unwrap_or(0)
///     }
/// }
///
/// assert_eq!(BetweenWords.last_cut("a bad wo", 8), 5);
/// ```
pub trait TextCuts: Send + Sync {
    /// Returns the last place, at most `most`, at which the text can be cut; 0 if there is none.
    ///
    /// The text begins at the last cut, or at the beginning of the whole, and goes on after its end. Before a cut all is
    /// settled: no later text can change what the handler says of it, and what follows can be judged without it. A place
    /// inside of a character counts as none. The work should not grow faster than the text.
    fn last_cut(&self, text: &str, most: usize) -> usize;
}

impl fmt::Debug for dyn TextCuts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TextCuts")
    }
}
