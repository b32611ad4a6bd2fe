//! What can be wrong with an `extends`.

use super::pack_reference::PackReference;

/// What can be wrong with an `extends`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackProblem {
    /// No hash is named, or what stands there is none.
    #[error(
        "`{0}` names no hash: a pack is known by its content, as in `guards.pack@sha256:…` with 64 digits of 0-9 and a-f"
    )]
    NoHash(String),
    /// The host has no way to open packs.
    #[error("this program opens no packs, so `{0}` cannot be extended")]
    Unsupported(String),
    /// A pack extends another one.
    #[error("a pack cannot extend another one: name both where this one is extended")]
    Nested,
    /// It is elsewhere, and was not fetched yet.
    #[error("the pack `{}` is not on this machine: `hookgate pack fetch` gets it", .0.place())]
    NotFetched(PackReference),
    /// It cannot be opened, or is not what the hash says.
    #[error("{why}")]
    Unopened {
        /// Why not.
        why: String,
        /// What to do.
        help: Option<String>,
    },
}

impl PackProblem {
    /// Returns what to do about it, if the message does not say so.
    pub(super) fn help(&self) -> Option<String> {
        match self {
            Self::NoHash(_) => {
                Some("`hookgate pack` prints the whole line when it makes a pack".to_owned())
            }
            Self::Unsupported(_) => {
                Some("a host gives the loader what opens them: `Loader::packs`".to_owned())
            }
            Self::NotFetched(_) | Self::Nested => None,
            Self::Unopened { help, .. } => help.clone(),
        }
    }
}
