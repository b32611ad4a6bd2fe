//! A call that a daemon serves.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::conversation::{Conversation, Secret};
use super::transport::{self, Listener, Served as Stream};
use super::wire::{Request, Response};

/// A call that has connected, and was told nothing yet.
pub(crate) struct Caller {
    stream: Stream,
    secret: Option<Secret>,
    greeting: String,
}

/// A call that has said what it wants.
pub(crate) struct Asking(Conversation<Stream>);

impl Listener {
    /// Waits for the next call.
    ///
    /// # Errors
    /// That of the system: other calls may come.
    pub(crate) fn next(&mut self) -> io::Result<Caller> {
        let stream = self.accept()?;
        Ok(Caller { stream, secret: self.secret(), greeting: self.place().greeting() })
    }
}

impl Caller {
    /// Greets a call that runs one of these programs, as far as the system tells it, and hears what it wants: each
    /// part of it within this time.
    ///
    /// # Errors
    /// It is no such call, or says nothing that is understood.
    pub(crate) fn hear(self, programs: &[&Path], time: Duration) -> io::Result<(Request, Asking)> {
        let Self { mut stream, secret, greeting } = self;
        if !transport::is_program(&stream, programs) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        stream.limit(time)?;
        let mut conversation = Conversation::greet(stream, secret, &greeting)?;
        Ok((conversation.requested()?, Asking(conversation)))
    }
}

impl Asking {
    /// Replies, and ends the conversation.
    ///
    /// # Errors
    /// The call is gone.
    pub(crate) fn reply(self, response: &Response) -> io::Result<()> {
        let Self(mut conversation) = self;
        conversation.reply(response)
    }
}
