//! A server beside the test, and a host that speaks to it.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Long enough for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The hooks of most tests.
pub(crate) const HOOKS: &str = r#"
[[hook]]
id = "no-force-push"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = "push.*--force" } }
builtin = { name = "deny", reason = "force push is not allowed here" }

[[hook]]
id = "confirm-publish"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = "publish" } }
builtin = { name = "ask", reason = "a published version stays" }

[[hook]]
id = "pnpm"
event = "pre_tool_use"
role = "rewrite"
tool = "Bash"
input = { "/command" = { equals = "npm install" } }
command = { shell = "echo '{\"patch\":{\"tool_input\":{\"command\":\"pnpm install\"}}}'" }

[[hook]]
id = "cached"
event = "pre_tool_use"
role = "rewrite"
tool = "Bash"
input = { "/command" = { equals = "date" } }
command = { shell = "echo '{\"answer\":{\"content\":\"today\",\"is_error\":false}}'" }

[[hook]]
id = "slow"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { equals = "slow" } }
timeout = "20s"
command = { shell = "touch slow-has-begun; sleep 1; echo '{\"decision\":\"deny\",\"reason\":\"at last\"}'" }

[[hook]]
id = "few"
event = "pre_tool_use"
tool = "Count"
builtin = { name = "limit", of = "calls", over = 2, then = "deny" }
"#;

/// A folder with hooks.toml that goes away with the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn with_hooks(text: &str) -> Self {
        let folder = Self(TempDir::new().unwrap());
        folder.write("hooks.toml", text);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        // As editors do it: whoever reads meanwhile reads one or the other.
        fs::write(self.path("next"), text).unwrap();
        fs::rename(self.path("next"), self.path(name)).unwrap();
    }

    /// The program, in this folder.
    pub(crate) fn hookgate(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookgate"));
        command.args(args).current_dir(self.0.path()).env_remove("HOOKGATE_LOG");
        // Neither the configs nor the sockets of whoever runs the tests count.
        command.env_remove("HOOKGATE_CONFIG").env("XDG_CONFIG_HOME", self.path("configs"));
        command.env("XDG_RUNTIME_DIR", self.path("run")).env("XDG_STATE_HOME", self.path("state"));
        command
    }
}

/// What goes to a server, and what comes from it.
pub(crate) type Streams = (ChildStdin, ChildStdout);

/// A server that is a child of the test.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) stderr: Receiver<String>,
}

impl Server {
    pub(crate) fn start(folder: &Folder, args: &[&str]) -> (Self, Streams) {
        let all: Vec<&str> = ["serve"].iter().chain(args).copied().collect();
        let mut command = folder.hookgate(&all);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, stderr) = channel();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let streams = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        (Self { child, stderr }, streams)
    }

    /// Waits for a line on stderr.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        loop {
            let line = self.stderr.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no `{text}`"));
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// Waits for its end, so long and no longer.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(began.elapsed() < PATIENCE, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A test that failed leaves nothing running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A host: it sends requests and gets answers, whichever way they go.
pub(crate) struct Host {
    pub(crate) out: Option<Box<dyn Write + Send>>,
    lines: Receiver<String>,
    /// Answers that came while another one was waited for.
    early: HashMap<String, Value>,
    pub(crate) told: Vec<Value>,
    number: u64,
    /// The connection: the thread that reads it would hold it open.
    stream: Option<UnixStream>,
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(stream) = &self.stream {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

impl Host {
    pub(crate) fn new(out: impl Write + Send + 'static, from: impl Read + Send + 'static) -> Self {
        let (sender, lines) = channel();
        let read = BufReader::new(from).lines();
        thread::spawn(move || read.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let (early, told) = (HashMap::new(), Vec::new());
        Self { out: Some(Box::new(out)), lines, early, told, number: 0, stream: None }
    }

    /// A server with these hooks as a child, and its host, which has said `hello`.
    pub(crate) fn spawn(folder: &Folder) -> (Server, Self) {
        let (server, mut host) = Self::spawn_silent(folder, &["--stdio", "-c", "hooks.toml"]);
        host.hello();
        (server, host)
    }

    pub(crate) fn spawn_silent(folder: &Folder, args: &[&str]) -> (Server, Self) {
        let (server, (stdin, stdout)) = Server::start(folder, args);
        let host = Self::new(stdin, stdout);
        (server, host)
    }

    pub(crate) fn connect(folder: &Folder, socket: &str) -> Self {
        let stream = UnixStream::connect(folder.path(socket)).unwrap();
        let mut host = Self::new(stream.try_clone().unwrap(), stream.try_clone().unwrap());
        host.stream = Some(stream);
        host
    }

    /// Says that it can do everything.
    pub(crate) fn hello(&mut self) -> Value {
        let events: Vec<&str> =
            hookgate::Event::NAMED.into_iter().map(hookgate::Event::name).collect();
        self.ok("hello", hello(&events, &["deny", "ask", "halt", "patch", "answer", "context"]))
    }

    pub(crate) fn send_text(&mut self, line: &str) {
        let out = self.out.as_mut().unwrap();
        out.write_all(line.as_bytes()).unwrap();
        out.write_all(b"\n").unwrap();
        out.flush().unwrap();
    }

    /// Sends a request, and returns its id.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        self.number += 1;
        let number = self.number;
        let request = json!({"jsonrpc": "2.0", "id": number, "method": method, "params": params});
        self.send_text(&request.to_string());
        number
    }

    /// Waits for a line; `None` at the end of the stream.
    pub(crate) fn line(&mut self) -> Option<Value> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(serde_json::from_str(&line).unwrap()),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the server has said nothing"),
        }
    }

    /// Waits for the answer of a request. What is told meanwhile is kept.
    pub(crate) fn answer(&mut self, number: u64) -> Option<Value> {
        let key = number.to_string();
        loop {
            if let Some(answer) = self.early.remove(&key) {
                return Some(answer);
            }
            let line = self.line()?;
            match line.get("method") {
                Some(_) => self.told.push(line["params"].clone()),
                None => _ = self.early.insert(line["id"].to_string(), line),
            }
        }
    }

    /// Calls a method, which must have a result.
    pub(crate) fn ok(&mut self, method: &str, params: Value) -> Value {
        let number = self.send(method, params);
        let answer = self.answer(number).unwrap();
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Calls a method, which must be refused. Returns the name of the error, and all of it.
    pub(crate) fn err(&mut self, method: &str, params: Value) -> (String, Value) {
        let number = self.send(method, params);
        let answer = self.answer(number).unwrap();
        assert!(answer.get("result").is_none(), "{method}: {answer}");
        (answer["error"]["data"]["name"].as_str().unwrap().to_owned(), answer["error"].clone())
    }

    /// Has a command judged.
    pub(crate) fn judge(&mut self, session: &str, command: &str) -> Value {
        self.ok("judge", judge(session, command))
    }
}

pub(crate) fn hello(events: &[&str], enforces: &[&str]) -> Value {
    json!({"protocol": 1, "client": {"name": "test", "version": "1"}, "events": events, "enforces": enforces})
}

pub(crate) fn bash(command: &str) -> Value {
    tool("Bash", json!({"command": command}))
}

pub(crate) fn tool(name: &str, input: Value) -> Value {
    json!({"hook_event_name": "pre_tool_use", "tool_name": name, "tool_input": input})
}

pub(crate) fn judge(session: &str, command: &str) -> Value {
    json!({"session": session, "step": bash(command)})
}

/// splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}
