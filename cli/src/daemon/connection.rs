//! A daemon that is asked.

use std::path::Path;
use std::time::Duration;

use hookgate::contract::dialect::HostAnswer;

use super::conversation::{self, Conversation};
use super::place::Place;
use super::transport::{self, Stream};
use super::wire::{Request, Response};

/// How long a daemon may take to greet. Until then nothing is lost: the call can judge by itself.
const GREETING: Duration = Duration::from_millis(200);

/// Why no daemon has judged a step. Nothing of it has been said to the agent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    /// There is none, or anything about it is not as expected.
    #[error("no daemon has answered")]
    NoAnswer,
    /// Something at its place cannot show that it belongs to this user.
    #[error(
        "what listens at the place of the daemon is not a program of this user, or its secret was replaced: \
         this call has judged the step itself"
    )]
    Forged,
}

impl Unanswered {
    /// Returns what the user has to be told.
    pub(crate) fn note(&self) -> Option<String> {
        match self {
            Self::NoAnswer => None,
            Self::Forged => Some(format!("hookgate: {self}")),
        }
    }
}

impl From<std::io::Error> for Unanswered {
    fn from(error: std::io::Error) -> Self {
        if conversation::is_forged(&error) { Self::Forged } else { Self::NoAnswer }
    }
}

/// A daemon that has greeted, and was told nothing yet.
pub(crate) struct Connection(Conversation<Stream>);

impl Connection {
    /// Connects to the daemon at a place, which must run this program. `rest` is the time that is left to the
    /// call.
    ///
    /// # Errors
    /// There is none that is as expected.
    pub(crate) fn open(place: &Place, program: &Path, rest: Duration) -> Result<Self, Unanswered> {
        if !place.is_private() {
            return Err(Unanswered::NoAnswer);
        }
        let secret = transport::secret(place).ok_or(Unanswered::NoAnswer)?;
        let time = GREETING.min(rest / 4);
        let stream = transport::connect(place, program, time);
        let mut stream = stream.ok_or(Unanswered::NoAnswer)?;
        stream.limit(time)?;
        Ok(Self(Conversation::greeted(stream, secret, &place.greeting())?))
    }

    /// Asks the daemon to judge a step, and waits for its whole answer, for this time.
    ///
    /// # Errors
    /// There is none: then nothing of it has been said to the agent.
    pub(crate) fn ask(self, request: &Request, rest: Duration) -> Result<HostAnswer, Unanswered> {
        let Self(mut conversation) = self;
        conversation.stream().limit(rest)?;
        conversation.request(request)?;
        conversation.replied::<Response>()?.answer().ok_or(Unanswered::NoAnswer)
    }
}
