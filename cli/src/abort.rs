//! The error of a verb.

use std::fmt::Display;
use std::io;
use std::path::Path;

use crate::eval::EvalError;
use hookgate::contract::suggest::Suggestion;

use crate::exit_code::Exit;
use crate::terminal::stderr;

/// Why a verb could not do its work: a message for stderr, and how the process ends.
#[derive(Debug)]
pub struct Abort {
    exit: Exit,
    message: Option<String>,
    help: Option<String>,
}

impl Abort {
    /// Returns an error for what could not be read, written or started.
    pub(crate) fn failure(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failure, message: Some(message.into()), help: None }
    }

    /// Returns an error for a config that is not valid.
    pub(crate) fn invalid_config(message: impl Into<String>) -> Self {
        Self { exit: Exit::InvalidConfig, message: Some(message.into()), help: None }
    }

    /// Returns an error for a command line that makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: Some(message.into()), help: None }
    }

    /// Returns an error for a name that is not one of those that are known, with the nearest one and
    /// all of them. `what` is what the name should have named: `hook`.
    pub(crate) fn unknown_name(what: &str, name: &str, known: &[&str]) -> Self {
        let near = Suggestion::nearest(name, known);
        let all = match known {
            [] => format!("there is no {what} at all"),
            [one] => format!("the only {what} is {one}"),
            all => format!("the {what}s are {}", all.join(", ")),
        };
        Self::usage(format!("there is no {what} `{name}`{near}")).help(all)
    }

    /// Returns an error for a file that could not be read or written.
    pub(crate) fn file(verb: &str, path: &Path, error: &impl Display) -> Self {
        Self::failure(format!("cannot {verb} `{}`: {error}", path.display()))
    }

    /// Adds what to do next.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns what it says, with what to do next.
    pub(crate) fn into_text(self) -> String {
        [self.message, self.help].into_iter().flatten().collect::<Vec<_>>().join(": ")
    }

    /// Prints the message on stderr, and returns how the process ends.
    #[must_use]
    pub fn report(self) -> Exit {
        if let Some(message) = self.message {
            stderr::error(&message, self.help.as_deref());
        }
        self.exit
    }
}

impl From<io::Error> for Abort {
    /// Stdout takes no more. A reader that wanted the first lines only has closed it, and needs no
    /// message.
    fn from(error: io::Error) -> Self {
        let message = (error.kind() != io::ErrorKind::BrokenPipe)
            .then(|| format!("cannot write to stdout: {error}"));
        Self { exit: Exit::Failure, message, help: None }
    }
}

impl From<EvalError> for Abort {
    fn from(error: EvalError) -> Self {
        let exit = if error.is_misuse() { Exit::Usage } else { Exit::Failure };
        Self { exit, message: Some(error.to_string()), help: error.help() }
    }
}
