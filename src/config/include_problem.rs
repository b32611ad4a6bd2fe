//! What can be wrong with an `include`.

/// How many files a file may include, together with those that they include.
pub(super) const MOST: usize = 64;

/// What can be wrong with an `include`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IncludeProblem {
    /// There is no such file.
    #[error("the file `{0}` is not there, so it cannot be included")]
    Missing(String),
    /// No file has a name that the pattern matches.
    #[error("no file matches `{0}`, so nothing is included")]
    NoMatch(String),
    /// The folder of a pattern is there, and its files cannot be listed.
    #[error(
        "the files that `{0}` means cannot be listed: {1}: make the folder one that this user can read"
    )]
    Unreadable(String, String),
    /// The pattern is not in the name of the file, or is none.
    #[error(
        "`{0}` is no pattern for files: only the name of the file may have `*`, `?`, `[a]` and `{{a,b}}`"
    )]
    Pattern(String),
    /// A file includes itself, or another one that includes it.
    #[error("`{0}` includes this file already: files cannot include each other in a circle")]
    Circle(String),
    /// A pack includes a file that is not a part of it.
    #[error("`{0}` is not in the pack: what a pack includes is a part of it")]
    OutOfPack(String),
    /// There are too many files.
    #[error("more than {MOST} files are included")]
    TooMany,
}
