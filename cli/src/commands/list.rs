//! `hookgate list`: the hooks in the order in which they are called.

mod filter;
mod json;
mod row;
mod screen;

use hookgate::HandlerTable;
use serde_json::Value;

use crate::abort::Abort;
use crate::config::{self, ConfigArgs, Configs};
use crate::exit_code::Exit;
use crate::hook_standing::Standing;
use crate::terminal::stdout;
use crate::terminal::stdout::OutputArgs;
use filter::{Filter, FilterArgs};
use row::rows;

/// Show the hooks of each event, in the order in which they are called
///
/// Each with its role, how long one call of it may take, what its failures count as, and where it is written;
/// below it stands what it is called for. Columns that say the same of every hook are left out: the priority, the
/// layer, and the trust in hooks of a project that `hookgate hook` calls only after `hookgate trust`.
///
/// A hook with a mistake is listed as well, with the mistake: it is set aside, and the steps that it is about get
/// its posture. The exit code is 3 then.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate list -c hooks.toml
  hookgate list --event pre_tool_use --tool Bash    which hooks can be called about a command?
  hookgate list --json | jq -r 'select(.mode == \"shadow\") | .id'")]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// The config is not valid, or there is no event of a name that was given.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    let (configs, loaded) = args.config.load_in_part(&config::registry())?;
    let filter = args.filter.resolve()?;
    let standing = Standing::of(&configs);
    let rows = rows(&loaded.table, &standing, &filter);
    if args.output.wants_json() {
        for line in rows.iter().flat_map(json::lines) {
            stdout::json_line(&line)?;
        }
    } else if rows.is_empty() {
        stdout::print(&format!("{}\n", filter.nothing()))?;
    } else {
        stdout::print(&screen::text(&rows))?;
    }
    Ok(if loaded.set_aside.is_empty() { Exit::Ok } else { Exit::InvalidConfig })
}

/// Returns all hooks as `--json` prints them.
pub(super) fn hooks(configs: &Configs, table: &HandlerTable) -> Vec<Value> {
    let (standing, all) = (Standing::of(configs), Filter::default());
    rows(table, &standing, &all).iter().flat_map(json::lines).collect()
}
