//! Cline.
