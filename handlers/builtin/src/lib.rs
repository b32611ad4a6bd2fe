//! The handlers that come with hookgate: guards and observers that need no process, no service and
//! no model.
//!
//! | name in a config | type | role | what it does |
//! |---|---|---|---|
//! | `audit` | [`Audit`] | observe | writes each step to the log |
//! | `deny` | [`Deny`] | guard | denies, with a reason |
//! | `ask` | [`AskUser`] | guard | lets the user decide |
//! | `add_context` | [`AddContext`] | guard | adds a text or a template for the model |
//! | `add_date` | [`AddDate`] | guard | adds today's date for the model |
//! | `redact_secrets` | [`RedactSecrets`] | rewrite | replaces secrets |
//! | `max_iterations` | [`MaxIterations`] | guard | stops a session that goes on for too long |
//!
//! All of them answer at once, in the thread of the dispatch, and one without an opinion does not
//! allocate. Which steps a builtin meets is the business of its hook: the matcher decides *whether*,
//! the builtin decides *what*.
//!
//! # In a config
//! A builtin is found by its name; the other keys are its settings, which its type describes. A key
//! that a builtin does not know is an error of the config.
//!
//! ```toml
//! [[hook]]
//! id = "no-force-push"
//! event = "pre_tool_use"
//! tool = "Bash"
//! input = { "/command" = { regex = "push.*--force" } }
//! builtin = { name = "deny", reason = "push without --force" }
//! ```
//!
//! ```
//! use std::path::Path;
//!
//! use hookgate_contract::BuildContext;
//! use hookgate_contract::settings::{Node, Settings};
//!
//! let (_, build) = hookgate_builtin::BUILTINS.iter().find(|(name, _)| *name == "deny").unwrap();
//! let node = Node::from_json(&serde_json::json!({"resaon": "push without --force"}));
//! let mut settings = Settings::new(&node);
//! assert!(build(&mut settings, &BuildContext::new(Path::new("."), 1024)).is_none());
//! let errors: Vec<_> = settings.finish().iter().map(ToString::to_string).collect();
//! assert_eq!(errors, ["`reason` is missing", "unknown key `resaon`; did you mean `reason`?"]);
//! ```
//!
//! # In code
//! Each type has a constructor, is a [`SyncHandler`](hookgate_contract::SyncHandler), and becomes a
//! [`BuiltHandler`](hookgate_contract::BuiltHandler) with the role and the events that it declares:
//!
//! ```
//! use hookgate_builtin::{Deny, MaxIterations};
//! use hookgate_contract::{BuiltHandler, Role};
//!
//! let handlers = [
//!     BuiltHandler::from(Deny::new("not in this project")),
//!     BuiltHandler::from(MaxIterations::new(50)),
//! ];
//! assert!(handlers.iter().all(|handler| handler.role == Some(Role::Guard)));
//! ```

use std::sync::LazyLock;

use hookgate_contract::{Factory, HandlerKind};

mod add_context;
mod add_date;
mod ask;
mod audit;
mod deny;
mod error;
mod max_iterations;
mod redact_secrets;
mod settings;
mod supports;

pub use add_context::AddContext;
pub use add_date::AddDate;
pub use ask::AskUser;
pub use audit::Audit;
pub use deny::Deny;
pub use error::BuiltinError;
pub use max_iterations::MaxIterations;
pub use redact_secrets::RedactSecrets;

/// The factories of all builtins, by the name that a config uses.
pub const BUILTINS: &[(&str, Factory)] = &[
    ("audit", audit::build),
    ("deny", deny::build),
    ("ask", ask::build),
    ("add_context", add_context::build),
    ("add_date", add_date::build),
    ("redact_secrets", redact_secrets::build),
    ("max_iterations", max_iterations::build),
];

/// Returns the kind `builtin` with all of them, to be added to a registry: no config can use it
/// before.
#[must_use]
pub fn kind() -> HandlerKind {
    // One kind for the whole process, so that its handlers are kept across registries.
    static KIND: LazyLock<HandlerKind> = LazyLock::new(|| HandlerKind::builtins(BUILTINS));
    KIND.clone()
}

/// Factories that replace those of [`BUILTINS`] whose answers depend on the time, for runs that must
/// be repeatable: the day is always 1970-01-01.
pub const TIMELESS: &[(&str, Factory)] = &[("add_date", add_date::build_timeless)];
