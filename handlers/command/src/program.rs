//! Where a program is found.

use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Why a program or a script cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProgramError {
    #[error("`{}` is not there: paths start at the folder of the config", .0.display())]
    Missing(PathBuf),
    #[error("`{}` is not a file", .0.display())]
    NoFile(PathBuf),
    #[error("`{path}` is not executable: run `chmod +x {path}`", path = .0.display())]
    NotExecutable(PathBuf),
    #[error(
        "there is no program `{0}` in PATH: install it, or write `./{0}` for one beside the config"
    )]
    NotInPath(String),
    #[error(
        "`{0}` takes its program from stdin, and there is the envelope: name a script, or give the \
         text behind `-c`"
    )]
    Envelope(String),
    #[error(
        "`{option}` is not an option that hookgate knows, so it cannot tell whether `{program}` \
         runs `{word}`: write `--` before the script, or `{option}=…`, or absolute paths"
    )]
    Undecided { option: String, program: String, word: String },
    #[error(
        "`{option} {module}` is looked for in the folder of the session, where the judged party \
         writes: write the path of a file"
    )]
    Module { option: String, module: String },
    #[error(
        "`{option}`: `{folder}` is no folder beside the config, and in the folder of the session \
         the judged party writes: write an absolute path"
    )]
    Folder { option: String, folder: String },
    #[error(
        "`{name}` has the entry `{entry}`, which means another folder in each session: write an \
         absolute path"
    )]
    Assigned { name: String, entry: String },
    #[error("the folder of the config, `{}`, is no UTF-8: move it", .0.display())]
    Base(PathBuf),
    #[error(
        "`{program}` stands in more than {most} programs that run another: write fewer of them"
    )]
    Deep { program: String, most: usize },
    #[error("`{0}` has quotes or variables: write each word as an argument of its own")]
    Split(String),
    #[error(
        "the first line of `{}` names `{named}`, which means another file in each session: write \
         an absolute path", .path.display()
    )]
    FirstLine { path: PathBuf, named: String },
}

impl ProgramError {
    /// The relative path or name that is the problem.
    pub(crate) fn named(&self) -> Option<String> {
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
pub(crate) fn find(name: &str, base: &Path) -> Result<PathBuf, ProgramError> {
    if !name.contains('/') {
        return search(name).ok_or_else(|| ProgramError::NotInPath(name.to_owned()));
    }
    let path = file(name, base)?;
    if is_executable(&path) { Ok(path) } else { Err(ProgramError::NotExecutable(path)) }
}

/// Finds a file from the folder of the config.
pub(crate) fn file(name: &str, base: &Path) -> Result<PathBuf, ProgramError> {
    // Without `./` in the middle: the path stands in messages.
    let path: PathBuf = base.join(name).components().collect();
    match path.metadata() {
        Ok(found) if found.is_file() => Ok(path),
        Ok(_) => Err(ProgramError::NoFile(path)),
        Err(_) => Err(ProgramError::Missing(path)),
    }
}

fn search(name: &str) -> Option<PathBuf> {
    // A relative entry of PATH would mean another folder in each session.
    env::split_paths(&env::var_os("PATH")?)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
