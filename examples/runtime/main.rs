//! A small but real agent runtime: sessions, tools, questions to the user, cancellation, an audit, and a
//! policy that is reloaded while sessions run. Only the model and the user are scripted.
//!
//! `cargo run --example runtime`
//!
//! | file | what it shows |
//! |---|---|
//! | `agent.rs` | a session: which event is dispatched when, and what each state means there |
//! | `approval.rs` | from a question of a hook to the answer of the user |
//! | `tools.rs` | tools that run only what was cleared |
//! | `policy.rs` | hooks of a file beside hooks of the host, and a reload that loses neither |
//! | `cancellation.rs` | Esc, for hooks, tools and the session |
//! | `ended.rs` | why a session ends before its work is done |
//! | `audit.rs` | a line for every dispatch that did not simply clear its step |

mod agent;
mod approval;
mod audit;
mod cancellation;
mod ended;
mod policy;
mod tools;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use hookgate::{Engine, Event, HandlerTable, Hook, Verdict};
use serde_json::json;
use tokio::sync::Notify;

use crate::agent::Session;
use crate::approval::User;
use crate::audit::Audit;
use crate::cancellation::Esc;
use crate::policy::{POLICY, Policy};
use crate::tools::Tools;

/// A hook of the host that takes its time over reviews.
fn slow_review(started: &Arc<Notify>) -> Hook {
    let started = Arc::clone(started);
    let review = Hook::async_fn("slow-review", move |_| {
        started.notify_one();
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok(Verdict::none())
        })
    });
    review.event(Event::PreToolUse).tool("review").timeout(Duration::from_secs(120))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let project = tempfile::tempdir()?;
    let (notes, file) = (project.path().join("notes.txt"), project.path().join("hooks.toml"));
    std::fs::write(notes, "token: ghp_abcdefghijklmnopqrstuvwxyz0123456789")?;
    std::fs::write(&file, POLICY)?;

    let (started, audit) = (Arc::new(Notify::new()), Audit::default());
    let policy = Policy::new(project.path().to_owned(), vec![slow_review(&started)]);
    let table = policy.load(&HandlerTable::empty())?;
    let engine = Arc::new(Engine::new(table).with_recorder(audit.clone()));
    let session = |id, user, esc: &Arc<Esc>| Session {
        id,
        engine: Arc::clone(&engine),
        tools: Tools::new(project.path()),
        user,
        esc: Arc::clone(esc),
        screen: Vec::new(),
    };
    let no_esc = Arc::new(Esc::default());

    println!("== a user who says yes");
    let calls = [
        ("read_file", json!({"path": "notes.txt"})),
        ("shell", json!({"command": "git push --force"})),
        ("shell", json!({"command": "echo published > report.txt && cat report.txt"})),
        ("shell", json!({"command": "echo 'no such report' >&2; false"})),
    ];
    print(&session("yes", User::Agrees, &no_esc).run("Release it.", &calls).await);

    println!("== a user who says no");
    let publish = [("shell", json!({"command": "cargo publish"}))];
    print(&session("no", User::Refuses, &no_esc).run("Publish it.", &publish).await);

    println!("== a reload while two sessions run");
    // Each session waits in its first tool until the new policy is in force.
    let removal = [
        ("shell", json!({"command": "until [ -e go ]; do sleep 0.01; done; echo ready"})),
        ("shell", json!({"command": "rm report.txt"})),
    ];
    let (one, two, reloaded) = tokio::join!(
        session("one", User::Refuses, &no_esc).run("Tidy up.", &removal),
        session("two", User::Refuses, &no_esc).run("Tidy up.", &removal),
        async {
            std::fs::write(&file, POLICY.replace("\"publish\"", "\"publish|^rm\""))?;
            let reloaded = policy.reload(&engine);
            std::fs::write(project.path().join("go"), "")?;
            reloaded
        }
    );
    println!("in force: {}", reloaded?);
    print(&one);
    print(&two);

    println!("== an edit with a mistake changes nothing");
    std::fs::write(&file, POLICY.replace("regex = \"publish\"", "regexp = \"publish\""))?;
    match policy.reload(&engine) {
        Ok(report) => println!("in force: {report}"),
        Err(errors) => println!("generation {} stays: {errors}", engine.table().generation()),
    }

    println!("== Esc while a hook is at work");
    let esc = Arc::new(Esc::default());
    let review = [("review", json!({}))];
    let (screen, ()) =
        tokio::join!(session("esc", User::Agrees, &esc).run("Review it.", &review), async {
            started.notified().await;
            esc.press();
        });
    print(&screen);

    println!("== the audit");
    audit.print();
    println!("{} background calls are left", engine.shutdown(Duration::from_secs(1)).await.pending);
    Ok(())
}

fn print(screen: &[String]) {
    for line in screen {
        println!("{line}");
    }
}
