//! `hookgate config dump`: what all configs say together.

use hookgate::HandlerTable;
use serde_json::{Map, Value, json};

use crate::abort::Abort;
use crate::config::{ConfigArgs, registry};
use crate::exit_code::Exit;
use crate::terminal::stdout;
use crate::terminal::stdout::OutputArgs;

/// Print what all configs say together: limits, hooks in their order, requirements
///
/// It is the form of which the config hash is made, with the origin of each hook: every bound, mode and
/// priority is written out, also where it is the default, and a duration is in nanoseconds. On a terminal it
/// is TOML, otherwise JSON. It is for people and scripts that compare; it is no hooks.toml.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate config dump
  hookgate config dump --json | jq '.hooks[] | {id, mode, origin}'
  diff <(hookgate config dump -c old.toml) <(hookgate config dump -c new.toml)")]
pub(super) struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Result<Exit, Abort> {
    let table = args.config.load(&registry())?;
    let dumped = dump(&table);
    if args.output.wants_json() {
        stdout::json_line(&dumped)?;
    } else {
        let text = toml::to_string(&without_null(dumped))
            .map_err(|error| Abort::failure(format!("the config cannot be written: {error}")))?;
        stdout::print(&text)?;
    }
    Ok(Exit::Ok)
}

fn dump(table: &HandlerTable) -> Value {
    let mut form = table.canonical();
    if let Some(hooks) = form.get_mut("hooks").and_then(Value::as_array_mut) {
        // Both are in the order of declaration.
        for (hook, spec) in hooks.iter_mut().zip(table.specs()) {
            if let Some(hook) = hook.as_object_mut() {
                hook.insert("origin".to_owned(), json!(spec.origin()));
            }
        }
    }
    let mut dumped = json!({"config_hash": table.config_hash()});
    if let (Some(dumped), Value::Object(form)) = (dumped.as_object_mut(), form) {
        dumped.extend(form);
    }
    dumped
}

/// Leaves out what is not set: TOML has no word for it.
fn without_null(value: Value) -> Value {
    match value {
        Value::Object(entries) => {
            let set = entries.into_iter().filter(|(_, value)| !value.is_null());
            set.map(|(key, value)| (key, without_null(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => {
            items.into_iter().filter(|item| !item.is_null()).map(without_null).collect()
        }
        other => other,
    }
}
