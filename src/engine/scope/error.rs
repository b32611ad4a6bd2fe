//! Why a scope is not opened, or its hooks fail.

use crate::config::ConfigErrors;
use crate::hook_id::HookId;
use crate::table::BuildErrors;

/// Why a scope is not opened, or its hooks fail.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// Hooks of the overlay have mistakes, or it names hooks that are not there or that it does not reach.
    #[error(transparent)]
    Overlay(#[from] ConfigErrors),
    /// The hooks make no table together with those of the engine.
    #[error("the hooks of the session do not fit the table: {0}")]
    Table(#[from] BuildErrors),
    /// The scope that it is to be within has ended.
    #[error("the scope of the session has ended")]
    Ended,
    /// A call of a hook that is fired and recorded is made by the table of the engine, in which no hook of a scope is.
    #[error(
        "the hook `{0}` is fired and recorded: it must be one of the engine, since its calls may be made when the session is gone"
    )]
    Recorded(HookId),
}
