//! A minijinja template over the envelope of a step.

use std::collections::HashSet;
use std::fmt;

use crate::{Event, Failure, FailureClass, HEADER_FIELDS, Invocation, payload};
use minijinja::value::{Value, merge_maps};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};

use super::error::TemplateError;
use super::value::value_of;

/// The name of the only template of an environment.
const TEMPLATE: &str = "text";

/// How many instructions a template may run: enough for a loop over a few thousand messages.
const FUEL: u64 = 100_000;

/// A compiled template.
pub struct Template {
    environment: Environment<'static>,
    source: String,
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Template").field(&self.source).finish()
    }
}

/// Tells whether a text is a template: whether it has `{{`, `{%` or `{#`.
#[must_use]
pub fn is_template(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|open| text.contains(open))
}

impl Template {
    /// Compiles a template for which a field that the envelope does not have is an error.
    ///
    /// # Errors
    /// [`TemplateError::Syntax`].
    pub fn strict(source: &str) -> Result<Self, TemplateError> {
        Self::compile(source, UndefinedBehavior::Strict)
    }

    /// Compiles a template for which a field that the envelope does not have is empty.
    ///
    /// # Errors
    /// [`TemplateError::Syntax`].
    pub fn lenient(source: &str) -> Result<Self, TemplateError> {
        Self::compile(source, UndefinedBehavior::Chainable)
    }

    fn compile(source: &str, undefined: UndefinedBehavior) -> Result<Self, TemplateError> {
        let mut environment = environment(undefined);
        environment
            .add_template_owned(TEMPLATE, source.to_owned())
            .map_err(|error| TemplateError::Syntax(error.to_string()))?;
        Ok(Self { environment, source: source.to_owned() })
    }

    /// Returns the template as it was written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Checks that every name is a field of the envelope at one of these events, or one of `more`.
    /// Nothing can be said about the fields of an `x.*` event, nor if no event is known.
    ///
    /// # Errors
    /// [`TemplateError::UnknownName`], with the first name that is not known.
    pub fn check_names(&self, events: &[Event], more: &[&str]) -> Result<(), TemplateError> {
        check_names(&self.environment, self.names(), events, more)
    }

    fn names(&self) -> Vec<String> {
        let template = self.environment.get_template(TEMPLATE);
        template.map_or_else(
            |_| Vec::new(),
            |template| template.undeclared_variables(false).into_iter().collect(),
        )
    }

    /// Renders the template over the envelope.
    ///
    /// # Errors
    /// Of class `malformed`; the detail quotes the template, and nothing of the step.
    pub fn render(&self, invocation: Invocation<'_>) -> Result<String, Failure> {
        self.render_value(value_of(invocation.json()?))
    }

    /// Renders the template over the envelope and some more names.
    ///
    /// # Errors
    /// As [`Template::render`].
    pub fn render_with(&self, invocation: Invocation<'_>, more: Value) -> Result<String, Failure> {
        let envelope = value_of(invocation.json()?);
        self.render_value(merge_maps([more, envelope]))
    }

    fn render_value(&self, value: Value) -> Result<String, Failure> {
        let template = self.environment.get_template(TEMPLATE);
        template.and_then(|template| template.render(value)).map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &Error) -> Failure {
        failure(error, &self.source)
    }
}

/// Makes an environment in which no template can loop for ever.
pub(crate) fn environment(undefined: UndefinedBehavior) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(undefined);
    environment.set_fuel(Some(FUEL));
    environment
}

/// Checks that names are fields of the envelope at one of these events, or one of `more`.
pub(crate) fn check_names(
    environment: &Environment<'_>,
    mut names: Vec<String>,
    events: &[Event],
    more: &[&str],
) -> Result<(), TemplateError> {
    if events.is_empty() || events.contains(&Event::Custom) {
        return Ok(());
    }
    let fields = events.iter().flat_map(|event| payload::fields(*event));
    let mut known: Vec<&str> = more.iter().chain(fields).chain(&HEADER_FIELDS).copied().collect();
    let mut seen = HashSet::new();
    known.retain(|name| seen.insert(*name));
    names.retain(|name| {
        !known.contains(&name.as_str()) && !environment.globals().any(|(global, _)| global == name)
    });
    names.sort();
    match names.into_iter().next() {
        None => Ok(()),
        Some(name) => Err(TemplateError::UnknownName { name, known: known.join("`, `") }),
    }
}

/// Returns the failure of a template. It quotes only the template: the message of the template engine
/// may hold values of the envelope.
pub(crate) fn failure(error: &Error, source: &str) -> Failure {
    let hint = match error.kind() {
        ErrorKind::UndefinedError => NO_FIELD,
        ErrorKind::OutOfFuel => ": it loops for too long",
        _ => "",
    };
    let line = error.line().unwrap_or(1);
    let source = source.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    Failure::new(
        FailureClass::Malformed,
        format!(
            "the text cannot be rendered: {} in line {line}, `{}`{hint}",
            error.kind(),
            source.trim()
        ),
    )
}

/// What to do about a field that is not there.
pub(crate) const NO_FIELD: &str =
    ": the envelope has no such field; use `is defined` or the filter `default`";
