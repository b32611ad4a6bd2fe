//! The text of a model, judged while it comes.
//!
//! A runtime that shows a text as it streams cannot have each part judged by itself: a secret that is cut in two is none
//! in either half, and a key of four lines is none in any line. A [`StreamGate`] stands between the model and the user.
//! It takes the parts, and says what may be shown now; at the end the whole is dispatched as
//! [`post_llm_response`](hookgate_contract::Event::PostLlmResponse), like any answer, and that verdict binds.
//!
//! ```
//! use hookgate::contract::payload::PostLlmResponse;
//! use hookgate::stream::{Exposure, StreamGate};
//! use hookgate::{Engine, StepContext};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! # let (engine, context) = (Engine::without_hooks(), StepContext::new("session-1"));
//! # let parts = ["Hel", "lo."];
//! let mut gate = StreamGate::new(&engine, &context, Exposure::NONE);
//! let mut whole = String::new();
//! for part in parts {
//!     whole.push_str(part);
//!     match gate.push(part).await {
//!         Ok(released) => print!("{}", released.text),
//!         Err(cut) => return println!("[{cut}]"), // and end the request to the model
//!     }
//! }
//! let ended = gate.finish(PostLlmResponse::new(whole, Vec::new())).await;
//! print!("{}", ended.rest);
//! # assert!(ended.gate.is_cleared() && ended.retraction.is_none());
//! # });
//! ```
//!
//! [`GatedStream`] does the same around a [`Stream`](futures_core::Stream), and ends the source when the text is cut.
//!
//! # Which hooks judge when
//!
//! | hooks | judge |
//! |---|---|
//! | guards that are set to [windows](crate::table::TextWindow), without conditions on the text | each window once it has come, and the whole at the end |
//! | whose handler says where a text can be [cut](hookgate_contract::TextCuts), without conditions on the text (`redact_secrets`) | each piece at once, and the whole at the end |
//! | all others that decide | the whole, at the end |
//! | observers | the whole, at the end |
//!
//! As long as a hook wants the whole, no more is released than the [`Exposure`] says: nothing, unless the host takes the
//! risk. [`HandlerTable::hooks_of_whole_text`](crate::HandlerTable::hooks_of_whole_text) names these hooks.
//!
//! # What holds
//!
//! - What was released after so many bytes of the source depends on these bytes and the table, and not on how they were
//!   cut into parts.
//! - Text that may still become a secret is held, however long that takes: at the latest it comes with the end.
//! - The work is linear: a held text is looked at again when it has grown by a quarter.
//! - A failed hook counts as its posture says, on the piece that it was called about. No time lets anything pass.
//! - A swap that changes the hooks of the event leaves all that comes after it to the end, which is judged by the new ones.
//!
//! | file | holds |
//! |---|---|
//! | `stream/gate.rs` | the gate |
//! | `stream/held.rs` | the text that is held back, and when it is looked at |
//! | `stream/exposure.rs`, `stream/released.rs` | how much may be shown before it is judged; what may be shown now |
//! | `stream/cut.rs`, `stream/retraction.rs` | a text that was cut; text that is taken back |
//! | `stream/windows.rs` | how far the hooks that judge windows are |
//! | `stream/streamed.rs` | the steps whose text can come in parts: answers of a model, what a tool prints |
//! | `stream/tool_calls.rs` | calls of tools that come in fragments |
//! | `stream/gated.rs` | the gate around a stream |

mod cut;
mod exposure;
mod gate;
mod gated;
mod held;
mod released;
mod retraction;
mod streamed;
mod tool_calls;
mod windows;

pub use cut::Cut;
pub use exposure::Exposure;
pub use gate::StreamGate;
pub use gated::{GatedStream, Part, StreamError};
pub use released::{Ended, Released};
pub use retraction::Retraction;
pub use streamed::StreamedStep;
pub use tool_calls::{ToolCallError, ToolCallParts};
