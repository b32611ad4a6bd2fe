//! What one tool does with its input.

use super::name_pattern::NamePattern;
use super::pointer::Pointer;
use super::run_words::RunWord;

/// What the tools of a name do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// The tools that are meant.
    pub(super) names: NamePattern,
    /// What they do.
    pub(crate) does: Does,
    /// The agent or server whose tool it is; `None` if it was declared.
    pub(super) of: Option<String>,
}

/// What a tool does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Does {
    /// Nothing that a policy could ask for: a list of tasks, a question to the user. What starts an
    /// agent is such a tool, too: that agent's own steps are judged.
    Nothing,
    /// Something that its input does not tell, and why.
    Unclear(String),
    /// What its arguments say.
    Arguments(Vec<Argument>),
    /// The same as a program with these words.
    Runs(Vec<RunWord>),
}

/// An argument of a tool, and what the tool does with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Argument {
    /// What the tool does with it.
    pub(crate) kind: ArgumentKind,
    /// Where the value is.
    pub(crate) from: ValueFrom,
    /// Whether it may be missing.
    pub(crate) optional: bool,
    /// What a missing one stands for.
    pub(crate) default: Option<String>,
    /// For paths: whether all that is below is meant as well.
    pub(crate) below: bool,
    /// For paths: whether the value is a glob.
    pub(crate) glob: bool,
    /// For globs: whether the tool tells the names of the files only, and not what is in them.
    pub(crate) names: bool,
    /// The folder that a path, a shell text or a patch is relative to, if not that of the session.
    pub(crate) folder: Option<Pointer>,
    /// For folders: a glob that says which files below are meant.
    pub(crate) files: Option<Pointer>,
    /// For hosts: whether the value is a text with URLs in it.
    pub(crate) urls: bool,
}

/// Where the value of an argument is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ValueFrom {
    /// In the input.
    Input(Pointer),
    /// It is always the same.
    Fixed(String),
}

/// What a tool does with an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentKind {
    /// It reads the path.
    Reads,
    /// It writes the path.
    Writes,
    /// It deletes the path.
    Deletes,
    /// It connects to the host, or to that of the URL.
    Connects,
    /// It gives the text to a shell, or runs the words of an array.
    Shell,
    /// It gives the text to PowerShell.
    PowerShell,
    /// It gives the text, or each text below the value, to a database.
    Sql,
    /// It applies the patch, which is in the form of `apply_patch`.
    Patch,
}

impl ArgumentKind {
    /// All kinds.
    pub(super) const ALL: [Self; 8] = [
        Self::Reads,
        Self::Writes,
        Self::Deletes,
        Self::Connects,
        Self::Shell,
        Self::PowerShell,
        Self::Sql,
        Self::Patch,
    ];

    /// Returns the key in `[[tool]]`.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::Deletes => "deletes",
            Self::Connects => "connects",
            Self::Shell => "shell",
            Self::PowerShell => "powershell",
            Self::Sql => "sql",
            Self::Patch => "patch",
        }
    }

    /// Returns whether it is a path.
    pub(super) const fn is_path(self) -> bool {
        matches!(self, Self::Reads | Self::Writes | Self::Deletes)
    }
}
