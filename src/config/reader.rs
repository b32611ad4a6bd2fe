//! What reading a file needs everywhere: the registry, the text, and the mistakes so far.
//!
//! Every part of the file has a function `read_…` that takes the reader. It reports a mistake and
//! returns the best value it can, so that the parts after it are read as well.

use std::ops::Range;
use std::sync::Arc;

use hookgate_contract::settings::Settings;
use hookgate_contract::{Condition, Contract};

use super::error::ConfigError;
use super::problem::ConfigProblem;
use super::shared_handlers::SharedHandlers;
use super::source::Source;
use crate::registry::Registry;
use crate::table::Layer;

/// The state of reading one file. Reading goes on after a mistake, so that all are reported at
/// once.
pub(super) struct Reader<'r> {
    pub(super) registry: &'r Registry,
    pub(super) allow_unverified: bool,
    pub(super) layer: Layer,
    pub(super) source: Arc<Source>,
    pub(super) errors: Vec<ConfigError>,
    pub(super) warnings: Vec<ConfigError>,
    /// The handlers that several hooks of the file may use.
    pub(super) handlers: SharedHandlers,
    /// The registered conditions so far, each with the span of its value.
    pub(super) conditions: Vec<(Range<usize>, Arc<dyn Condition>)>,
}

impl Reader<'_> {
    /// Reports a mistake.
    pub(super) fn error(&mut self, span: Range<usize>, problem: ConfigProblem) {
        self.errors.push(ConfigError::new(&self.source, span, problem));
    }

    /// Reports something that is not a mistake, but may not be intended.
    pub(super) fn warn(&mut self, span: Range<usize>, problem: ConfigProblem) {
        self.warnings.push(ConfigError::new(&self.source, span, problem));
    }

    /// Reports what registered conditions say may not be intended, when all of them have been read: what
    /// one of them says can depend on the others.
    pub(super) fn warn_of_conditions(&mut self) {
        let before = self.warnings.len();
        for (span, condition) in std::mem::take(&mut self.conditions) {
            for warning in condition.warnings() {
                self.warn(span.clone(), ConfigProblem::Condition(warning));
            }
        }
        if self.warnings.len() > before {
            self.warnings.sort_by_key(ConfigError::offset);
        }
    }

    /// Reports everything that is wrong with a table of settings.
    pub(super) fn finish(&mut self, settings: Settings<'_>) {
        for error in settings.finish() {
            self.error(error.span, ConfigProblem::of_setting(error.problem));
        }
    }

    /// Reports the first mistake of a table of settings whose other keys only its handler would
    /// know.
    pub(super) fn finish_first(&mut self, settings: Settings<'_>) {
        if let Some(error) = settings.finish().into_iter().next() {
            self.error(error.span, ConfigProblem::of_setting(error.problem));
        }
    }

    /// Returns the contract of an event `x.<name>`, if the embedder has registered it.
    pub(super) fn registered(&self, event: &str) -> Option<&'static Contract> {
        self.registry.contracts().into_iter().find(|contract| contract.name == event)
    }

    /// Reports an event `x.<name>` that is not registered: a mistake, or a warning where unverified
    /// names are allowed. Returns whether the event can be used.
    pub(super) fn check_registered(&mut self, event: &str, span: Range<usize>) -> bool {
        if !event.starts_with("x.") || self.registered(event).is_some() {
            return true;
        }
        let problem = ConfigProblem::UnverifiedEvent(event.to_owned());
        if self.allow_unverified {
            self.warn(span, problem);
        } else {
            self.error(span, problem);
        }
        self.allow_unverified
    }
}
