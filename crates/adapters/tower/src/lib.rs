//! hookgate for [tower](https://docs.rs/tower) 0.5: an engine as a `Service` of steps, to be put behind `timeout`, `buffer`
//! or `load_shed`. See [`GateService`].
//!
//! Hooks around tools that are called over HTTP are in the crate `hookgate-http-tools`.

mod gate_service;

pub use gate_service::GateService;
pub use hookgate_session::Session;
