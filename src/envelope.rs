//! Envelopes that come in from a file or another process, and the names that other systems give to
//! events.
//!
//! The engine makes the envelopes that hooks read itself
//! ([`Envelope`](crate::contract::Envelope)). This module reads them back: what the command
//! line evaluates, and what a host sends that keeps its steps as JSON.
//!
//! ```
//! use hookgate::Event;
//! use hookgate::contract::payload::ToolCall;
//! use hookgate::envelope::Incoming;
//!
//! let line = br#"{"hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
//! let incoming = Incoming::parse(line)?;
//! assert_eq!(incoming.event, Event::PreToolUse);
//! let call: ToolCall = incoming.into_payload().unwrap();
//! assert_eq!(call.tool_name, "Bash");
//! # Ok::<(), hookgate::envelope::IncomingError>(())
//! ```

pub mod alias;
mod incoming;

pub use hookgate_contract::payload::Unregistered;
pub use incoming::{Header, Incoming, IncomingError, ReadPayload};
