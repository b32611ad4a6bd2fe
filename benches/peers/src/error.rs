//! What can go wrong.

use std::io;
use std::path::PathBuf;

use crate::proof::ProofError;

/// Nothing can be measured, or what was measured cannot be written down.
#[derive(Debug, thiserror::Error)]
pub enum PeersError {
    /// A system does not do what is measured of it.
    #[error("nothing is measured: {0}")]
    Proof(#[from] ProofError),
    /// A program cannot be run.
    #[error("cannot run `{program}`: {source}")]
    Program {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// A program failed.
    #[error("`{program}` failed: {said}")]
    Failed {
        /// The program.
        program: String,
        /// What it said.
        said: String,
    },
    /// What a program wrote cannot be understood.
    #[error("cannot understand what was counted: {0}")]
    Uncounted(String),
    /// What the script noted about a build cannot be understood.
    #[error("cannot understand what was noted: `{0}`")]
    Unbuilt(String),
    /// A file cannot be read or written.
    #[error("cannot use `{path}`: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Results cannot be read or written.
    #[error("cannot use the results: {0}")]
    Results(#[from] serde_json::Error),
    /// A plot cannot be drawn.
    #[error("cannot draw `{plot}`: {said}")]
    Plot {
        /// The plot.
        plot: String,
        /// Why.
        said: String,
    },
    /// There is no such system.
    #[error("there is no system `{0}`")]
    NoSystem(String),
    /// The command line is another one.
    #[error(
        "usage: hookgate-peers prove | measure RESULTS.json | built RESULTS.json NOTES | page RESULTS.json DIR | count SYSTEM | run SYSTEM CASE N"
    )]
    Usage,
}
