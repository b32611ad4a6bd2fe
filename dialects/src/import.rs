//! Hook configs of other agents, written as hooks.toml.

mod agent;
mod document;
mod matcher;
mod names;
mod node;
mod report;
mod script;
mod source;
mod write;
