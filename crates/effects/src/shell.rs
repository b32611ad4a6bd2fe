//! Reads a command line of bash and says which programs it would run.
//!
//! The text is read once (`syntax`), then gone through in its order (`walk`): words are expanded as
//! far as they are known, folders are followed, and what runs another program is looked into.

use crate::effects::{Surroundings, Unclear, UnclearWhat};
use crate::line_files::LineFiles;
use crate::run::{Place, Redirect, Run};

mod assign;
mod braces;
mod builtins;
mod carriers;
mod chain;
mod checkouts;
mod cmd;
mod code;
mod compound;
mod databases;
mod endless;
mod expand;
mod hidden_code;
mod interpreters;
mod made_names;
mod names;
mod output;
mod parameters;
mod powershell;
mod project_scripts;
mod redirects;
mod roles;
mod shell_setup;
mod shells;
mod simple;
mod start;
mod state;
mod status;
mod syntax;
mod traps;
mod walk;
mod windows;
mod wrappers;
mod written_files;

pub(crate) use databases::database_call;

/// What a command line would run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellReading {
    /// The programs, in the order in which the shell would come to them.
    pub runs: Vec<Run>,
    /// Redirections that belong to no program: `> f` alone, `{ …; } > f`.
    pub redirects: Vec<LooseRedirect>,
    /// What cannot be told, and why.
    pub unclear: Vec<Unclear>,
    /// Whether no other programs can run than those in `runs`. It is false if something is unclear
    /// about programs, and as well if a shell runs a file whose content is not seen: `bash x.sh`.
    pub complete: bool,
}

/// A redirection that belongs to no program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LooseRedirect {
    /// The redirection.
    pub redirect: Redirect,
    /// The folder at that point; `None` if it is not known.
    pub cwd: Option<String>,
    /// Where the shell runs that does it.
    pub place: Place,
    /// The names of files that the line has made before.
    pub files: LineFiles,
}

/// Returns whether a program is known to the reader, or to the shell itself.
pub(crate) fn is_known_program(name: &str) -> bool {
    names::is_known(name) || !matches!(roles::of(name, false), roles::Role::Other)
}

/// Returns whether it is known of a program that it starts no other one, and runs no code.
pub(crate) fn never_starts_others(name: &str) -> bool {
    names::is_known(name) && matches!(roles::of(name, false), roles::Role::Other)
}

/// Reads a command line of bash. It always has a result: what is not understood is unclear.
#[must_use]
pub fn read(text: &str, around: &Surroundings) -> ShellReading {
    let mut walker = walk::Walker::new(around, text.len());
    walker.text(text);
    walker.end_of_shell();
    walker.finish()
}

/// Reads a command line of PowerShell, as [`read`] does one of bash. Folders of Windows are read as their
/// paths are: `C:\\Users\\me` is `/c/Users/me`.
#[must_use]
pub fn read_powershell(text: &str, around: &Surroundings) -> ShellReading {
    let folder = |text: &Option<String>| text.as_deref().map(powershell::paths::folder);
    let around = Surroundings { cwd: folder(&around.cwd), home: folder(&around.home) };
    let mut walker = walk::Walker::new(&around, text.len());
    walker.powershell(text);
    walker.finish()
}

/// The answer for a shell that no reader exists for.
#[must_use]
pub fn unreadable(why: impl Into<String>) -> ShellReading {
    ShellReading {
        unclear: vec![Unclear { what: UnclearWhat::Anything, why: why.into(), run: None }],
        ..ShellReading::default()
    }
}

#[cfg(test)]
mod tests;
