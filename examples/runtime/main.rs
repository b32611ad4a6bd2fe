//! The whole day of a small but real agent runtime: sessions with hooks of their own, tools, questions to the user that
//! are answered, edited, or outlive their process, text that streams, Esc, a policy that is reloaded while sessions run,
//! an audit, and an orderly end. Only the model and the user are scripted.
//!
//! `cargo run --example runtime`
//!
//! | file | what it shows |
//! |---|---|
//! | `agent.rs` | a session: which event is dispatched when, and what each state means there |
//! | `approval.rs` | from a question of a hook to the answer of the user, who may change what he agrees to |
//! | `restart.rs` | a question that is answered after the process that asked was killed |
//! | `answer.rs` | an answer that is shown while it comes |
//! | `names.rs` | a hook of the host that judges it piece by piece |
//! | `tools.rs` | tools that run only what was cleared |
//! | `policy.rs` | hooks of a file beside hooks of the host, and a reload that loses neither |
//! | `cancellation.rs` | Esc, for hooks, tools and the session |
//! | `ended.rs` | why a session ends before its work is done |
//! | `audit.rs` | a line for every dispatch that did not simply clear its step |

mod agent;
mod answer;
mod approval;
mod audit;
mod cancellation;
mod ended;
mod names;
mod policy;
mod restart;
mod tools;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookgate::scope::{ScopeBuilder, ScopeError};
use hookgate::{Engine, Event, HandlerTable, Hook, Role, Verdict};
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

/// A hook of the host that nothing waits for.
fn slow_audit() -> Hook {
    let audit = Hook::async_fn("slow-audit", |_| {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(Verdict::none())
        })
    });
    audit.event(Event::SessionEnd).role(Role::Observe).background(true)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    if let [ask, project] = &std::env::args().skip(1).collect::<Vec<_>>()[..]
        && ask == restart::ASK
    {
        return restart::ask(Path::new(project)).await;
    }
    let project = tempfile::tempdir()?;
    let (notes, file) = (project.path().join("notes.txt"), project.path().join("hooks.toml"));
    std::fs::write(notes, "token: ghp_abcdefghijklmnopqrstuvwxyz0123456789")?;
    std::fs::write(&file, POLICY)?;

    let (started, audit) = (Arc::new(Notify::new()), Audit::default());
    let host = vec![slow_review(&started), slow_audit(), names::no_names()];
    let policy = Policy::new(project.path().to_owned(), host);
    let table = policy.load(&HandlerTable::empty())?;
    let engine = Arc::new(Engine::new(table).with_recorder(audit.clone()));
    let tools = Tools::new(project.path());
    let with_hooks = |id, user, esc: &Arc<Esc>, hooks: Vec<Hook>| -> Result<_, ScopeError> {
        let scope = engine.scope(id).cwd(tools.folder());
        let scope = hooks.into_iter().fold(scope, ScopeBuilder::hook).open()?;
        let (tools, esc) = (tools.clone(), Arc::clone(esc));
        Ok(Session { scope, tools, user, esc, screen: Vec::new() })
    };
    let session = |id, user, esc| with_hooks(id, user, esc, Vec::new());
    let no_esc = Arc::new(Esc::default());

    println!("== a user who says yes");
    let calls = [
        ("read_file", json!({"path": "notes.txt"})),
        ("shell", json!({"command": "git push --force"})),
        ("shell", json!({"command": "echo published > report.txt && cat report.txt"})),
        ("shell", json!({"command": "echo 'no such report' >&2; false"})),
    ];
    print(&session("yes", User::Agrees, &no_esc)?.run("Release it.", &calls).await);

    println!("== a user who says no");
    let publish = [("shell", json!({"command": "cargo publish"}))];
    print(&session("no", User::Refuses, &no_esc)?.run("Publish it.", &publish).await);

    println!("== a user who changes what he agrees to");
    let edits = User::Edits("echo would publish");
    print(&session("edit", edits, &no_esc)?.run("Publish it.", &publish).await);

    println!("== an answer after the process that asked was killed");
    println!("{}", restart::go_on(project.path()).await?);

    println!("== two sessions with hooks of their own");
    let deny = |id: &str, tool: &str| {
        let hook = Hook::sync(id, |_| Ok(Verdict::deny("not in this session")));
        hook.event(Event::PreToolUse).tool(tool)
    };
    let calls = [
        ("shell", json!({"command": "echo hello"})),
        ("read_file", json!({"path": "notes.txt"})),
        ("shell", json!({"command": "git push --force"})),
    ];
    for (id, tool) in [("reads", "shell"), ("works", "read_file")] {
        let session = with_hooks(id, User::Refuses, &no_esc, vec![deny("own", tool)])?;
        print(&session.run("Look around.", &calls).await);
    }

    println!("== an answer that is cut in the middle of a sentence");
    let scope = engine.scope("stream").open()?;
    for parts in [
        ["The token is ghp_abcdefghijkl", "mnopqrstuvwxyz0123456789", ", and all is well."],
        ["We ship on Friday, and the customer is Le", "dger Seven, who", " pays well."],
    ] {
        println!("[stream] {}", answer::show(&scope, &parts).await);
    }
    scope.end();

    println!("== a reload while two sessions run");
    // Each session waits in its first tool until the new policy is in force.
    let removal = [
        ("shell", json!({"command": "until [ -e go ]; do sleep 0.01; done; echo ready"})),
        ("shell", json!({"command": "rm report.txt"})),
    ];
    let (one, two, reloaded) = tokio::join!(
        session("one", User::Refuses, &no_esc)?.run("Tidy up.", &removal),
        session("two", User::Refuses, &no_esc)?.run("Tidy up.", &removal),
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

    println!("== Esc while a hook is at work, while a tool runs, while the user is asked");
    let esc = Arc::new(Esc::default());
    let review = [("review", json!({}))];
    let (screen, ()) =
        tokio::join!(session("esc-hook", User::Agrees, &esc)?.run("Review it.", &review), async {
            started.notified().await;
            esc.press();
        });
    print(&screen);
    let esc = Arc::new(Esc::default());
    let sleep = [("shell", json!({"command": "touch begun; sleep 60"}))];
    let (screen, ()) =
        tokio::join!(session("esc-tool", User::Agrees, &esc)?.run("Wait.", &sleep), async {
            while !project.path().join("begun").exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            esc.press();
        });
    print(&screen);
    let esc = Arc::new(Esc::default());
    print(&session("esc-ask", User::Leaves, &esc)?.run("Publish it.", &publish).await);

    println!("== the end, with work pending");
    let late = session("late", User::Agrees, &no_esc)?;
    let pending = engine.background().pending;
    let closed = engine.close(Duration::from_secs(5)).await;
    println!("{}, {}", if pending > 0 { "some was" } else { "none was" }, closed.is_clean());
    print(&late.run("One more thing.", &publish).await);

    println!("== the audit");
    audit.print();
    Ok(())
}

fn print(screen: &[String]) {
    for line in screen {
        println!("{line}");
    }
}
