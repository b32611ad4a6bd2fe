//! Why a file of an agent is left alone.

/// Why a file cannot be changed without harm.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// It is not a text.
    #[error("it is not UTF-8")]
    NotText,
    /// It begins with a byte order mark, which the agent cannot read.
    #[error(
        "it begins with a byte order mark, with which the agent does not read it at all: remove the mark"
    )]
    Mark,
    /// The agent cannot read it.
    #[error("the agent cannot read it, so no hook in it would run: {0}")]
    Unreadable(String),
    /// Something has another type than hooks need.
    #[error("{0} is not {1}")]
    Type(String, &'static str),
    /// A key is there twice.
    #[error("{0} is there twice, and only one of them counts")]
    Twice(String),
    /// It has a version that is not known.
    #[error("its `version` is {0}, and hooks are known in version 1 only")]
    Version(String),
    /// It is the file of somebody else, and the agent takes one only.
    #[error(
        "it is there and is not of hookgate: the agent takes one such file, so move it away or call it from yours"
    )]
    Foreign,
    /// It would not be the same but for our entries.
    #[error("it cannot be changed without touching something else: change it by hand")]
    Entangled,
}
