//! `hookgate conditions`: on what a hook can depend.

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::reference;
use crate::terminal::stdout::OutputArgs;

/// Show the conditions that a hook can have
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate conditions               all of them, with a line each
  hookgate conditions input         one of them, with its settings and an example
  hookgate conditions --json | jq -r .name")]
pub struct Args {
    /// Only this condition
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// There is no condition of this name, or stdout takes no more.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    reference::print("condition", reference::conditions(), args.name.as_deref(), args.output)?;
    Ok(Exit::Ok)
}
