//! The handlers that come with hookgate: each is found by its name in
//! `builtin = { name = "…", … }`.
//!
//! | name | role | settings | it |
//! |---|---|---|---|
//! | `audit` | observe | `level` | writes each step to the log |
//! | `deny` | guard | `reason`, `reason_code` | denies |
//! | `ask` | guard | `reason` | lets the user decide |
//! | `add_context` | guard | `text` | adds a text or a template |
//! | `add_date` | guard | `time_zone`, `format` | adds today's date |
//! | `redact_secrets` | rewrite | `patterns`, `keys`, `tool_input` | takes secrets out |
//! | `max_iterations` | guard | `limit` | stops a session that goes on for too long |
//!
//! All of them answer at once, and one that has nothing to say does not allocate.
//!
//! ```
//! use std::path::Path;
//!
//! use hookgate_contract::BuildContext;
//! use hookgate_contract::settings::{Node, Settings};
//!
//! let (_, deny) = hookgate_builtin::BUILTINS.iter().find(|(name, _)| *name == "deny").unwrap();
//! let node = Node::from_json(&serde_json::json!({"reason": "not here"}));
//! let mut settings = Settings::new(&node);
//! let built = deny(&mut settings, &BuildContext::new(Path::new("."), 1024));
//! assert!(built.is_some() && settings.finish().is_empty());
//! ```

use std::sync::LazyLock;

use hookgate_contract::HandlerKind;
use hookgate_contract::handler::Factory;

mod add_context;
mod add_date;
mod ask;
mod audit;
mod deny;
mod max_iterations;
mod redact_secrets;
mod wording;

/// All builtins, by name.
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

/// Those whose answers depend on the time, as they are where two runs must say the same: the day is
/// 1970-01-01.
pub const TIMELESS: &[(&str, Factory)] = &[("add_date", add_date::build_timeless)];
