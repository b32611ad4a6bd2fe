//! Nothing: what counts are the dependencies.
