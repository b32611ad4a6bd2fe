//! Clients that carry a request to the server of a model.

pub(crate) mod openai;
