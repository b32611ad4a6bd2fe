//! Promise: the example does what its README says.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests may fail loudly"
)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use hookgate::config::Loader;
use hookgate::contract::payload::ToolCall;
use hookgate::{Engine, FailureClass, Outcome, Registry, Report, StepContext, ToolUse};
use hookgate_http::{HttpFactory, KIND};
use serde_json::json;

const SECRET: &str = "it-is-a-secret";

/// The service on some port; it ends when it is dropped.
struct Service {
    child: Child,
    address: String,
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Service {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_http-policy"))
            .arg("127.0.0.1:0")
            .env("POLICY_SECRET", SECRET)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Self { child, address }
    }
}

/// The hooks of the example, with another port and without its environment.
fn engine(address: &str, secret: &'static str) -> Engine {
    let http =
        HttpFactory::default().variables(|name| (name == "POLICY_SECRET").then(|| secret.into()));
    let registry = Registry::new();
    registry.register(KIND, move |settings, around| http.build(settings, around)).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = std::fs::read_to_string(folder.join("hooks.toml")).unwrap();
    assert_eq!(config.matches("127.0.0.1:8787").count(), 2);
    let config = config.replace("127.0.0.1:8787", address).replace("\"2s\"", "\"20s\"");
    let loaded = Loader::new(&registry).parse("hooks.toml", &config, folder);
    Engine::new(loaded.unwrap_or_else(|errors| panic!("{errors}")).table)
}

async fn evaluated(engine: &Engine, command: &str) -> Report {
    let call = ToolCall::new("Bash", json!({"command": command}));
    engine.dispatch_reported(ToolUse::from(call), &StepContext::new("example")).await.1
}

#[tokio::test]
async fn it_decides_what_its_rules_cover() {
    let service = Service::start();
    let hooks = engine(&service.address, SECRET);
    for (command, outcome) in [
        ("git push --force", Outcome::Deny),
        ("kubectl -n prod delete pod api", Outcome::Ask),
        ("ls", Outcome::Allow),
    ] {
        let report = evaluated(&hooks, command).await;
        assert_eq!(report.decision, outcome, "{report:?}");
        assert!(report.votes.iter().all(|vote| vote.failure.is_none()), "{report:?}");
    }

    // A sender that does not know the secret gets no answer.
    let report = evaluated(&engine(&service.address, "some-other-secret"), "ls").await;
    assert_eq!(report.decision, Outcome::Deny, "{report:?}");
    assert_eq!(report.votes.first().unwrap().failure, Some(FailureClass::Auth));

    // Without the service, the user decides.
    drop(service);
    let report = evaluated(&hooks, "ls").await;
    assert_eq!(report.decision, Outcome::Ask, "{report:?}");
    assert_eq!(report.votes.first().unwrap().failure, Some(FailureClass::Unreachable));
}
