//! pioneer.
