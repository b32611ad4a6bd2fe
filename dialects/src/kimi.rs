//! Kimi Code.
