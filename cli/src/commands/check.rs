//! `hookgate check`: everything that is wrong with a config, at once.

mod ownership;
mod probes;
mod remarks;
mod syntax;
mod texts;
mod tool_list;
mod tool_names;
mod tools;

use std::collections::BTreeSet;
use std::path::PathBuf;

use hookgate::config::{ConfigError, Loaded};
use hookgate::table::Listed;
use hookgate::{FailureClass, HandlerTable, HookSpec, Mode, Posture};
use miette::Severity;
use serde_json::{Value, json};

use crate::abort::Abort;
use crate::config;
use crate::config::{ConfigArgs, Configs};
use crate::exit_code::Exit;
use crate::kinds::manifests;
use crate::postures::{possible, postures_json};
use crate::terminal::phrase::count;
use crate::terminal::sanitize::line;
use crate::terminal::stdout::OutputArgs;
use crate::terminal::style::GOOD;
use crate::terminal::table::{To, cell, dim};
use crate::terminal::{diagnostics, stdout, table};
use ownership::Exposed;
use probes::Probes;
pub(crate) use remarks::remarks;
use syntax::Unreadable;
pub(crate) use syntax::problem_by_name;
use texts::Texts;
use tool_names::Mistyped;
use tools::Tools;

/// Find everything that is wrong with a config
///
/// All mistakes are reported in one run, each with file, line and column; the exit code is then 3.
/// Kinds and events that only an embedder registers are warnings.
/// Scripts in Python, of shells and of Node are parsed by their interpreter, without being run.
///
/// With --tools it fails as well if a tool of a session is not known: what such a tool does cannot be
/// told, so conditions on effects (reads, writes, runs, connects and the like) cannot be told for it.
/// FILE has steps as JSON lines, names of tools one a line or in a JSON array, or the answer of an MCP
/// server to `tools/list`. For each tool that is not known it shows the `[[tool]]` to write.
///
/// With --live it also finds out whether the hooks can reach what they need, and exits with 1 if
/// not: each judge sends its models a small question that is always the same, and each command in
/// worker mode starts a worker. No step is evaluated, so a program in plain mode is not run and an
/// http service is not called: either would be a decision. Hooks that are off are left out.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate check -c hooks.toml
  hookgate check --live            can the models and workers be reached?
  hookgate check --live --json | jq '.live[] | select(.ok | not)'
  hookgate check --tools session.jsonl
  hookgate check --tools tools.json --mcp-server github
  hookgate check --failures        what each hook counts as when it fails")]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// Print what each hook counts as when it fails, by class of failure
    #[arg(long)]
    failures: bool,
    /// Probe what the hooks need, without evaluating a step: models get a small question, workers
    /// are started
    #[arg(long)]
    live: bool,
    /// Fail if a tool in this file is covered by no manifest, neither built in nor `[[tool]]`
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// The MCP server that the tools in the file belong to: `read` is `mcp__NAME__read` then
    #[arg(long, value_name = "NAME", requires = "tools")]
    mcp_server: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// The config is not valid, a probe failed, or the probes were interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let configs = match args.config.find() {
        Ok(configs) => configs,
        Err(none) => return Err(report_none(&args, none)?),
    };
    match configs.load(&config::registry()) {
        Ok(loaded) => {
            let files = configs.all_files(&loaded);
            let Loaded { table, warnings, .. } = loaded;
            diagnostics::print(&warnings, Severity::Warning);
            let exposed = ownership::exposed(&files, &table, &warnings);
            exposed.iter().for_each(Exposed::warn);
            let mut texts = Texts::default();
            let ask = &mut syntax::problem_of;
            let unreadable = syntax::unreadable(&mut texts, &table, ask);
            unreadable.iter().for_each(Unreadable::warn);
            let manifests = manifests(&table);
            let mistyped = tool_names::mistyped(&mut texts, &table, &manifests, &warnings);
            mistyped.iter().for_each(Mistyped::warn);
            let server = args.mcp_server.as_deref();
            let tools = args.tools.as_deref();
            let tools = tools.map(|file| Tools::read(file, server, &manifests)).transpose()?;
            tools.iter().for_each(Tools::report);
            let json = args.output.wants_json();
            if !json {
                let warned = warnings.len() + exposed.len() + unreadable.len() + mistyped.len();
                let mut text = summary(&configs, &table, warned, args.failures);
                text.extend(tools.as_ref().and_then(Tools::summary));
                stdout::print(&text)?;
            }
            let probes = if args.live { Some(Probes::run(&table).await?) } else { None };
            if json {
                let mut found = valid_json(&configs, &table, &warnings, args.failures);
                if let Some(Value::Array(all)) = found.get_mut("warnings") {
                    all.extend(exposed.iter().map(Exposed::to_json));
                    all.extend(unreadable.iter().map(Unreadable::to_json));
                    all.extend(mistyped.iter().map(Mistyped::to_json));
                }
                if let (Some(tools), Some(found)) = (&tools, found.as_object_mut()) {
                    found.insert("tools".to_owned(), tools.to_json());
                }
                if let (Some(probes), Some(found)) = (&probes, found.as_object_mut()) {
                    found.extend(probes.to_json());
                }
                stdout::json_line(&found)?;
            } else if let Some(probes) = &probes {
                stdout::print(&probes.to_text())?;
            }
            if let Some(error) = tools.as_ref().and_then(Tools::error) {
                return Err(error);
            }
            probes.map_or(Ok(Exit::Ok), |probes| probes.exit())
        }
        Err(errors) => {
            diagnostics::print(errors.errors(), Severity::Error);
            if args.output.wants_json() {
                stdout::json_line(&json!({
                    "config": configs.name().plain(),
                    "files": names_of_files(&configs),
                    "valid": false,
                    "errors": errors.errors().iter().map(config::mistake_json).collect::<Vec<_>>(),
                }))?;
            }
            Err(configs.invalid(&errors))
        }
    }
}

/// Reports that there is no config.
fn report_none(args: &Args, none: Abort) -> Result<Abort, Abort> {
    if args.output.wants_json() {
        stdout::json_line(&json!({
            "config": null,
            "files": [],
            "valid": false,
            "errors": [{
                "file": null, "line": null, "column": null, "message": config::NOT_FOUND, "help": null,
            }],
        }))?;
    }
    Ok(none)
}

fn names_of_files(configs: &Configs) -> Vec<String> {
    configs.files().map(|file| file.display().to_string()).collect()
}

fn events_of(table: &HandlerTable) -> BTreeSet<&str> {
    table.listing().map(|hook| hook.event).collect()
}

fn valid_json(
    configs: &Configs,
    table: &HandlerTable,
    warnings: &[ConfigError],
    failures: bool,
) -> Value {
    let mut found = json!({
        "config": configs.name().plain(),
        "files": names_of_files(configs),
        "valid": true,
        "hooks": table.len(),
        "events": events_of(table),
        "config_hash": table.config_hash(),
        "handlers": declared(table).map(handler_json).collect::<Vec<_>>(),
        "warnings": warnings.iter().map(config::mistake_json).collect::<Vec<_>>(),
    });
    if failures && let Some(found) = found.as_object_mut() {
        let rows = table.listing().map(|hook| {
            json!({
                "hook": hook.id(),
                "event": hook.event,
                "role": hook.role(),
                "mode": hook.mode(),
                "postures": postures_json(&hook),
            })
        });
        found.insert("failures".to_owned(), rows.collect());
    }
    found
}

/// Returns the hooks whose handlers have declared what they run, and how.
fn declared(table: &HandlerTable) -> impl Iterator<Item = &HookSpec> {
    table.specs().filter(|hook| !hook.files().is_empty() || !hook.notes().is_empty())
}

fn handler_json(hook: &HookSpec) -> Value {
    json!({
        "hook": hook.id(),
        "kind": hook.kind(),
        "files": hook.files().iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
        "notes": hook.notes(),
    })
}

/// Returns what each hook runs, by absolute path, and how; `None` if no hook runs a file.
fn runs_table(table: &HandlerTable) -> Option<comfy_table::Table> {
    let mut rows = table::new(To::Stdout, &["hook", "runs", "how"]);
    for hook in declared(table) {
        let files: Vec<_> = hook.files().iter().map(|file| file.display().to_string()).collect();
        rows.add_row([cell(hook.id()), cell(files.join("\n")), dim(hook.notes().join("\n"))]);
    }
    table::keep_whole(&mut rows, &[0]);
    (!rows.is_empty()).then_some(rows)
}

fn summary(configs: &Configs, table: &HandlerTable, warnings: usize, failures: bool) -> String {
    let mut text = format!(
        "{GOOD}ok{GOOD:#} {}: {} at {}, {}",
        line(configs.name().plain()),
        count(table.len(), "hook"),
        count(events_of(table).len(), "event"),
        table.config_hash(),
    );
    if warnings > 0 {
        text.push_str(&format!(", {}", count(warnings, "warning")));
    }
    text.push('\n');
    if let Some(runs) = runs_table(table) {
        text.push_str(&format!("{runs}\n"));
    }
    if failures {
        text.push_str(&format!("{}\n", failures_table(table)));
    }
    text
}

/// Returns what each hook counts as when it fails: the classes of failure, by posture.
fn failures_table(table: &HandlerTable) -> comfy_table::Table {
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
    let all = possible(hook);
    let matching: Vec<_> =
        all.iter().copied().filter(|&class| hook.posture(class) == posture).collect();
    if matching.len() == all.len() {
        return "all".to_owned();
    }
    // If it is nearly all, the rest is shorter.
    if matching.len() > all.len() / 2 {
        let others: Vec<_> = all.into_iter().filter(|class| !matching.contains(class)).collect();
        return format!("all but {}", names_of(&others));
    }
    names_of(&matching)
}

fn names_of(classes: &[FailureClass]) -> String {
    classes.iter().map(|class| class.name()).collect::<Vec<_>>().join(", ")
}
