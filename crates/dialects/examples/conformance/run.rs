//! Runs one case for real: with its handlers as programs, its server, its tools and its model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate_agent_systems::foreign::{
    EventRun, ForeignHooks, HookSystem, Host, Layer, Outcome, Services,
};
use serde_json::{Map, Value, json};

use crate::case::{Case, replaced};
use crate::error::{CaseError, Result};
use crate::handler::{self, Record};
use crate::services::{self, Asked};

/// How long a handler waits at least if its case asks for the order of the handlers.
const ORDER_DELAY_MS: u64 = 200;

/// What came of a case.
#[derive(Debug)]
pub(crate) struct Observed {
    /// The case, with the folder of the run in it.
    pub(crate) case: Case,
    pub(crate) hooks: ForeignHooks,
    pub(crate) system: Arc<dyn HookSystem>,
    pub(crate) host: Host,
    /// Of the last event.
    pub(crate) outcome: Outcome,
    /// Of the last event.
    pub(crate) runs: Vec<hookgate_agent_systems::foreign::HookRun>,
    /// What each handler got, for each run of it.
    pub(crate) records: Vec<Vec<Record>>,
    /// The programs of the handlers.
    pub(crate) programs: Vec<PathBuf>,
    /// Whether the config names each handler.
    pub(crate) is_named: Vec<bool>,
    pub(crate) asked: Asked,
}

/// Runs a case in a folder of its own.
pub(crate) async fn run(case: &Case, folder: &Path, shared: &Services) -> Result<Observed> {
    let root = folder.join("srv");
    let project = Case::project_in(&root);
    std::fs::create_dir_all(&project)?;
    let mut case = case.in_folder(&root);
    let agent = case.agent().to_owned();
    let system =
        hookgate_agent_systems::systems().into_iter().find(|system| system.name() == agent);
    let system = system.ok_or_else(|| CaseError::NoAgent(agent.clone()))?;

    let asked = Asked::default();
    let port = services::serve(&case, &asked).await?;
    let mut config = Value::Object(case.object("config")?.clone());
    config = replaced(&config, "{{PORT}}", &port.to_string());
    let (mut programs, mut is_named) = (Vec::new(), Vec::new());
    for index in 0..case.handlers().0 {
        let mut script = case.script(index);
        if case.object("expect")?.contains_key("order") {
            script.delay_ms = script.delay_ms.max(ORDER_DELAY_MS);
        }
        let program = handler::install(folder, index, &script)?;
        let place = case.place(index);
        let env = case.get("parent_env").cloned().unwrap_or_default();
        is_named.push(config.to_string().contains(&place) || env.to_string().contains(&place));
        let path = program.to_string_lossy();
        config = replaced(&config, &place, &path);
        case.keys.insert("parent_env".to_owned(), replaced(&env, &place, &path));
        programs.push(program);
    }

    let layers = layers(&case, &config, &project);
    let host = host(&case, &layers, &project, folder);
    let services = services::of(&case, &asked, shared);
    let hooks = ForeignHooks::load(Arc::clone(&system), &layers, host.clone(), services);
    let input = case.object("stdin")?;
    make_folders(input, &root)?;
    let mut last = run_event(&hooks, &case.event, input).await;
    let repeat = case.get("repeat").and_then(Value::as_u64).unwrap_or(1);
    for _ in 1..repeat {
        last = run_event(&hooks, &case.event, input).await;
    }
    let records =
        programs.iter().map(|program| handler::records(program)).collect::<Result<_>>()?;
    let EventRun { outcome, runs, .. } = last;
    Ok(Observed { case, hooks, system, host, outcome, runs, records, programs, is_named, asked })
}

async fn run_event(hooks: &ForeignHooks, event: &str, input: &Map<String, Value>) -> EventRun {
    let mut run = hooks.run(event, input).await;
    run.settle().await;
    run
}

/// Makes the folders in which the agent says it is, inside the project or beside it.
fn make_folders(input: &Map<String, Value>, root: &Path) -> std::io::Result<()> {
    let fields = ["cwd", "new_cwd", "old_cwd"];
    let roots = input.get("workspace_roots").and_then(Value::as_array).into_iter().flatten();
    let named = fields.iter().filter_map(|name| input.get(*name)).chain(roots);
    for folder in
        named.filter_map(Value::as_str).filter(|folder| Path::new(folder).starts_with(root))
    {
        std::fs::create_dir_all(folder)?;
    }
    Ok(())
}

/// Returns the files of a config. Without layers it is one file, of the layer that each agent has for it.
fn layers(case: &Case, config: &Value, project: &Path) -> Vec<Layer> {
    let (name, file) = match case.agent() {
        _ if case.get("plugin").is_some() => ("plugin:case", "hooks/hooks.json"),
        "codex" => ("user", "hooks.json"),
        "gemini" => ("project", ".gemini/settings.json"),
        "cursor" => ("project", ".cursor/hooks.json"),
        "copilot" => ("project", ".github/hooks/x.json"),
        _ => ("project", ".claude/settings.json"),
    };
    let layer = |name: &str, file: &str, content: &Value| Layer {
        name: name.to_owned(),
        file: project.join(file).to_string_lossy().into_owned(),
        content: content.clone(),
    };
    match config.get("layers").and_then(Value::as_object) {
        Some(layers) => layers
            .iter()
            .map(|(other, content)| {
                let other_file = format!("{}.json", other.replace(':', "-"));
                layer(other, if other == name { file } else { &other_file }, content)
            })
            .collect(),
        None => vec![layer(name, file, config)],
    }
}

fn host(case: &Case, layers: &[Layer], project: &Path, folder: &Path) -> Host {
    let path = std::env::var("PATH").unwrap_or_default();
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut env = vec![
        ("PATH".to_owned(), path),
        ("HOME".to_owned(), text(folder)),
        ("TMPDIR".to_owned(), text(folder)),
        ("LANG".to_owned(), "C.UTF-8".to_owned()),
        ("SHELL".to_owned(), "/bin/sh".to_owned()),
    ];
    for (name, value) in case.get("parent_env").and_then(Value::as_object).into_iter().flatten() {
        env.retain(|(known, _)| known != name);
        env.push((name.clone(), value.as_str().unwrap_or_default().to_owned()));
    }
    let facts = [
        "surface",
        "batch_size",
        "trusted",
        "project_trusted",
        "trusted_folder",
        "flags",
        "remote",
    ];
    let mut facts: Map<String, Value> = facts
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), case.get(name)?.clone())))
        .collect();
    if let Some(plugin) = case.get("plugin") {
        let names = layers.iter().filter_map(|layer| layer.name.split_once(':'));
        let plugins: Map<_, _> = names.map(|(_, name)| (name.to_owned(), plugin.clone())).collect();
        facts.insert("plugins".to_owned(), json!(plugins));
    }
    let input = case.get("stdin");
    let cwd =
        input.and_then(|input| input["cwd"].as_str().or(input["workspace_roots"][0].as_str()));
    Host {
        cwd: cwd.map_or_else(|| project.to_owned(), PathBuf::from),
        project: project.to_owned(),
        env,
        interactive: case.get("mode").and_then(Value::as_str) != Some("print"),
        facts,
    }
}
