//! hookgate for [async-openai](https://docs.rs/async-openai/0.43) 0.43: hooks around requests to a model, its streamed
//! answers, and the tools that it calls.
//!
//! ```
//! use async_openai::types::chat::{CreateChatCompletionRequest, CreateChatCompletionStreamResponse};
//! use futures_util::{Stream, StreamExt};
//! use hookgate::stream::{Exposure, Part};
//! use hookgate::{Engine, Gate, HookEngine, StepContext};
//! use hookgate_async_openai::{GatedAnswer, JudgedRequest, judge_request, tool_calls};
//!
//! # type Client = fn(CreateChatCompletionRequest) -> Chunks;
//! # type Chunks = futures_util::stream::Iter<std::vec::IntoIter<Result<CreateChatCompletionStreamResponse, std::io::Error>>>;
//! async fn turn(
//!     engine: &Engine,
//!     context: &StepContext<'_>,
//!     create_stream: Client,
//!     request: CreateChatCompletionRequest,
//! ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//!     let JudgedRequest::Send(request) = judge_request(engine, context, request).await? else { return Ok(()) };
//!     // client.chat().create_stream(request).await?
//!     let source = create_stream(*request);
//!     let mut answer = GatedAnswer::new(engine, context, Exposure::NONE, source);
//!     while let Some(part) = answer.next().await {
//!         match part? {
//!             Part::Text(text) => print!("{text}"),
//!             Part::TakeBack(piece) => println!("[taken back: {}]", piece.reason),
//!             Part::End(Gate::Cleared(answer)) => {
//!                 for call in tool_calls(answer) {
//!                     let _gate = engine.dispatch(call, context).await;
//!                 }
//!             }
//!             _ => {}
//!         }
//!     }
//!     Ok(())
//! }
//! ```
//!
//! The crate has the types of async-openai and no client: what a program sends its requests with stays as it is.
//!
//! # Requests
//! Hooks read `model`, `messages`, `temperature` and `max_tokens`, and all other fields in `provider_params`. `max_tokens` is
//! the field of this name, or `max_completion_tokens`; a request with both is refused. What the hooks have left is sent, and
//! nothing else: a patch with something that async-openai has no place for is refused.
//!
//! # Answers
//! Text goes through the gate of [`hookgate::stream`]. Tools that the model calls come in fragments: they are gathered,
//! judged with the whole answer, and given out when that was cleared ([`tool_calls`]), each as a step of its own. Calls of
//! an answer that broke off, or ran into its limit, are not given out. What a gate cannot judge ends the answer with an
//! error: a second choice, audio, and `function_call`, which `tool_calls` has replaced.

mod answer;
mod request;

pub use answer::{AnswerError, AnswerProblem, GatedAnswer, tool_calls};
pub use request::{JudgedRequest, Refused, RequestProblem, judge_request, propose, read_back};
