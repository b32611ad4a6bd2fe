//! The exit codes of `hookgate`.

use std::process::{ExitCode, Termination};

use hookgate::Outcome;

/// How the process ends. The codes are the same for all verbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Allow, answered, or all went well.
    Ok = 0,
    /// Something could not be read, written or started.
    Failure = 1,
    /// Deny or halt; of `test`: a case failed, or none was run.
    Deny = 2,
    /// The config is not valid.
    InvalidConfig = 3,
    /// Ask.
    Ask = 4,
    /// The command line is not valid (`EX_USAGE` of sysexits.h).
    Usage = 64,
}

impl From<Outcome> for Exit {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Allow | Outcome::Answered => Self::Ok,
            Outcome::Ask => Self::Ask,
            Outcome::Cancelled | Outcome::Deny | Outcome::Halt => Self::Deny,
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}
