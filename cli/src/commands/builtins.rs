//! `hookgate builtins`: what a hook can do without a program.

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::reference;
use crate::terminal::stdout::OutputArgs;

/// Show the builtins: what a hook can do without a program
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate builtins               all of them, with a line each
  hookgate builtins deny          one of them, with its settings and an example
  hookgate builtins --json | jq -r '.name'")]
pub struct Args {
    /// Only this builtin
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// There is no builtin of this name, or stdout takes no more.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    reference::print("builtin", reference::builtins(), args.name.as_deref(), args.output)?;
    Ok(Exit::Ok)
}
