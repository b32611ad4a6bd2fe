//! What listens in the place of the daemon, and says that every step may happen.

use std::path::Path;
use std::pin::pin;
use std::thread;
use std::time::Duration;

use hmac_sha256::HMAC;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};
use tokio::time::timeout;

use crate::Session;
use crate::session::{Answer, NOTE};

pub const REQUEST: &[u8] = b"hookgate: request of the call\n";
const REPLY: &[u8] = b"hookgate: reply of the daemon\n";

/// A reply by which the step may happen.
const ALLOW: &[u8] = br#"{"exit":0,"stdout":"","stderr":"a stand-in has judged"}"#;

/// How long a call that says nothing more is listened to.
const SILENCE: Duration = Duration::from_secs(2);

/// How often it is looked whether a call has ended.
const LOOK: Duration = Duration::from_millis(20);

pub fn name(key: &str) -> String {
    format!(r"\\.\pipe\hookgate-{key}")
}

pub fn block_on<F: Future>(work: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// The seals of a conversation, written anew: not by the code that is tested.
pub struct Seals {
    secret: [u8; 32],
    before: [u8; 32],
}

impl Seals {
    pub fn greeting(
        secret: [u8; 32],
        call: &[u8],
        daemon: &[u8],
        greeting: &str,
    ) -> (Self, [u8; 32]) {
        let name = b"hookgate: greeting of the daemon\n".as_slice();
        let text = [name, &[0; 32], call, daemon, greeting.as_bytes()].concat();
        let before = HMAC::mac(text, secret);
        (Self { secret, before }, before)
    }

    /// A message with its length before it and its seal after it.
    pub fn message(&mut self, part: &[u8], body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u64).to_le_bytes();
        self.before = HMAC::mac([part, &self.before, body].concat(), self.secret);
        [length.as_slice(), body, &self.before].concat()
    }
}

/// How a stand-in replies.
enum Reply {
    /// As a daemon does.
    Sealed,
    /// With these bytes.
    Recorded(Vec<u8>),
}

/// What a stand-in has seen.
struct Seen {
    heard: Vec<u8>,
    replied: Vec<u8>,
}

/// Waits for calls, until one has said everything that it says, and returns what this was.
async fn serve(mut pipe: NamedPipeServer, secret: [u8; 32], greeting: &str, reply: Reply) -> Seen {
    pipe.connect().await.unwrap();
    let mut seen = Seen { heard: vec![0; 32], replied: Vec::new() };
    pipe.read_exact(&mut seen.heard).await.unwrap();
    let own = [2; 32];
    let (mut seals, seal) = Seals::greeting(secret, &seen.heard, &own, greeting);
    pipe.write_all(&[greeting.as_bytes(), &own, &seal].concat()).await.unwrap();
    let mut length = [0; 8];
    if !matches!(timeout(SILENCE, pipe.read_exact(&mut length)).await, Ok(Ok(_))) {
        return seen;
    }
    let mut body = vec![0; usize::try_from(u64::from_le_bytes(length)).unwrap()];
    pipe.read_exact(&mut body).await.unwrap();
    let mut seal = [0; 32];
    pipe.read_exact(&mut seal).await.unwrap();
    seals.message(REQUEST, &body);
    seen.heard.extend(body);
    let sealed = seals.message(REPLY, ALLOW);
    seen.replied = match reply {
        Reply::Sealed => sealed,
        Reply::Recorded(bytes) => bytes,
    };
    pipe.write_all(&seen.replied).await.unwrap();
    // Until the call has read it.
    let _ = timeout(SILENCE, pipe.read(&mut length)).await;
    seen
}

/// A stand-in is there when a call comes. The small program asks it, and so does the full one that it becomes.
fn play(
    session: &Session,
    key: &str,
    secret: [u8; 32],
    reply: impl Fn() -> Reply,
) -> (Answer, Vec<Seen>) {
    let greeting = session.greeting(key);
    thread::scope(|scope| {
        let call = block_on(async {
            let options = || {
                let mut options = ServerOptions::new();
                options.reject_remote_clients(true);
                options
            };
            let first = options().first_pipe_instance(true).create(name(key)).unwrap();
            let second = options().create(name(key)).unwrap();
            let call = scope.spawn(|| session.call());
            let mut seen = vec![serve(first, secret, &greeting, reply()).await];
            // It is there until the call has its answer.
            let mut second = pin!(serve(second, secret, &greeting, reply()));
            while !call.is_finished() {
                if let Ok(more) = timeout(LOOK, second.as_mut()).await {
                    seen.push(more);
                    break;
                }
            }
            (call, seen)
        });
        (call.0.join().unwrap(), call.1)
    })
}

/// The control of the other tests: here the stand-in does all that a daemon does.
pub fn with_the_secret_is_believed(program: &Path) {
    let session = Session::new(program, "1");
    let key = session.ended();
    let (answer, _) = play(&session, &key, session.secret(), || Reply::Sealed);
    assert!(answer.code == Some(0) && answer.stdout.is_empty(), "{answer:?}");
    assert!(answer.stderr.contains("a stand-in has judged"), "{answer:?}");
}

pub fn without_the_secret_is_not(program: &Path) {
    let session = Session::new(program, "1");
    let key = session.ended();
    let (answer, seen) = play(&session, &key, [3; 32], || Reply::Sealed);
    assert_eq!(answer.denied().map(|(number, _)| number), Some(0), "{answer:?}");
    assert_eq!(answer.stderr.matches(NOTE).count(), 1, "{answer:?}");
    for seen in seen {
        assert_eq!(seen.heard.len(), 32, "it was told more than a random number");
    }
}

pub fn that_replays_is_not(program: &Path) {
    let session = Session::new(program, "1");
    let key = session.ended();
    let (believed, seen) = play(&session, &key, session.secret(), || Reply::Sealed);
    assert!(believed.stderr.contains("a stand-in has judged"), "{believed:?}");
    let recorded = &seen[0].replied;
    let again = || Reply::Recorded(recorded.clone());
    let (answer, seen) = play(&session, &key, session.secret(), again);
    assert!(!seen[0].replied.is_empty(), "it was asked");
    assert_eq!(answer.denied().map(|(number, _)| number), Some(0), "{answer:?}");
    assert_eq!(answer.stderr.matches(NOTE).count(), 1, "{answer:?}");
}
