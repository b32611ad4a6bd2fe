//! `hookgate judge`: how good a judge is, and whether it can be talked round.

mod eval;
mod measure;
mod redteam;

use clap::Subcommand;

use crate::abort::Abort;
use crate::exit_code::Exit;

/// Measure a judge, or any other hook that decides
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Eval(eval::Args),
    Redteam(redteam::Args),
}

/// Runs the verb.
///
/// # Errors
/// The config, the gold set or the recording cannot be used, or the run was interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    match args.verb {
        Verb::Eval(args) => eval::run(args).await,
        Verb::Redteam(args) => redteam::run(args).await,
    }
}
