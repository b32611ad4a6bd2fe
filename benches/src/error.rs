//! Why something could not be measured.

use std::io;
use std::path::PathBuf;

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MeasureError {
    #[error(
        "say `check`, `list`, or the name of a case and a number, as in \
         `cargo run --profile dist -p hookgate-benches -- sync_10 1000`"
    )]
    Usage,
    #[error("there is no case `{0}`; `list` prints the names")]
    NoCase(String),
    #[error("`{0}` is not a number of rounds")]
    Times(String),
    #[error(
        "valgrind cannot be started ({0}); it counts the instructions. Install it with \
         `apt install valgrind` or `dnf install valgrind`"
    )]
    Valgrind(io::Error),
    #[error("the steps in `{folder}` cannot be read: {error}", folder = .folder.display())]
    Steps { folder: PathBuf, error: io::Error },
    #[error("valgrind has not counted anything; its output is:\n{0}")]
    Uncounted(String),
    #[error("this is a debug build, whose counts mean nothing: run it with `--profile dist`")]
    Debug,
    #[error("the program cannot find itself: {0}")]
    Itself(io::Error),
    #[error("objdump cannot be started ({0}); install it with `apt install binutils`")]
    Objdump(io::Error),
    #[error("objdump shows no function `{0}`: build without `strip`")]
    NoFunction(&'static str),
    #[error("benches/limits.toml: {0}")]
    Limits(String),
}
