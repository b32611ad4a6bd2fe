//! What the binary `hookgate` promises, through the binary.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers of tests may fail loudly"
)]

mod against;
mod analyze;
mod approvals;
mod bounds;
mod certify;
mod certify_running;
mod check;
mod check_formats;
mod config_verb;
mod corpus;
mod dead_patterns;
mod demo;
mod diff;
mod doctor;
mod doctor_models;
mod doctor_policy;
mod doctor_settings;
mod effects;
mod eval;
mod events;
mod explain;
mod field;
mod foreign_configs;
mod foreign_names;
mod guardrails;
mod guide;
mod hostile_text;
mod import;
mod init;
mod install;
mod interrupt;
mod journal;
mod judge;
mod judge_page;
mod judged_steps;
mod layers;
mod list;
mod mistakes;
mod mutate;
mod now;
mod numbers;
mod on_terminal;
mod overrides;
mod ownership;
use hookgate_test_support::corpus as recorded;
mod policies;
mod probes;
mod promote;
mod reference;
mod replay;
mod reports;
mod require;
mod rows;
mod run;
mod run_for_people;
mod runs;
mod safer_shell;
mod schema;
mod screens;
mod set_aside;
mod shadow_config;
mod snapshot;
mod stable;
mod support;
mod test_verb;
mod tools;
mod trace;
mod ui;
mod usage;
mod watch;
mod watch_edits;
mod watch_layers;
mod watch_model;
mod watching;
mod why;
mod why_turn;
