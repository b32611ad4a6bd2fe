//! Why a case could not be run.

/// Why a case could not be run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CaseError {
    /// A line of a file is no JSON object.
    #[error("the line is no case: {0}")]
    Json(#[from] serde_json::Error),
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A key that each case has is missing.
    #[error("the case has no `{0}`")]
    NoKey(&'static str),
    /// The id names an agent whose configs cannot be run here.
    #[error("`{0}` is no agent whose hooks can be run: the id of a case begins with its agent")]
    NoAgent(String),
}

/// A result of this program.
pub(crate) type Result<T> = std::result::Result<T, CaseError>;
