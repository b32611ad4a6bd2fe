//! The gate around a stream.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use hookgate_contract::StepContext;
use hookgate_contract::payload::PostLlmResponse;

use super::{Cut, Ended, Exposure, Retraction, StreamGate, StreamedStep};
use crate::engine::HookEngine;
use crate::step::{Gate, Ran, Running, ToolUse};

/// What a gated stream yields.
#[derive(Debug)]
#[non_exhaustive]
pub enum Part<S: StreamedStep = PostLlmResponse> {
    /// Text that may be shown.
    Text(String),
    /// Text that is to be taken back.
    TakeBack(Retraction),
    /// The whole, as it comes back from a dispatch: the last item of a text that was not cut.
    End(Gate<S>),
}

/// Why a gated stream yields no text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError<X> {
    /// The source failed. What it said is no part of the text. The stream goes on as the source does.
    #[error("the source of the text failed: {0}")]
    Source(X),
    /// A hook has denied a piece. The source is dropped, what came is dispatched, and this is the last item.
    #[error(transparent)]
    Cut(#[from] Cut),
}

/// A stream of text through a [`StreamGate`].
///
/// The source is dropped when the text is cut, which ends the request behind it.
///
/// ```
/// use futures_util::{StreamExt, stream};
/// use hookgate::stream::{Exposure, GatedStream, Part};
/// use hookgate::{Engine, StepContext};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// # let (engine, context) = (Engine::without_hooks(), StepContext::new("session-1"));
/// let source = stream::iter(["Hel", "lo."].map(|part| Ok::<_, std::io::Error>(part.to_owned())));
/// let mut text = GatedStream::new(&engine, &context, Exposure::NONE, source);
/// let mut shown = String::new();
/// while let Some(part) = text.next().await {
///     match part? {
///         Part::Text(text) => shown += &text,
///         Part::TakeBack(piece) => shown.replace_range(piece.from..piece.to, &piece.replacement),
///         Part::End(gate) => assert!(gate.is_cleared()),
///         _ => {}
///     }
/// }
/// assert_eq!(shown, "Hello.");
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub struct GatedStream<'a, E: HookEngine + ?Sized, St, S: StreamedStep = PostLlmResponse> {
    /// The source, until it has ended or the text was cut.
    source: Option<Pin<Box<St>>>,
    /// Makes the step of the whole text.
    respond: Option<Respond<'a, S>>,
    /// All that came.
    whole: String,
    state: State<'a, E, S>,
}

/// Makes a step of the text that came.
type Respond<'a, S> = Box<dyn FnOnce(String) -> S + Send + 'a>;

/// A push that has ended, with its gate.
type Pushed<'a, E, S> = (StreamGate<'a, E, S>, Result<String, Cut>);

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a gated stream waits for.
enum State<'a, E: HookEngine + ?Sized, S: StreamedStep> {
    Source(StreamGate<'a, E, S>),
    Push(Boxed<'a, Pushed<'a, E, S>>),
    /// The dispatch of the whole, and the cut that comes after it.
    Finish(Boxed<'a, Ended<S>>, Option<Cut>),
    /// What is left to yield.
    Left(Option<Retraction>, Option<Gate<S>>),
    Done,
}

impl<E: HookEngine + ?Sized, St, S: StreamedStep> fmt::Debug for GatedStream<'_, E, St, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatedStream").field("came", &self.whole.len()).finish_non_exhaustive()
    }
}

/// The source is in a box, and all else may be moved.
impl<E: HookEngine + ?Sized, St, S: StreamedStep> Unpin for GatedStream<'_, E, St, S> {}

impl<'a, E: HookEngine + ?Sized, St> GatedStream<'a, E, St> {
    /// Puts a gate around an answer of a model.
    #[must_use]
    pub fn new(
        engine: &'a E,
        context: &'a StepContext<'a>,
        exposure: Exposure,
        source: St,
    ) -> Self {
        let gate = StreamGate::new(engine, context, exposure);
        Self::of(gate, source, Box::new(|text| PostLlmResponse::new(text, Vec::new())))
    }

    /// Says how the response is made of the whole text: with the tools that it calls, its tokens, its model.
    ///
    /// Without it, the response is the text alone.
    #[must_use]
    pub fn respond_with(
        mut self,
        respond: impl FnOnce(String) -> PostLlmResponse + Send + 'a,
    ) -> Self {
        self.respond = Some(Box::new(respond));
        self
    }
}

impl<'a, E: HookEngine + ?Sized, St> GatedStream<'a, E, St, ToolUse<Ran>> {
    /// Puts a gate around what a tool prints. When it has ended, that is its result. A tool that may fail after it has
    /// printed something goes through a [`StreamGate`].
    #[must_use]
    pub fn of_tool(
        engine: &'a E,
        context: &'a StepContext<'a>,
        exposure: Exposure,
        running: Running,
        source: St,
    ) -> Self {
        let gate = StreamGate::of_tool(engine, context, exposure, running.call());
        Self::of(gate, source, Box::new(|text| running.finish(Ok::<_, String>(text))))
    }
}

impl<'a, E: HookEngine + ?Sized, St, S: StreamedStep + 'a> GatedStream<'a, E, St, S> {
    fn of(gate: StreamGate<'a, E, S>, source: St, respond: Respond<'a, S>) -> Self {
        Self {
            source: Some(Box::pin(source)),
            respond: Some(respond),
            whole: String::new(),
            state: State::Source(gate),
        }
    }

    /// Begins to dispatch all that came.
    fn finish(&mut self, gate: StreamGate<'a, E, S>, cut: Option<Cut>) {
        self.source = None;
        let whole = std::mem::take(&mut self.whole);
        self.state = match self.respond.take() {
            Some(respond) => State::Finish(Box::pin(gate.finish(respond(whole))), cut),
            None => State::Done,
        };
    }
}

impl<'a, E, St, S, X> Stream for GatedStream<'a, E, St, S>
where
    E: HookEngine + ?Sized,
    S: StreamedStep + 'a,
    St: Stream<Item = Result<String, X>>,
{
    type Item = Result<Part<S>, StreamError<X>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            match &mut this.state {
                State::Source(_) => {
                    let next = match &mut this.source {
                        Some(source) => ready!(source.as_mut().poll_next(cx)),
                        None => None,
                    };
                    let part = match next {
                        Some(Ok(part)) => Some(part),
                        Some(Err(error)) => {
                            return Poll::Ready(Some(Err(StreamError::Source(error))));
                        }
                        None => None,
                    };
                    let State::Source(mut gate) = std::mem::replace(&mut this.state, State::Done)
                    else {
                        return Poll::Ready(None);
                    };
                    let Some(part) = part else {
                        this.finish(gate, None);
                        continue;
                    };
                    this.whole.push_str(&part);
                    this.state = State::Push(Box::pin(async move {
                        let released = gate.push(&part).await;
                        let text = released.map(|released| released.text.into_owned());
                        (gate, text)
                    }));
                }
                State::Push(push) => {
                    let (gate, pushed) = ready!(push.as_mut().poll(cx));
                    match pushed {
                        Ok(text) => {
                            this.state = State::Source(gate);
                            if !text.is_empty() {
                                return Poll::Ready(Some(Ok(Part::Text(text))));
                            }
                        }
                        Err(cut) => this.finish(gate, Some(cut)),
                    }
                }
                State::Finish(finish, cut) => {
                    let ended = ready!(finish.as_mut().poll(cx));
                    if let Some(cut) = cut.take() {
                        this.state = State::Done;
                        return Poll::Ready(Some(Err(StreamError::Cut(cut))));
                    }
                    this.state = State::Left(ended.retraction, Some(ended.gate));
                    if !ended.rest.is_empty() {
                        return Poll::Ready(Some(Ok(Part::Text(ended.rest))));
                    }
                }
                State::Left(retraction, gate) => {
                    if let Some(retraction) = retraction.take() {
                        return Poll::Ready(Some(Ok(Part::TakeBack(retraction))));
                    }
                    let gate = gate.take();
                    this.state = State::Done;
                    return Poll::Ready(gate.map(|gate| Ok(Part::End(gate))));
                }
                State::Done => return Poll::Ready(None),
            }
        }
    }
}
