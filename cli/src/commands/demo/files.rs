//! The files of the demo, which are inside of the program.

use std::env;
use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::abort::Abort;

/// The hooks of the first half.
pub(super) const FIRST: &str = "hooks-1.toml";

/// The hooks of the second half.
pub(super) const SECOND: &str = "hooks-2.toml";

/// The session, an envelope a line.
pub(super) const SESSION: &str = include_str!("../../../demo/session.steps.jsonl");

/// The hooks and their programs.
const HOOKS: [(&str, &str); 4] = [
    (FIRST, include_str!("../../../demo/hooks-1.toml")),
    (SECOND, include_str!("../../../demo/hooks-2.toml")),
    ("guard.py", include_str!("../../../demo/guard.py")),
    ("expand.py", include_str!("../../../demo/expand.py")),
];

/// The hooks and their programs, in a folder that is removed with this value.
pub(super) struct Files(TempDir);

impl Files {
    /// Writes the files.
    pub(super) fn extract() -> Result<Self, Abort> {
        if !is_in_path("python3") {
            return Err(Abort::failure(
                "python3 is not in PATH, and two hooks of the demo need it",
            )
            .help("install Python 3; everything but this demo works without it"));
        }
        let cannot = |error| Abort::failure(format!("cannot write the hooks of the demo: {error}"));
        let folder = TempDir::with_prefix("hookgate-demo-").map_err(cannot)?;
        for (name, text) in HOOKS {
            fs::write(folder.path().join(name), text).map_err(cannot)?;
        }
        Ok(Self(folder))
    }

    /// Returns where a file is.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn is_in_path(program: &str) -> bool {
    env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}
