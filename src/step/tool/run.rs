//! A cleared tool is run, or a result supplied: its clearance is used up, and exactly the evaluated arguments are
//! handed over.

use hookgate_contract::Answer;
use hookgate_contract::payload::{PostToolUse, PostToolUseFailure, ToolCall};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Ran, ToolResult, ToolUse};
use crate::decision::Decision;
use crate::log;
use crate::panic_boundary::catch;
use crate::step::{Cleared, Stamp};

impl ToolUse<Cleared> {
    /// Returns the call, with the arguments that were evaluated. They cannot be assigned to: what they are to become
    /// is said by a rewriter, before they are evaluated.
    #[must_use]
    pub const fn call(&self) -> &ToolCall {
        &self.state.payload
    }

    /// Returns all that the hooks decided and added; `None` if no hook had an opinion.
    #[must_use]
    pub const fn decision(&self) -> Option<&Decision> {
        self.state.decision()
    }

    pub(crate) const fn stamp(&self) -> Stamp {
        self.mark
    }

    /// Returns what was kept of the dispatch, also if no hook had an opinion.
    pub(crate) fn kept_decision(&self) -> Option<&Decision> {
        self.state.decision.as_deref()
    }

    /// Runs the tool: hands exactly the evaluated arguments to the executor and keeps what it returns. An
    /// error of the executor is a failed tool, with the error as its text.
    ///
    /// An executor takes its arguments from here and keeps none that it had before: a rewriter may have changed them.
    /// It takes a `&Value`: one that takes a `&mut Value` does not compile (E0631), since what runs would not be what
    /// was evaluated.
    ///
    /// # Cancel safety
    /// Dropping the future drops that of the executor. The clearance is used up either way.
    pub async fn run<T, E, F>(self, executor: F) -> ToolUse<Ran>
    where
        T: Into<Value>,
        E: std::fmt::Display,
        F: AsyncFnOnce(&Value) -> Result<T, E>,
    {
        let running = self.start();
        let result = executor(running.input()).await;
        running.finish(result)
    }

    /// As [`run`](Self::run), for an executor with types of its own: the evaluated arguments are read as `In`, and what it
    /// returns is written as JSON. Arguments that do not fit, and a result that cannot be written, are a failed tool, whose
    /// text says why; in the first case the executor is not called. JSON has no infinity: it is null.
    ///
    /// ```
    /// use hookgate::{Gate, HookEngine, Noop, StepContext, ToolUse};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Sum { a: i64, b: i64 }
    /// #[derive(serde::Serialize)]
    /// struct Total { total: i64 }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let context = StepContext::new("s");
    /// let sum = ToolUse::propose("Sum", r#"{"a":2,"b":3}"#).unwrap();
    /// let Gate::Cleared(cleared) = Noop.dispatch(sum, &context).await else { panic!() };
    /// let ran = cleared.run_typed(async |sum: Sum| Ok::<_, String>(Total { total: sum.a + sum.b })).await;
    /// let Gate::Cleared(done) = Noop.dispatch(ran, &context).await else { panic!() };
    /// assert_eq!(done.into_message(), r#"{"total":5}"#);
    /// # });
    /// ```
    ///
    /// # Cancel safety
    /// As [`run`](Self::run).
    pub async fn run_typed<In, Out, E, F>(self, executor: F) -> ToolUse<Ran>
    where
        In: DeserializeOwned,
        Out: Serialize,
        E: std::fmt::Display,
        F: AsyncFnOnce(In) -> Result<Out, E>,
    {
        let running = self.start();
        let input = match In::deserialize(running.input()) {
            Ok(input) => input,
            Err(error) => {
                let misfit = format!("the arguments do not fit the tool: {error}");
                return running.finish(Err::<Value, _>(misfit));
            }
        };
        match executor(input).await {
            Err(error) => running.finish(Err::<Value, _>(error)),
            Ok(out) => {
                let written = catch("the result of the tool", || serde_json::to_value(out));
                let why = match written {
                    Ok(Ok(value)) => return running.finish(Ok::<_, String>(value)),
                    Ok(Err(error)) => error.to_string(),
                    Err(panic) => panic.detail.into_owned(),
                };
                let unwritten =
                    format!("the tool has run, and its result cannot be written: {why}");
                running.finish(Err::<Value, _>(unwritten))
            }
        }
    }

    /// As [`run`](Self::run), for a tool that is tried again after an error, up to `attempts` times (at least once). The
    /// executor is told which attempt it is, from 0: to wait before, or to ask another service. All attempts have the
    /// arguments that were evaluated, and hooks see the result of the last one. Arguments that differ are another call,
    /// which is to be dispatched.
    ///
    /// ```
    /// use hookgate::{Gate, HookEngine, Noop, StepContext, ToolUse};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// # let (main, mirror) = (|_: &serde_json::Value| Err("503"), |_: &serde_json::Value| Ok("from the mirror"));
    /// let fetch = ToolUse::propose("Fetch", r#"{"url":"https://example.org"}"#).unwrap();
    /// let Gate::Cleared(cleared) = Noop.dispatch(fetch, &StepContext::new("s")).await else { panic!() };
    /// let ran = cleared.run_attempts(3, async |input, attempt| match attempt {
    ///     0 | 1 => main(input),
    ///     _ => mirror(input),
    /// }).await;
    /// let Gate::Cleared(done) = Noop.dispatch(ran, &StepContext::new("s")).await else { panic!() };
    /// assert_eq!(done.into_message(), "from the mirror");
    /// # });
    /// ```
    ///
    /// # Cancel safety
    /// As [`run`](Self::run): no attempt follows.
    pub async fn run_attempts<T, E, F>(self, attempts: u32, mut executor: F) -> ToolUse<Ran>
    where
        T: Into<Value>,
        E: std::fmt::Display,
        F: AsyncFnMut(&Value, u32) -> Result<T, E>,
    {
        let running = self.start();
        let mut result = executor(running.input(), 0).await;
        for attempt in 1..attempts {
            if result.is_ok() {
                break;
            }
            result = executor(running.input(), attempt).await;
        }
        running.finish(result)
    }

    /// Uses a result that the host has already, from a cache, in place of running the tool. It passes the hooks of the
    /// result as any other, and [`is_supplied`](ToolUse::is_supplied).
    ///
    /// ```
    /// use hookgate::contract::Answer;
    /// use hookgate::{Gate, HookEngine, Noop, StepContext, ToolUse};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let read = ToolUse::propose("Read", r#"{"path":"a.txt"}"#).unwrap();
    /// let Gate::Cleared(cleared) = Noop.dispatch(read, &StepContext::new("s")).await else { panic!() };
    /// let ran = cleared.supply(Answer::new("read an hour ago"));
    /// assert!(ran.is_supplied());
    /// # });
    /// ```
    #[must_use = "hooks look at the result where it is dispatched"]
    pub fn supply(self, answer: Answer) -> ToolUse<Ran> {
        ToolUse::supplied(self.state.payload, answer, self.state.decision)
    }

    /// Starts the tool, for a runtime that cannot hand over a closure.
    ///
    /// ```
    /// use hookgate::{Gate, HookEngine, Noop, StepContext, ToolUse};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let echo = ToolUse::propose("Echo", r#"{"text":"hi"}"#).unwrap();
    /// let Gate::Cleared(cleared) = Noop.dispatch(echo, &StepContext::new("s")).await else { panic!() };
    /// let running = cleared.start();
    /// let text = running.input()["text"].as_str().ok_or("no text").map(str::to_owned);
    /// let ran = running.finish(text);
    /// assert!(!ran.is_supplied());
    /// # });
    /// ```
    #[must_use = "hand the result of the tool to `finish`"]
    pub fn start(self) -> Running {
        Running { call: self.state.payload, before: self.state.decision, finished: false }
    }
}

/// A tool that is running. The clearance is used up.
///
/// One that is dropped without [`finish`](Self::finish) is logged as a warning, and recorded if its engine has a
/// recorder ([`Unfinished`](crate::recorder::DispatchEnd::Unfinished)): the tool may have run, and the hooks of its
/// result have not seen it.
#[must_use = "hand the result of the tool to `finish`: hooks look at it there"]
#[derive(Debug)]
pub struct Running {
    call: ToolCall,
    before: Option<Box<Decision>>,
    finished: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.finished {
            let step_id = self.before.as_ref().and_then(|before| before.step_id.as_deref());
            log::tool_unfinished(self.call.tool_name.as_str(), step_id);
            if let Some(before) = self.before.take() {
                before.unfinished.record();
            }
        }
    }
}

/// What is told of a tool that has run, if its result cannot be.
const UNREADABLE: &str = "the tool has run, and its result or error panicked when it was taken";

impl Running {
    /// Returns the arguments that were evaluated.
    #[must_use]
    pub const fn input(&self) -> &Value {
        &self.call.tool_input
    }

    /// Returns the call.
    #[must_use]
    pub const fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Takes the result of the tool, or its error. If one of them panics when it is taken, the tool has failed.
    pub fn finish<T, E>(mut self, result: Result<T, E>) -> ToolUse<Ran>
    where
        T: Into<Value>,
        E: std::fmt::Display,
    {
        let taken = catch("the result of the tool", move || {
            result.map(Into::into).map_err(|error| error.to_string())
        });
        let result: Result<Value, String> = taken.unwrap_or_else(|_| Err(UNREADABLE.to_owned()));
        self.finished = true;
        let call = std::mem::replace(&mut self.call, ToolCall::new("", Value::Null));
        let result = match result {
            Ok(response) => ToolResult::Success(PostToolUse::new(call, response)),
            Err(error) => ToolResult::Failure(PostToolUseFailure::new(call, error)),
        };
        ToolUse { state: Ran { result, supplied: false, before: self.before.take() }, mark: () }
    }
}
