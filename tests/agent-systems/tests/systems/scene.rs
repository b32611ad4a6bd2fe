//! A small stage for hook systems: hooks that are real programs, configs that name them, and what comes
//! of an event. Each test file uses a part of it.

#![allow(dead_code, reason = "each test file uses a part of the module")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use hookgate_agent_systems::foreign::{
    EventRun, ForeignConfig, ForeignHooks, HookRun, HookStatus, HookSystem, Host, Layer, Services,
};
use hookgate_test_support::{built, needs};
use proptest::collection::{btree_map, vec};
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// A folder with the programs of hooks.
pub(crate) struct Scene {
    system: Arc<dyn HookSystem>,
    pub(crate) folder: TempDir,
    pub(crate) facts: Value,
    pub(crate) env: Vec<(String, String)>,
}

impl Scene {
    pub(crate) fn new(system: Arc<dyn HookSystem>) -> Self {
        let env = vec![("PATH".to_owned(), std::env::var("PATH").unwrap())];
        Self { system, folder: tempfile::tempdir().unwrap(), facts: json!({}), env }
    }

    /// Makes a program that reads its input, says something, and exits.
    pub(crate) fn program(&self, name: &str, stdout: &str, stderr: &str, exit: i32) -> String {
        let file = |what: &str| self.folder.path().join(format!("{name}.{what}"));
        fs::write(file("out"), stdout).unwrap();
        fs::write(file("err"), stderr).unwrap();
        let script = format!(
            "#!/bin/sh\nenv > {0}.env\ncat > {0}.in\necho \"$@\" > {0}.args\ncat {0}.out\ncat {0}.err >&2\nexit {exit}\n",
            self.folder.path().join(name).display()
        );
        self.script(name, &script)
    }

    pub(crate) fn script(&self, name: &str, script: &str) -> String {
        let path = self.folder.path().join(name);
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Reads what a program got. `None` if it did not run.
    pub(crate) fn got(&self, name: &str, what: &str) -> Option<String> {
        fs::read_to_string(self.folder.path().join(format!("{name}.{what}"))).ok()
    }

    pub(crate) fn host(&self) -> Host {
        Host {
            cwd: self.folder.path().to_owned(),
            project: self.folder.path().to_owned(),
            env: self.env.clone(),
            interactive: true,
            facts: self.facts.as_object().unwrap().clone(),
        }
    }

    pub(crate) fn config(&self, layers: &[(&str, Value)]) -> ForeignConfig {
        self.system.load(&self.layers(layers), &self.host())
    }

    pub(crate) fn layers(&self, layers: &[(&str, Value)]) -> Vec<Layer> {
        let layer = |(name, content): &(&str, Value)| Layer {
            name: (*name).to_owned(),
            file: self.folder.path().join(name).to_str().unwrap().to_owned(),
            content: content.clone(),
        };
        layers.iter().map(layer).collect()
    }

    /// Runs the hooks of an event for an envelope, and waits for those that nobody waits for.
    pub(crate) async fn run(&self, layers: &[(&str, Value)], input: Value) -> EventRun {
        let layers = self.layers(layers);
        let hooks =
            ForeignHooks::load(Arc::clone(&self.system), &layers, self.host(), Services::default());
        let event = input["hook_event_name"].as_str().unwrap().to_owned();
        let mut run = hooks.run(&event, input.as_object().unwrap()).await;
        run.settle().await;
        run
    }
}

/// Returns the error of a run, or what came instead.
pub(crate) fn error(run: &HookRun) -> String {
    match &run.result.status {
        HookStatus::Failed(text) | HookStatus::Error(text) | HookStatus::Timeout(text) => {
            text.clone()
        }
        other => format!("{other:?}"),
    }
}

/// Runs the cases of an agent with the example `conformance`, if they are there.
pub(crate) fn conformance(agent: &str) {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cases = package.join(format!("../../../shared/conformance/{agent}/cases.jsonl"));
    if !needs::path(&cases) {
        return;
    }
    let mut command = Command::new(built::example("conformance"));
    let output = command.arg(cases).current_dir(package).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("passed ") && !said.contains("passed 0 of"), "{said}");
}

/// Makes any JSON value, with keys and words that hooks use.
pub(crate) fn any_json(words: &'static str) -> impl Strategy<Value = Value> {
    let word = proptest::sample::select(words.split_whitespace().collect::<Vec<_>>());
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 5, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(word.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|fields| Value::Object(Map::from_iter(fields))),
        ]
    })
}

/// Makes answers that have some of these keys, each with one of its values.
pub(crate) fn any_answer(keys: &[(&'static str, Value)]) -> BoxedStrategy<Value> {
    let key = |(name, values): &(&'static str, Value)| {
        let name = (*name).to_owned();
        let values = values.as_array().unwrap().clone();
        proptest::option::of(proptest::sample::select(values))
            .prop_map(move |value| value.map(|value| (name.clone(), value)))
    };
    let keys: Vec<_> = keys.iter().map(key).collect();
    keys.prop_map(|fields| Value::Object(fields.into_iter().flatten().collect())).boxed()
}
