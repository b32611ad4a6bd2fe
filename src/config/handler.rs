//! The handler of a hook: which kind it is of, and what its kind builds from the settings.
//!
//! A hook has exactly one handler. It is written in one of these ways, and all but the last end in
//! a function of the registry:
//!
//! ```toml
//! builtin = { name = "deny", reason = "…" }    # a builtin with settings
//! builtin = "audit"                            # a builtin without
//! command = { argv = ["./guard.py"] }          # a registered kind, under its own key
//! handler = { kind = "my-kind", limit = 3 }    # a registered kind, by its name
//! handler = "memory"                           # a shared handler: `shared_handlers.rs`
//! ```
//!
//! The function reads the settings it knows and notes what is wrong with them. A key that it has
//! not read is unknown, which is an error here: a mistyped setting of a guard must not be ignored.
//!
//! What the registry does not have is refused. With `allow_unverified` (`hookgate check`, which
//! cannot know the kinds of an embedder) it becomes a warning and a handler that always fails.

use std::ops::Range;

use hookgate_contract::BuildFn;
use hookgate_contract::settings::{Node, NodeValue, SettingEntry, SettingProblem, Settings};
use hookgate_contract::suggest::Suggestion;
use hookgate_contract::{BuildContext, BuiltHandler, Failure, FailureClass, Invocation};
use serde_json::{Value, json};

use super::error::ConfigError;
use super::keys::{KINDS, is_of_hook};
use super::problem::ConfigProblem;
use super::reader::Reader;
use super::shared_handlers::shared_handler;

/// The key under which a handler of any registered kind can be written.
pub(super) const HANDLER: &str = "handler";

/// The handler of a hook.
pub(super) struct ReadHandler {
    pub(super) kind: String,
    pub(super) built: BuiltHandler,
    /// The name of a shared handler, and the settings that it was built from.
    pub(super) shared: Option<(String, Value)>,
}

impl ReadHandler {
    const fn own(kind: String, built: BuiltHandler) -> Self {
        Self { kind, built, shared: None }
    }
}

/// Finds the one handler of a hook and builds it, or takes the shared one that it names. `None` if a mistake was
/// reported.
pub(super) fn read_handler(
    reader: &mut Reader<'_>,
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
) -> Option<ReadHandler> {
    let kinds = reader.registry.kinds();
    let is_handler = |entry: &&SettingEntry| {
        let key = entry.key.as_str();
        key == HANDLER || KINDS.contains(&key) || kinds.iter().any(|kind| kind == key)
    };
    let found: Vec<&SettingEntry> = settings.entries().iter().filter(is_handler).collect();
    // An unknown key is compared with these as well.
    for key in KINDS.iter().copied().chain([HANDLER]).chain(kinds.iter().map(String::as_str)) {
        settings.node(key);
    }
    let entry = match found.as_slice() {
        [] => {
            reader.error(settings.span(), ConfigProblem::NoHandler);
            return None;
        }
        [entry] => *entry,
        [_, second, ..] => {
            let names = found.iter().map(|entry| entry.key.clone()).collect();
            reader.error(second.key_span.clone(), ConfigProblem::SeveralHandlers(names));
            return None;
        }
    };
    match entry.key.as_str() {
        "builtin" => read_builtin(reader, entry, context),
        HANDLER if matches!(entry.node.value, NodeValue::Text(_)) => {
            let NodeValue::Text(name) = &entry.node.value else { return None };
            let shared = shared_handler(reader, name, entry.node.span.clone())?;
            let (built, settings) = (shared.built?, shared.settings);
            Some(ReadHandler { kind: shared.kind, built, shared: Some((name.clone(), settings)) })
        }
        HANDLER => {
            let mut inner = Settings::new(&entry.node);
            let kind = inner.required_text("kind").map(str::to_owned);
            let span = inner.span_of("kind");
            match kind {
                Some(kind) => read_kind(reader, &kind, span, inner, context),
                None => {
                    reader.finish_first(inner);
                    None
                }
            }
        }
        kind => {
            if let Some(problem) = no_table(kind, &entry.node) {
                reader.error(entry.node.span.clone(), problem);
                return None;
            }
            let inner = Settings::new(&entry.node);
            read_kind(reader, kind, entry.key_span.clone(), inner, context)
        }
    }
}

/// Returns the problem of a handler whose settings are not a table: `command = "./guard.py"`.
fn no_table(kind: &str, node: &Node) -> Option<ConfigProblem> {
    let written = node.to_json();
    let instead = match (kind, &node.value) {
        (_, NodeValue::Table(_)) => return None,
        ("command", NodeValue::Text(_)) => format!("{{ shell = {written} }}"),
        ("command", NodeValue::List(_)) => format!("{{ argv = {written} }}"),
        ("http", NodeValue::Text(_)) => format!("{{ url = {written} }}"),
        ("prompt", NodeValue::Text(_)) => format!("{{ model = \"…\", prompt = {written} }}"),
        _ => "{ … }".to_owned(),
    };
    let problem = format!("must be a table, not {}: write `{kind} = {instead}`", node.kind());
    Some(ConfigProblem::Setting(SettingProblem::Invalid { key: kind.to_owned(), problem }))
}

/// Reads a handler of a registered kind. A kind that is not registered is a mistake, and one that
/// hookgate has itself comes with the line that adds it.
fn read_kind(
    reader: &mut Reader<'_>,
    kind: &str,
    span: Range<usize>,
    settings: Settings<'_>,
    context: &BuildContext<'_>,
) -> Option<ReadHandler> {
    match reader.registry.kind(kind) {
        Some(build) => build_handler(reader, kind, &*build, settings, context),
        // A kind of hookgate itself that this program was built without is known to fail at each step.
        None if reader.allow_unverified && !KINDS.contains(&kind) => {
            reader.warn(span, ConfigProblem::UnverifiedKind(kind.to_owned()));
            let missing = kind.to_owned();
            let unverified = move |_: Invocation<'_>| {
                Err(Failure::new(
                    FailureClass::Spawn,
                    format!("no handler of kind `{missing}` is registered here"),
                ))
            };
            Some(ReadHandler::own(kind.to_owned(), BuiltHandler::from_sync(unverified)))
        }
        None => {
            let known = reader.registry.kinds();
            let known: Vec<_> = known.iter().map(String::as_str).chain(["builtin"]).collect();
            // For a kind that hookgate has, the help says how it is added.
            let near = if KINDS.contains(&kind) {
                Suggestion::nearest(kind, &known)
            } else {
                Suggestion::nearest_or_all(kind, &known)
            };
            reader.error(span, ConfigProblem::UnknownKind { name: kind.to_owned(), near });
            None
        }
    }
}

/// Reads `builtin = { name = "…", … }`, or `builtin = "…"` for one without settings.
fn read_builtin(
    reader: &mut Reader<'_>,
    entry: &SettingEntry,
    context: &BuildContext<'_>,
) -> Option<ReadHandler> {
    let node = &entry.node;
    let empty = Node { span: node.span.clone(), value: NodeValue::Table(Vec::new()) };
    let mut settings = Settings::new(match node.value {
        NodeValue::Text(_) => &empty,
        _ => node,
    });
    let name = match &node.value {
        NodeValue::Text(name) => Some(name.as_str()),
        _ => settings.required_text("name"),
    };
    let Some(name) = name else {
        reader.finish_first(settings);
        return None;
    };
    match reader.registry.builtin(name) {
        Some(build) => {
            let before = reader.errors.len();
            let built = build_handler(reader, "builtin", &*build, settings, context);
            if matches!(node.value, NodeValue::Text(_)) {
                show_the_table(name, reader.errors.get_mut(before..).unwrap_or_default());
            }
            built
        }
        None => {
            let known = reader.registry.builtins();
            if known.is_empty() {
                let kind = ConfigProblem::UnknownKind {
                    name: "builtin".to_owned(),
                    near: Suggestion::default(),
                };
                reader.error(entry.key_span.clone(), kind);
                return None;
            }
            let known: Vec<_> = known.iter().map(String::as_str).collect();
            let near = Suggestion::nearest_or_all(name, &known);
            let span = match &node.value {
                NodeValue::Text(_) => node.span.clone(),
                _ => settings.span_of("name"),
            };
            reader.error(span, ConfigProblem::UnknownBuiltin { name: name.to_owned(), near });
            None
        }
    }
}

/// Shows the form with settings where `builtin = "…"` lacks some.
fn show_the_table(name: &str, errors: &mut [ConfigError]) {
    for error in errors {
        if let ConfigProblem::Setting(SettingProblem::Missing(key)) = error.problem() {
            let problem = format!(
                "`{name}` needs `{key}`: write `builtin = {{ name = \"{name}\", {key} = … }}`"
            );
            error.replace(ConfigProblem::Setting(SettingProblem::Invalid {
                key: "builtin".to_owned(),
                problem,
            }));
        }
    }
}

/// Builds a handler, and reports what is wrong with its settings and what its kind warns of. A kind
/// that returns neither a handler nor a reason is reported as well: no hook may be without handler
/// silently.
fn build_handler(
    reader: &mut Reader<'_>,
    kind: &str,
    build: &BuildFn,
    mut settings: Settings<'_>,
    context: &BuildContext<'_>,
) -> Option<ReadHandler> {
    let span = settings.span();
    let built = build(&mut settings, context);
    let before = reader.errors.len();
    let entries = settings.entries();
    for error in settings.finish() {
        let problem = match error.problem {
            SettingProblem::Unknown { key, .. } if is_of_hook(&key) => ConfigProblem::Misplaced {
                hint: format!(
                    "it belongs to the hook, and stands in the settings of `{kind}`: write it above `[hook.{kind}]`"
                ),
                key,
            },
            problem => ConfigProblem::of_setting(problem),
        };
        reader.error(error.span, problem);
    }
    if built.is_none() && reader.errors.len() == before {
        reader.error(span.clone(), ConfigProblem::Unbuilt);
    }
    let built = built?;
    for warning in &built.warnings {
        // A warning that begins with the name of a setting is shown there.
        let named = warning.strip_prefix('`').and_then(|rest| rest.split('`').next());
        let setting = named.and_then(|key| entries.iter().find(|entry| entry.key == key));
        let span = setting.map_or_else(|| span.clone(), |entry| entry.node.span.clone());
        reader.warn(span, ConfigProblem::Handler(warning.clone()));
    }
    Some(ReadHandler::own(kind.to_owned(), built))
}

/// Returns the settings of the handler of a hook, however they are written: as `kind = { … }`, as
/// `handler = { kind = "kind", … }`, or as the name of a builtin. The other keys of the hook are known
/// to the engine and are not a part of it.
pub(super) fn handler_settings(hook: &Node, kind: &str) -> Value {
    let NodeValue::Table(entries) = &hook.value else { return Value::Null };
    let handler = entries.iter().find(|entry| entry.key == HANDLER || entry.key == kind);
    let Some(entry) = handler else { return Value::Null };
    match entry.node.to_json() {
        Value::String(name) => json!({"name": name}),
        Value::Object(mut settings) if entry.key == HANDLER => {
            settings.remove("kind");
            settings.into()
        }
        settings => settings,
    }
}
