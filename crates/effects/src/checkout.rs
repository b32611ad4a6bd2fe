//! Changes of what is checked out, as a command line says them.

/// Which repository a program works with, as far as the line says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitPlace {
    /// The folder in which it works, absolute; `None` if that is not known.
    pub folder: Option<String>,
    /// Where the files of the repository are.
    pub files: GitFiles,
}

/// Where the files of a repository are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum GitFiles {
    /// In `.git` of the folder, or of one above.
    #[default]
    OfFolder,
    /// In this folder, which an option or variable names.
    In(String),
    /// It is not known, and why.
    Unknown(String),
}

/// One change of what is checked out, in the order of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// Which repository is meant.
    pub place: GitPlace,
    /// What it changes to.
    pub to: CheckedOut,
    /// Whether it runs.
    pub when: When,
    /// Whether it has succeeded, if what is asked about runs at all: `git switch main && …`.
    pub succeeded: bool,
    /// See [`Status`](crate::shell): from which depth on success of the commands around says that it succeeded.
    pub(crate) from: usize,
}

/// Whether a change runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// It runs.
    Always,
    /// It runs if the change at this place has failed: `git switch x || git switch -c x`.
    IfFailed(usize),
    /// It may run or not.
    Perhaps,
}

/// What is checked out after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckedOut {
    /// A new branch.
    Created {
        /// Its name.
        name: String,
        /// Whether a branch of that name may be there already: `-C`, `-B`.
        reset: bool,
        /// Whether it starts at what is checked out.
        here: bool,
    },
    /// A branch that is there, or that is made of one of a remote.
    Branch(String),
    /// What the operand of `git checkout` means: a branch, a commit or a file.
    Operand(String),
    /// A commit.
    Commit,
    /// What is checked out gets another name.
    Renamed {
        /// The branch that is renamed; `None` for what is checked out.
        from: Option<String>,
        /// Its new name.
        to: String,
        /// Whether a branch of the new name may be there already.
        forced: bool,
    },
    /// `HEAD` is written.
    Head(String),
    /// A new repository in a folder, with this branch if it is named.
    Repository {
        /// The folder.
        folder: String,
        /// Its first branch.
        branch: Option<String>,
    },
    /// A new working folder of the repository, with a branch or a commit.
    Worktree {
        /// The folder.
        folder: String,
        /// The branch; `None` for a commit.
        branch: Option<String>,
    },
    /// An alias of git, if the settings of the repository have one of this name.
    Alias(String),
    /// It is not known, and why.
    Unknown(String),
}

impl GitPlace {
    /// The place of a whole step.
    #[must_use]
    pub fn of_folder(folder: Option<&str>) -> Self {
        Self { folder: folder.map(str::to_owned), files: GitFiles::OfFolder }
    }
}
