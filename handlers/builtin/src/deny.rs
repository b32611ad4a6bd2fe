//! `deny`: the step does not happen.

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, ReasonCode, Reply, Role, SyncHandler, Verdict,
};

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::error::BuiltinError;
use crate::reason::Reasoned;
use crate::supports::can_deny;

const CODES: &[&str] = &["policy_violation", "safety_violation", "schema_violation"];

/// The setting that all builtins have which deny.
pub(crate) const REASON_CODE: SettingDoc = SettingDoc::optional(
    "reason_code",
    SettingType::Choice(CODES),
    "the reason for programs; `policy_violation` is what it is without one",
);

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "deny",
    role: Role::Guard,
    about: "denies, with a reason",
    supports: Some(can_deny),
    settings: &[
        SettingDoc::required(
            "reason",
            SettingType::Template,
            "the reason; a template if it contains `{{`, `{%` or `{#`",
        ),
        REASON_CODE,
    ],
    example: r#"[[hook]]
id = "no-force-push"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = "push.*--force" } }
builtin = { name = "deny", reason = "push without --force", reason_code = "safety_violation" }
"#,
    build: Build::Alone(build),
};

/// Denies every step that its hook matches, with a reason.
///
/// It is the guard for rules that a matcher can express: no `Bash` in this project, no writes
/// outside of it. The reason goes to whoever proposed the step; before a tool that is the model, so
/// say what to do instead.
///
/// ```toml
/// [[hook]]
/// id = "no-force-push"
/// event = "pre_tool_use"
/// tool = "Bash"
/// input = { "/command" = { regex = "push.*--force" } }
/// builtin = { name = "deny", reason = "push without --force", reason_code = "safety_violation" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `reason` | string or template, required | the reason; must not be blank |
/// | `reason_code` | string | `policy_violation` (as without it), `safety_violation` or `schema_violation` |
///
/// It answers `deny` at every event that can be denied and is refused at the others. It never fails.
///
/// # A reason that names what was found
/// A reason with `{{`, `{%` or `{#` is a [minijinja](https://docs.rs/minijinja) template. It knows the
/// fields of the [envelope](hookgate_contract::Envelope) and `effect`: what of the step made the
/// conditions of the hook hold, such as "`cat` reads /home/u/.env". If no condition names anything, it
/// is "this call of `Bash`". A name that no event of the hook has is an error of the config. A field
/// that a step does not have is empty. The decision never gets lost: should the template fail, the
/// reason is the template as it was written, and the record has a note of what went wrong.
///
/// ```toml
/// [[hook]]
/// id = "secrets-stay"
/// event = "pre_tool_use"
/// reads = ["**/.env", "**/*.pem", "~/.ssh/**"]
/// builtin = { name = "deny", reason = "{{ effect }}, which may hold credentials" }
/// ```
///
/// ```
/// use hookgate_builtin::Deny;
/// use hookgate_contract::StepId;
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::{Envelope, Invocation, StepContext, SyncHandler, Verdict};
///
/// let call = ToolCall::new("Bash", serde_json::json!({"command": "git push --force"}));
/// let context = StepContext::new("session-1");
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&call, &context, &id, 1, 64 * 1024);
///
/// let deny = Deny::new("push without --force");
/// let verdict = deny.handle(Invocation::new("no-force-push", &envelope)).unwrap();
/// assert_eq!(verdict, Verdict::deny("push without --force"));
/// ```
#[derive(Debug, Clone)]
pub struct Deny {
    verdict: Reasoned,
}

impl Deny {
    /// Creates a handler that denies with this reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { verdict: Reasoned::fixed(Verdict::deny(reason.into())) }
    }

    /// Creates a handler that denies with a reason that is a template.
    ///
    /// # Errors
    /// [`BuiltinError::Template`] if the template has a syntax error.
    ///
    /// ```
    /// use hookgate_builtin::{BuiltinError, Deny};
    ///
    /// assert!(Deny::template("`{{ tool_name }}` is not for this project").is_ok());
    /// assert!(matches!(Deny::template("{{ tool_name "), Err(BuiltinError::Template(_))));
    /// ```
    pub fn template(reason: &str) -> Result<Self, BuiltinError> {
        Ok(Self { verdict: Reasoned::template(reason, Verdict::deny)? })
    }

    /// Sets the code of the reason, which programs read.
    #[must_use]
    pub fn reason_code(self, code: ReasonCode) -> Self {
        Self { verdict: self.verdict.map(|verdict| verdict.reason_code(code)) }
    }
}

impl SyncHandler for Deny {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        Ok(self.verdict.verdict(invocation))
    }
}

impl From<Deny> for BuiltHandler {
    fn from(handler: Deny) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(can_deny).static_answer()
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<BuiltHandler> {
    let code = reason_code(settings);
    let verdict = Reasoned::required(settings, context, Verdict::deny)?;
    let deny = Deny { verdict };
    Some(match code {
        Some(code) => deny.reason_code(code).into(),
        None => deny.into(),
    })
}

/// Reads the setting `reason_code`.
pub(crate) fn reason_code(settings: &mut Settings<'_>) -> Option<ReasonCode> {
    // The other codes say how the engine came to a deny; no hook gives them.
    let hook_code = |name: &str| ReasonCode::from_name(name).filter(|code| code.is_for_hooks());
    settings.choice("reason_code", CODES, hook_code)
}
