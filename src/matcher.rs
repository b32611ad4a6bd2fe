//! Which steps a hook is called about.
//!
//! A hook names events; its conditions narrow them down ([`MatchSpec`]). They are compiled when a
//! table is built, and evaluated in two stages:
//!
//! 1. Patterns for the name of the tool, which almost every hook has, are joined into one index
//!    per event, and the result is remembered per name (see [`crate::table`]).
//! 2. All other conditions (agent, folder, safety, values in the input) are evaluated for the hooks
//!    that are left, the cheap ones first.
//!
//! Every condition is true, false, or *unknown* ([`Truth`](hookgate_contract::Truth)). A hook is called
//! unless some condition is certainly false, so a guard is never skipped because of a gap in what
//! the host reports, or because a model has put JSON into a string.
//!
//! `any` and `not` combine whole conditions, and a host can register conditions of its own
//! ([`Registry::add_condition`](crate::Registry::add_condition)). If a *registered* condition is unknown,
//! a handler that looks for itself is called; one that always answers the same, such as the builtin
//! `deny`, is not, and its hook fails with class `unclear`.
//!
//! ```
//! use hookgate::matcher::{MatchSpec, Test};
//! use hookgate::{Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let pushes = MatchSpec::new().tool("Bash").input("/command", Test::regex("push.*--force"));
//! let guard = Hook::sync("no-force", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse);
//! let engine = Engine::new(HandlerTable::builder().insert(guard.matching(pushes)).build()?);
//!
//! let context = StepContext::new("session-1");
//! let propose = |command: &str| {
//!     ToolUse::propose("Bash", &format!(r#"{{"command":{command}}}"#)).unwrap()
//! };
//! assert!(engine.dispatch(propose(r#""git push""#), &context).await.cleared().is_some());
//! let forced = engine.dispatch(propose(r#""git push --force""#), &context).await;
//! assert!(matches!(forced, Gate::Denied(_)));
//! // Not a string: the condition is unknown, so the guard is called.
//! let odd = engine.dispatch(propose(r#"["git", "push"]"#), &context).await;
//! assert!(matches!(odd, Gate::Denied(_)));
//! # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
//! ```

mod advice;
mod agent;
mod applies;
mod characters;
mod conditions;
mod contradiction;
mod doubtful;
mod equality;
mod error;
mod glob;
mod impossible_tools;
mod key_advice;
mod name;
#[cfg_attr(not(feature = "globs"), path = "matcher/no_path_glob.rs")]
mod path_glob;
mod pattern;
mod pointer;
mod pointer_condition;
mod relation;
mod spec;
mod test;
mod text_advice;
mod tool_patterns;
mod tool_set;
mod truth;
mod unknown_field;
mod well_known;

pub(crate) use applies::Holding;
pub(crate) use conditions::{Conditions, DEEPEST};
pub(crate) use doubtful::{advice, doubts};
pub(crate) use equality::are_equal;
pub use error::MatchError;
pub use glob::GlobError;
pub(crate) use key_advice::input_doubt;
pub use name::NameError;
pub(crate) use pattern::event_glob;
pub use spec::{InputSpec, MatchSpec};
pub use test::{InputTest, Test};
pub(crate) use tool_patterns::ToolPatterns;
pub(crate) use tool_set::ToolSet;
pub use well_known::input_keys;
