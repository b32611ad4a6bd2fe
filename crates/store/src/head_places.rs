//! Where heads are written as the journal grows: files, stderr, and services that take logs.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::clock;
use crate::error::StoreError;
use crate::head::{Head, HeadKey};
use crate::head_sender::{HeadSender, SendingHeads};
use crate::settings::JournalSettings;
use crate::status::Counters;

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
    /// The URL of a service that takes logs of OpenTelemetry over HTTP. It needs a [`HeadSender`].
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

/// What notes the heads of a journal.
#[derive(Debug)]
pub(crate) struct Heads {
    places: Vec<HeadPlace>,
    key: Option<HeadKey>,
    sending: Option<SendingHeads>,
}

impl Heads {
    /// Prepares the places of these settings.
    ///
    /// # Errors
    /// The key is not in the environment, a service is named and nothing can send, or no thread can be started.
    pub(crate) fn open(
        settings: &JournalSettings,
        sender: Option<Box<dyn HeadSender>>,
        counters: &Arc<Counters>,
    ) -> Result<Self, StoreError> {
        let key = match &settings.head_key {
            None => None,
            Some(name) => Some(HeadKey::of_variable(name).ok_or_else(|| {
                StoreError::Heads(format!("the key that signs them, ${name}, is not set"))
            })?),
        };
        let urls: Vec<String> = settings
            .heads
            .iter()
            .filter_map(|place| match place {
                HeadPlace::Otlp(url) => Some(url.clone()),
                HeadPlace::File(_) | HeadPlace::Stderr => None,
            })
            .collect();
        let sending = match (urls.first(), sender) {
            (None, _) => None,
            (Some(url), None) => {
                let why = format!("this program sends none to `{url}`: name a file, or \"stderr\"");
                return Err(StoreError::Heads(why));
            }
            (Some(_), Some(sender)) => {
                let start = SendingHeads::start(urls, sender, Arc::clone(counters));
                Some(start.map_err(|error| StoreError::Heads(error.to_string()))?)
            }
        };
        Ok(Self { places: settings.heads.clone(), key, sending })
    }

    /// Notes a head in each place. A service gets it in its time.
    ///
    /// # Errors
    /// It is not in a file or on stderr; the other places have it.
    pub(crate) fn note(&self, (seq, hash): (u64, [u8; 32])) -> Result<(), StoreError> {
        if self.places.is_empty() {
            return Ok(());
        }
        let head = Head::new(clock::unix_ms(), seq, &hash);
        let head = match &self.key {
            Some(key) => head.signed(key),
            None => head,
        };
        let mut noted = Ok(());
        for place in &self.places {
            let written = match place {
                HeadPlace::File(file) => head
                    .append(file)
                    .map_err(|error| StoreError::File { file: file.clone(), error }),
                HeadPlace::Stderr => head.print().map_err(|error| on_stderr(&error)),
                HeadPlace::Otlp(_) => Ok(()),
            };
            noted = noted.and(written);
        }
        if let Some(sending) = &self.sending {
            sending.send(head);
        }
        noted
    }

    /// Waits until a service has the last head.
    ///
    /// # Errors
    /// It does not have it in this time.
    pub(crate) fn flush(&self, within: Duration) -> Result<(), StoreError> {
        self.sending.as_ref().map_or(Ok(()), |sending| sending.flush(within))
    }
}

fn on_stderr(error: &io::Error) -> StoreError {
    StoreError::Heads(format!("stderr takes none: {error}"))
}
