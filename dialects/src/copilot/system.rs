//! The hook system of GitHub Copilot: how it reads its configs, selects hooks, runs them and joins their answers.
