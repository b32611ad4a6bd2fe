//! `add_context`: a text for the model, or a template over the envelope.

use hookgate_contract::BuildContext;
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuiltHandler, Contract, Failure, FailureClass, Invocation, Reply, Role, SyncHandler, Verdict,
};
use minijinja::value::Serde;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};

use crate::wording;

/// The name of the only template.
const TEMPLATE: &str = "text";

/// How many instructions a template may run: a loop over a few thousand messages, but no more.
const FUEL: u64 = 100_000;

/// Builds the handler. A text without any template syntax never needs the envelope.
pub(crate) fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let text = wording::required(settings, "text")?;
    let built = if ["{{", "{%", "{#"].iter().any(|open| text.contains(open)) {
        match Template::compile(text) {
            Ok(template) => BuiltHandler::from_sync(template),
            Err(error) => {
                settings.invalid("text", format!("no valid template: {error}"));
                return None;
            }
        }
    } else {
        let verdict = Verdict::none().context(text);
        BuiltHandler::from_sync(move |_: Invocation<'_>| Ok(verdict.clone()))
    };
    Some(built.role(Role::Guard).supports(takes_context))
}

/// Refuses events at which nothing can be told to the model.
pub(crate) fn takes_context(contract: &Contract) -> Result<(), &'static str> {
    if contract.context { Ok(()) } else { Err("no context can be added here") }
}

struct Template {
    environment: Environment<'static>,
    source: String,
}

impl Template {
    fn compile(source: &str) -> Result<Self, Error> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        environment.add_template_owned(TEMPLATE, source.to_owned())?;
        Ok(Self { environment, source: source.to_owned() })
    }

    /// Says what went wrong by quoting the template only: the message of the template engine may
    /// hold values out of the envelope.
    fn failure(&self, error: &Error) -> Failure {
        let hint = match error.kind() {
            ErrorKind::UndefinedError => {
                ": the envelope has no such field; use `is defined` or the filter `default`"
            }
            ErrorKind::OutOfFuel => ": it loops for too long",
            _ => "",
        };
        let line = error.line().unwrap_or(1);
        let source = self.source.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        Failure::new(
            FailureClass::Malformed,
            format!(
                "the text cannot be rendered: {} in line {line}, `{}`{hint}",
                error.kind(),
                source.trim()
            ),
        )
    }
}

impl SyncHandler for Template {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let envelope = invocation.json()?;
        let text = self
            .environment
            .get_template(TEMPLATE)
            .and_then(|template| template.render(Serde(envelope)))
            .map_err(|error| self.failure(&error))?;
        // A template may say nothing: `{% if tool_name == "Bash" %}…{% endif %}`.
        if text.trim().is_empty() {
            return Ok(Verdict::none());
        }
        Ok(Verdict::none().context(text))
    }
}
