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

use std::sync::{Arc, OnceLock};

use hookgate_contract::{Kept, StateHome, StateScope};
use hookgate_net::TlsError;

use crate::answer::response_format::ResponseFormat;
use crate::parameter::{Parameter, Parameters};
use crate::settings::endpoint::Endpoint;
use chat::ModelClient;
use concurrency::ServerSemaphores;
use openai::OpenAi;

/// The way to the servers of all judges of a registry.
pub(crate) struct Client {
    carrier: OnceLock<Result<Arc<dyn ModelClient>, TlsError>>,
    semaphores: ServerSemaphores,
    /// By the address of a server and the name of a model; one that was never refused is not there.
    accepted_formats: Kept<Option<ResponseFormat>>,
    /// By the same names.
    refused: Kept<Parameters>,
}

impl Default for Client {
    fn default() -> Self {
        Self::in_home(None)
    }
}

impl Client {
    /// Makes one that remembers in a home, or else in memory, what servers refuse.
    pub(crate) fn in_home(home: Option<Arc<dyn StateHome>>) -> Self {
        Self {
            carrier: OnceLock::new(),
            semaphores: ServerSemaphores::default(),
            accepted_formats: Kept::new("response format", 1).in_home(home.clone()),
            refused: Kept::new("refused parameters", 1).in_home(home),
        }
    }

    /// Returns what carries requests. It is made with the first judge, so that a registry without
    /// judges reads no certificates.
    ///
    /// # Errors
    /// Says why TLS cannot be set up.
    pub(crate) fn carrier(&self) -> Result<&Arc<dyn ModelClient>, String> {
        let made = self
            .carrier
            .get_or_init(|| OpenAi::new().map(|client| Arc::new(client) as Arc<dyn ModelClient>));
        made.as_ref().map_err(ToString::to_string)
    }

    /// Returns the strictest response format that a server is known to accept. It starts with a schema,
    /// and is remembered for each model of a server, since models of one server differ.
    pub(crate) fn accepted_format(&self, endpoint: &Endpoint) -> ResponseFormat {
        let known = self
            .accepted_formats
            .look(StateScope::User, &name_of(endpoint), |format| format.copied().flatten());
        // What cannot be read costs a refused request, and no more: the reply is checked in any case.
        known.ok().flatten().unwrap_or(ResponseFormat::Schema)
    }

    fn remember_format(&self, endpoint: &Endpoint, format: ResponseFormat) {
        let remember = |known: &mut Option<ResponseFormat>| *known = Some(format);
        let _ = self.accepted_formats.update(StateScope::User, &name_of(endpoint), remember);
    }

    /// Returns the parameters that a model of a server is known to refuse.
    pub(crate) fn refused(&self, endpoint: &Endpoint) -> Parameters {
        let look = |known: Option<&Parameters>| known.copied().unwrap_or_default();
        // What cannot be read costs a refused request, and no more.
        self.refused.look(StateScope::User, &name_of(endpoint), look).unwrap_or_default()
    }

    /// Leaves a parameter out from now on, and says so.
    fn leave_out(&self, endpoint: &Endpoint, parameter: Parameter) {
        let add = |known: &mut Parameters| *known = known.with(parameter);
        let _ = self.refused.update(StateScope::User, &name_of(endpoint), add);
        let (model, parameter) = (&endpoint.model, parameter.name());
        tracing::warn!(target: "hookgate::prompt", model, parameter, "the model refuses a parameter, which is left out from now on");
    }
}

fn name_of(endpoint: &Endpoint) -> String {
    format!("{} {}", endpoint.base_url, endpoint.model)
}
