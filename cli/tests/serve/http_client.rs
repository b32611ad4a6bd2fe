//! A client of HTTP that sends what it is told to, also what no other client would send.

use std::fs;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use serde_json::{Value, json};

use crate::support::{Folder, Host, PATIENCE, Server};

/// A server that is reached by HTTP.
#[derive(Clone)]
pub(crate) struct Http {
    pub(crate) address: String,
    pub(crate) token: String,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The name of the error of a method.
    pub(crate) fn error(&self) -> String {
        assert!(self.status >= 400, "an error is never a 200: {self:?}");
        self.json()["error"]["data"]["name"].as_str().unwrap().to_owned()
    }
}

/// Starts a server, with a token that it has drawn.
pub(crate) fn listening(folder: &Folder, args: &[&str]) -> (Server, Http) {
    let args: Vec<&str> =
        ["--http", "127.0.0.1:0", "-c", "hooks.toml"].iter().chain(args).copied().collect();
    let (server, streams) = Server::start(folder, &args);
    drop(streams);
    let line = server.wait_for("listening");
    let mut quoted = line.split('`').skip(1).step_by(2);
    let address = quoted.next().unwrap().split_once("://").unwrap().1.to_owned();
    let token = quoted.next().map(|file| fs::read_to_string(file).unwrap().trim().to_owned());
    (server, Http { address, token: token.unwrap_or_default() })
}

/// Starts a server that refuses to start. Returns its exit code, and what it has said.
pub(crate) fn refused(folder: &Folder, args: &[&str]) -> (Option<i32>, String) {
    let (mut server, streams) = Server::start(folder, args);
    drop(streams);
    let code = server.ended();
    (code, server.stderr.iter().collect::<Vec<_>>().join("\n"))
}

/// Reads the head of a response.
pub(crate) fn head(reader: &mut impl std::io::BufRead) -> Option<Reply> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    Some(Reply { status, headers, body: String::new() })
}

impl Http {
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a head as it stands, and a body. `None` if the server answers nothing.
    pub(crate) fn raw(&self, head_lines: &[&str], body: &[u8]) -> Option<Reply> {
        let mut stream = self.connect();
        let text = format!("{}\r\ncontent-length: {}\r\n\r\n", head_lines.join("\r\n"), body.len());
        // In one piece; a server that has seen enough may close.
        let _ = stream.write_all(&[text.as_bytes(), body].concat());
        let mut reader = BufReader::new(stream);
        let mut reply = head(&mut reader)?;
        let _ = reader.read_to_string(&mut reply.body);
        Some(reply)
    }

    /// Sends a request as it is to be, with more headers.
    pub(crate) fn send(&self, line: &str, more: &[&str], body: &[u8]) -> Reply {
        let first = format!("{line} HTTP/1.1");
        let host = format!("host: {}", self.address);
        let token = format!("authorization: Bearer {}", self.token);
        let mut lines = vec![first.as_str(), &host, &token, "connection: close"];
        lines.extend(more);
        self.raw(&lines, body).unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send(&format!("GET {path}"), &[], b"")
    }

    /// Calls a method, as a caller or as nobody yet.
    pub(crate) fn call(&self, caller: Option<&str>, method: &str, params: &Value) -> Reply {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let header = caller.map(|id| format!("hookgate-caller: {id}"));
        let more: Vec<&str> = header.iter().map(String::as_str).collect();
        self.send("POST /rpc", &more, request.to_string().as_bytes())
    }

    /// Says `hello`, as a host that can do all, and returns the id.
    pub(crate) fn hello(&self) -> String {
        let all = &["deny", "ask", "halt", "patch", "answer", "context"];
        let reply = self.call(None, "hello", &crate::support::hello(&["pre_tool_use"], all));
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.header("hookgate-caller").unwrap().to_owned()
    }

    /// Has decisions told: each is sent to the channel, as its data.
    pub(crate) fn events(&self, caller: &str) -> Receiver<String> {
        let (sender, told) = channel();
        self.tell(caller, move |data| sender.send(data).is_ok());
        told
    }

    fn tell(&self, caller: &str, tell: impl Fn(String) -> bool + Send + 'static) {
        let mut stream = self.connect();
        stream.set_read_timeout(None).unwrap();
        let Self { address, token } = self;
        write!(stream, "GET /events HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\nhookgate-caller: {caller}\r\nconnection: close\r\n\r\n").unwrap();
        let mut reader = BufReader::new(stream);
        let begun = head(&mut reader).unwrap();
        assert_eq!((begun.status, begun.header("content-type")), (200, Some("text/event-stream")));
        thread::spawn(move || {
            let lines = reader.lines().map_while(Result::ok);
            let mut data = lines.filter_map(|line| line.strip_prefix("data: ").map(str::to_owned));
            data.all(tell)
        });
    }

    /// A host that speaks as over a stream: each of its lines is a request of its own.
    pub(crate) fn host(&self) -> Host {
        let (lines, received) = channel();
        let caller = None;
        Host::new(
            Posting { http: self.clone(), caller, begun: Vec::new(), lines },
            Received { received, rest: Vec::new() },
        )
    }
}

/// Posts lines.
struct Posting {
    http: Http,
    caller: Option<String>,
    begun: Vec<u8>,
    lines: Sender<String>,
}

impl Write for Posting {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        while let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.begun.drain(..=end).collect();
            let request: Value = serde_json::from_slice(&line).unwrap();
            if request["method"] == "events" {
                let lines = self.lines.clone();
                self.http.tell(self.caller.as_deref().unwrap(), move |data| {
                    let params: Value = serde_json::from_str(&data).unwrap();
                    let line = json!({"jsonrpc": "2.0", "method": "event", "params": params});
                    lines.send(format!("{line}\n")).is_ok()
                });
                let line = json!({"jsonrpc": "2.0", "id": request["id"], "result": {}});
                self.lines.send(format!("{line}\n")).unwrap();
                continue;
            }
            let header = self.caller.iter().map(|id| format!("hookgate-caller: {id}"));
            let header: Vec<String> = header.collect();
            let more: Vec<&str> = header.iter().map(String::as_str).collect();
            let reply = self.http.send("POST /rpc", &more, &line);
            if let Some(id) = reply.header("hookgate-caller") {
                self.caller = Some(id.to_owned());
            }
            assert!(reply.body.ends_with('\n') && reply.body.lines().count() == 1, "{reply:?}");
            self.lines.send(reply.body).unwrap();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Reads what came.
struct Received {
    received: Receiver<String>,
    rest: Vec<u8>,
}

impl Read for Received {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.rest.is_empty() {
            let Ok(line) = self.received.recv() else { return Ok(0) };
            self.rest = line.into_bytes();
        }
        let length = into.len().min(self.rest.len());
        into[..length].copy_from_slice(&self.rest[..length]);
        self.rest.drain(..length);
        Ok(length)
    }
}
