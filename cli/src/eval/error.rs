//! Why a hook could not be measured.

use std::io;
use std::path::PathBuf;

use hookgate::table::BuildErrors;

/// Why a hook could not be measured.
///
/// ```
/// use hookgate_cli::eval::{EvalError, GoldSet};
///
/// let error = GoldSet::parse("gold.jsonl", b"").unwrap_err();
/// assert_eq!(error.to_string(), "`gold.jsonl` is not a gold set: it has no labelled step");
/// assert!(error.is_misuse() && error.help().is_some());
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A file could not be read or written.
    #[error("cannot {action} `{}`: {error}", path.display())]
    File {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The message of the operating system.
        #[source]
        error: io::Error,
    },
    /// A file is not a gold set.
    #[error("`{name}` is not a gold set: {}", problems.join("; "))]
    Gold {
        /// The file.
        name: String,
        /// Every problem, with its line.
        problems: Vec<String>,
    },
    /// A file is not a recording.
    #[error("`{name}` line {line}: {problem}")]
    Recording {
        /// The file.
        name: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
    /// A recording lacks replies to some of the samples.
    #[error(
        "`{name}` has no reply for {missing} of the steps, each {repeats} times: \
         they were changed or added since"
    )]
    MissingReplies {
        /// The recording.
        name: String,
        /// How many samples have too few replies.
        missing: usize,
        /// How many replies each sample needs.
        repeats: u32,
    },
    /// The hook is invoked for other steps than when its replies were recorded.
    #[error("the conditions of `{hook}` have changed since the recording: {step}")]
    ConditionsChanged {
        /// The hook.
        hook: String,
        /// The step, in short.
        step: String,
    },
    /// The table has no hook of this id.
    #[error("the config has no hook `{hook}`")]
    UnknownHook {
        /// The id that was requested.
        hook: String,
        /// The ids that the table has.
        known: Vec<String>,
    },
    /// The hook is an observer, or runs in the background.
    #[error("`{hook}` only observes: it decides nothing")]
    DecidesNothing {
        /// The hook.
        hook: String,
    },
    /// The hook cannot be the only one of a table.
    #[error("`{hook}` cannot be measured alone: {errors}")]
    Table {
        /// The hook.
        hook: String,
        /// What is wrong with such a table.
        #[source]
        errors: BuildErrors,
    },
    /// The shipped attacks or the template of a report are damaged, or a task of the run broke off.
    #[error("{0}")]
    Internal(String),
}

impl EvalError {
    /// Returns what to do next, if there is an advice.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Gold { .. } => "a line is {\"envelope\": {…}, \"label\": \"deny\" | \"ask\" | \
                                  \"allow\", \"note\": \"…\"}"
                .to_owned(),
            Self::Recording { .. } => {
                "it is not a recording of replies, or is damaged: make one with --record".to_owned()
            }
            Self::MissingReplies { .. } | Self::ConditionsChanged { .. } => {
                "make the recording again with --record".to_owned()
            }
            Self::UnknownHook { known, .. } => format!("name one of {}", known.join(", ")),
            Self::DecidesNothing { .. } => {
                "name a hook that decides: `hookgate list` shows the roles".to_owned()
            }
            Self::File { .. } | Self::Table { .. } | Self::Internal(_) => return None,
        })
    }

    /// Whether the caller named a wrong hook or a wrong file, rather than that something failed.
    #[must_use]
    pub const fn is_misuse(&self) -> bool {
        matches!(self, Self::Gold { .. } | Self::UnknownHook { .. } | Self::DecidesNothing { .. })
    }
}
