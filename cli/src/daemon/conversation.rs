//! What a call and a daemon say to each other, over whatever carries bytes: a greeting of the daemon, one request, one
//! reply. Each of the latter two is a JSON object after its length.
//!
//! On a socket the system tells who is at the other end, and nothing is added. On a pipe of Windows nobody tells it, so
//! each side shows that it has the [`Secret`] of the user: the call begins with a random number, the daemon greets with
//! another one, and each of the three is followed by its [seal](Seals). A daemon that has not shown it learns nothing of
//! the step; a call that has not shown it has nothing judged.

use std::io::{self, Read, Write};

use hmac_sha256::HMAC;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How many bytes a message may have: an envelope, as a text in JSON.
const LIMIT: u64 = 64 << 20;

/// How many bytes a secret, a random number and a seal have.
const BYTES: usize = 32;

/// What only programs of this user can read.
#[derive(Clone, Copy)]
pub(super) struct Secret([u8; BYTES]);

// Where a system tells who is at the other end there are none.
#[cfg(windows)]
impl Secret {
    /// Draws one.
    pub(super) fn draw() -> io::Result<Self> {
        random().map(Self)
    }

    /// Makes one of what is in a file.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns what is to be in the file.
    pub(super) const fn bytes(&self) -> &[u8] {
        &self.0
    }
}

fn random() -> io::Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

/// A part of a conversation. Each has another name, so that none is taken for another one: what the call has said cannot
/// be sent back to it.
#[derive(Debug, Clone, Copy)]
enum Part {
    Greeting,
    Request,
    Reply,
}

impl Part {
    const fn name(self) -> &'static [u8] {
        match self {
            Self::Greeting => b"hookgate: greeting of the daemon\n",
            Self::Request => b"hookgate: request of the call\n",
            Self::Reply => b"hookgate: reply of the daemon\n",
        }
    }
}

/// Seals the parts of one conversation. A seal stands for the secret, the name of the part, the whole part, and all that
/// was said before it: the first one follows the random numbers of both sides, so none fits into another conversation.
struct Seals {
    secret: Secret,
    before: [u8; BYTES],
}

impl Seals {
    /// Begins a conversation with the random numbers of both sides, and returns the seal of the greeting.
    fn greeting(
        secret: Secret,
        call: &[u8; BYTES],
        daemon: &[u8; BYTES],
        greeting: &str,
    ) -> (Self, [u8; BYTES]) {
        let mut seals = Self { secret, before: [0; BYTES] };
        let seal = seals.next(Part::Greeting, &[call, daemon, greeting.as_bytes()]);
        (seals, seal)
    }

    fn next(&mut self, part: Part, bytes: &[&[u8]]) -> [u8; BYTES] {
        let mut seal = HMAC::new(self.secret.0);
        seal.update(part.name());
        seal.update(self.before);
        for bytes in bytes {
            seal.update(bytes);
        }
        self.before = seal.finalize();
        self.before
    }
}

/// Compares two seals, in a time that does not tell how much of them is the same.
fn is_same(one: &[u8; BYTES], other: &[u8; BYTES]) -> bool {
    one.iter().zip(other).fold(0, |differs, (one, other)| differs | (one ^ other)) == 0
}

/// One end of a conversation that was begun with a greeting.
pub(super) struct Conversation<S> {
    stream: S,
    seals: Option<Seals>,
}

impl<S: Read + Write> Conversation<S> {
    /// Has a daemon greet, on the side of the call.
    ///
    /// # Errors
    /// It greets otherwise, in [another way](is_forged) if it cannot show that it has the secret.
    pub(super) fn greeted(
        mut stream: S,
        secret: Option<Secret>,
        expected: &str,
    ) -> io::Result<Self> {
        let own = secret.map(|_| random()).transpose()?;
        if let Some(own) = &own {
            stream.write_all(own)?;
        }
        let mut greeting = vec![0; expected.len()];
        stream.read_exact(&mut greeting)?;
        let is_expected = greeting == expected.as_bytes();
        let Some((secret, own)) = secret.zip(own) else {
            let other = || io::Error::other("the daemon is another one");
            return is_expected.then_some(Self { stream, seals: None }).ok_or_else(other);
        };
        let theirs = read_bytes(&mut stream)?;
        let (seals, seal) = Seals::greeting(secret, &own, &theirs, expected);
        let given = read_bytes(&mut stream)?;
        if !is_expected || !is_same(&given, &seal) {
            return Err(forged());
        }
        Ok(Self { stream, seals: Some(seals) })
    }

    /// Greets, on the side of the daemon.
    pub(super) fn greet(mut stream: S, secret: Option<Secret>, greeting: &str) -> io::Result<Self> {
        let Some(secret) = secret else {
            stream.write_all(greeting.as_bytes())?;
            return Ok(Self { stream, seals: None });
        };
        let theirs = read_bytes(&mut stream)?;
        let own = random()?;
        let (seals, seal) = Seals::greeting(secret, &theirs, &own, greeting);
        stream.write_all(&[greeting.as_bytes(), &own, &seal].concat())?;
        Ok(Self { stream, seals: Some(seals) })
    }

    /// Returns what carries it.
    pub(super) const fn stream(&mut self) -> &mut S {
        &mut self.stream
    }

    /// Says what is to be judged.
    pub(super) fn request(&mut self, request: &impl Serialize) -> io::Result<()> {
        self.write(Part::Request, request)
    }

    /// Hears what is to be judged.
    pub(super) fn requested<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        self.read(Part::Request)
    }

    /// Says how it was judged.
    pub(super) fn reply(&mut self, reply: &impl Serialize) -> io::Result<()> {
        self.write(Part::Reply, reply)
    }

    /// Hears how it was judged.
    pub(super) fn replied<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        self.read(Part::Reply)
    }

    fn write(&mut self, part: Part, message: &impl Serialize) -> io::Result<()> {
        let body = serde_json::to_vec(message)?;
        let mut bytes = (body.len() as u64).to_le_bytes().to_vec();
        let seal = self.seals.as_mut().map(|seals| seals.next(part, &[&body]));
        bytes.extend(body);
        bytes.extend(seal.iter().flatten());
        self.stream.write_all(&bytes)
    }

    fn read<T: DeserializeOwned>(&mut self, part: Part) -> io::Result<T> {
        let mut length = [0; 8];
        self.stream.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        if length > LIMIT {
            return Err(io::Error::other("the message is too large"));
        }
        let mut body = Vec::new();
        Read::by_ref(&mut self.stream).take(length).read_to_end(&mut body)?;
        if let Some(seals) = &mut self.seals {
            let given = read_bytes(&mut self.stream)?;
            if !is_same(&given, &seals.next(part, &[&body])) {
                return Err(forged());
            }
        }
        Ok(serde_json::from_slice(&body)?)
    }
}

fn read_bytes(stream: &mut impl Read) -> io::Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// What was said was not said by a program that has the secret, or not in this conversation.
#[derive(Debug, thiserror::Error)]
#[error("it was not said by a program that has the secret of this user")]
struct Forged;

fn forged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, Forged)
}

/// Tells whether a conversation has failed since the other end has not shown that it has the secret.
pub(super) fn is_forged(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|error| error.is::<Forged>())
}

#[cfg(test)]
mod tests;
