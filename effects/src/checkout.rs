//! Changes of what is checked out, as a command line says them.

use crate::run::{Place, Run};
use crate::shell::join;
use crate::word::Word;

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
    /// Returns where a program works. For git its options `-C` and `--git-dir` count.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        if run.place == Place::Remote {
            let why = "it runs on another machine".to_owned();
            return Self { folder: None, files: GitFiles::Unknown(why) };
        }
        let mut folder = run.cwd.clone();
        let mut files = GitFiles::OfFolder;
        let mut named: Option<Word> = None;
        for (name, value) in &run.env {
            match name.as_str() {
                "GIT_DIR" => named = Some(value.clone()),
                "GIT_CEILING_DIRECTORIES" | "GIT_COMMON_DIR" => {
                    files = GitFiles::Unknown(format!("`{name}` says where git looks for it"));
                }
                _ => {}
            }
        }
        if run.name().as_deref() == Some("git") {
            for (name, value) in crate::shell::git_options(&run.args) {
                match name {
                    "C" => {
                        folder = value.known().and_then(|to| join(folder.as_deref(), &to));
                    }
                    "git-dir" => named = Some(value),
                    "bare" if named.is_none() => named = Some(Word::text(".")),
                    _ => {}
                }
            }
        }
        if let Some(word) = named {
            files = match word.known().and_then(|path| join(folder.as_deref(), &path)) {
                Some(path) => GitFiles::In(path),
                None => {
                    let why = format!("`{}` is not known before it runs", word.written());
                    GitFiles::Unknown(why)
                }
            };
        }
        Self { folder, files }
    }

    /// The place of a whole step.
    #[must_use]
    pub fn of_folder(folder: Option<&str>) -> Self {
        Self { folder: folder.map(str::to_owned), files: GitFiles::OfFolder }
    }
}
