//! How a program ended.

use std::fmt;

#[cfg(unix)]
use rustix::process::WaitIdStatus;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgramExit {
    /// With an exit status.
    Status(i32),
    /// By a signal, of which Windows has none.
    #[cfg_attr(windows, allow(dead_code, reason = "there are no signals"))]
    Signal(i32),
    /// Unknown: other code in the host has reaped the program.
    Unknown,
}

impl fmt::Display for ProgramExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(code) => write!(f, "status {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Unknown => f.write_str("not seen"),
        }
    }
}

#[cfg(unix)]
impl From<WaitIdStatus> for ProgramExit {
    fn from(status: WaitIdStatus) -> Self {
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Self::Status(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Unknown,
        }
    }
}
