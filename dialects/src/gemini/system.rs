//! The hook system of Gemini CLI: how it reads its configs, selects hooks, runs them and joins their answers.
