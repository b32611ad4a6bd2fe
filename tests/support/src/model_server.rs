//! An OpenAI-compatible server on the loopback that does what a test wants, over bare TCP: a library
//! would keep it from misbehaving.

mod question;
mod response;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use question::request;
pub use question::{good, last_json, nonce, rules, user};
use response::answer;
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};

/// What the server does with a request. A good answer has the form that the request demands.
#[derive(Debug, Clone, PartialEq)]
pub enum Mode {
    /// Answers each rule by what the rule says.
    ByRule,
    /// Answers every rule with this decision, in good form.
    Decision(&'static str),
    /// Answers with these keys, and the nonce if it is not among them.
    Keys(Value),
    /// Answers with the user's message.
    Echo,
    /// Answers with the last JSON object in the user's message that has a `decision`.
    LastJson,
    /// The first half of a good answer; `finish_reason` says that it was cut off.
    Truncated,
    /// The first half of a good answer; `finish_reason` says that it is whole.
    Half,
    /// An empty content.
    Empty,
    /// No body.
    NoBody,
    /// A refusal.
    Refusal,
    /// A body of 10 MB.
    Huge,
    /// A good answer, one byte every 50 ms.
    Drip,
    /// Status 429, with a `Retry-After` of so many seconds.
    RetryAfter(u64),
    /// This status, with a good answer in the body.
    Status(u16),
    /// Status 400, unless the request names this format of the answer or none.
    SupportsFormat(Option<&'static str>),
    /// Status 400 if the request has one of these parameters, the first of which the error names; in its
    /// text alone if the flag is set.
    Refuses(&'static [&'static str], bool),
    /// A good allow with a nonce of its own.
    WrongNonce,
    /// A good allow without a nonce.
    NoNonce,
    /// Two good objects.
    TwoObjects,
    /// A good object in prose.
    Prose,
    /// A good object in a Markdown code block.
    CodeBlock,
    /// A good object with two decisions.
    TwoDecisions,
    /// A good object with a key that was not requested.
    MoreKeys,
    /// Good, but the second rule is left out.
    RuleMissing,
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// The connection breaks off in the middle of the body.
    Reset,
    /// A redirect to another address.
    Redirect,
    /// This content, with the nonce in place of `NONCE`, and this `finish_reason`.
    Content(String, &'static str),
    /// This content in a body with these bytes changed, and this status and header.
    Body(u16, &'static str, String, Change),
}

/// What is done to the body of an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// Nothing.
    None,
    /// So many spaces follow.
    Padded(usize),
    /// It breaks off before its last bytes.
    BrokenOff,
    /// Its last bytes never come, and the connection stays.
    Stalled,
    /// A byte of the reason is not UTF-8.
    InvalidUtf8,
    /// The key `content` occurs twice, the second time with an allow.
    ContentTwice,
    /// There is an error beside it.
    WithError,
    /// There is a second choice, an allow.
    SecondChoice,
    /// It took more tokens than there are.
    HugeUsage,
}

/// A running server; it stops when this is dropped.
pub struct Server {
    /// The URL for the `base_url` of a hook.
    pub base_url: String,
    state: Arc<State>,
    task: tokio::task::JoinHandle<()>,
}

struct State {
    /// What to do with the next requests, and with all after them.
    script: Mutex<(VecDeque<Mode>, Mode)>,
    seen: Mutex<Vec<Value>>,
    heads: Mutex<Vec<String>>,
    delay: Mutex<Duration>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Starts a server at a free port that answers every request in one mode.
    pub async fn start(mode: Mode) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let state = Arc::new(State {
            script: Mutex::new((VecDeque::new(), mode)),
            seen: Mutex::default(),
            heads: Mutex::default(),
            delay: Mutex::default(),
        });
        let task = tokio::spawn({
            let state = Arc::clone(&state);
            async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(serve(stream, Arc::clone(&state)));
                }
            }
        });
        Self { base_url, state, task }
    }

    /// Answers the next requests in these modes, and later ones as before.
    pub fn first(&self, modes: impl IntoIterator<Item = Mode>) {
        self.state.script.lock().unwrap().0.extend(modes);
    }

    /// Changes the mode of all requests that are not scripted by [`first`](Self::first).
    pub fn then(&self, mode: Mode) {
        self.state.script.lock().unwrap().1 = mode;
    }

    /// Waits before each answer.
    pub fn slow(&self, delay: Duration) {
        *self.state.delay.lock().unwrap() = delay;
    }

    /// Returns how many requests there were.
    pub fn calls(&self) -> usize {
        self.state.seen.lock().unwrap().len()
    }

    /// Returns the heads of the requests, in lower case.
    pub fn heads(&self) -> Vec<String> {
        self.state.heads.lock().unwrap().clone()
    }

    /// Returns the bodies of the requests.
    pub fn seen(&self) -> Vec<Value> {
        self.state.seen.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, state: Arc<State>) {
    let mut buffer = Vec::new();
    while let Some((head, body)) = request(&mut stream, &mut buffer).await {
        state.heads.lock().unwrap().push(head);
        let body: Value = serde_json::from_slice(&body).unwrap();
        let mode = {
            let mut script = state.script.lock().unwrap();
            script.0.pop_front().unwrap_or_else(|| script.1.clone())
        };
        state.seen.lock().unwrap().push(body.clone());
        let delay = *state.delay.lock().unwrap();
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        if answer(&mut stream, &mode, &body).await.is_none() {
            return;
        }
    }
}
