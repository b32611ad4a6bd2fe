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
