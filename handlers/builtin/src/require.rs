//! `require`: the step does not happen before something else has happened.

use std::fmt;
use std::sync::Arc;

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Failure, FailureClass, Invocation, Layer, Reply, Role, SyncHandler,
    Truth, Verdict,
};

use crate::deny::{REASON_CODE, reason_code};
use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::host::{Host, Marks};
use crate::reason::Reasoned;
use crate::supports::can_deny;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "require",
    role: Role::Guard,
    about: "denies unless the session has a mark",
    supports: Some(can_deny),
    settings: &[
        SettingDoc::required("mark", SettingType::Text, "the mark that the session must have"),
        SettingDoc::optional(
            "after",
            SettingType::Text,
            "a mark; the required one must have been set later",
        ),
        SettingDoc::optional(
            "reason",
            SettingType::Template,
            "the reason; by default it names what is missing",
        ),
        REASON_CODE,
    ],
    example: r#"[[hook]]
id = "tested-before-push"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { contains = "git push" } }
builtin = { name = "require", mark = "tested", after = "edited", reason = "run the tests before you push" }
"#,
    build: Build::WithHost(build),
};

/// Denies every step that its hook matches, unless something has happened before in the session.
///
/// What has happened is a mark, which other hooks set with `mark = "…"`: the tests ran, the plan was
/// read, the user was asked. With `after` an old mark does not count: the tests must have run since the
/// last edit.
///
/// ```toml
/// [[hook]]
/// id = "tests"
/// event = "post_tool_use"
/// tool = "Bash"
/// input = { "/command" = { starts_with = "make check" } }
/// mark = "tested"
/// builtin = { name = "audit" }
///
/// [[hook]]
/// id = "edits"
/// event = "post_tool_use"
/// tool = "Edit|Write"
/// mark = "edited"
/// builtin = { name = "audit" }
///
/// [[hook]]
/// id = "tested-before-push"
/// event = "pre_tool_use"
/// tool = "Bash"
/// input = { "/command" = { contains = "git push" } }
/// builtin = { name = "require", mark = "tested", after = "edited", reason = "run the tests before you push" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `mark` | string, required | the mark that the session must have |
/// | `after` | string | a mark; the required one must have been set later |
/// | `reason` | string or template | the reason; by default it names what is missing |
/// | `reason_code` | string | as for [`Deny`](crate::Deny) |
///
/// A mark counts that a hook of its own layer or of one above has set. It has no opinion if the mark is there, and answers `deny` if it is not, at every event that can be
/// denied. If it cannot be told which of two marks was set later, because one step has set both, it fails
/// with the class `unclear`.
///
/// It needs the [marks](crate::Marks) of the host; in a host that has none it is an error of the
/// config.
///
/// ```
/// use std::sync::Arc;
///
/// use hookgate_builtin::{Marks, Require};
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::{
///     Envelope, Invocation, Layer, StepContext, StepId, SyncHandler, Truth, Verdict,
/// };
///
/// struct Nothing;
/// impl Marks for Nothing {
///     fn is_marked(&self, _: &Envelope<'_>, _: Layer, _: &str, _: Option<&str>) -> Truth {
///         Truth::False
///     }
/// }
///
/// let call = ToolCall::new("Bash", serde_json::json!({"command": "git push"}));
/// let context = StepContext::new("session-1");
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&call, &context, &id, 1, 64 * 1024);
///
/// let require = Require::new("tested", Arc::new(Nothing));
/// let verdict = require.handle(Invocation::new("tested-before-push", &envelope)).unwrap();
/// assert_eq!(verdict, Verdict::deny("`tested` must come first: this session has no such mark"));
/// ```
pub struct Require {
    mark: String,
    after: Option<String>,
    layer: Layer,
    verdict: Option<Reasoned>,
    marks: Arc<dyn Marks>,
}

impl fmt::Debug for Require {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Require")
            .field("mark", &self.mark)
            .field("after", &self.after)
            .finish_non_exhaustive()
    }
}

impl Require {
    /// Creates a handler that denies unless the session has this mark.
    #[must_use]
    pub fn new(mark: impl Into<String>, marks: Arc<dyn Marks>) -> Self {
        Self { mark: mark.into(), after: None, layer: Layer::Code, verdict: None, marks }
    }

    /// Requires that the mark was set later than this one.
    #[must_use]
    pub fn after(self, mark: impl Into<String>) -> Self {
        Self { after: Some(mark.into()), ..self }
    }

    /// Sets the reason.
    #[must_use]
    pub fn reason(self, reason: impl Into<String>) -> Self {
        Self { verdict: Some(Reasoned::fixed(Verdict::deny(reason.into()))), ..self }
    }

    /// Says what is missing.
    fn missing(&self) -> String {
        let mark = &self.mark;
        match &self.after {
            Some(after) => {
                format!("`{mark}` must come first: this session has no such mark since `{after}`")
            }
            None => format!("`{mark}` must come first: this session has no such mark"),
        }
    }
}

impl SyncHandler for Require {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let (mark, after) = (&*self.mark, self.after.as_deref());
        match self.marks.is_marked(invocation.envelope, self.layer, mark, after) {
            Truth::True => Ok(Verdict::none()),
            Truth::False => Ok(match &self.verdict {
                Some(verdict) => verdict.verdict(invocation),
                None => Verdict::deny(self.missing()),
            }),
            Truth::Unknown => Err(Failure::new(
                FailureClass::Unclear,
                format!("it cannot be told whether the session has the mark `{}`", self.mark),
            )),
        }
    }
}

impl From<Require> for BuiltHandler {
    fn from(handler: Require) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(can_deny).static_answer().uses_history()
    }
}

/// Builds the handler from the settings of a config.
fn build(
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
    host: &Host,
) -> Option<BuiltHandler> {
    let mark = settings.required_text("mark");
    let after = settings.text("after");
    let code = reason_code(settings);
    let verdict = match settings.text("reason") {
        Some(reason) => Some(Reasoned::read(settings, context, reason, &[], Verdict::deny)?),
        None => None,
    };
    let mark = mark?;
    for (key, name) in [("mark", Some(mark)), ("after", after)] {
        if name.is_some_and(|name| name.trim().is_empty()) {
            settings.invalid(key, "it is empty: name a mark that a hook sets with `mark`");
            return None;
        }
    }
    if after == Some(mark) {
        settings.invalid("after", "a mark is never set later than itself");
        return None;
    }
    let Some(marks) = host.marks.clone() else {
        settings.invalid("mark", "this program keeps no marks, so nothing could ever be marked");
        return None;
    };
    let mut require = Require {
        after: after.map(str::to_owned),
        layer: context.layer,
        verdict,
        ..Require::new(mark, marks)
    };
    if let Some(code) = code {
        let missing = require.missing();
        let verdict = require.verdict.unwrap_or_else(|| Reasoned::fixed(Verdict::deny(missing)));
        require.verdict = Some(verdict.map(|verdict| verdict.reason_code(code)));
    }
    let (layer, marks) = (require.layer, Arc::clone(&require.marks));
    marks.note_required(layer, mark);
    let names: Vec<String> = std::iter::once(mark).chain(after).map(str::to_owned).collect();
    Some(
        BuiltHandler::from(require)
            .doubts(move || names.iter().filter_map(|name| marks.doubt(layer, name)).collect()),
    )
}
