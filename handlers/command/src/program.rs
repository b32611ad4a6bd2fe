//! Where a program or a script is found, and why it is not.
//!
//! A path starts at the folder of the config, a bare name is looked for in `PATH`. Both happen when
//! the table is built, so an absolute path is what is started later. Relative entries of `PATH` are
//! passed over: they would mean another folder in each session.

use std::env;
#[cfg(not(windows))]
use std::fs::File;
#[cfg(not(windows))]
use std::io::Read;
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
    /// No execute permission is set, or Windows does not start such files.
    #[cfg_attr(not(windows), error("`{path}` is not executable: run `chmod +x {path}`", path = .0.display()))]
    #[cfg_attr(windows, error(
        "`{path}` is not executable: Windows starts .exe, .com, .bat and .cmd; write its interpreter before it, as in \
         `argv = [\"python\", \"guard.py\"]`", path = .0.display()
    ))]
    NotExecutable(PathBuf),
    /// A text without a first line: the system does not know what reads it.
    #[cfg(not(windows))]
    #[error(
        "`{path}` has no first line that names its interpreter, so it cannot be started: begin it \
         with `#!/bin/sh` or `#!/usr/bin/env python3`, or write the interpreter before it", path = .0.display()
    )]
    NoFirstLine(PathBuf),
    /// The interpreter in the first line is not there.
    #[cfg(not(windows))]
    #[error(
        "the first line of `{path}` names `{interpreter}`, and there is no such program: install it, \
         or write another", path = .path.display(), interpreter = .interpreter.escape_debug()
    )]
    NoInterpreter {
        /// The script.
        path: PathBuf,
        /// What its first line names.
        interpreter: String,
    },
    /// A path with `~` or a variable in it.
    #[error(
        "`{0}`: neither `~` nor variables are replaced in `argv`: write an absolute path, or \
         `shell = \"{0}\"`"
    )]
    NotExpanded(String),
    /// Several words in one argument.
    #[error(
        "there is no program `{0}`: each word is an argument of its own, as in \
         `argv = [\"python3\", \"guard.py\"]`; for pipes and the like write `shell = \"{0}\"`"
    )]
    Words(String),
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
    if !name.contains(std::path::is_separator) {
        let missing = || {
            if name.contains(char::is_whitespace) {
                ProgramError::Words(name.to_owned())
            } else if name.starts_with(['~', '$']) {
                ProgramError::NotExpanded(name.to_owned())
            } else {
                ProgramError::NotInPath(name.to_owned())
            }
        };
        return find_in_path(name).ok_or_else(missing);
    }
    let found = find_file(name, base);
    // A path with a space in it may be several words.
    let words =
        matches!(found, Err(ProgramError::Missing(_))) && name.contains(char::is_whitespace);
    let path = if words { Err(ProgramError::Words(name.to_owned())) } else { found }?;
    if !is_executable(&path) {
        return Err(ProgramError::NotExecutable(path));
    }
    #[cfg(not(windows))]
    check_start(&path)?;
    Ok(path)
}

/// Checks that the system can start a file: that its first line names an interpreter which is there,
/// or that it is no text.
#[cfg(not(windows))]
fn check_start(path: &Path) -> Result<(), ProgramError> {
    let mut beginning = [0; 256];
    // One that cannot be read may still be executed.
    let Ok(count) = File::open(path).and_then(|mut file| file.read(&mut beginning)) else {
        return Ok(());
    };
    let beginning = beginning.get(..count).unwrap_or_default();
    let Some(line) = beginning.strip_prefix(b"#!") else {
        let is_text = !beginning.contains(&0);
        return if is_text { Err(ProgramError::NoFirstLine(path.to_owned())) } else { Ok(()) };
    };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    // The kernel takes a carriage return as a part of the name.
    let mut words = line.split([' ', '\t']).filter(|word| !word.is_empty());
    let Some(interpreter) = words.next() else {
        return Err(ProgramError::NoFirstLine(path.to_owned()));
    };
    let missing = |name: &str| {
        Err(ProgramError::NoInterpreter { path: path.to_owned(), interpreter: name.to_owned() })
    };
    if Path::new(interpreter).is_absolute() && !Path::new(interpreter).exists() {
        return missing(interpreter);
    }
    let by_env = Path::new(interpreter).file_name().is_some_and(|name| name == "env");
    match words.find(|word| !word.starts_with('-') && !word.contains('=')) {
        Some(name) if by_env && !name.contains('/') && find_in_path(name).is_none() => {
            missing(name)
        }
        _ => Ok(()),
    }
}

/// Finds a file from the folder of the config.
pub(crate) fn find_file(name: &str, base: &Path) -> Result<PathBuf, ProgramError> {
    // Without `./` in the middle: the path appears in messages.
    let path: PathBuf = base.join(name).components().collect();
    match path.metadata() {
        Err(_) if name.starts_with("~/") || name.starts_with('$') => {
            Err(ProgramError::NotExpanded(name.to_owned()))
        }
        Ok(found) if found.is_file() => Ok(path),
        Ok(_) => Err(ProgramError::NotAFile(path)),
        Err(_) => Err(ProgramError::Missing(path)),
    }
}

fn find_in_path(name: &str) -> Option<PathBuf> {
    let names = names_of(name);
    env::split_paths(&env::var_os("PATH")?)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)).collect::<Vec<_>>())
        .find(|path| is_executable(path))
}

/// The names of files which a name of a program may stand for.
#[cfg(not(windows))]
fn names_of(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

#[cfg(windows)]
fn names_of(name: &str) -> Vec<String> {
    let with = |ending: &&str| format!("{name}.{ending}");
    std::iter::once(name.to_owned()).chain(STARTED.iter().map(with)).collect()
}

/// The endings of the files that Windows starts.
#[cfg(windows)]
const STARTED: &[&str] = &["exe", "com", "bat", "cmd"];

/// Returns whether the system may start a file.
#[cfg(windows)]
pub(crate) fn is_executable(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    path.is_file() && STARTED.iter().any(|started| started.eq_ignore_ascii_case(ending))
}

/// Returns whether the system may start a file.
#[cfg(not(windows))]
pub(crate) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
