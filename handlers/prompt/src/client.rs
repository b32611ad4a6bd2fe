//! Clients that carry requests to the servers of models.
//!
//! [`Client`] is what all judges of a registry share about servers: the connections, how many requests
//! run, and which response format each server accepts. [`retry`] asks one question through it, with
//! retries and fallbacks; [`ledger`] keeps what hooks have spent.

pub(crate) mod chat;
mod concurrency;
pub(crate) mod error;
pub(crate) mod ledger;
pub(crate) mod openai;
pub(crate) mod partial_reply;
pub(crate) mod retry;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use crate::answer::response_format::ResponseFormat;
use crate::settings::endpoint::Endpoint;
use crate::sync::lock;
use chat::ModelClient;
use concurrency::ServerSemaphores;
use openai::OpenAi;

/// The way to the servers of all judges of a registry.
#[derive(Default)]
pub(crate) struct Client {
    carrier: OnceLock<Result<Arc<dyn ModelClient>, String>>,
    semaphores: ServerSemaphores,
    accepted_formats: Mutex<HashMap<Endpoint, ResponseFormat>>,
}

impl Client {
    /// Returns what carries requests. It is made with the first judge, so that a registry without
    /// judges reads no certificates.
    ///
    /// # Errors
    /// Says why TLS or the HTTP client cannot be set up.
    pub(crate) fn carrier(&self) -> Result<&Arc<dyn ModelClient>, String> {
        let made = self
            .carrier
            .get_or_init(|| OpenAi::new().map(|client| Arc::new(client) as Arc<dyn ModelClient>));
        made.as_ref().map_err(Clone::clone)
    }

    /// Returns the strictest response format that a server is known to accept. It starts with a schema,
    /// and is remembered for each model of a server, since models of one server differ.
    pub(crate) fn accepted_format(&self, endpoint: &Endpoint) -> ResponseFormat {
        let formats = lock(&self.accepted_formats);
        formats.get(endpoint).copied().unwrap_or(ResponseFormat::Schema)
    }

    fn remember_format(&self, endpoint: &Endpoint, format: ResponseFormat) {
        let mut formats = lock(&self.accepted_formats);
        formats.insert(endpoint.clone(), format);
    }
}
