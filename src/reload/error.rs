//! Why a reload was refused.

use crate::config::ConfigErrors;
use crate::table::BuildErrors;

/// Why a reload was refused; the table in force stays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReloadError {
    /// The config has mistakes, or a file of it cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigErrors),
    /// Hooks of the host do not fit to those of the config.
    #[error(transparent)]
    Build(#[from] BuildErrors),
    /// There is no hook, and the config does not say that this is intended.
    #[error("there is no hook, and the config does not say `allow_empty = true`")]
    Empty,
    /// The code that loads has panicked; the text is what is known of it.
    #[error("{0}")]
    Panicked(String),
    /// The tokio runtime has ended before the config was loaded.
    #[error("the tokio runtime has ended")]
    Ended,
    /// There is no tokio runtime here in which files could be followed, or it has no clock.
    #[error(
        "files are followed in a tokio runtime whose clock is enabled (`enable_time`), and here is none"
    )]
    NoRuntime,
}
