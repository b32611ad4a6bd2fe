//! A place for heads, as a config names it.

use std::path::{Path, PathBuf};

/// What a config calls stderr.
const STDERR: &str = "stderr";

/// A place for heads beside the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeadPlace {
    /// A file, one head a line.
    File(PathBuf),
    /// Stderr of the process that writes, each as a line with a mark.
    Stderr,
    /// The URL of a service that takes logs of OpenTelemetry over HTTP. It needs a [`HeadSender`](crate::HeadSender).
    Otlp(String),
}

impl HeadPlace {
    /// Reads a place as a config names it: `stderr`, a URL, or else a file.
    ///
    /// ```
    /// use hookgate_store::HeadPlace;
    ///
    /// assert_eq!(HeadPlace::of_name("stderr"), HeadPlace::Stderr);
    /// assert!(matches!(HeadPlace::of_name("/mnt/other/heads"), HeadPlace::File(_)));
    /// assert!(matches!(HeadPlace::of_name("http://127.0.0.1:4318/v1/logs"), HeadPlace::Otlp(_)));
    /// ```
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        match name {
            STDERR => Self::Stderr,
            url if url.starts_with("https://") || url.starts_with("http://") => {
                Self::Otlp(url.to_owned())
            }
            file => Self::File(PathBuf::from(file)),
        }
    }

    /// Returns the file, if it is one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(file),
            Self::Stderr | Self::Otlp(_) => None,
        }
    }
}
