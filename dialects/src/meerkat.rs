//! Meerkat.
