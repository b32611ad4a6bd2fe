//! The hook system of Cursor: how it reads its configs, selects hooks, runs them and joins their answers.
