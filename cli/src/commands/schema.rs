//! `hookgate schema`: the JSON Schemas of what comes in and goes out.

use clap::ValueEnum;

use crate::abort::Abort;
use crate::config::registry;
use crate::exit_code::Exit;
use crate::terminal::stdout;

/// Print the JSON Schema of a format
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate schema config > hooks.schema.json     for an editor that checks hooks.toml
  hookgate schema verdict                        what a hook may reply")]
pub struct Args {
    /// Which format
    #[arg(value_enum)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A step, as `run` and `eval` read it and as external hooks get it
    Envelope,
    /// What a hook replies
    Verdict,
    /// hooks.toml
    Config,
    /// A decision record, as `run` and `eval` print it
    Decision,
    /// The protocol of `serve`
    Serve,
    /// The protocol of `serve` as an OpenRPC document
    Openrpc,
    /// The routes of `serve --http` as an OpenAPI document
    Openapi,
}

/// Runs the verb.
///
/// # Errors
/// Stdout takes no more.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    let schema = match args.format {
        Format::Envelope => hookgate::schema::envelope(),
        Format::Verdict => hookgate::schema::verdict(),
        Format::Config => hookgate::schema::config_with(&registry()),
        Format::Decision => hookgate::schema::decision(),
        Format::Serve => crate::serve::schema(),
        Format::Openrpc => crate::serve::openrpc(),
        Format::Openapi => crate::serve::openapi(),
    };
    stdout::print(&format!("{schema:#}\n"))?;
    Ok(Exit::Ok)
}
