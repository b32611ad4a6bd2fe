//! `hookgate judge`: how good a judge is, and whether it can be talked round.

mod attack;
mod case;
mod eval;
mod figures;
mod gates;
mod gold;
mod html;
mod label;
mod ledger;
mod lines;
mod printed;
mod redteam;
mod session;
mod statistics;
mod subject;
mod svg;
mod tape;

use clap::Subcommand;

use crate::abort::Abort;
use crate::exit_code::Exit;

/// Measure a judge, or any other hook that decides
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Eval(eval::Args),
    Redteam(redteam::Args),
}

pub(crate) async fn run(args: Args) -> Result<Exit, Abort> {
    match args.verb {
        Verb::Eval(args) => eval::run(args).await,
        Verb::Redteam(args) => redteam::run(args).await,
    }
}
