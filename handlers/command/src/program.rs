//! Where a program or a script is found, and why it is not.
//!
//! A path starts at the folder of the config, a bare name is looked for in `PATH`. Both happen when
//! the table is built, so an absolute path is what is started later. Relative entries of `PATH` are
//! passed over: they would mean another folder in each session.

use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Why a program or a script cannot be used. Each message says what to write instead.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProgramError {
    /// There is no such file beside the config.
    #[error("`{}` is not there: paths start at the folder of the config", .0.display())]
    Missing(PathBuf),
    /// It is a folder, a pipe or a device.
    #[error("`{}` is not a file", .0.display())]
    NotAFile(PathBuf),
    /// No execute permission is set.
    #[error("`{path}` is not executable: run `chmod +x {path}`", path = .0.display())]
    NotExecutable(PathBuf),
    /// A bare name that no absolute folder of `PATH` has.
    #[error(
        "there is no program `{0}` in PATH: install it, or write `./{0}` for one beside the config"
    )]
    NotInPath(String),
    /// An interpreter that would run the envelope.
    #[error(
        "`{0}` takes its program from stdin, and there is the envelope: name a script, or give the \
         text behind `-c`"
    )]
    Envelope(String),
    /// A relative word behind an option that may or may not take it as its argument.
    #[error(
        "`{option}` is not an option that hookgate knows, so it cannot tell whether `{program}` \
         runs `{argument}`: write `--` before the script, or `{option}=…`, or absolute paths"
    )]
    Undecided {
        /// The option that is not in the catalogue.
        option: String,
        /// The program that has it.
        program: String,
        /// The argument behind it.
        argument: String,
    },
    /// A module that is looked for in the folder of the session.
    #[error(
        "`{option} {module}` is looked for in the folder of the session, where the agent writes: \
         write the path of a file"
    )]
    Module {
        /// The option that loads it.
        option: String,
        /// The module.
        module: String,
    },
    /// A folder of libraries in the folder of the session.
    #[error(
        "`{option}`: `{folder}` is not a folder beside the config, and the agent writes in the \
         folder of the session: write an absolute path"
    )]
    Folder {
        /// The option that takes it.
        option: String,
        /// The folder.
        folder: String,
    },
    /// A variable before a command, with a relative entry: `env PATH=. sh guard.sh`.
    #[error(
        "`{name}` has the entry `{entry}`, which means another folder in each session: write an \
         absolute path"
    )]
    Assigned {
        /// The variable.
        name: String,
        /// Its relative entry.
        entry: String,
    },
    /// Arguments are texts, and a path that is not one cannot be put into them.
    #[error("the folder of the config, `{}`, is not UTF-8: move it", .0.display())]
    Base(PathBuf),
    /// Wrappers around wrappers.
    #[error("`{program}` is nested in more than {most} programs that run another: write fewer")]
    Deep {
        /// The innermost program that was read.
        program: String,
        /// The limit.
        most: usize,
    },
    /// `env -S` with more than plain words.
    #[error("`{0}` has quotes or variables: write each word as an argument of its own")]
    Split(String),
    /// A script whose first line names a relative path.
    #[error(
        "the first line of `{}` names `{named}`, which means another file in each session: write \
         an absolute path", .path.display()
    )]
    FirstLine {
        /// The script.
        path: PathBuf,
        /// What its first line names.
        named: String,
    },
}

impl ProgramError {
    /// Returns the relative path or name that is the problem.
    pub(crate) fn relative_name(&self) -> Option<String> {
        match self {
            Self::Missing(path) => Some(path.file_name()?.to_string_lossy().into_owned()),
            Self::Module { module, .. } => Some(module.clone()),
            Self::Folder { folder, .. } => Some(folder.clone()),
            Self::Assigned { entry, .. } => Some(entry.clone()),
            _ => None,
        }
    }
}

/// Finds a program: a path from the folder of the config, a bare name in `PATH`.
pub(crate) fn find_program(name: &str, base: &Path) -> Result<PathBuf, ProgramError> {
    if !name.contains('/') {
        return find_in_path(name).ok_or_else(|| ProgramError::NotInPath(name.to_owned()));
    }
    let path = find_file(name, base)?;
    if is_executable(&path) { Ok(path) } else { Err(ProgramError::NotExecutable(path)) }
}

/// Finds a file from the folder of the config.
pub(crate) fn find_file(name: &str, base: &Path) -> Result<PathBuf, ProgramError> {
    // Without `./` in the middle: the path appears in messages.
    let path: PathBuf = base.join(name).components().collect();
    match path.metadata() {
        Ok(found) if found.is_file() => Ok(path),
        Ok(_) => Err(ProgramError::NotAFile(path)),
        Err(_) => Err(ProgramError::Missing(path)),
    }
}

fn find_in_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
