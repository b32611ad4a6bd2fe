//! What the engine may cost: work that grows no faster than its input, memory that does not grow.

mod linear_time;
mod memory;
