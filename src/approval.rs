//! Questions that a hook asks the user: shown, edited, kept over a restart, answered once.
//!
//! A step that a hook asks about comes back as [`Asked`](crate::Asked). While the runtime lives it can be answered
//! there: approved, approved with other arguments, refused. If the answer may come later, or in another process, the
//! step is *parked*: [`Parked`] is a signed JSON object with all that is needed to go on.
//!
//! ```text
//!           ┌─ approve ───────────────────────▶ Cleared, or evaluated anew
//!  Asked ───┼─ approve_with(edit) ─ judged again ▶ Cleared · Denied · Asked by another hook
//!    ▲      ├─ refuse ────────────────────────▶ Denied
//!    │      └─ park ─▶ Parked (JSON) ──┐
//!    └──────────── resume ◀────────────┘  once, until it ends, by an engine with the same key
//! ```
//!
//! ```
//! use std::time::Duration;
//! use hookgate::approval::Parked;
//! use hookgate::{Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! // The key is kept by the host, so that its next process reads what this one has parked.
//! let start = |key| {
//!     let hook = Hook::sync("confirm", |_| Ok(Verdict::ask("really?"))).event(Event::PreToolUse);
//!     HandlerTable::builder().insert(hook).build().map(|table| Engine::new(table).with_approval_key(key))
//! };
//! let (engine, context) = (start([7; 32])?, StepContext::new("session-1"));
//! let deploy = ToolUse::propose("Bash", r#"{"command":"make deploy"}"#).unwrap();
//! let Gate::Asked(asked) = engine.dispatch(deploy, &context).await else { panic!() };
//! let parked = asked.park(&engine, &context, Duration::from_secs(3600)).unwrap();
//! let kept = serde_json::to_vec(&parked).unwrap();
//! drop(engine);
//!
//! // … the process ends; the next one has the same hooks, and the user has agreed …
//! let engine = start([7; 32])?;
//! let parked = Parked::from_json(&kept).unwrap();
//! assert_eq!(parked.request().question, "really?");
//! let asked = engine.resume::<ToolUse>(parked, &context).unwrap();
//! assert!(asked.approve(&engine, &context).await.is_cleared());
//! # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
//! ```
//!
//! # How long an approval holds
//! As long as the hooks of the event are those that have asked: the same ids with the same declarations, in the same
//! order. If they are others, the step is evaluated anew when it is approved, under its step id, by which what counts
//! steps counts it once; then it may be asked about again. Between two processes a hook in Rust is known by its
//! declaration alone: what its closure does is not compared.

mod edit;
mod parked;
mod request;

pub use edit::{EditError, EditProblem};
pub(crate) use parked::Approvals;
pub use parked::{ParkError, ParkProblem, Parked, ResumeError};
pub use request::ApprovalRequest;
