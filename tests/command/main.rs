//! Command hooks under the engine: deadlines, the shipped examples, workers on a recorded session.

mod deadlines;
mod examples;
mod load;
mod worker_session;
