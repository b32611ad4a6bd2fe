//! What a hookgate handler is written against.
//!
//! A runtime asks hooks about each step of an agent. A handler is the code behind a hook: it gets
//! an [`Ask`], looks at the step, and answers with a [`Verdict`] or fails with a [`Failure`].
//! This crate holds the shapes that the engine and the handlers share, and nothing that does
//! anything: it changes slowly, so that a handler keeps working.
//!
//! ```
//! use hookgate_contract::{Ask, Built, Reply, Verdict};
//!
//! fn no_force_push(ask: Ask<'_>) -> Reply {
//!     let command = ask.tool().and_then(|call| call.tool_input["command"].as_str());
//!     Ok(match command {
//!         Some(command) if command.contains("--force") => Verdict::deny("no force push"),
//!         _ => Verdict::none(),
//!     })
//! }
//!
//! let handler = Built::sync(no_force_push);
//! ```

pub mod alias;
pub mod context;
pub mod contract;
pub mod contribution;
pub mod envelope;
pub mod event;
pub mod failure;
pub mod field;
pub mod file;
pub mod handler;
pub mod json;
pub mod live;
pub mod near;
pub mod payload;
pub mod quote;
pub mod role;
pub mod settings;
pub mod verdict;
pub mod visible;

pub use context::{Cancel, StepContext};
pub use contract::{Contract, Kind};
pub use contribution::Contribution;
pub use envelope::Envelope;
pub use event::Event;
pub use failure::{Failure, FailureClass, Posture};
pub use handler::{Ask, Built, Handler, Reply, ReplyFuture, StepHandler, SyncHandler};
pub use live::LiveCheck;
pub use role::{Mode, Role};
pub use verdict::{Answer, ReasonCode, Verdict, Word};
