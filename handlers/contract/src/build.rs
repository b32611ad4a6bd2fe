//! How a handler is built from the settings of a file.

use std::path::Path;
use std::sync::Arc;

use hookgate_input::settings::Settings;

use crate::dialect::Dialect;
use crate::event::Event;
use crate::handler::BuiltHandler;

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
    /// The dialects that a program or service may speak.
    pub dialects: &'a [Arc<dyn Dialect>],
}

impl<'a> BuildContext<'a> {
    /// Describes a file in this folder, whose handlers may answer with at most `output` bytes.
    #[must_use]
    pub const fn new(base: &'a Path, output: usize) -> Self {
        Self { base, output, hook: "", events: &[], dialects: &[] }
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

    /// Names the dialects that a program or service may speak.
    #[must_use]
    pub const fn speaking(self, dialects: &'a [Arc<dyn Dialect>]) -> Self {
        Self { dialects, ..self }
    }

    /// Reads the setting `dialect`: the agent in whose form a program or service reads and answers.
    /// `None` if it speaks the form of hookgate, and if a mistake was noted: an unknown name, or an event
    /// of the hook that the dialect has not.
    pub fn read_dialect(&self, settings: &mut Settings<'_>) -> Option<Arc<dyn Dialect>> {
        let names: Vec<&'static str> = self.dialects.iter().map(|dialect| dialect.name()).collect();
        let by_name = |name: &str| self.dialects.iter().find(|dialect| dialect.name() == name);
        let dialect = settings.choice("dialect", &names, by_name)?;
        let speaks = |event: &&Event| dialect.events().iter().any(|own| own.ours == event.name());
        match self.events.iter().find(|event| !speaks(event)) {
            None => Some(Arc::clone(dialect)),
            Some(event) => {
                let title = dialect.title();
                settings.invalid("dialect", format!("{title} has no event for `{}`", event.name()));
                None
            }
        }
    }
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
