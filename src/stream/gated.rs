//! The gate around a stream.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use hookgate_contract::StepContext;
use hookgate_contract::payload::PostLlmResponse;

use super::{Cut, Ended, Exposure, Retraction, StreamGate};
use crate::engine::HookEngine;
use crate::step::Gate;

/// What a gated stream yields.
#[derive(Debug)]
#[non_exhaustive]
pub enum Part {
    /// Text that may be shown.
    Text(String),
    /// Text that is to be taken back.
    TakeBack(Retraction),
    /// The whole, as it comes back from a dispatch: the last item of a text that was not cut.
    End(Gate<PostLlmResponse>),
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
pub struct GatedStream<'a, E: HookEngine + ?Sized, St> {
    /// The source, until it has ended or the text was cut.
    source: Option<Pin<Box<St>>>,
    /// Makes the response of the whole text.
    respond: Option<Respond<'a>>,
    /// All that came.
    whole: String,
    state: State<'a, E>,
}

/// Makes a response of the text that came.
type Respond<'a> = Box<dyn FnOnce(String) -> PostLlmResponse + Send + 'a>;

/// A push that has ended, with its gate.
type Pushed<'a, E> = (StreamGate<'a, E>, Result<String, Cut>);

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a gated stream waits for.
enum State<'a, E: HookEngine + ?Sized> {
    Source(StreamGate<'a, E>),
    Push(Boxed<'a, Pushed<'a, E>>),
    /// The dispatch of the whole, and the cut that comes after it.
    Finish(Boxed<'a, Ended>, Option<Cut>),
    /// What is left to yield.
    Left(Option<Retraction>, Option<Gate<PostLlmResponse>>),
    Done,
}

impl<E: HookEngine + ?Sized, St> fmt::Debug for GatedStream<'_, E, St> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatedStream").field("came", &self.whole.len()).finish_non_exhaustive()
    }
}

/// The source is in a box, and all else may be moved.
impl<E: HookEngine + ?Sized, St> Unpin for GatedStream<'_, E, St> {}

impl<'a, E: HookEngine + ?Sized, St> GatedStream<'a, E, St> {
    /// Puts a gate around a stream of text.
    #[must_use]
    pub fn new(
        engine: &'a E,
        context: &'a StepContext<'a>,
        exposure: Exposure,
        source: St,
    ) -> Self {
        Self {
            source: Some(Box::pin(source)),
            respond: None,
            whole: String::new(),
            state: State::Source(StreamGate::new(engine, context, exposure)),
        }
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

    /// Begins to dispatch all that came.
    fn finish(&mut self, gate: StreamGate<'a, E>, cut: Option<Cut>) {
        self.source = None;
        let whole = std::mem::take(&mut self.whole);
        let response = match self.respond.take() {
            Some(respond) => respond(whole),
            None => PostLlmResponse::new(whole, Vec::new()),
        };
        self.state = State::Finish(Box::pin(gate.finish(response)), cut);
    }
}

impl<E, St, X> Stream for GatedStream<'_, E, St>
where
    E: HookEngine + ?Sized,
    St: Stream<Item = Result<String, X>>,
{
    type Item = Result<Part, StreamError<X>>;

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
