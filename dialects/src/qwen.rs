//! Qwen Code.
