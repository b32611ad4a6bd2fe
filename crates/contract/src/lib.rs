//! What a hookgate handler is written against.
//!
//! A runtime invokes hooks at each step of an agent. A handler is the code behind a hook: it gets an
//! [`Invocation`], looks at the step, and answers with a [`Verdict`] or fails with a [`Failure`].
//! This crate holds the shapes that the engine and the handlers share, and nothing that does anything
//! but read and write them: it changes slowly, so that a handler keeps working.
//!
//! ```
//! use hookgate_contract::{BuiltHandler, Invocation, Reply, Verdict};
//!
//! fn no_force_push(call: Invocation<'_>) -> Reply {
//!     let command = call.tool().and_then(|tool| tool.tool_input["command"].as_str());
//!     Ok(match command {
//!         Some(command) if command.contains("--force") => Verdict::deny("no force push"),
//!         _ => Verdict::none(),
//!     })
//! }
//!
//! let handler = BuiltHandler::sync(no_force_push);
//! ```
//!
//! # What is where
//!
//! | items | are |
//! |---|---|
//! | [`Event`], [`Contract`] | the interception points, and what a verdict may say at each |
//! | [`payload`], [`Envelope`], [`StepContext`] | a step: its data, its JSON, its session |
//! | [`SessionEnv`], [`Slots`] | variables of a session; values that hooks share over the steps of a call |
//! | [`Handler`], [`BuiltHandler`], [`HandlerKind`], [`Probe`], [`TextCuts`] | what a handler implements and declares |
//! | [`Condition`], [`ConditionKind`], [`Truth`] | what a condition of an embedder implements and declares |
//! | [`dialect`] | how other agents talk to their hooks, and what they cannot do |
//! | [`SettingDoc`], [`SettingType`] | the settings of a handler, as data for pages and schemas |
//! | [`Verdict`], [`contribution`], [`Failure`] | what it answers, and how it fails |
//! | [`Resource`], [`Place`], [`FairLimit`] | what it takes outside of the process, within the bounds of the engine |
//! | [`Kept`], [`StateHome`] | what it counts and remembers, longer than one step |
//! | [`system`] | the clock, and what a host gives where the system has none |
//! | [`json`], [`settings`], [`mod@file`], [`glob`], [`quote`], [`visible`], [`suggest`] | strict readers, for handlers that read input of their own |
//!
//! What may grow is `#[non_exhaustive]`, and has constructors and setters.

mod build;
mod capabilities;
mod command;
mod condition;
mod condition_kind;
mod context;
mod contract;
mod decision;
mod derived;
mod envelope;
mod event;
mod events;
mod failure;
mod fair_limit;
mod handler;
mod input;
mod kind;
mod layer;
mod places;
mod probe;
mod resource;
mod role;
mod section;
mod session_env;
mod session_files;
mod setting_doc;
mod slots;
mod state;
mod text_cuts;
mod truth;
mod verdict;

pub mod contribution;
pub mod dialect;
pub mod patch_field;
pub mod payload;
pub mod system;
#[cfg(feature = "template")]
#[cfg_attr(docsrs, doc(cfg(feature = "template")))]
pub mod template;
pub mod tool_result;

#[doc(inline)]
pub use input::{
    file, files, glob, json, look_alike, name_enum::UnknownName, quote, settings, suggest, visible,
};

pub use build::{BuildContext, Factory};
pub use capabilities::Capabilities;
pub use command::{Command, Head, MeantFile};
pub use condition::{BuiltCondition, Condition};
pub use condition_kind::{ConditionContext, ConditionKind, ReadConditionFn};
#[doc(hidden)]
pub use context::Refusal;
pub use context::{Cancel, StepContext};
pub use contract::{CONTRACTS, CUSTOM, Contract, EventKind, PatchField, Supports};
pub use decision::{StopAt, VerdictDecision};
pub use derived::Derived;
pub use envelope::{Envelope, HEADER_FIELDS, Observed, PROTOCOL, StepId};
pub use event::{Event, is_custom_name};
pub use failure::{Failure, FailureClass, Posture};
pub use fair_limit::{FairLimit, Place, QueueFull, Taking};
pub use handler::{
    AsyncHandler, BuiltHandler, Doubts, Handler, Invocation, Reply, ReplyFuture, SyncHandler,
};
pub use kind::{BuildFn, EffectsFn, HandlerKind};
pub use layer::{Layer, UnknownLayer};
pub use places::Claim;
#[doc(hidden)]
pub use places::Waits;
pub use probe::{Probe, ProbeFuture, ProbeResult};
pub use resource::{Places, Resource};
pub use role::{Mode, Role};
pub use section::{ConfigSection, Sections};
pub use session_env::SessionEnv;
pub use session_files::{SessionFiles, WasNoted};
pub use setting_doc::{SettingDoc, SettingType};
pub use slots::Slots;
pub use state::{Kept, StateChange, StateError, StateHome, StateKey, StateScope};
pub use text_cuts::TextCuts;
pub use truth::Truth;
pub use verdict::{Answer, Parts, Patch, ReasonCode, Verdict};
