//! `hookgate config`: which configs are in force, what they say together, and which of them says it.

mod dump;
mod explain;
mod sources;
mod written;

use clap::Subcommand;

use crate::abort::Abort;
use crate::exit_code::Exit;

/// Show which configs are in force, what they say together, and why
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Sources(sources::Args),
    Dump(dump::Args),
    Explain(explain::Args),
}

/// Runs the verb.
///
/// # Errors
/// A config is not valid, there is no such key, or stdout takes no more.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    match &args.verb {
        Verb::Sources(args) => sources::run(args),
        Verb::Dump(args) => dump::run(args),
        Verb::Explain(args) => explain::run(args),
    }
}
