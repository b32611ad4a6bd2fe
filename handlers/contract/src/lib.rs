//! What a hookgate handler is written against.
//!
//! A runtime asks hooks about each step of an agent. A handler is the code behind a hook: it gets
//! an [`Invocation`], looks at the step, and answers with a [`Verdict`] or fails with a [`Failure`].
//! This crate holds the shapes that the engine and the handlers share, and nothing that does
//! anything: it changes slowly, so that a handler keeps working.
//!
//! ```
//! use hookgate_contract::{Invocation, BuiltHandler, Reply, Verdict};
//!
//! fn no_force_push(invocation: Invocation<'_>) -> Reply {
//!     let command = invocation.tool().and_then(|call| call.tool_input["command"].as_str());
//!     Ok(match command {
//!         Some(command) if command.contains("--force") => Verdict::deny("no force push"),
//!         _ => Verdict::none(),
//!     })
//! }
//!
//! let handler = BuiltHandler::from_sync(no_force_push);
//! ```

pub mod alias;
pub mod context;
pub mod contract;
pub mod contribution;
pub mod envelope;
pub mod event;
pub mod failure;
pub mod handler;
pub mod kind;
pub mod patch_field;
pub mod payload;
pub mod probe;
pub mod role;
pub mod verdict;

#[doc(inline)]
pub use hookgate_input::{file, json, quote, settings, suggest, visible};

pub use context::{Cancel, StepContext};
pub use contract::{Contract, EventKind};
pub use contribution::Contribution;
pub use envelope::Envelope;
pub use event::Event;
pub use failure::{Failure, FailureClass, Posture};
pub use handler::{
    AsyncHandler, BuildContext, BuiltHandler, Handler, Invocation, Reply, ReplyFuture, SyncHandler,
};
pub use kind::HandlerKind;
pub use probe::Probe;
pub use role::{Mode, Role};
pub use verdict::{Answer, ReasonCode, Verdict, VerdictDecision};
