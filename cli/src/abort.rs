//! Why a verb could not do its work.

use std::fmt::Display;
use std::io;
use std::path::Path;

use crate::colour;
use crate::exit_code::Exit;

/// What is said on stderr, and how the process ends.
#[derive(Debug)]
pub(crate) struct Abort {
    exit: Exit,
    message: Option<String>,
    help: Option<String>,
}

impl Abort {
    /// Something could not be read, written or started.
    pub(crate) fn failure(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failure, message: Some(message.into()), help: None }
    }

    /// The config is not valid.
    pub(crate) fn invalid_config(message: impl Into<String>) -> Self {
        Self { exit: Exit::InvalidConfig, message: Some(message.into()), help: None }
    }

    /// The command line asks for what cannot be.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: Some(message.into()), help: None }
    }

    /// A file could not be read or written.
    pub(crate) fn file(verb: &str, path: &Path, error: &impl Display) -> Self {
        Self::failure(format!("cannot {verb} `{}`: {error}", path.display()))
    }

    /// Says what to do next.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says what there is to say, and how to end.
    pub(crate) fn report(self) -> Exit {
        if let Some(message) = self.message {
            colour::error(&message, self.help.as_deref());
        }
        self.exit
    }
}

impl From<io::Error> for Abort {
    /// Stdout takes no more. Somebody who reads only the first lines has closed it, and wants no
    /// message.
    fn from(error: io::Error) -> Self {
        let message = (error.kind() != io::ErrorKind::BrokenPipe)
            .then(|| format!("cannot write to stdout: {error}"));
        Self { exit: Exit::Failure, message, help: None }
    }
}
