//! Configs as the tests load them: with the kinds, the events and the builtins of an embedder.

use std::path::Path;

use hookgate::config::{ConfigErrors, Loaded, Loader};
use hookgate::contract::{BuiltHandler, Contract, EventKind, Invocation};
use hookgate::envelope::Incoming;
use hookgate::{Engine, Registry, Report, Verdict};
use serde_json::{Map, Value};

use crate::support::Log;

static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);

/// A registry with a kind, an event and builtins of an embedder: `log` logs that it was invoked,
/// `patch` rewrites whatever can be rewritten.
pub(crate) fn registry(log: &Log) -> Registry {
    let registry = crate::support::registry();
    let log = log.clone();
    registry
        .register_builtin("log", move |_, _| {
            let log = log.clone();
            Some(BuiltHandler::from_sync(move |invocation: Invocation<'_>| {
                log.push(invocation.hook);
                Ok(Verdict::none())
            }))
        })
        .unwrap();
    registry
        .register_builtin("patch", |_, _| {
            Some(BuiltHandler::from_sync(|invocation: Invocation<'_>| {
                let fields = invocation.contract().patch.iter().take(1);
                Ok(fields
                    .fold(Verdict::none(), |verdict, field| verdict.patch(field.name, "patched")))
            }))
        })
        .unwrap();
    registry
        .register("my-kind", |settings, _| {
            settings.integer("anything");
            Some(BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::none())))
        })
        .unwrap();
    registry.register("hopeless", |_, _| None).unwrap();
    registry
        .register("uneasy", |_, _| {
            let mut built = BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::none()));
            built.warnings.push("everybody can change it".to_owned());
            Some(built)
        })
        .unwrap();
    registry.register_event(&DEPLOY).unwrap();
    registry
}

pub(crate) fn load_with(log: &Log, text: &str) -> Result<Loaded, ConfigErrors> {
    Loader::new(&registry(log)).parse("hooks.toml", text, Path::new("/"))
}

pub(crate) fn load(text: &str) -> Result<Loaded, ConfigErrors> {
    load_with(&Log::default(), text)
}

pub(crate) fn engine(log: &Log, text: &str) -> Engine {
    Engine::new(load_with(log, text).unwrap_or_else(|errors| panic!("{errors}\n{text}")).table)
}

pub(crate) fn wrong(text: &str) -> ConfigErrors {
    load(text).map(|loaded| loaded.table).expect_err(text)
}

/// A hook with these further lines.
pub(crate) fn hook(id: &str, event: &str, more: &str) -> String {
    format!("[[hook]]\nid = \"{id}\"\nevent = \"{event}\"\nbuiltin = \"log\"\n{more}\n")
}

/// Loads a file with these bytes.
pub(crate) fn load_bytes(bytes: &[u8]) -> Result<Loaded, ConfigErrors> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    std::fs::write(&path, bytes).unwrap();
    Loader::new(&registry(&Log::default())).load(&path)
}

/// Evaluates an envelope.
pub(crate) fn evaluate(engine: &Engine, envelope: Map<String, Value>) -> Report {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut incoming = Incoming::from_object(envelope).unwrap();
    runtime.block_on(engine.evaluate(&mut incoming))
}
