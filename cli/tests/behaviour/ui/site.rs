//! The program with a journal, and requests to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use hookgate::{
    Engine, Event, HandlerTable, Hook, HookEngine as _, Role, StepContext, ToolUse, Verdict,
};
use hookgate_store::{EnvelopeMode, Journal, JournalSettings};
use serde_json::{Value, json};

use crate::support::Folder;

/// Hooks of each kind that the page shows.
const HOOKS: &str = r#"
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
id = "dry-run"
event = "pre_tool_use"
role = "rewrite"
tool = "Bash"
input = { "/command" = { equals = "make deploy" } }
command = { shell = "echo '{\"patch\":{\"tool_input\":{\"command\":\"make --dry-run deploy\"}}}'" }

[[hook]]
id = "no-network"
event = "pre_tool_use"
mode = "shadow"
tool = "Bash"
input = { "/command" = { regex = "curl" } }
builtin = { name = "deny", reason = "the network is off limits" }

[[hook]]
id = "licence-check"
event = "pre_tool_use"
tool = "Write"
on_failure = "allow"
command = { shell = "echo 'no licence file' >&2; exit 1" }
"#;

/// What a tool call says that wants to be more than text.
pub(super) const HOSTILE: &str = "echo '</td><script>window.hacked = 1</script>' \"><img src=x onerror=window.hacked=2> \
                                  javascript:window.hacked=3 \u{202e}txt.exe\u{2066} {{ 7*7 }}";

fn bash(session: &str, command: &str) -> Value {
    json!({"hook_event_name": "pre_tool_use", "session_id": session, "cwd": "/home/u/project",
        "tool_name": "Bash", "tool_input": {"command": command}})
}

/// The steps of two sessions.
fn steps() -> String {
    let write = json!({"hook_event_name": "pre_tool_use", "session_id": "docs", "cwd": "/home/u/project",
        "tool_name": "Write", "tool_input": {"file_path": "/home/u/project/src/lib.rs", "content": "//! A library.\n"}});
    let answer = |input: u64, output: u64| {
        json!({"hook_event_name": "post_llm_response", "session_id": "release", "assistant_text": "done", "tool_call_names": ["Bash"],
            "model": "small-model", "usage": {"input_tokens": input, "output_tokens": output}, "cost": 0.0021})
    };
    let steps = [
        bash("release", "cargo test --workspace"),
        bash("release", "git status --short"),
        answer(5120, 230),
        bash("release", "git push --force origin main"),
        bash("release", "curl -sS https://example.com/install.sh -o install.sh"),
        bash("release", "make deploy"),
        answer(6011, 412),
        bash("release", "cargo publish --dry-run"),
        write,
        bash("docs", "curl https://example.com/logo.svg -o docs/logo.svg"),
        bash("docs", HOSTILE),
        bash("docs", "git push --force-with-lease origin docs"),
    ];
    steps.iter().map(|step| format!("{step}\n")).collect()
}

/// Adds a step to a journal that keeps steps as they came, also what hooks rewrite.
fn record_whole(journal: &Path) {
    let mut settings = JournalSettings::new(journal);
    settings.envelope = EnvelopeMode::Full;
    let journal = Journal::open(settings.waiting()).unwrap();
    let hook = Hook::sync("safer-clean", |_| {
        Ok(Verdict::none().patch("tool_input", json!({"command": "rm -r build", "timeout": 60})))
    });
    let hook = hook.event(Event::PreToolUse).role(Role::Rewrite);
    let table = HandlerTable::builder().insert(hook).build().unwrap();
    let engine = Engine::new(table).with_recorder(journal.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let input = json!({"command": "rm -rf build", "timeout": 60});
        let step = ToolUse::from_value("Bash", input).unwrap();
        drop(engine.dispatch(step, &StepContext::new("clean").turn(1)).await);
    });
    journal.flush(Duration::from_secs(10)).unwrap();
}

/// A folder with hooks, a session, and the journal of that.
pub(super) fn recorded() -> Folder {
    let folder = Folder::with_hooks(HOOKS);
    folder.write("session.jsonl", steps());
    let run =
        folder.run(&["run", "-c", "hooks.toml", "--journal", "journal.db", "session.jsonl"], "");
    assert_eq!(run.code(), 0, "{}", run.err());
    record_whole(&folder.path("journal.db"));
    folder
}

/// The page, as long as this lives.
pub(super) struct Site {
    child: Child,
    pub(super) port: u16,
    pub(super) token: String,
}

/// An answer.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Site {
    pub(super) fn start(folder: &Folder) -> Self {
        let mut command = folder.hookgate(&["ui", "-c", "hooks.toml", "--journal", "journal.db"]);
        let mut child = command.env("USER", "ada").stdout(Stdio::piped()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let rest = url.trim().strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("{url}"));
        let (port, token) = rest.split_once("/#").unwrap();
        Self { child, port: port.parse().unwrap(), token: token.to_owned() }
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/#{}", self.port, self.token)
    }

    /// Sends a request with these headers, and no other ones.
    pub(super) fn send(&self, request: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut text = format!("{request} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            text += &format!("Content-Length: {}\r\n", body.len());
        }
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{reply}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        // A slash is escaped as well, which says nothing here.
        Reply { status, head: head.to_lowercase(), body: body.replace("&#x2f;", "/") }
    }

    /// Asks as the page does.
    pub(super) fn get(&self, path: &str) -> Reply {
        let (host, token) = (self.host(), format!("Bearer {}", self.token));
        self.send(&format!("GET {path}"), &[("Host", &host), ("Authorization", &token)], "")
    }

    /// Answers a question as the page does.
    pub(super) fn post(&self, path: &str, body: &Value) -> Reply {
        let (host, token) = (self.host(), format!("Bearer {}", self.token));
        let origin = format!("http://{host}");
        let headers = [
            ("Host", host.as_str()),
            ("Authorization", &token),
            ("Origin", &origin),
            ("Content-Type", "application/json"),
        ];
        self.send(&format!("POST {path}"), &headers, &body.to_string())
    }

    pub(super) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Asks the program to end, as a terminal does, and returns whether it ended well.
    pub(super) fn interrupt(mut self) -> bool {
        let pid = self.child.id().to_string();
        assert!(
            std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success()
        );
        self.child.wait().unwrap().success()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
