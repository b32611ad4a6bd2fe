//! `add_context`: a text for the model, or a template over the envelope.

use std::fmt;

use hookgate_contract::settings::Settings;
use hookgate_contract::template::{Template, is_template};
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, Reply, Role, SyncHandler, Verdict,
};

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::error::BuiltinError;
use crate::settings::required_prose;
use crate::supports::takes_context;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "add_context",
    role: Role::Guard,
    about: "adds a text or a template for the model",
    supports: Some(takes_context),
    settings: &[SettingDoc::required(
        "text",
        SettingType::Template,
        "a text; a template if it contains `{{`, `{%` or `{#`",
    )],
    example: r#"[[hook]]
id = "house-rules"
event = "user_prompt_submit"
builtin = { name = "add_context", text = "Run `make check` before you say that it works." }
"#,
    build: Build::Alone(build),
};

/// Adds a text for the model.
///
/// It is for what a model should know at a step and is not in its prompt: house rules before a tool,
/// the state of a branch, a hint after an error. The text is either fixed or a
/// [minijinja](https://docs.rs/minijinja) template over the [envelope](hookgate_contract::Envelope).
///
/// ```toml
/// [[hook]]
/// id = "house-rules"
/// event = "user_prompt_submit"
/// builtin = { name = "add_context", text = "Run `make check` before you say that it works." }
///
/// [[hook]]
/// id = "where"
/// event = "pre_tool_use"
/// builtin = { name = "add_context", text = "{% if cwd is defined %}You are in {{ cwd }}.{% endif %}" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `text` | string, required | a text; a template if it contains `{{`, `{%` or `{#` |
///
/// It answers with `context` and without a decision, at events that take context; it is refused at
/// the others. A name that the envelope of no event of the hook has is an error of the config. A fixed
/// text cannot fail. A template fails with the class `malformed` if it uses a
/// field that the envelope does not have, or runs more than 100,000 instructions; the failure quotes
/// the template and never a value of the envelope. A template that renders to nothing but white
/// space adds nothing.
///
/// A fixed text never makes the envelope; a template does.
///
/// ```
/// use hookgate_builtin::AddContext;
/// use hookgate_contract::StepId;
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::{Envelope, Invocation, StepContext, SyncHandler, Verdict};
///
/// let call = ToolCall::new("Bash", serde_json::json!({"command": "ls"}));
/// let context = StepContext::new("session-1").cwd("/srv/ledger");
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&call, &context, &id, 1, 64 * 1024);
/// let invocation = Invocation::new("where", &envelope);
///
/// let handler = AddContext::template("You run {{ tool_name }} in {{ cwd }}.")?;
/// let verdict = handler.handle(invocation).unwrap();
/// assert_eq!(verdict, Verdict::none().context("You run Bash in /srv/ledger."));
///
/// let handler = AddContext::template("turn {{ trun }}")?;
/// let failure = handler.handle(invocation).unwrap_err();
/// assert!(failure.detail.contains("in line 1, `turn {{ trun }}`"));
/// # Ok::<(), hookgate_builtin::BuiltinError>(())
/// ```
pub struct AddContext {
    text: Text,
}

enum Text {
    Fixed(Verdict),
    Template(Box<Template>),
}

impl AddContext {
    /// Creates a handler that adds this text as it is, braces included.
    #[must_use]
    pub fn fixed(text: impl Into<String>) -> Self {
        Self { text: Text::Fixed(Verdict::none().context(text.into())) }
    }

    /// Creates a handler that renders this template over the envelope.
    ///
    /// # Errors
    /// [`BuiltinError::Template`] if the template has a syntax error.
    pub fn template(source: &str) -> Result<Self, BuiltinError> {
        Ok(Self { text: Text::Template(Box::new(Template::strict(source)?)) })
    }
}

impl fmt::Debug for AddContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("AddContext");
        match &self.text {
            Text::Fixed(verdict) => debug.field("fixed", verdict).finish(),
            Text::Template(template) => debug.field("template", &template.source()).finish(),
        }
    }
}

impl SyncHandler for AddContext {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        match &self.text {
            Text::Fixed(verdict) => Ok(verdict.clone()),
            Text::Template(template) => {
                let text = template.render(invocation)?;
                // A condition may leave nothing: `{% if tool_name == "Bash" %}…{% endif %}`.
                if text.trim().is_empty() {
                    return Ok(Verdict::none());
                }
                Ok(Verdict::none().context(text))
            }
        }
    }
}

impl From<AddContext> for BuiltHandler {
    fn from(handler: AddContext) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(takes_context)
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<BuiltHandler> {
    let text = required_prose(settings, "text")?;
    if !is_template(text) {
        return Some(AddContext::fixed(text).into());
    }
    let template = Template::strict(text).and_then(|template| {
        template.check_names(context.events, &[])?;
        Ok(template)
    });
    let template = template.map_err(|error| settings.invalid("text", error.to_string())).ok()?;
    Some(AddContext { text: Text::Template(Box::new(template)) }.into())
}
