//! The hook system of OpenAI Codex: how it reads its configs, selects hooks, runs them and joins their answers.
