//! `hookgate check`: everything that is wrong with a config, at once.

mod against;
mod analyzed;
pub(super) mod doubts;
mod entry;
mod format;
mod github;
mod lost_context;
#[cfg(test)]
mod mutants;
mod never_called;
mod ownership;
mod place;
mod probes;
mod remarks;
mod sarif;
mod summary;
mod syntax;
pub(super) mod texts;
mod tool_list;
mod tool_names;
mod tools;
mod uncertified;
mod undelivered;
mod unmeasured;

use std::path::PathBuf;
use std::time::Duration;

use hookgate::config::{ConfigError, ConfigErrors, ConfigProblem, Loaded};
use miette::Severity;
use serde_json::{Value, json};

use crate::abort::Abort;
use crate::agents::dialect_of;
use crate::config::{self, ConfigArgs, Configs};
use crate::exit_code::Exit;
use crate::kinds::manifests;
use crate::terminal::phrase::count;
use crate::terminal::{diagnostics, next, stdout};
use against::Against;
use analyzed::Analyzed;
use doubts::{Doubts, Subject};
use entry::{Entry, Level};
use format::{Format, FormatArgs};
use probes::Probes;
pub(crate) use remarks::remarks;
pub(crate) use syntax::problem_by_name;
use texts::Texts;
use tools::Tools;

/// Find everything that is wrong with a config
///
/// All mistakes are reported in one run, each with file, line and column; the exit code is then 3.
/// Kinds and events that only an embedder registers are warnings.
/// Scripts in Python, of shells and of Node are parsed by their interpreter, without being run.
/// Conditions that exclude each other and patterns that fit no step are warnings, too.
///
/// With --analyze it also looks at the hooks together: hooks that never run, guards that are asked before a
/// rewriter changes the step, rewriters of one field without an order, observers that decide, postures that
/// never count, and events whose hooks can take longer than an agent waits. With --tools as well it finds tools that no guard is called about.
///
/// With --tools it fails as well if a tool of a session is not known: what such a tool does cannot be
/// told, so conditions on effects (reads, writes, runs, connects and the like) cannot be told for it.
/// FILE has steps as JSON lines, names of tools one a line or in a JSON array, or the answer of an MCP
/// server to `tools/list`. For each tool that is not known it shows the `[[tool]]` to write.
///
/// With --against it compares the config with recorded steps, as `hookgate run` reads them: tools and keys
/// that the hooks name and that never occur, hooks that never fire and how near they came, and tools that
/// no guard covers. Nothing is called; conditions on what happened before (`count`, `marked`) are evaluated
/// as at the beginning of a session.
///
/// With --live it also finds out whether the hooks can reach what they need, and exits with 1 if
/// not: each judge sends its models a small question that is always the same, and each command in
/// worker mode starts a worker. No step is evaluated, so a program in plain mode is not run and an
/// http service is not called: either would be a decision. Hooks that are off are left out.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate check -c hooks.toml
  hookgate check --analyze --deny-warnings
  hookgate check --format github   in a workflow: mistakes at the lines of the pull request
  hookgate check --format sarif > hooks.sarif
  hookgate check --live            can the models and workers be reached?
  hookgate check --live --json | jq '.live[] | select(.ok | not)'
  hookgate check --against session.jsonl
  hookgate check --tools session.jsonl
  hookgate check --tools tools.json --mcp-server github
  hookgate check --failures        what each hook counts as when it fails")]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// Look for what is doubtful about the hooks together, and estimate how long they can take
    #[arg(long)]
    analyze: bool,
    /// How long the agent waits for its hooks: a step that can take longer is a warning. Without it 30s,
    /// which is what GitHub Copilot and Kimi give a hook whose time is not set
    #[arg(long, value_name = "DURATION", requires = "analyze", value_parser = humantime::parse_duration)]
    longest: Option<Duration>,
    /// Say which hooks this agent never calls, since it has none of their events or tools, whose context it does not
    /// show its model, and which limits cannot work with it, because it says no tokens or no costs
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Compare the hooks with recorded steps: files with one envelope a line, or folders of such `*.jsonl`
    #[arg(long, value_name = "PATH", num_args = 1..)]
    against: Vec<PathBuf>,
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
    /// Fail if there is a warning, with exit code 3
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    output: FormatArgs,
}

/// Runs the verb.
///
/// # Errors
/// The config is not valid, a probe failed, or the probes were interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let format = args.output.format();
    let configs = match args.config.find() {
        Ok(configs) => configs,
        Err(none) => return Err(report_none(format, none)?),
    };
    match configs.load(&config::registry()) {
        Ok(loaded) => check(&args, format, &configs, loaded).await,
        Err(errors) => refuse(format, &configs, &errors),
    }
}

/// Reports that there is no config.
fn report_none(format: Format, none: Abort) -> Result<Abort, Abort> {
    format.print_entries(&[])?;
    if format == Format::Json {
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

/// Reports a config that cannot be used.
fn refuse(format: Format, configs: &Configs, errors: &ConfigErrors) -> Result<Exit, Abort> {
    let mistakes = errors.errors();
    if format.has_diagnostics() {
        diagnostics::print(mistakes, Severity::Error);
    }
    let entries: Vec<Entry> =
        mistakes.iter().map(|error| Entry::of_config(error, Level::Error)).collect();
    format.print_entries(&entries)?;
    if format == Format::Json {
        stdout::json_line(&json!({
            "config": configs.name().plain(),
            "files": names_of_files(configs),
            "valid": false,
            "errors": entries.iter().map(Entry::to_json).collect::<Vec<_>>(),
        }))?;
    }
    // Other verbs set aside the hooks with mistakes, if nothing else is wrong.
    Err(Abort::invalid_config(configs.has(errors)))
}

/// Checks a config that can be used.
async fn check(
    args: &Args,
    format: Format,
    configs: &Configs,
    loaded: Loaded,
) -> Result<Exit, Abort> {
    let agent = args.agent.as_deref().map(dialect_of).transpose()?;
    let named = configs.name();
    let name = named.plain();
    let files = configs.all_files(&loaded);
    let Loaded { table, mut warnings, .. } = loaded;
    if args.analyze {
        // The analysis says it too.
        let is_said =
            |warning: &ConfigError| matches!(warning.problem(), ConfigProblem::Shadowed { .. });
        warnings.retain(|warning| !is_said(warning));
    }
    let manifests = manifests(&table);
    let mut texts = Texts::default();
    let passed_over = args.config.search().passed_over();
    let subject = Subject {
        name,
        files: &files,
        table: &table,
        manifests: &manifests,
        passed_over: &passed_over,
        agent: agent.as_deref(),
    };
    let mut doubts = Doubts::find(&mut texts, &subject, warnings);
    if args.analyze {
        // The analysis says it too.
        doubts.never_met.clear();
    }
    let server = args.mcp_server.as_deref();
    let tools = args.tools.as_deref();
    let tools = tools.map(|file| Tools::read(file, server, &manifests)).transpose()?;
    let analyzed = args.analyze.then(|| Analyzed::new(&table, name, tools.as_ref(), args.longest));
    let against = match args.against.as_slice() {
        [] => None,
        paths => Some(Against::read(paths, name, &mut texts, &table).await?),
    };
    if format.has_diagnostics() {
        diagnostics::print(&doubts.warnings, Severity::Warning);
        doubts.others.iter().for_each(Entry::warn);
        doubts.never_met.iter().for_each(Entry::print);
        tools.iter().for_each(Tools::report);
        analyzed.iter().flat_map(|found| &found.entries).for_each(Entry::print);
        against.iter().flat_map(|found| &found.entries).for_each(Entry::print);
    }
    let mut entries = doubts.into_entries();
    if format == Format::Human {
        let mut text = summary::summary(name, &table, entries.len(), args.failures);
        text.extend(tools.as_ref().and_then(Tools::summary));
        text.extend(analyzed.as_ref().map(Analyzed::to_text));
        text.extend(against.as_ref().map(Against::to_text));
        stdout::print(&text)?;
    }
    let probes = if args.live { Some(Probes::run(&table).await?) } else { None };
    if format == Format::Json {
        let mut found = summary::valid_json(configs, &table, &entries, args.failures);
        if let Value::Object(found) = &mut found {
            found.extend(tools.iter().map(|tools| ("tools".to_owned(), tools.to_json())));
            found.extend(analyzed.iter().flat_map(Analyzed::to_json));
            found.extend(against.iter().map(|found| ("against".to_owned(), found.to_json())));
            found.extend(probes.iter().flat_map(Probes::to_json));
        }
        stdout::json_line(&found)?;
    }
    if let (Format::Human, Some(probes)) = (format, &probes) {
        stdout::print(&probes.to_text())?;
    }
    if format == Format::Human {
        stdout::print(&next::hint("test", &args.config.files, ""))?;
    }
    entries.extend(tools.iter().flat_map(Tools::entries));
    entries.extend(analyzed.into_iter().flat_map(|found| found.entries));
    let unread = against.as_ref().and_then(Against::error);
    entries.extend(against.into_iter().flat_map(|found| found.entries));
    entries.extend(probes.iter().flat_map(|probes| probes.entries(name, &table)));
    format.print_entries(&entries)?;
    if let Some(error) = tools.as_ref().and_then(Tools::error) {
        return Err(error);
    }
    if let Some(error) = unread {
        return Err(error);
    }
    let warned = entries.iter().filter(|entry| entry.level == Level::Warning).count();
    if args.deny_warnings && warned > 0 {
        let warned = count(warned, "warning");
        let message = format!("{named} has {warned}, and --deny-warnings was given");
        return Err(Abort::invalid_config(message));
    }
    probes.map_or(Ok(Exit::Ok), |probes| probes.exit())
}
