//! A question that outlives its process: it is parked in a file, the process is killed, and the next one goes on.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hookgate::approval::Parked;
use hookgate::{Engine, Gate, HandlerTable, HookEngine, ToolUse};
use serde_json::json;

use crate::policy::Policy;

/// The first argument of a process that asks a question and waits for ever.
pub(crate) const ASK: &str = "ask";

/// The session in which it asks.
const SESSION: &str = "restart";

/// The key that all processes of this runtime have. A real one keeps it as it keeps other secrets.
const KEY: [u8; 32] = [7; 32];

fn engine(project: &Path) -> Result<Arc<Engine>, Box<dyn Error>> {
    let policy = Policy::new(project.to_owned(), Vec::new());
    Ok(Arc::new(Engine::new(policy.load(&HandlerTable::empty())?).with_approval_key(KEY)))
}

/// The process that asks: it says so once the question is kept.
pub(crate) async fn ask(project: &Path) -> Result<(), Box<dyn Error>> {
    let engine = engine(project)?;
    let scope = engine.scope(SESSION).open()?;
    let publish = ToolUse::from_value("shell", json!({"command": "echo publish"}))?;
    let Gate::Asked(asked) = scope.dispatch(publish, &scope.context()).await else {
        return Err("nobody asks".into());
    };
    let parked = asked.park(&scope, &scope.context(), Duration::from_secs(3600))?;
    std::fs::write(project.join("question.json"), serde_json::to_vec(&parked)?)?;
    println!("kept");
    std::future::pending().await
}

/// Starts that process, kills it once its question is kept, and goes on where it was.
pub(crate) async fn go_on(project: &Path) -> Result<String, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let mut asks = Command::new(program).arg(ASK).arg(project).stdout(Stdio::piped()).spawn()?;
    let mut said = String::new();
    let out = asks.stdout.take().ok_or("it has no output")?;
    BufReader::new(out).read_line(&mut said)?;
    asks.kill()?;
    asks.wait()?;

    let (engine, kept) = (engine(project)?, std::fs::read(project.join("question.json"))?);
    let scope = engine.scope(SESSION).open()?;
    let parked = Parked::from_json(&kept)?;
    let question = parked.request().question.clone();
    let asked = scope.resume::<ToolUse>(parked)?;
    let gate = asked.approve(&scope, &scope.context()).await;
    Ok(format!("{} -> {}", question, gate.outcome().name()))
}
