//! An HTTP service for hooks that answers well or badly, as a test wants.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};

/// How a service answers each request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// With 200 and this body.
    Verdict(String),
    /// With this status, these headers and this body.
    Status(u16, &'static str, String),
    /// With a body of so many bytes: a verdict, and spaces.
    Padded(usize),
    /// With the `x-hookgate-request-id` of the request, or with another one.
    Echo {
        /// Whether it is the one of the request.
        right: bool,
    },
    /// Chunked, so that the length is not known before the end.
    Chunked(Vec<&'static str>),
    /// A length that is never reached.
    WrongLength(&'static str),
    /// With 200, these headers and this body, which need not be UTF-8.
    Bytes(&'static str, Vec<u8>),
    /// A length that is never reached, and the connection stays.
    Stall(&'static str),
    /// Chunked, and the connection ends before the last chunk.
    ChunkedCut(&'static str),
    /// No length: the body ends with the connection.
    Closed(&'static str),
    /// A body without end, as fast as it goes.
    Flood,
    /// A byte every few milliseconds, without end.
    Drip,
    /// Nothing, and the connection stays.
    Never,
    /// Nothing, and the connection ends.
    Close,
    /// Nothing, and the connection is torn down.
    Reset,
    /// A header without end.
    HugeHeader,
    /// Hundreds of headers.
    ManyHeaders,
    /// Interim answers without end.
    Interim,
    /// Not HTTP.
    Garbage,
    /// 200, and the connection ends before the next request, without a warning.
    HangUp,
}

/// A request that a service has received.
#[derive(Debug, Clone)]
pub struct Request {
    /// The request line.
    pub line: String,
    /// The headers, in their order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// Returns the value of a header; its name is compared without regard to case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }
}

/// The connections and requests that a service has received.
#[derive(Default)]
pub struct Seen {
    accepted: AtomicUsize,
    requests: Mutex<Vec<Request>>,
}

/// A running service; it stops when this is dropped.
pub struct Service {
    /// The address at which it listens.
    pub address: SocketAddr,
    /// What it has received so far.
    pub seen: Arc<Seen>,
    task: AbortHandle,
}

impl Drop for Service {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Service {
    /// Starts a service at a free port of the loopback.
    pub async fn start(mode: Mode) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::on(listener, mode)
    }

    /// Starts a service on a listener.
    pub fn on(listener: TcpListener, mode: Mode) -> Self {
        Self::with(listener, mode, |stream| async move { Some(stream) })
    }

    /// Starts a service that wraps each connection first, for example in a TLS session.
    pub fn with<S, F>(
        listener: TcpListener,
        mode: Mode,
        wrap: impl Fn(TcpStream) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        F: Future<Output = Option<S>> + Send + 'static,
    {
        let (address, seen) = (listener.local_addr().unwrap(), Arc::new(Seen::default()));
        let counted = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                counted.accepted.fetch_add(1, Ordering::SeqCst);
                if mode == Mode::Reset {
                    let mut stream = stream;
                    let seen = Arc::clone(&counted);
                    connections.spawn(async move {
                        let _ = read(&mut stream, &seen).await;
                        let _ = stream.set_zero_linger();
                    });
                    continue;
                }
                let wrapped = wrap(stream);
                let (mode, seen) = (mode.clone(), Arc::clone(&counted));
                connections.spawn(async move {
                    let Some(mut stream) = wrapped.await else { return };
                    while let Some(request) = read(&mut stream, &seen).await {
                        let more = answer(&mode, &request, &mut stream).await;
                        if !more.unwrap_or(false) {
                            break;
                        }
                    }
                    let _ = stream.shutdown().await;
                });
            }
        });
        Self { address, seen, task: task.abort_handle() }
    }

    /// Returns the URL of the service.
    pub fn url(&self) -> String {
        format!("http://{}/policy", self.address)
    }

    /// Returns how many connections were accepted.
    pub fn accepted(&self) -> usize {
        self.seen.accepted.load(Ordering::SeqCst)
    }

    /// Returns the requests that were received.
    pub fn requests(&self) -> Vec<Request> {
        self.seen.requests.lock().unwrap().clone()
    }
}

/// Reads one request.
async fn read(stream: &mut (impl AsyncRead + Unpin), seen: &Seen) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.trim_end().lines();
    let line = lines.next()?.to_owned();
    let headers: Vec<_> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    let mut request = Request { line, headers, body: bytes.split_off(end) };
    let length: usize = request.header("content-length").map_or(0, |text| text.parse().unwrap());
    while request.body.len() < length {
        if stream.read_buf(&mut request.body).await.ok()? == 0 {
            return None;
        }
    }
    seen.requests.lock().unwrap().push(request.clone());
    Some(request)
}

const JSON: &str = "content-type: application/json\r\n";
const DENY: &str = r#"{"decision":"deny","reason":"refused"}"#;

/// Answers; whether another request may come.
async fn answer(
    mode: &Mode,
    request: &Request,
    stream: &mut (impl AsyncWrite + Unpin),
) -> std::io::Result<bool> {
    let whole = |status: u16, headers: &str, body: &str| {
        let length = body.len();
        format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n{body}")
    };
    let text = match mode {
        Mode::Verdict(body) | Mode::Status(200, "", body) => whole(200, JSON, body),
        Mode::Status(204, headers, _) => format!("HTTP/1.1 204 X\r\n{headers}\r\n"),
        Mode::Status(status, headers, body) => whole(*status, headers, body),
        Mode::Padded(length) => whole(200, JSON, &format!("{DENY:<length$}")),
        Mode::Echo { right } => {
            let id = request.header("x-hookgate-request-id").unwrap_or("none");
            let id = if *right { id.to_owned() } else { id.chars().rev().collect() };
            whole(200, &format!("{JSON}x-hookgate-request-id: {id}\r\n"), DENY)
        }
        Mode::Chunked(parts) => {
            let chunk = |part: &&str| format!("{:x}\r\n{part}\r\n", part.len());
            let chunks: String = parts.iter().map(chunk).collect();
            format!("HTTP/1.1 200 X\r\n{JSON}transfer-encoding: chunked\r\n\r\n{chunks}0\r\n\r\n")
        }
        Mode::WrongLength(body) => {
            let text = format!("HTTP/1.1 200 X\r\n{JSON}content-length: 4096\r\n\r\n{body}");
            stream.write_all(text.as_bytes()).await?;
            return Ok(false);
        }
        Mode::Stall(body) => {
            let text = format!("HTTP/1.1 200 X\r\n{JSON}content-length: 4096\r\n\r\n{body}");
            stream.write_all(text.as_bytes()).await?;
            stream.flush().await?;
            std::future::pending::<()>().await;
            return Ok(false);
        }
        Mode::ChunkedCut(part) => {
            let head = format!("HTTP/1.1 200 X\r\n{JSON}transfer-encoding: chunked\r\n\r\n");
            let chunk = format!("{:x}\r\n{part}\r\n", part.len());
            stream.write_all(format!("{head}{chunk}").as_bytes()).await?;
            return Ok(false);
        }
        Mode::Closed(body) => {
            stream.write_all(format!("HTTP/1.1 200 X\r\n{JSON}\r\n{body}").as_bytes()).await?;
            return Ok(false);
        }
        Mode::Bytes(headers, body) => {
            let length = body.len();
            let head = format!("HTTP/1.1 200 X\r\n{headers}content-length: {length}\r\n\r\n");
            stream.write_all(&[head.as_bytes(), body].concat()).await?;
            return Ok(true);
        }
        Mode::HangUp => {
            stream.write_all(whole(200, JSON, "{}").as_bytes()).await?;
            return Ok(false);
        }
        Mode::Flood | Mode::Drip => {
            let head = format!("HTTP/1.1 200 X\r\n{JSON}content-length: 1000000000\r\n\r\n");
            stream.write_all(head.as_bytes()).await?;
            return endless(stream, b" ", *mode == Mode::Drip).await;
        }
        Mode::HugeHeader => {
            stream.write_all(b"HTTP/1.1 200 X\r\nx-long: ").await?;
            return endless(stream, b"x", false).await;
        }
        Mode::ManyHeaders => {
            let headers: String = (0..500).map(|n| format!("x-{n}: y\r\n")).collect();
            whole(200, &headers, DENY)
        }
        Mode::Interim => return endless(stream, b"HTTP/1.1 100 Continue\r\n\r\n", true).await,
        Mode::Garbage => "220 mail.example.com ESMTP\r\n".to_owned(),
        Mode::Never => {
            std::future::pending::<()>().await;
            return Ok(false);
        }
        Mode::Close | Mode::Reset => return Ok(false),
    };
    stream.write_all(text.as_bytes()).await?;
    Ok(*mode != Mode::Garbage)
}

async fn endless(
    stream: &mut (impl AsyncWrite + Unpin),
    part: &[u8],
    slow: bool,
) -> std::io::Result<bool> {
    let many = if slow { part.to_vec() } else { part.repeat(64 * 1024) };
    loop {
        stream.write_all(&many).await?;
        stream.flush().await?;
        if slow {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
