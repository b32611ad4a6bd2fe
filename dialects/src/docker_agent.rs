//! docker agent.
