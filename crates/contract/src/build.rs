//! How a handler is built from the settings of a file.

use std::path::Path;
use std::sync::Arc;

use crate::settings::Settings;
use serde_json::Map;

use crate::dialect::{Dialect, DialectError, HostEvent, ScriptAgent};
use crate::event::Event;
use crate::handler::BuiltHandler;
use crate::layer::Layer;

/// What a factory knows beside the settings.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct BuildContext<'a> {
    /// The folder of the file; relative paths start here.
    pub base: &'a Path,
    /// How many bytes an answer may have.
    pub output: usize,
    /// The id of the hook; empty if it is not known.
    pub hook: &'a str,
    /// The events of the hook; empty if they are not known.
    pub events: &'a [Event],
    /// The layer of the file; [`Layer::Code`] if it is none of a config.
    pub layer: Layer,
    /// The dialects that a program or service may speak.
    pub dialects: &'a [Arc<dyn Dialect>],
}

impl<'a> BuildContext<'a> {
    /// Describes a file in this folder, whose handlers may answer with at most `output` bytes.
    #[must_use]
    pub const fn new(base: &'a Path, output: usize) -> Self {
        Self { base, output, hook: "", events: &[], layer: Layer::Code, dialects: &[] }
    }

    /// Names the hook.
    #[must_use]
    pub const fn of_hook(self, hook: &'a str) -> Self {
        Self { hook, ..self }
    }

    /// Names the events of the hook.
    #[must_use]
    pub const fn at(self, events: &'a [Event]) -> Self {
        Self { events, ..self }
    }

    /// Names the layer of the file.
    #[must_use]
    pub const fn in_layer(self, layer: Layer) -> Self {
        Self { layer, ..self }
    }

    /// Names the dialects that a program or service may speak.
    #[must_use]
    pub const fn speaking(self, dialects: &'a [Arc<dyn Dialect>]) -> Self {
        Self { dialects, ..self }
    }

    /// Reads the setting `dialect`: the agent that a program or service was written for. `None` if it
    /// speaks the form of hookgate, and if a mistake was noted: an unknown name, or an event of the hook
    /// that the agent has not. `dialect_event` names the event of the agent, where it has several that are
    /// one of ours.
    pub fn read_dialect(&self, settings: &mut Settings<'_>) -> Option<ScriptAgent> {
        if self.dialects.is_empty() && settings.has(DIALECT) {
            settings.text(DIALECT);
            let problem = "this program knows no dialects: a host adds them with \
                           `Registry::add_dialect`";
            settings.invalid(DIALECT, problem);
            return None;
        }
        let names: Vec<&'static str> = self.dialects.iter().map(|dialect| dialect.name()).collect();
        let by_name = |name: &str| self.dialects.iter().find(|dialect| dialect.name() == name);
        let Some(dialect) = settings.choice(DIALECT, &names, by_name) else {
            if settings.text(DIALECT_EVENT).is_some() && !settings.has(DIALECT) {
                let problem = "it is an event of the agent in `dialect`, which is missing";
                settings.invalid(DIALECT_EVENT, problem);
            }
            return None;
        };
        // Of an event of an embedder only its kind is known here.
        let named = self.events.iter().filter(|event| **event != Event::Custom);
        let lacking = named.filter_map(|event| lacks(&**dialect, *event)).next();
        let events: Vec<&str> = dialect.events().iter().map(|event| event.name).collect();
        let event = settings.choice(DIALECT_EVENT, &events, |name| dialect.event(name));
        let is_meant = |event: &&HostEvent| {
            self.events.is_empty() || self.events.iter().any(|ours| is_told_as(*ours, event))
        };
        if let Some(event) = event.filter(|event| !is_meant(event)) {
            let problem =
                format!("`{}` is `{}` here, and no event of this hook", event.name, event.ours);
            settings.invalid(DIALECT_EVENT, problem);
        }
        let event = event.map(|event| event.name);
        match lacking {
            None => Some(ScriptAgent::new(Arc::clone(dialect), self.dialects).at_event(event)),
            Some(error) => {
                settings.invalid(DIALECT, error.to_string());
                None
            }
        }
    }
}

/// The setting that names the agent of a script.
const DIALECT: &str = "dialect";

/// The setting that names the event of the agent that a script was written for.
const DIALECT_EVENT: &str = "dialect_event";

/// Tells whether steps of an event of ours are told as those of an event of an agent. One without an event
/// for failures has one for all results.
fn is_told_as(ours: Event, event: &HostEvent) -> bool {
    let is_result = ours == Event::PostToolUseFailure && event.ours == Event::PostToolUse.name();
    ours == Event::Custom || ours.name() == event.ours || is_result
}

/// Returns the error if an agent has no such event.
fn lacks(dialect: &dyn Dialect, event: Event) -> Option<DialectError> {
    let name = ("hook_event_name".to_owned(), event.name().into());
    let error = dialect.write(&Map::from_iter([name])).err()?;
    matches!(error, DialectError::NoCounterpart { .. }).then_some(error)
}

/// Builds a handler from its settings, or returns `None` and has noted in the settings why.
///
/// ```
/// use hookgate_contract::settings::{Node, Settings};
/// use hookgate_contract::{BuildContext, BuiltHandler, Factory, Verdict};
///
/// fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
///     let reason = settings.required_text("reason")?.to_owned();
///     Some(BuiltHandler::sync(move |_| Ok(Verdict::deny(reason.clone()))))
/// }
///
/// let factory: Factory = build;
/// let node = Node::from_json(&serde_json::json!({}));
/// let mut settings = Settings::new(&node);
/// assert!(factory(&mut settings, &BuildContext::new(".".as_ref(), 1024)).is_none());
/// assert_eq!(settings.finish()[0].to_string(), "`reason` is missing");
/// ```
pub type Factory = fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler>;
