//! What is wrong with a config, and what to do.

/// Something that the source fails to stop, or that means less than it seems.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportWarning {
    /// What sort of thing it is, for programs: `fails_open`.
    pub code: &'static str,
    /// Where it is, in bytes.
    pub at: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What the source means.
    pub meaning: String,
    /// What to do.
    pub advice: String,
}

/// A warning whose place is still an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) code: &'static str,
    pub(super) at: usize,
    pub(super) meaning: String,
    pub(super) advice: String,
}

/// The findings of a file: those about one hook stand with it, these are about the whole.
#[derive(Debug, Default)]
pub(super) struct Findings(pub(super) Vec<Finding>);

impl Findings {
    pub(super) fn add(
        &mut self,
        code: &'static str,
        at: usize,
        meaning: impl Into<String>,
        advice: impl Into<String>,
    ) {
        let (meaning, advice) = (meaning.into(), advice.into());
        self.0.push(Finding { code, at, meaning, advice });
    }
}
