//! By which names an agent is known.

use std::sync::Arc;

use hookgate::contract::dialect::Dialect;

use crate::abort::Abort;

/// Tells whether this names the agent of a dialect: by the name of the dialect, or by that of the product,
/// `claude-code` for Claude Code.
pub(crate) fn is_called(dialect: &dyn Dialect, name: &str) -> bool {
    name == dialect.name() || name == dialect.title().to_lowercase().replace(' ', "-")
}

/// Returns the dialect of an agent.
///
/// # Errors
/// There is no such agent.
pub(crate) fn dialect_of(name: &str) -> Result<Arc<dyn Dialect>, Abort> {
    let all = hookgate_dialects::every();
    match all.iter().find(|dialect| is_called(&***dialect, name)) {
        Some(dialect) => Ok(Arc::clone(dialect)),
        None => {
            let names: Vec<&str> = all.iter().map(|dialect| dialect.name()).collect();
            Err(Abort::unknown_name("agent", name, &names))
        }
    }
}
