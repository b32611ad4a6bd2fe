//! `hookgate builtins`: what a hook can do without a program.

use hookgate::builtin::{BUILTINS, BuiltinDoc, SettingDoc};
use serde_json::Map;

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::reference::{self, Page, Setting};
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
    let pages: Vec<Page> = BUILTINS.iter().map(page).collect();
    reference::print("builtin", &pages, args.name.as_deref(), args.output)?;
    Ok(Exit::Ok)
}

fn page(builtin: &BuiltinDoc) -> Page {
    Page {
        name: builtin.name.to_owned(),
        about: builtin.about.to_owned(),
        facts: Map::from_iter([("role".to_owned(), builtin.role.name().into())]),
        settings: builtin.settings.iter().map(setting).collect(),
        events: builtin.events(),
        example: builtin.example.to_owned(),
    }
}

fn setting(setting: &SettingDoc) -> Setting {
    Setting {
        name: setting.name.to_owned(),
        kind: setting.kind.words().replace('`', ""),
        required: setting.required,
        default: setting.default.map(str::to_owned),
        meaning: setting.meaning.replace('`', ""),
    }
}
