//! `hookgate pack fetch`: gets the packs that configs extend from elsewhere.

use hookgate::config::{ConfigErrors, ConfigProblem, PackProblem, PackReference};
use miette::Severity;
use serde_json::json;

use crate::abort::Abort;
use crate::config::{ConfigArgs, Configs, registry};
use crate::exit_code::Exit;
use crate::packs::fetch;
use crate::terminal::stdout::{self, OutputArgs};
use crate::terminal::{diagnostics, stderr};

/// Get the packs that configs extend from a URL, and keep them
///
/// Each is compared with the hash in the config before it is kept, in hookgate/packs in the folder of what can be
/// made again (XDG_CACHE_HOME, or ~/.cache). After that nothing is sent to that URL any more. It is a GET without
/// credentials, over https; http only from this machine itself. No redirect is followed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// There is no config, one is not valid, or a pack cannot be fetched.
pub(super) async fn run(args: &Args) -> Result<Exit, Abort> {
    let configs = args.config.find()?;
    let missing = missing(&configs);
    let mut failed = 0_usize;
    for pack in &missing {
        match fetch(pack).await {
            Ok(file) if args.output.wants_json() => {
                stdout::json_line(
                    &json!({"pack": pack.place(), "hash": pack.hash(), "file": file}),
                )?;
            }
            Ok(_) => stdout::print(&format!("fetched {}\n", pack.place()))?,
            Err(error) => {
                failed += 1;
                stderr::error(
                    &format!("the pack `{}` was not fetched: {error}", pack.place()),
                    None,
                );
            }
        }
    }
    if failed > 0 {
        return Err(Abort::failure("what extends a missing pack is not in force"));
    }
    if missing.is_empty() && !args.output.wants_json() {
        stdout::print("every pack is there\n")?;
    }
    // What was fetched may have mistakes of its own.
    match configs.load(&registry()) {
        Ok(_) => Ok(Exit::Ok),
        Err(errors) => {
            diagnostics::print(errors.errors(), Severity::Error);
            Err(configs.invalid(&errors))
        }
    }
}

/// Returns the packs that are not there, each once.
fn missing(configs: &Configs) -> Vec<PackReference> {
    let errors = configs.load(&registry()).err();
    let errors = errors.as_ref().map(ConfigErrors::errors).unwrap_or_default();
    let mut missing: Vec<PackReference> = Vec::new();
    for error in errors {
        if let ConfigProblem::Pack(PackProblem::NotFetched(pack)) = error.problem()
            && !missing.contains(pack)
        {
            missing.push(pack.clone());
        }
    }
    missing
}
