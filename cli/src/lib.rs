//! The verbs of the command line `hookgate`, as a library: the binary reads the command line and
//! calls one of them.
//!
//! Each verb is a module of [`commands`] with its arguments ([`clap::Args`]) and a function `run`,
//! which returns how the process ends: an [`Exit`], or an [`Abort`] that says why the verb could not
//! do its work. Verbs that call hooks, or that build handlers, need a runtime: [`block_on`].
//!
//! ```
//! use clap::Parser;
//! use hookgate_cli::{Exit, commands::events};
//!
//! #[derive(Parser)]
//! struct Cli {
//!     #[command(flatten)]
//!     events: events::Args,
//! }
//!
//! // `hookgate events Stop --json`
//! let cli = Cli::parse_from(["hookgate", "Stop", "--json"]);
//! assert!(matches!(events::run(&cli.events), Ok(Exit::Ok)));
//! ```
//!
//! The other binary, `hookgate-call`, is [`client::main`].
//!
//! What the verbs share is private: the config that a verb works with, the steps that come in, the
//! terminal, and the watch over a config that changes. Whatever is quoted from steps, models or
//! configs is made fit for a terminal before it is printed.

mod abort;
mod agents;
mod ask;
mod bearer_token;
mod call_class;
mod canary;
mod certified;
pub mod client;
pub mod commands;
mod conditions;
mod config;
mod daemon;
mod escalate_section;
pub mod eval;
mod executable;
mod exit_code;
mod explained;
mod foreign;
mod formatter;
mod hook_standing;
mod html;
mod input;
#[cfg(unix)]
mod interrupt;
#[cfg(windows)]
#[path = "interrupt/console.rs"]
mod interrupt;
mod journal;
mod kinds;
mod overrides;
mod packs;
mod postures;
mod private_folder;
mod programs;
mod proving;
mod reference;
mod replace_file;
mod replay;
mod runs;
mod runtime;
mod seconds;
mod self_protection;
mod serve;
mod shell_word;
mod silenced;
mod sources;
mod state_folder;
mod steps_table;
mod terminal;
mod text_position;
mod trust;
mod trust_section;
mod unreached;
mod watch;

pub use abort::Abort;
pub use exit_code::Exit;
pub use runtime::block_on;
pub use terminal::log::start as start_log;
