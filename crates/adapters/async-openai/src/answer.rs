//! An answer of a model, judged while it comes.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use async_openai::types::chat::{
    CompletionUsage, CreateChatCompletionStreamResponse, FinishReason,
};
use futures_core::Stream;
use hookgate::contract::payload::PostLlmResponse;
use hookgate::stream::{Exposure, GatedStream, Part, StreamError, ToolCallError, ToolCallParts};
use hookgate::{Cleared, Gate, HookEngine, StepContext, ToolUse};

/// Why a streamed answer goes no further, or a part of it has failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError<X> {
    /// A hook has cut the text, or the source has failed.
    #[error(transparent)]
    Stream(#[from] StreamError<X>),
    /// The answer cannot be used. This is the last item: it comes in place of the end.
    #[error(transparent)]
    Problem(#[from] AnswerProblem),
}

/// Why an answer cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerProblem {
    /// It has a part that hooks cannot judge.
    #[error("the answer has {0}, which no hook can judge")]
    Unjudged(&'static str),
    /// It calls tools in a way that cannot be read.
    #[error(transparent)]
    Calls(#[from] ToolCallError),
    /// It calls tools, and has not come to its end.
    #[error("the answer calls tools and breaks off, so what it calls them with may not be all")]
    BrokenOff,
}

/// A streamed answer through a [gate](hookgate::stream): see the [crate](crate). Its items are those of a [`GatedStream`].
pub struct GatedAnswer<'a, E: HookEngine + ?Sized, St> {
    text: GatedStream<'a, E, Deltas<St>>,
    came: Arc<Mutex<Came>>,
}

/// The text of an answer, without what comes beside it.
struct Deltas<St> {
    source: Option<Pin<Box<St>>>,
    came: Arc<Mutex<Came>>,
}

/// What came beside the text.
#[derive(Default)]
struct Came {
    calls: ToolCallParts,
    model: Option<String>,
    usage: Option<CompletionUsage>,
    finish: Option<FinishReason>,
    /// The source has failed: a part may be missing.
    has_failed: bool,
    problem: Option<AnswerProblem>,
}

/// Returns the steps of the tools that a cleared answer calls, in its order and with their ids.
pub fn tool_calls(answer: Cleared<PostLlmResponse>) -> impl Iterator<Item = ToolUse> {
    answer.into_payload().tool_calls.into_iter().flatten().map(ToolUse::from)
}

impl<E: HookEngine + ?Sized, St> fmt::Debug for GatedAnswer<'_, E, St> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatedAnswer").finish_non_exhaustive()
    }
}

impl<'a, E: HookEngine + ?Sized, St> GatedAnswer<'a, E, St> {
    /// Puts a gate around a streamed answer: what `client.chat().create_stream(request)` returns.
    #[must_use]
    pub fn new(
        engine: &'a E,
        context: &'a StepContext<'a>,
        exposure: Exposure,
        source: St,
    ) -> Self {
        let came = Arc::new(Mutex::new(Came::default()));
        let (of_deltas, of_whole) = (came.clone(), came.clone());
        let deltas = Deltas { source: Some(Box::pin(source)), came: of_deltas };
        let text = GatedStream::new(engine, context, exposure, deltas);
        Self { text: text.respond_with(move |text| lock(&of_whole).respond(text)), came }
    }
}

impl<'a, E, St, X> Stream for GatedAnswer<'a, E, St>
where
    E: HookEngine + ?Sized,
    St: Stream<Item = Result<CreateChatCompletionStreamResponse, X>>,
{
    type Item = Result<Part, AnswerError<X>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let item = ready!(Pin::new(&mut self.text).poll_next(cx));
        let is_cleared = matches!(item, Some(Ok(Part::End(Gate::Cleared(_)))));
        let problem = if is_cleared { lock(&self.came).problem.take() } else { None };
        Poll::Ready(match problem {
            Some(problem) => Some(Err(problem.into())),
            None => item.map(|item| item.map_err(AnswerError::from)),
        })
    }
}

impl<St, X> Stream for Deltas<St>
where
    St: Stream<Item = Result<CreateChatCompletionStreamResponse, X>>,
{
    type Item = Result<String, X>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(source) = &mut self.source else { return Poll::Ready(None) };
        let Some(part) = ready!(source.as_mut().poll_next(cx)) else { return Poll::Ready(None) };
        let text = part.map(|part| lock(&self.came).take(part));
        match &text {
            Ok(Some(_)) => {}
            Ok(None) => self.source = None,
            Err(_) => lock(&self.came).has_failed = true,
        }
        Poll::Ready(text.transpose())
    }
}

fn lock(came: &Mutex<Came>) -> MutexGuard<'_, Came> {
    came.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Came {
    /// Takes a part of the answer and returns its text; nothing if there is something in it that hooks cannot judge.
    fn take(&mut self, part: CreateChatCompletionStreamResponse) -> Option<String> {
        let mut text = String::new();
        for choice in part.choices {
            let delta = choice.delta;
            #[expect(deprecated, reason = "a server may still send it")]
            let old_call = delta.function_call.is_some();
            let unjudged = [
                (choice.index != 0, "a second choice"),
                (delta.audio.is_some(), "audio"),
                (old_call, "a `function_call`"),
            ];
            if let Some((_, what)) = unjudged.into_iter().find(|(is_there, _)| *is_there) {
                self.problem = Some(AnswerProblem::Unjudged(what));
                return None;
            }
            // What a model says to refuse is shown as what it answers is.
            text.extend(delta.content.into_iter().chain(delta.refusal));
            for call in delta.tool_calls.into_iter().flatten() {
                let index = usize::try_from(call.index).unwrap_or(usize::MAX);
                let (name, arguments) = call.function.map(|f| (f.name, f.arguments)).unzip();
                let (name, arguments) = (name.flatten(), arguments.flatten().unwrap_or_default());
                self.calls.push(index, call.id.as_deref(), name.as_deref(), &arguments);
            }
            self.finish = choice.finish_reason.or(self.finish);
        }
        self.usage = part.usage.or(self.usage.take());
        self.model = Some(part.model);
        Some(text)
    }

    /// Makes the step of the whole answer.
    fn respond(&mut self, text: String) -> PostLlmResponse {
        let mut response = PostLlmResponse::new(text, Vec::new());
        let calls = std::mem::take(&mut self.calls);
        let is_whole = !self.has_failed
            && matches!(self.finish, Some(FinishReason::Stop | FinishReason::ToolCalls));
        let calls = match self.problem.take() {
            Some(problem) => Err(problem),
            // Arguments that have not come could be read as none.
            None if !is_whole && !calls.is_empty() => Err(AnswerProblem::BrokenOff),
            None => calls.finish().map_err(AnswerProblem::from),
        };
        match calls {
            Ok(calls) => response = response.calls(calls),
            Err(problem) => {
                response.error = Some(problem.to_string());
                self.problem = Some(problem);
            }
        }
        let finish = self.finish.and_then(|finish| serde_json::to_value(finish).ok());
        response.stop_reason = finish.and_then(|finish| Some(finish.as_str()?.to_owned()));
        response.usage = self.usage.as_ref().and_then(|usage| serde_json::to_value(usage).ok());
        response.model = self.model.take();
        response
    }
}
