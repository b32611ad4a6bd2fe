//! What hookgate says of folders, branches, exit statuses and pushes, compared with what real lines of bash and git
//! do.
//!
//! Random lines are made of `cd`, `git -C`, `switch`, groups, loops, pipes and so on; hookgate says what it thinks
//! of each of them, then bash runs it in a throw-away folder, and programs in it note where they ran. What was seen
//! must be among what was said, or hookgate must have said that it cannot tell; and it must not say that too often.
//!
//! `HOOKGATE_PLACES` says how many lines of each kind are tried (60 if nobody asks for more),
//! `HOOKGATE_PLACES_SEED` with which random numbers.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod folders;
mod known_lines;
mod policies;
mod pushes;
mod random;
mod scripts;
mod status;
mod world;

use hookgate_contract::payload::ToolCall;
use hookgate_contract::{
    BuiltCondition, Command, ConditionContext, Envelope, StepContext, StepId, Truth,
};
use hookgate_effects::conditions;
use serde_json::{Value, json};

/// How many lines are tried if nobody asks for more.
fn lines() -> usize {
    number("HOOKGATE_PLACES", 30)
}

fn seed() -> u64 {
    number("HOOKGATE_PLACES_SEED", 1) as u64
}

fn number(variable: &str, otherwise: usize) -> usize {
    let given = std::env::var(variable).ok();
    given.map_or(otherwise, |text| text.parse().expect("a number"))
}

/// A condition on effects, for a user with this home folder.
fn condition(key: &str, value: &Value, home: &str) -> BuiltCondition {
    let kinds = conditions::kinds_at_home(Some(home.into()));
    let kind = kinds.iter().find(|kind| kind.name() == key).unwrap();
    kind.build(value, &ConditionContext::new(home.as_ref())).unwrap()
}

/// Calls some code with the step of a line in a folder.
fn at<T>(line: &str, cwd: &str, ask: impl FnOnce(&Envelope<'_>) -> T) -> T {
    let call = ToolCall::new("Bash", json!({"command": line}));
    let context = StepContext::new("s").cwd(cwd);
    let id = StepId::new(Some("step"), String::new);
    ask(&Envelope::new(&call, &context, &id, 1, 1 << 20))
}

fn commands(condition: &BuiltCondition, line: &str, cwd: &str) -> Vec<Command> {
    at(line, cwd, |step| condition.condition().commands(step))
}

fn holds(condition: &BuiltCondition, line: &str, cwd: &str) -> Truth {
    at(line, cwd, |step| condition.condition().hold(step))
}
