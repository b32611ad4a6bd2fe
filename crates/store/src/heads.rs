//! Where heads are written as the journal grows: files, stderr, and services that take logs.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::clock;
use crate::error::StoreError;
use crate::head::{Head, HeadKey};
use crate::head_place::HeadPlace;
use crate::head_sender::{HeadSender, SendingHeads};
use crate::status::Counters;

/// What notes the heads of a journal.
#[derive(Debug)]
pub(crate) struct Heads {
    places: Vec<HeadPlace>,
    key: Option<HeadKey>,
    sending: Option<SendingHeads>,
}

impl Heads {
    /// Prepares places, and the key that signs what goes there, by the name of its variable.
    ///
    /// # Errors
    /// The key is not in the environment, a service is named and nothing can send, or no thread can be started.
    pub(crate) fn open(
        places: &[HeadPlace],
        key: Option<&str>,
        sender: Option<Box<dyn HeadSender>>,
        counters: &Arc<Counters>,
    ) -> Result<Self, StoreError> {
        let key = match key {
            None => None,
            Some(name) => Some(HeadKey::of_variable(name).ok_or_else(|| {
                StoreError::Heads(format!("the key that signs them, ${name}, is not set"))
            })?),
        };
        let urls: Vec<String> = places
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
        Ok(Self { places: places.to_vec(), key, sending })
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
