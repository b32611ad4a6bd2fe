//! `hookgate config explain`: which file says it, and what it overrules.

mod fact;
mod hook;
mod limits;

use super::written;
use crate::abort::Abort;
use crate::config::{ConfigArgs, registry};
use crate::exit_code::Exit;
use crate::terminal::stdout;
use crate::terminal::stdout::OutputArgs;
use fact::Fact;

/// Show where a value comes from, and what was overruled
///
/// KEY is the id of a hook, one of its settings, or a limit. Each value comes with file, line, column and
/// layer; one that no file sets is a default. What another layer wants and does not get follows, with the
/// reason.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate config explain no-force-push             all settings of a hook
  hookgate config explain no-force-push.mode        one of them
  hookgate config explain limits.timeout            deadlines by kind of handler
  hookgate config explain no-force-push --json | jq 'select(.overruled != [])'")]
pub(super) struct Args {
    /// The id of a hook, ID.SETTING, `limits`, or limits.NAME
    #[arg(value_name = "KEY")]
    key: String,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Result<Exit, Abort> {
    let configs = args.config.find()?;
    let table = configs.load_quietly(&registry())?;
    let files = written::read_all(&configs).map_err(|errors| configs.invalid(&errors))?;
    let facts = match hook::find(&table, &args.key) {
        Some((spec, setting)) => hook::facts(&table, &files, spec, setting)?,
        None => limits::facts(&table, &files, &args.key)?,
    };
    if args.output.wants_json() {
        for fact in &facts {
            stdout::json_line(fact)?;
        }
    } else {
        stdout::print(&facts.iter().map(Fact::to_text).collect::<String>())?;
    }
    Ok(Exit::Ok)
}
