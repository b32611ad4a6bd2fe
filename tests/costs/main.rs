//! What the engine may cost in time: work that grows no faster than its input. What it may cost in
//! memory is in `tests/memory.rs`, a process of its own: other tests would be counted with it.

mod linear_time;
