//! What the tests of the workspace share: hooks made of closures, sample envelopes, servers that
//! misbehave on request, recorded sessions, and naive models to compare the engine with.

pub mod agent_rules;
pub mod built;
pub mod corpus;
pub mod envelopes;
pub mod force_guard;
mod hooks;
pub mod http_service;
pub mod kills;
pub mod listeners;
pub mod model_server;
pub mod naive_glob;
pub mod naive_json;
pub mod naive_values;
pub mod needs;
pub mod same_actions;
pub mod unused_port;

pub use hooks::{Log, bash, call, command, context, engine, registry, sync, waiting};

/// How many cases a test tries: `all` where `HOOKGATE_ALL_CASES` is set, as `.ci/full` does, and `some` otherwise.
pub fn cases(some: u32, all: u32) -> u32 {
    if std::env::var_os("HOOKGATE_ALL_CASES").is_some() { all } else { some }
}
