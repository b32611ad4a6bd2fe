//! By which names an agent is known.

use hookgate::contract::dialect::Dialect;

/// Tells whether this names the agent of a dialect: by the name of the dialect, or by that of the product,
/// `claude-code` for Claude Code.
pub(crate) fn is_called(dialect: &dyn Dialect, name: &str) -> bool {
    name == dialect.name() || name == dialect.title().to_lowercase().replace(' ', "-")
}
