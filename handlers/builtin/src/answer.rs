//! `answer`: a fixed result instead of running the tool.

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, Reply, Role, SyncHandler, Verdict,
};
use serde_json::Value;

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::supports::takes_answer;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "answer",
    role: Role::Rewrite,
    about: "gives a fixed result instead of running the step",
    supports: Some(takes_answer),
    settings: &[
        SettingDoc::required("result", SettingType::Any, "the result: a text or any other value"),
        SettingDoc::optional("is_error", SettingType::Flag, "whether it is an error of the tool")
            .default("false"),
    ],
    example: r#"[[hook]]
id = "no-weather"
event = "pre_tool_use"
tool = "mcp__weather__*"
builtin = { name = "answer", result = { degrees = 20, sky = "clear" } }
"#,
    build: Build::Alone(build),
};

/// Gives every step that its hook matches a fixed result, so that it does not run.
///
/// It is for a tool whose result is known, or must be the same in each run: the weather in a
/// demonstration, the price of a test. A deny tells the model that it must not; an answer tells it
/// what there is.
///
/// ```toml
/// [[hook]]
/// id = "no-weather"
/// event = "pre_tool_use"
/// tool = "mcp__weather__*"
/// builtin = { name = "answer", result = { degrees = 20, sky = "clear" } }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `result` | any value, required | the result: a text or any other value |
/// | `is_error` | bool, `false` | whether it is an error of the tool |
///
/// It answers at `pre_tool_use` and `pre_llm_request`, where it is the text of the model, and is
/// refused at the other events. It never fails.
///
/// ```
/// use hookgate_builtin::FixedAnswer;
/// use hookgate_contract::StepId;
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::{Envelope, Invocation, StepContext, SyncHandler, Verdict};
///
/// let call = ToolCall::new("weather", serde_json::json!({"city": "Oslo"}));
/// let context = StepContext::new("session-1");
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&call, &context, &id, 1, 64 * 1024);
///
/// let handler = FixedAnswer::new("no weather in tests").failed();
/// let verdict = handler.handle(Invocation::new("no-weather", &envelope)).unwrap();
/// assert_eq!(verdict, Verdict::none().answer("no weather in tests", true));
/// ```
#[derive(Debug, Clone)]
pub struct FixedAnswer {
    result: Value,
    is_error: bool,
}

impl FixedAnswer {
    /// Creates a handler that gives this result.
    #[must_use]
    pub fn new(result: impl Into<Value>) -> Self {
        Self { result: result.into(), is_error: false }
    }

    /// Makes it the result of a tool that failed.
    #[must_use]
    pub fn failed(self) -> Self {
        Self { is_error: true, ..self }
    }
}

impl SyncHandler for FixedAnswer {
    fn handle(&self, _: Invocation<'_>) -> Reply {
        Ok(Verdict::none().answer(self.result.clone(), self.is_error))
    }
}

impl From<FixedAnswer> for BuiltHandler {
    fn from(handler: FixedAnswer) -> Self {
        Self::from_sync(handler).role(Role::Rewrite).supports(takes_answer).static_answer()
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<BuiltHandler> {
    let result = settings.node("result").map(|node| node.to_json());
    let is_error = settings.flag("is_error").unwrap_or(false);
    let Some(result) = result else {
        settings.missing("result");
        return None;
    };
    let size = result.to_string().len();
    if size > context.output {
        let problem = format!("it has {size} bytes, an answer may have {}", context.output);
        settings.invalid("result", problem);
        return None;
    }
    Some(FixedAnswer { result, is_error }.into())
}
