//! A tool with hooks around it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use hookgate::approval::ApprovalRequest;
use hookgate::step::{InputError, ToolResult};
use hookgate::{Gate, ToolUse};
use hookgate_session::Session;
use rig_core::tool::{IntoToolOutput, Tool, ToolContext, ToolExecutionError, ToolOutput};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The code of the error of a tool at which hooks have halted the run.
pub const HALTED: &str = "hookgate.halted";

/// What a person says to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It may happen.
    Approve,
    /// It must not, and why.
    Refuse(String),
}

/// Why a tool does not run, or its result does not come, without a hook that has denied it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The arguments are no JSON that every reader understands alike.
    #[error(transparent)]
    Arguments(#[from] InputError),
    /// The question cannot be shown.
    #[error("the question cannot be shown, so nobody can answer it")]
    Question,
}

type Asks = dyn Fn(ApprovalRequest) -> Pin<Box<dyn Future<Output = Answer> + Send>> + Send + Sync;

/// A tool of rig that runs when hooks have cleared it: see the [crate](crate).
#[derive(Clone)]
pub struct Judged<T> {
    tool: T,
    session: Session,
    asks: Option<Arc<Asks>>,
}

impl<T> fmt::Debug for Judged<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judged").field("session", &self.session).finish_non_exhaustive()
    }
}

impl<T> Judged<T> {
    /// Has the calls of a tool judged in a session: of an engine and the id of a session, or of a scope.
    pub fn new(tool: T, session: impl Into<Session>) -> Self {
        Self { tool, session: session.into(), asks: None }
    }

    /// Has questions of hooks answered by a person. The call of the tool waits for the answer.
    #[must_use]
    pub fn asks<F>(mut self, ask: impl Fn(ApprovalRequest) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        self.asks = Some(Arc::new(move |request| Box::pin(ask(request))));
        self
    }
}

impl<T: Tool> Tool for Judged<T> {
    const NAME: &'static str = T::NAME;
    /// As the model wrote them: a key that is twice would be lost in a `Value`.
    type Args = Box<RawValue>;
    type Output = ToolOutput;
    type Error = ToolExecutionError;

    fn description(&self) -> String {
        self.tool.description()
    }

    fn parameters(&self) -> Value {
        self.tool.parameters()
    }

    async fn call(
        &self,
        rig: &mut ToolContext,
        args: Box<RawValue>,
    ) -> Result<ToolOutput, ToolExecutionError> {
        let (session, context) = (&self.session, self.session.context());
        // A tool without arguments gets `{}`, as rig has it.
        let text = if args.get() == "null" { "{}" } else { args.get() };
        let step = ToolUse::propose(T::NAME, text).map_err(Problem::from);
        let step = step.map_err(|error| ToolExecutionError::invalid_args(error.to_string()))?;
        let mut gate = session.dispatch(step, &context).await;
        if let Gate::Asked(asked) = gate {
            let answer = match (&self.asks, session.request(&asked, &context)) {
                (Some(ask), Some(request)) => ask(request).await,
                (Some(_), None) => Answer::Refuse(Problem::Question.to_string()),
                (None, _) => Answer::Refuse(format!("nobody can be asked: {}", asked.question())),
            };
            gate = match answer {
                Answer::Approve => session.approve(asked, &context).await,
                Answer::Refuse(reason) => session.reject(asked, reason, &context).await,
            };
        }
        let mut failed = None;
        let ran = match gate {
            Gate::Cleared(cleared) => {
                let running = cleared.start();
                let result = match T::Args::deserialize(running.input()) {
                    Ok(args) => {
                        let called = self.tool.call(rig, args).await;
                        let called = called.map_err(|error| self.tool.map_error(error));
                        called.and_then(IntoToolOutput::into_tool_output)
                    }
                    Err(error) => Err(ToolExecutionError::invalid_args(error.to_string())),
                };
                let result = result.and_then(|output| written(&output));
                failed = result.as_ref().err().cloned();
                // What the model would read of an error.
                running.finish(result.map_err(|error| error.model_output().render()))
            }
            Gate::Answered(ran) => ran,
            // A table was swapped meanwhile, and another hook asks.
            Gate::Asked(asked) => {
                return Err(refused(asked.refuse("it was asked again").feedback()));
            }
            Gate::Denied(denied) => return Err(refused(denied.feedback())),
            Gate::Halted(halted) => return Err(refused(halted.to_string()).with_code(HALTED)),
        };
        match session.dispatch(ran, &context).await {
            Gate::Denied(denied) => Err(refused(denied.feedback())),
            Gate::Halted(halted) => Err(refused(halted.to_string()).with_code(HALTED)),
            Gate::Cleared(done) => match done.result() {
                ToolResult::Success(result) if !done.is_error() => {
                    Ok(read(result.tool_response.clone()))
                }
                // The kind is that of the tool's error, the text that which was judged.
                _ => {
                    let text = done.into_message();
                    let kind =
                        failed.map_or(rig_core::tool::ToolErrorKind::Other, |error| error.kind());
                    Err(ToolExecutionError::new(kind, text))
                }
            },
        }
    }
}

fn refused(text: String) -> ToolExecutionError {
    ToolExecutionError::refused(text).with_retryable(false)
}

/// Writes an output for hooks: a text as a text, one JSON value as it is, blocks as a list.
fn written(output: &ToolOutput) -> Result<Value, ToolExecutionError> {
    if let Some(text) = output.as_text() {
        return Ok(text.into());
    }
    match output.as_json() {
        Some(value) => Ok(value.clone()),
        None => serde_json::to_value(output).map_err(ToolExecutionError::from_error),
    }
}

/// Reads what the hooks have left of it.
fn read(value: Value) -> ToolOutput {
    match value {
        Value::String(text) => ToolOutput::text(text),
        blocks @ Value::Array(_) => {
            serde_json::from_value(blocks.clone()).unwrap_or_else(|_| ToolOutput::json(blocks))
        }
        other => ToolOutput::json(other),
    }
}
