//! Judges: handlers that ask a language model, with servers on the loopback and a real small model.

mod answers;
mod calls;
mod local_judge;
mod modes;
