//! The hook system of Claude Code: how it reads its configs, selects hooks, runs them and joins their answers.
