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
pub(crate) mod parameter;
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
use parameter::{Parameter, Parameters};

/// The way to the servers of all judges of a registry.
#[derive(Default)]
pub(crate) struct Client {
    carrier: OnceLock<Result<Arc<dyn ModelClient>, String>>,
    semaphores: ServerSemaphores,
    accepted_formats: Mutex<HashMap<Endpoint, ResponseFormat>>,
    refused: Mutex<HashMap<Endpoint, Parameters>>,
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

    /// Returns the parameters that a model of a server is known to refuse.
    pub(crate) fn refused(&self, endpoint: &Endpoint) -> Parameters {
        lock(&self.refused).get(endpoint).copied().unwrap_or_default()
    }

    /// Leaves a parameter out from now on, and says so.
    fn leave_out(&self, endpoint: &Endpoint, parameter: Parameter) {
        let mut refused = lock(&self.refused);
        let known = refused.entry(endpoint.clone()).or_default();
        *known = known.with(parameter);
        let (model, parameter) = (&endpoint.model, parameter.name());
        tracing::warn!(target: "hookgate::prompt", model, parameter, "the model refuses a parameter, which is left out from now on");
    }
}
