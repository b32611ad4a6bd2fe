//! Runs the hooks of a config for real.

use std::path::Path;
use std::sync::Arc;

use hookgate_agent_systems::foreign::{
    BoxFuture, EventRun, ForeignHooks, HookStatus, HookSystem, Host, Layer, Model, Question,
    Services,
};
use serde_json::{Map, Value};

/// A config in a folder of its own.
pub(crate) struct Set {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) host: Host,
    pub(crate) system: Arc<dyn HookSystem>,
    pub(crate) layers: Vec<Layer>,
    pub(crate) services: Services,
}

impl Set {
    /// Makes a set with one file, the one of the project.
    pub(crate) fn new(system: impl HookSystem + 'static, config: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = std::env::var("PATH").unwrap();
        let host = Host {
            cwd: folder.path().to_owned(),
            project: folder.path().to_owned(),
            env: vec![("PATH".to_owned(), path)],
            interactive: true,
            facts: Map::new(),
        };
        let system = Arc::new(system);
        let services = Services::default();
        Self { folder, host, system, layers: Vec::new(), services }.layer("project", config)
    }

    pub(crate) fn layer(mut self, name: &str, content: Value) -> Self {
        let file = self.folder.path().join(format!("{name}.json")).to_string_lossy().into_owned();
        self.layers.push(Layer { name: name.to_owned(), file, content });
        self
    }

    pub(crate) fn fact(mut self, name: &str, value: Value) -> Self {
        self.host.facts.insert(name.to_owned(), value);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.host.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn hooks(&self) -> ForeignHooks {
        let system = Arc::clone(&self.system);
        ForeignHooks::load(system, &self.layers, self.host.clone(), self.services.clone())
    }

    /// Runs the hooks of an event.
    pub(crate) async fn run(&self, event: &str, input: Value) -> EventRun {
        self.hooks().run(event, input.as_object().unwrap()).await
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns what is wrong with the config.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let hooks = self.hooks();
        let warnings = hooks.config().warnings.iter();
        warnings.map(|warning| format!("{}: {}", warning.pointer, warning.message)).collect()
    }
}

/// A command that prints an answer and ends with a status.
pub(crate) fn answers(answer: &Value, exit: i32) -> String {
    format!("cat >/dev/null; printf '%s' '{answer}'; exit {exit}")
}

pub(crate) fn status(run: &EventRun, index: usize) -> &HookStatus {
    &run.runs[index].result.status
}

/// A model that always says the same.
#[derive(Debug)]
pub(crate) struct Says(pub(crate) Value);

impl Model for Says {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Result<String, String>> {
        let text = self.0.to_string();
        Box::pin(async move { Ok(text) })
    }
}
