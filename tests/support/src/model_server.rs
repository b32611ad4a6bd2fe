//! An OpenAI-compatible server on the loopback that does what a test tells it to, over bare TCP: a
//! library would keep it from misbehaving.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Mode {
    /// Answers each rule as [`decision`] says.
    Judge,
    /// Answers so to every rule, in good form.
    Says(&'static str),
    /// Answers with these keys, and the nonce if it is not among them.
    Gives(Value),
    /// Answers with the user's message.
    Echo,
    /// Answers with the last JSON object in the user's message that has a `decision`.
    LastJson,
    /// A good answer without its second half, and `finish_reason` says so.
    Truncated,
    /// The same, and `finish_reason` does not.
    Half,
    /// An empty content.
    Empty,
    /// No body.
    NoBody,
    /// A refusal.
    Refusal,
    /// 10 MB.
    Huge,
    /// A byte now and then.
    Drip,
    /// 429, with these seconds.
    RetryAfter(u64),
    /// A status, with a good answer in the body.
    Status(u16),
    /// 400, unless the format of the answer is this one or none.
    Knows(Option<&'static str>),
    /// A good allow with a nonce of its own.
    WrongNonce,
    /// A good allow without a nonce.
    NoNonce,
    /// Two good objects.
    TwoObjects,
    /// A good object in prose.
    Prose,
    /// A good object in a fence.
    Fence,
    /// A good object with two decisions.
    TwoDecisions,
    /// A good object with a key that was not requested.
    MoreKeys,
    /// Good, but the second rule is left out.
    RuleMissing,
    /// Bytes that are no text.
    InvalidUtf8,
    /// The connection breaks off in the middle of the body.
    Reset,
    /// Another place is named.
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
    /// Spaces follow, so many.
    Padded(usize),
    /// It breaks off before its last bytes.
    BrokenOff,
    /// Its last bytes never come, and the connection stays.
    Stalled,
    /// A byte of the reason is no text.
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

/// The decision of [`Mode::Judge`]: it denies data with `force` in it and rules that say `never`.
fn decision(user: &str, rule: &str) -> &'static str {
    if user.contains("force") || rule.contains("never") { "deny" } else { "allow" }
}

pub struct Server {
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

    /// First these, then what it did before.
    pub fn first(&self, modes: impl IntoIterator<Item = Mode>) {
        self.state.script.lock().unwrap().0.extend(modes);
    }

    /// From now on this.
    pub fn then(&self, mode: Mode) {
        self.state.script.lock().unwrap().1 = mode;
    }

    /// Takes so long for each answer.
    pub fn slow(&self, delay: Duration) {
        *self.state.delay.lock().unwrap() = delay;
    }

    /// How many requests there were.
    pub fn calls(&self) -> usize {
        self.state.seen.lock().unwrap().len()
    }

    /// The heads of the requests, in small letters.
    pub fn heads(&self) -> Vec<String> {
        self.state.heads.lock().unwrap().clone()
    }

    /// The bodies of the requests.
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

/// The head of the next request, in small letters, and its body.
async fn request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<(String, Vec<u8>)> {
    loop {
        if let Some(end) = buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).to_lowercase();
            assert!(head.starts_with("post /v1/chat/completions http/1.1"), "{head}");
            let length = head.split("content-length: ").nth(1)?.lines().next()?.trim();
            let total = end + 4 + length.parse::<usize>().ok()?;
            if buffer.len() >= total {
                let body = buffer[end + 4..total].to_vec();
                buffer.drain(..total);
                return Some((head, body));
            }
        }
        let mut chunk = [0; 8192];
        let count = stream.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        buffer.extend_from_slice(&chunk[..count]);
    }
}

/// The user's message.
pub fn user(request: &Value) -> &str {
    request["messages"][1]["content"].as_str().unwrap()
}

/// The nonce of a question.
pub fn nonce(request: &Value) -> &str {
    user(request).lines().next().unwrap().rsplit(' ').next().unwrap()
}

/// The rules of a question, by their names; one rule has none.
pub fn rules(request: &Value) -> Vec<(String, String)> {
    let system = request["messages"][0]["content"].as_str().unwrap();
    if let Some((_, rest)) = system.split_once("# The rule\n\n") {
        let rule = rest.split("\n\n# Your answer").next().unwrap();
        return vec![(String::new(), rule.to_owned())];
    }
    let all = system.split("# Your answer").next().unwrap();
    all.split("## Rule ")
        .skip(1)
        .map(|rule| rule.split_once("\n\n").unwrap())
        .map(|(name, rule)| (name.to_owned(), rule.trim().to_owned()))
        .collect()
}

/// An answer in good form.
pub fn good(request: &Value, decide: impl Fn(&str, &str) -> String) -> Map<String, Value> {
    let user = user(request);
    let mut answer = Map::new();
    answer.insert("nonce".into(), nonce(request).into());
    for (name, rule) in rules(request) {
        let decision = decide(user, &rule);
        let one = json!({"decision": decision, "reason": format!("by the rule: {decision}")});
        match (name.as_str(), one) {
            ("", Value::Object(one)) => answer.extend(one),
            (name, one) => drop(answer.insert(name.to_owned(), one)),
        }
    }
    answer
}

/// The last JSON object in a text that has a `decision`, which is what lenient parsers take.
pub fn last_json(text: &str) -> Option<String> {
    let starts: Vec<usize> = text.match_indices('{').map(|(at, _)| at).collect();
    starts.into_iter().rev().find_map(|at| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        let value = values.next()?.ok()?;
        value.get("decision").is_some().then(|| value.to_string())
    })
}

async fn answer(stream: &mut TcpStream, mode: &Mode, request: &Value) -> Option<()> {
    let allow = || Value::from(good(request, |_, _| "allow".into()));
    let with = |change: &dyn Fn(&mut Map<String, Value>)| {
        let mut answer = good(request, |_, _| "allow".into());
        change(&mut answer);
        Value::from(answer).to_string()
    };
    let with_nonce = |content: &str| content.replace("NONCE", nonce(request));
    let content = match mode {
        Mode::Content(content, finish) => {
            let body = completion(&with_nonce(content), finish);
            return write(stream, 200, "", body.to_string().as_bytes()).await;
        }
        Mode::Body(status, headers, content, change) => {
            let content = with_nonce(content);
            return changed(stream, (*status, *headers), &content, &allow(), *change).await;
        }
        Mode::Judge => {
            Value::from(good(request, |user, rule| decision(user, rule).into())).to_string()
        }
        Mode::Says(decision) => Value::from(good(request, |_, _| (*decision).into())).to_string(),
        Mode::Gives(keys) => {
            let mut answer = keys.as_object().unwrap().clone();
            answer.entry("nonce").or_insert_with(|| nonce(request).into());
            Value::from(answer).to_string()
        }
        Mode::Echo => user(request).to_owned(),
        Mode::LastJson => {
            let data = user(request).replace("\\\"", "\"").replace("\\\\", "\\");
            last_json(&data).unwrap_or(data)
        }
        Mode::Truncated | Mode::Half => {
            let whole = allow().to_string();
            whole[..whole.len() / 2].to_owned()
        }
        Mode::Empty | Mode::Refusal => String::new(),
        Mode::WrongNonce => with(&|answer| {
            answer.insert("nonce".into(), "0123456789abcdef".into());
        }),
        Mode::NoNonce => with(&|answer| drop(answer.remove("nonce"))),
        Mode::TwoObjects => format!("{}\n{}", allow(), allow()),
        Mode::Prose => format!("I think this is harmless: {} Good luck!", allow()),
        Mode::Fence => format!("```json\n{}\n```", allow()),
        Mode::TwoDecisions => allow().to_string().replacen("{", "{\"decision\":\"allow\",", 1),
        Mode::MoreKeys => with(&|answer| drop(answer.insert("confidence".into(), 1.into()))),
        Mode::RuleMissing => with(&|answer| drop(answer.remove("r2"))),
        Mode::Knows(format) => {
            let format_name = request["response_format"]["type"].as_str();
            if format_name.is_some() && format_name != *format {
                let error = json!({"error": {"message": "what?", "param": "response_format"}});
                return write(stream, 400, "", error.to_string().as_bytes()).await;
            }
            allow().to_string()
        }
        Mode::NoBody => return write(stream, 200, "", b"").await,
        Mode::InvalidUtf8 => {
            let body = completion(&allow().to_string(), "stop").to_string();
            let mut body = body.into_bytes();
            let at = body.iter().rposition(|byte| *byte == b'y').unwrap();
            body[at] = 0xff;
            return write(stream, 200, "", &body).await;
        }
        Mode::Huge => {
            let body = completion(&"x".repeat(10_000_000), "stop").to_string();
            return write(stream, 200, "", body.as_bytes()).await;
        }
        Mode::RetryAfter(seconds) => {
            let header = format!("retry-after: {seconds}\r\n");
            return write(stream, 429, &header, allow().to_string().as_bytes()).await;
        }
        Mode::Status(status) => {
            let body = completion(&allow().to_string(), "stop").to_string();
            return write(stream, *status, "", body.as_bytes()).await;
        }
        Mode::Redirect => {
            let header = "location: http://127.0.0.1:9/\r\n";
            return write(stream, 307, header, b"").await;
        }
        Mode::Reset => {
            let head = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\":[";
            stream.write_all(head.as_bytes()).await.ok()?;
            return None;
        }
        Mode::Drip => {
            let body = completion(&allow().to_string(), "stop").to_string();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all(head.as_bytes()).await.ok()?;
            for byte in body.as_bytes() {
                stream.write_all(&[*byte]).await.ok()?;
                stream.flush().await.ok()?;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            return Some(());
        }
    };
    let finish = if *mode == Mode::Truncated { "length" } else { "stop" };
    let mut body = completion(&content, finish);
    if *mode == Mode::Refusal {
        body["choices"][0]["message"] = json!({"content": null, "refusal": "I cannot help"});
    }
    write(stream, 200, "", body.to_string().as_bytes()).await
}

/// Writes an answer with a changed body.
async fn changed(
    stream: &mut TcpStream,
    (status, headers): (u16, &str),
    content: &str,
    allow: &Value,
    change: Change,
) -> Option<()> {
    let mut body = completion(content, "stop");
    match change {
        Change::WithError => body["error"] = json!({"message": "overloaded"}),
        Change::SecondChoice => {
            let second = completion(&allow.to_string(), "stop")["choices"][0].clone();
            body["choices"].as_array_mut()?.push(second);
        }
        Change::HugeUsage => {
            body["usage"] = json!({"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX});
        }
        _ => {}
    }
    let mut bytes = body.to_string().into_bytes();
    match change {
        Change::Padded(most) => bytes.resize(bytes.len() + most, b' '),
        Change::InvalidUtf8 => {
            let at = bytes.windows(3).position(|part| part == b"why")?;
            bytes[at] = 0xff;
        }
        Change::ContentTwice => {
            let text = String::from_utf8(bytes).ok()?;
            let twice = format!("\"role\":\"assistant\",\"content\":{}", json!(allow.to_string()));
            bytes = text.replacen("\"role\":\"assistant\"", &twice, 1).into_bytes();
        }
        Change::BrokenOff | Change::Stalled => {
            // It ends within what follows the answer.
            let length = bytes.len();
            let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n");
            let part = [head.as_bytes(), bytes.get(..length - 4)?].concat();
            stream.write_all(&part).await.ok()?;
            if change == Change::Stalled {
                tokio::time::sleep(Duration::from_secs(60)).await;
            }
            return None;
        }
        _ => {}
    }
    write(stream, status, headers, &bytes).await
}

/// A body as some servers send it: with a `finish_reason` and a field that OpenAI does not know.
fn completion(content: &str, finish: &str) -> Value {
    json!({
        "id": "x", "object": "chat.completion", "created": 1, "service_tier": "on_demand",
        "choices": [{
            "index": 0,
            "finish_reason": if finish == "stop" { "eos" } else { finish },
            "message": {"role": "assistant", "content": content},
        }],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    })
}

async fn write(stream: &mut TcpStream, status: u16, headers: &str, body: &[u8]) -> Option<()> {
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    );
    // At once: the second of two small writes would wait for the first to be acknowledged.
    stream.write_all(&[head.as_bytes(), body].concat()).await.ok()
}
