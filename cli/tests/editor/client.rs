//! An editor, as far as the language server sees it.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Folder;

/// Nothing takes this long, whatever else the machine does.
const LONGEST: Duration = Duration::from_secs(60);

/// A running server, and what it has said.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    incoming: Receiver<Value>,
    /// What came while something else was waited for.
    earlier: VecDeque<Value>,
    requests: u64,
}

impl Client {
    /// Starts a server in a folder, and says nothing.
    pub(crate) fn start(folder: &Folder) -> Self {
        let mut command = folder.hookgate(&["lsp", "--stdio"]);
        command.env_remove("NOPE").env_remove("OPENAI_API_KEY");
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a server");
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, incoming) = channel();
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let mut header = String::new();
                if stdout.read_line(&mut header).unwrap() == 0 {
                    return;
                }
                let length = header.strip_prefix("Content-Length: ").unwrap().trim();
                let mut body = vec![0; length.parse::<usize>().unwrap() + 2];
                stdout.read_exact(&mut body).unwrap();
                assert_eq!(&body[..2], b"\r\n");
                if sender.send(serde_json::from_slice(&body[2..]).unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { child, stdin, incoming, earlier: VecDeque::new(), requests: 0 }
    }

    /// Starts a server and greets it. The encodings are those that the editor offers.
    pub(crate) fn greet(folder: &Folder, encodings: &[&str]) -> Self {
        let mut client = Self::start(folder);
        let general = match encodings {
            [] => json!({}),
            offered => json!({"positionEncodings": offered}),
        };
        let params =
            json!({"processId": null, "rootUri": null, "capabilities": {"general": general}});
        let answer = client.request("initialize", &params);
        let chosen = &answer["result"]["capabilities"]["positionEncoding"];
        assert_eq!(*chosen, *encodings.first().unwrap_or(&"utf-16"), "{answer}");
        client.notify("initialized", &json!({}));
        client
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    pub(crate) fn send_text(&mut self, text: &str) {
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.send_text(&message.to_string());
    }

    /// Sends a request, and returns the answer.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send_text(&message.to_string());
        self.wait(|message| message["id"] == id)
    }

    /// Returns the next message that is wanted; the others are kept.
    pub(crate) fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.earlier.iter().position(&wanted) {
            return self.earlier.remove(at).unwrap();
        }
        loop {
            let message = self.incoming.recv_timeout(LONGEST).expect("a message");
            if wanted(&message) {
                return message;
            }
            self.earlier.push_back(message);
        }
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "toml", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
    }

    pub(crate) fn change(&mut self, uri: &str, version: u64, text: &str) {
        let document = json!({"uri": uri, "version": version});
        let changes = json!([{"text": text}]);
        let params = json!({"textDocument": document, "contentChanges": changes});
        self.notify("textDocument/didChange", &params);
    }

    /// Returns the next diagnostics of a version of a file.
    pub(crate) fn diagnostics(&mut self, version: u64) -> Vec<Value> {
        let message = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["version"] == version
        });
        message["params"]["diagnostics"].as_array().unwrap().clone()
    }

    /// Returns how the server ends once it is told to, or once stdin is closed.
    pub(crate) fn end(mut self) -> i32 {
        drop(self.stdin.take());
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that fails leaves no server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The URI of a file in a folder.
pub(crate) fn uri(folder: &Folder, name: &str) -> String {
    format!("file://{}", folder.path(name).display())
}
