//! A small agent loop that meets every state in which a step can come back.
//!
//! `cargo run --example agent_loop`
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unreachable,
    reason = "an example shows the calls, not the errors"
)]

use hookgate::contract::Invocation;
use hookgate::step::{Done, InputError};
use hookgate::table::TableBuilder;
use hookgate::{
    Asked, Engine, Event, Gate, HandlerTable, Hook, HookEngine, Role, StepContext, ToolUse, Verdict,
};
use serde_json::Value;

fn hook(id: &str, answer: fn(&str) -> Verdict) -> Hook {
    let guard = Hook::sync(id, move |invocation| {
        let command = invocation.tool().and_then(|call| call.tool_input["command"].as_str());
        Ok(answer(command.unwrap_or_default()))
    });
    guard.event(Event::PreToolUse)
}

fn hooks() -> Vec<Hook> {
    let withholds = |invocation: Invocation<'_>| {
        let result = invocation.payload().field("tool_response").map(|field| field.to_value());
        Ok(match result.as_ref().and_then(Value::as_str) {
            Some(text) if text.contains("PRIVATE KEY") => Verdict::deny("the result holds a key"),
            _ => Verdict::none(),
        })
    };
    vec![
        hook("no-force-push", |command| match command.contains("--force") {
            true => Verdict::deny("force push is not allowed here"),
            false => Verdict::none(),
        }),
        hook("publish-asks", |command| match command.starts_with("cargo publish") {
            true => Verdict::ask("publish for everybody?"),
            false => Verdict::none(),
        }),
        hook("panic-button", |command| match command == "rm -rf /" {
            true => Verdict::halt("nobody does that here"),
            false => Verdict::none(),
        }),
        hook("cache", |command| match command == "cat README.md" {
            true => Verdict::none().answer("# from the cache", false),
            false => Verdict::none(),
        })
        .role(Role::Rewrite),
        Hook::sync("no-keys", withholds).event(Event::PostToolUse),
    ]
}

fn table(hooks: Vec<Hook>) -> HandlerTable {
    let builder = hooks.into_iter().collect::<TableBuilder>();
    builder.build().expect("the hooks of the example are good")
}

/// The tools of this agent.
async fn execute(input: &Value) -> Result<String, String> {
    match input["command"].as_str() {
        Some("cat key.pem") => Ok("-----BEGIN PRIVATE KEY-----".into()),
        Some("false") => Err("exit status 1".into()),
        Some(command) => Ok(format!("output of `{command}`")),
        None => Err("there is no command".into()),
    }
}

/// What became of a tool call.
enum Turn {
    Said(String),
    WaitsForUser(Box<Asked<ToolUse>>),
    RunEnds(String),
}

/// One tool call: evaluated, run, and its result evaluated. Leaving out an arm does not compile.
async fn turn(engine: &impl HookEngine, gate: Gate<ToolUse>, context: &StepContext<'_>) -> Turn {
    let ran = match gate {
        Gate::Cleared(tool) => tool.run(async |input| execute(input).await).await,
        Gate::Answered(ran) => ran,
        Gate::Denied(denied) => return Turn::Said(denied.feedback()),
        Gate::Asked(asked) => return Turn::WaitsForUser(Box::new(asked)),
        Gate::Halted(halted) => return Turn::RunEnds(halted.to_string()),
    };
    let supplied = if ran.is_supplied() { " (supplied by a hook)" } else { "" };
    match engine.dispatch(ran, context).await {
        Gate::Cleared(done) => Turn::Said(message(done) + supplied),
        Gate::Denied(denied) => Turn::Said(denied.feedback()),
        Gate::Halted(halted) => Turn::RunEnds(halted.to_string()),
    }
}

fn message(done: ToolUse<Done>) -> String {
    let kind = if done.is_error() { "error: " } else { "" };
    format!("{kind}{}", done.into_message())
}

fn bash(command: &str) -> Result<ToolUse, InputError> {
    ToolUse::propose("Bash", &serde_json::json!({ "command": command }).to_string())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), InputError> {
    let engine = Engine::new(table(hooks()));
    let context = StepContext::new("session-1").turn(1).cwd("/srv/ledger");
    let commands = ["ls", "false", "git push --force", "cat README.md", "cat key.pem", "rm -rf /"];
    for command in commands {
        let gate = engine.dispatch(bash(command)?, &context).await;
        match turn(&engine, gate, &context).await {
            Turn::Said(text) => println!("{command}: {text}"),
            Turn::RunEnds(why) => println!("{command}: the run ends, {why}"),
            Turn::WaitsForUser(_) => println!("{command}: not expected to ask"),
        }
    }

    // The user agrees: the step is resumed where it stopped.
    let ask = async || -> Result<Asked<ToolUse>, InputError> {
        let gate = engine.dispatch(bash("cargo publish")?, &context).await;
        match turn(&engine, gate, &context).await {
            Turn::WaitsForUser(asked) => Ok(*asked),
            _ => unreachable!("the table asks about this"),
        }
    };
    let asked = ask().await?;
    println!("cargo publish: {}", asked.question());
    let gate = asked.approve(&engine, &context).await;
    if let Turn::Said(text) = turn(&engine, gate, &context).await {
        println!("approved: {text}");
    }

    // The user refuses.
    println!("refused: {}", ask().await?.refuse("not today").feedback());

    // The user agrees, but the table was swapped meanwhile: the new one evaluates the step.
    let asked = ask().await?;
    engine.swap(table(vec![hook("freeze", |_| Verdict::deny("nothing goes out this week"))]));
    let gate = asked.approve(&engine, &context).await;
    if let Turn::Said(text) = turn(&engine, gate, &context).await {
        println!("approved after a swap: {text}");
    }

    let end = hookgate::contract::payload::SessionEnd::new("done");
    let Gate::Cleared(()) = engine.dispatch(end, &context).await;
    Ok(())
}
