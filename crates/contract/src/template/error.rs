//! What is wrong with a template when a config is loaded.

/// Why a text cannot be used as a template. The message is a sentence for the person who wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// A syntax error.
    #[error("it is not a valid template: {0}")]
    Syntax(String),
    /// A name that no step of the hook's events has.
    #[error("`{name}` is not a name that it can use; these are: `{known}`")]
    UnknownName {
        /// The name.
        name: String,
        /// The names that it can use.
        known: String,
    },
}
