//! `hookgate check`: everything that is wrong with a config, at once.

mod live;
mod ownership;

use std::collections::BTreeSet;
use std::path::Path;

use hookgate::config::{ConfigError, Loaded};
use hookgate::table::Listed;
use hookgate::{FailureClass, HandlerTable, HookSpec, Mode, Posture};
use miette::Severity;
use serde_json::{Map, Value, json};

use crate::abort::Abort;
use crate::colour::GOOD;
use crate::config::{self, ConfigArgs};
use crate::diagnostics;
use crate::exit_code::Exit;
use crate::output::{self, OutputArgs};
use crate::table::{self, To, cell, dim};
use crate::text::{count, line};
use live::Live;
use ownership::Exposed;

/// Find everything that is wrong with a config
///
/// All mistakes are reported in one run, each with file, line and column, and the exit code is 3.
/// Kinds and events that only an embedder registers are warnings.
///
/// With --live it also finds out whether what the hooks need is there, and exits with 1 if not: each
/// judge asks its models a small question that is always the same, and each command in worker mode
/// starts a worker. No step is judged, so a program in plain mode is not run and no http service is
/// asked: either would be a judgement. Hooks that are off are left alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate check -c hooks.toml
  hookgate check --live            are the models and workers there?
  hookgate check --live --json | jq '.live[] | select(.ok | not)'
  hookgate check --failures        what each hook counts as when it fails")]
pub(crate) struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// Print what each hook counts as when it fails, by class of failure
    #[arg(long)]
    failures: bool,
    /// Try out what the hooks need, without judging a step: models are asked a small question,
    /// workers are started
    #[arg(long)]
    live: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) async fn run(args: Args) -> Result<Exit, Abort> {
    let path = &args.config.path;
    match config::load(path, &config::registry()) {
        Ok(Loaded { table, warnings, .. }) => {
            diagnostics::print(&warnings, Severity::Warning);
            let exposed = ownership::exposed(path, &table, &warnings);
            exposed.iter().for_each(Exposed::tell);
            let json = args.output.wants_json();
            if !json {
                let number = warnings.len() + exposed.len();
                output::text(&well(path, &table, number, args.failures))?;
            }
            let live = if args.live { Some(Live::check(&table).await?) } else { None };
            if json {
                let mut found = valid(path, &table, &warnings, args.failures);
                if let Some(Value::Array(all)) = found.get_mut("warnings") {
                    all.extend(exposed.iter().map(Exposed::json));
                }
                if let (Some(live), Some(found)) = (&live, found.as_object_mut()) {
                    found.extend(live.json());
                }
                output::json_line(&found)?;
            } else if let Some(live) = &live {
                output::text(&live.text())?;
            }
            live.map_or(Ok(Exit::Ok), |live| live.exit())
        }
        Err(errors) => {
            diagnostics::print(errors.errors(), Severity::Error);
            if args.output.wants_json() {
                output::json_line(&json!({
                    "config": path.display().to_string(),
                    "valid": false,
                    "errors": errors.errors().iter().map(mistake).collect::<Vec<_>>(),
                }))?;
            }
            Err(config::invalid(path, &errors))
        }
    }
}

fn mistake(error: &ConfigError) -> Value {
    json!({
        "file": error.file(),
        "line": error.line(),
        "column": error.column(),
        "message": error.message(),
        "help": error.help(),
    })
}

fn events(table: &HandlerTable) -> BTreeSet<&str> {
    table.listing().map(|hook| hook.event).collect()
}

fn valid(path: &Path, table: &HandlerTable, warnings: &[ConfigError], failures: bool) -> Value {
    let mut found = json!({
        "config": path.display().to_string(),
        "valid": true,
        "hooks": table.len(),
        "events": events(table),
        "config_hash": table.config_hash(),
        "handlers": handlers(table).map(handler).collect::<Vec<_>>(),
        "warnings": warnings.iter().map(mistake).collect::<Vec<_>>(),
    });
    if failures && let Some(found) = found.as_object_mut() {
        let rows = table.listing().map(|hook| {
            let postures: Map<String, Value> = FailureClass::ALL
                .into_iter()
                .map(|class| (class.name().to_owned(), hook.posture(class).name().into()))
                .collect();
            json!({
                "hook": hook.id(),
                "event": hook.event,
                "role": hook.role(),
                "mode": hook.mode(),
                "postures": postures,
            })
        });
        found.insert("failures".to_owned(), rows.collect());
    }
    found
}

/// The hooks whose handlers have told what they run, and how.
fn handlers(table: &HandlerTable) -> impl Iterator<Item = &HookSpec> {
    table.specs().filter(|hook| !hook.files().is_empty() || !hook.notes().is_empty())
}

fn handler(hook: &HookSpec) -> Value {
    json!({
        "hook": hook.id(),
        "kind": hook.kind(),
        "files": hook.files().iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
        "notes": hook.notes(),
    })
}

/// What each hook runs, by absolute path, and how.
fn runs(table: &HandlerTable) -> Option<comfy_table::Table> {
    let mut rows = table::new(To::Stdout, &["hook", "runs", "how"]);
    for hook in handlers(table) {
        let files: Vec<_> = hook.files().iter().map(|file| file.display().to_string()).collect();
        rows.add_row([cell(hook.id()), cell(files.join("\n")), dim(hook.notes().join("\n"))]);
    }
    table::keep_whole(&mut rows, &[0]);
    (!rows.is_empty()).then_some(rows)
}

fn well(path: &Path, table: &HandlerTable, warnings: usize, failures: bool) -> String {
    let mut text = format!(
        "{GOOD}ok{GOOD:#} {}: {} at {}, {}",
        line(&path.display().to_string()),
        count(table.len(), "hook"),
        count(events(table).len(), "event"),
        table.config_hash(),
    );
    if warnings > 0 {
        text.push_str(&format!(", {}", count(warnings, "warning")));
    }
    text.push('\n');
    if let Some(runs) = runs(table) {
        text.push_str(&format!("{runs}\n"));
    }
    if failures {
        text.push_str(&format!("{}\n", matrix(table)));
    }
    text
}

/// What each hook counts as when it fails: the classes, by posture.
fn matrix(table: &HandlerTable) -> comfy_table::Table {
    let mut rows = table::new(To::Stdout, &["event", "hook", "role", "deny", "ask", "allow"]);
    for hook in table.listing() {
        let mut row = vec![dim(hook.event), cell(hook.id()), dim(hook.role().name())];
        // A hook that does not count decides nothing, however it fails.
        if matches!(hook.mode(), Mode::Warn | Mode::Shadow) {
            row.extend([dim(""), dim(""), dim(format!("all ({})", hook.mode().name()))]);
        } else {
            row.extend(Posture::ALL.map(|posture| classes(&hook, posture).into()));
        }
        rows.add_row(row);
    }
    table::keep_whole(&mut rows, &[0, 1, 2]);
    rows
}

fn classes(hook: &Listed<'_>, posture: Posture) -> String {
    let these: Vec<_> =
        FailureClass::ALL.into_iter().filter(|&class| hook.posture(class) == posture).collect();
    if these.len() == FailureClass::COUNT {
        return "all".to_owned();
    }
    // The rest is shorter to say where it is nearly all.
    if these.len() > FailureClass::COUNT / 2 {
        let others: Vec<_> =
            FailureClass::ALL.into_iter().filter(|class| !these.contains(class)).collect();
        return format!("all but {}", names(&others));
    }
    names(&these)
}

fn names(classes: &[FailureClass]) -> String {
    classes.iter().map(|class| class.name()).collect::<Vec<_>>().join(", ")
}
