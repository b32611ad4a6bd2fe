//! Conditions on effects: `runs`, `reads`, `writes`, `deletes`, `touches`, `connects`, `pushes`, `shows_env`,
//! `exit_status`, and the section `[[tool]]` that declares what further tools do.
//!
//! ```
//! use hookgate_contract::ConditionContext;
//! use hookgate_effects::conditions;
//! use serde_json::json;
//!
//! let kinds = conditions::kinds();
//! let reads = kinds.iter().find(|kind| kind.name() == "reads").ok_or("no such kind")?;
//! let context = ConditionContext::new(".".as_ref());
//! assert!(reads.build(&json!(["**/.env", "!**/.env.example"]), &context).is_ok());
//! let errors = reads.build(&json!("$home1/x"), &context).unwrap_err();
//! assert!(errors[0].to_string().contains("`$home1` is not known"), "{}", errors[0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod at_most;
mod commands;
mod effect_condition;
mod exit_status;
mod folders;
mod named_by_globs;
mod path_doubts;
mod question;
mod read;
mod read_pushes;
mod read_runs;
mod schema;
mod sentence;
mod step_effects;
mod tool_deeds;
mod written;

use std::sync::Arc;

use hookgate_contract::settings::{NodeValue, Settings};
use hookgate_contract::{ConditionContext, ConditionKind, ConfigSection, Contract, SessionFiles};

use crate::manifests::Manifests;
use crate::patterns::Deed;
pub use at_most::AtMost;
use effect_condition::EffectCondition;
use question::Question;
use read::{read_hosts, read_paths, read_variables};
use read_pushes::read_pushes;
use read_runs::read_runs;
use schema::{
    hosts_schema, paths_schema, pushes_schema, read_paths_schema, runs_schema, tool_schema,
    variables_schema,
};

/// Returns the kinds of conditions on effects. The home folder is that of the process.
#[must_use]
pub fn kinds() -> Vec<ConditionKind> {
    kinds_at_home(std::env::var("HOME").ok())
}

/// Returns the kinds of conditions on effects, for users with this home folder.
#[must_use]
pub fn kinds_at_home(home: Option<String>) -> Vec<ConditionKind> {
    kinds_with(home, None)
}

/// Returns the kinds of conditions on effects, for users with this home folder and sessions whose written files are
/// kept there. Without them, `written_in_session` of `runs` is refused.
#[must_use]
pub fn kinds_with(
    home: Option<String>,
    files: Option<Arc<dyn SessionFiles>>,
) -> Vec<ConditionKind> {
    let home: Arc<Option<String>> = Arc::new(home);
    let kind = |name: &'static str, read: ReadQuestion| {
        let (home, files) = (Arc::clone(&home), files.clone());
        ConditionKind::new(name, move |settings, context| {
            let mut condition = read_condition(settings, context, name, read, (*home).clone())?;
            if condition.question.asks_written() {
                if files.is_none() {
                    settings.invalid(
                        name,
                        "this host keeps no record of what a session writes, which `written_in_session` asks for",
                    );
                }
                condition.files.clone_from(&files);
            }
            Some(Box::new(condition))
        })
        .supports(has_tool)
    };
    let exit_home = Arc::clone(&home);
    vec![
        exit_status::kind(exit_home),
        kind("runs", |settings, key| Some(Question::Runs(read_runs(settings, key)?)))
            .about("the call runs a program, however nested: program, words in order, flags")
            .example("runs = [\"git push --force|-f\", { code_from = \"network\" }]")
            .schema(runs_schema),
        kind("reads", |settings, key| paths(settings, key, &[Deed::Read]))
            .about("the call reads a file, by any tool or program")
            .example("reads = { paths = [\"**/.env\", \"!**/.env.example\", \"~/.ssh/**\"], shown = true }")
            .schema(read_paths_schema),
        kind("writes", |settings, key| paths(settings, key, &[Deed::Write]))
            .about("the call writes or makes a file")
            .example("writes = { outside = [\"$cwd\", \"$tmp\"] }")
            .schema(paths_schema),
        kind("deletes", |settings, key| paths(settings, key, &[Deed::Delete]))
            .about("the call deletes a file, or moves it away")
            .example("deletes = { outside = \"$project\" }")
            .schema(paths_schema),
        kind("touches", |settings, key| {
            paths(settings, key, &[Deed::Delete, Deed::Write, Deed::Read])
        })
        .about("the call reads, writes or deletes a file")
        .example("touches = \"**/migrations/**\"")
        .schema(read_paths_schema),
        kind("shows_env", |settings, key| Some(Question::Variables(read_variables(settings, key)?)))
            .about("the call shows the value of a variable of the environment: `printenv`, `echo $TOKEN`")
            .example("shows_env = [\"*TOKEN*\", \"*SECRET*\", \"*_KEY\"]")
            .schema(variables_schema),
        kind("connects", |settings, key| Some(Question::Hosts(read_hosts(settings, key)?)))
            .about("the call connects to a host")
            .example("connects = { outside = [\"docs.rs\", \"*.rust-lang.org\", \"localhost\"] }")
            .schema(hosts_schema),
        kind("pushes", |settings, key| Some(Question::Pushes(read_pushes(settings, key)?)))
            .about("the call changes a branch of a remote, by whatever refspec, option or default of git push")
            .example("pushes = { to = [\"main\", \"release/*\"], force = true }")
            .schema(pushes_schema),
    ]
}

/// Returns the section `[[tool]]`: what tools do that are not built in.
#[must_use]
pub fn section() -> ConfigSection {
    ConfigSection::new("tool", |settings, _| {
        let node = settings.node("tool")?;
        let tables = match &node.value {
            NodeValue::List(tables) => tables,
            _ => {
                settings.invalid("tool", "tools are declared as `[[tool]]`, with two brackets");
                return None;
            }
        };
        let (manifests, errors) = Manifests::read(tables);
        settings.absorb(errors);
        Some(manifests)
    })
    .about("what a tool does with its arguments, for tools that are not built in")
    .schema(tool_schema)
}

type ReadQuestion = fn(&mut Settings<'_>, &'static str) -> Option<Question>;

fn paths(
    settings: &mut Settings<'_>,
    key: &'static str,
    deeds: &'static [Deed],
) -> Option<Question> {
    let paths = read_paths(settings, key)?;
    Some(Question::Paths { paths, deeds })
}

fn read_condition(
    settings: &mut Settings<'_>,
    context: &ConditionContext<'_>,
    key: &'static str,
    read: ReadQuestion,
    home: Option<String>,
) -> Option<EffectCondition> {
    let question = read(settings, key)?;
    let manifests = context.section::<Manifests>().map(|found| (*found).clone());
    let config = std::path::absolute(context.base).ok();
    Some(EffectCondition {
        key,
        question,
        manifests: manifests.unwrap_or_default(),
        home,
        config: config.and_then(|path| path.to_str().map(str::to_owned)),
        files: None,
    })
}

/// Returns whether an event is about a tool.
const fn has_tool(contract: &Contract) -> Result<(), &'static str> {
    if contract.tool { Ok(()) } else { Err("the step is about no tool") }
}
