//! hookgate and AGENT-HOOKS, the standard for hooks of agents: contexts, verdicts, identities, approvals
//! and records in its words, decided by the engine of hookgate.
//!
//! # For a host
//!
//! A host hands each context to [`Host::emit`] and acts on what [`Emission::permitted`] returns.
//! Interceptors that run in its process are [installed](Interceptors::install) in the table of the
//! engine, beside the guards that hookgate has anyway; those that run elsewhere are hooks of the table.
//!
//! ```text
//! context ──▶ Host::emit ──envelope──▶ engine: guards, interceptors, final round
//!                 │                      │
//!                 │        approver ◀── ask
//!                 ▼
//!             Emission: record, and the context to act on
//! ```
//!
//! # For an interceptor, and for a host that calls one
//!
//! The dialect [`AgentHooks`] is how contexts and verdicts cross the border of a process: hookgate
//! answers a host of the standard with it, and asks interceptors of the standard about the steps of any
//! agent.
//!
//! # What is not offered
//!
//! The parallel profiles, `on_approval: resume`, host declarations and verdicts about parts of a stream.
//! An approval can lift a deny at `input` and `pre_tool_call`; elsewhere the deny stands. A change of the
//! answer of the model, of the input or of the output can change its content, and nothing beside that.

mod approval;
mod composition;
mod context;
mod decide;
mod dialect;
mod emission;
mod host;
mod identity;
mod interceptor;
mod point;
mod profile;
mod record;
mod reply;
mod reserved;
mod session;
mod step;
mod target_path;
mod verdict;

pub use approval::{ApprovalRequest, ApprovalResolver, Resolution, ResolverFailed};
pub use context::{AgentContext, ContextError, SPEC};
pub use decide::{Decide, Decided, Undecided};
pub use dialect::AgentHooks;
pub use emission::{Blocked, Emission};
pub use host::Host;
pub use identity::{IdentityError, IdentityProvider, JCS_SHA256};
pub use interceptor::{Interception, Interceptor, InterceptorFailed, Interceptors, KIND, required};
pub use point::InterceptionPoint;
pub use profile::{Composition, EnforcementMode, Profile};
pub use record::{InterceptionRecord, ResolvedBy, VerdictSummary};
pub use reserved::Reserved;
pub use session::AgentSession;
pub use step::StepError;
pub use target_path::{TargetError, TargetPath};
pub use verdict::{Evidence, InterceptorVerdict, Transform, VerdictError, Warning, WireDecision};
