//! What builds handlers.

use std::sync::Arc;
use std::time::Duration;

use hookgate_contract::BuildContext;
use hookgate_contract::BuiltHandler;
use hookgate_contract::settings::Settings;

use crate::client::{self, Via};
use crate::endpoint::Endpoint;
use crate::recipe::Recipe;
use crate::resolve::{Lookup, System};
use crate::signature::Signer;
use crate::tls::{self, Tls};
use crate::variables::Variables;
use crate::{headers, hex};

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Reads `silence`.
fn must_speak(name: &str) -> Option<bool> {
    match name {
        "abstain" => Some(false),
        "failure" => Some(true),
        _ => None,
    }
}

/// Where values of variables come from.
pub(crate) type Variable = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Builds handlers that ask services, with other sources of names and secrets than the system.
///
/// ```
/// use hookgate_contract::BuildContext;
/// use hookgate_contract::settings::{Node, Settings};
/// use hookgate_http::Http;
///
/// let http = Http::default().variables(|name| (name == "TOKEN").then(|| "from-a-vault".into()));
/// let node = Node::from_json(&serde_json::json!({
///     "url": "http://policy.internal:8080/judge",
///     "allow_private": ["policy.internal:8080"],
///     "env": ["TOKEN"],
///     "headers": { "authorization": "Bearer ${TOKEN}" },
/// }));
/// let mut settings = Settings::new(&node);
/// let built = http.build(&mut settings, &BuildContext::new("".as_ref(), 1024));
/// assert!(built.is_some() && settings.finish().is_empty());
/// ```
#[derive(Clone)]
pub struct Http {
    lookup: Arc<dyn Lookup>,
    variable: Variable,
    /// Whether both are those of the system, which stay the same.
    own: bool,
}

impl Default for Http {
    fn default() -> Self {
        let variable = Arc::new(|name: &str| std::env::var(name).ok());
        Self { lookup: Arc::new(System), variable, own: true }
    }
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Http").field("own", &self.own).finish_non_exhaustive()
    }
}

impl Http {
    /// Finds addresses in another way. They are checked all the same.
    #[must_use]
    pub fn lookup(mut self, lookup: impl Lookup + 'static) -> Self {
        self.lookup = Arc::new(lookup);
        self.own = false;
        self
    }

    /// Takes the values of the variables that hooks list from elsewhere than the environment.
    #[must_use]
    pub fn variables(
        mut self,
        variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.variable = Arc::new(variable);
        self.own = false;
        self
    }

    /// Builds a handler; notes in the settings why there is none.
    pub fn build(
        &self,
        settings: &mut Settings<'_>,
        surroundings: &BuildContext<'_>,
    ) -> Option<BuiltHandler> {
        let endpoint = Endpoint::read(settings);
        let mut variables = Variables::read(settings, &self.variable);
        let signer = Signer::read(settings, &self.variable, &mut variables);
        let headers = headers::read(settings, &variables);
        let connect_timeout = settings.duration("connect_timeout").unwrap_or(CONNECT_TIMEOUT);
        let must_speak = settings.choice("silence", &["abstain", "failure"], must_speak);
        let request_id = settings.flag("request_id").unwrap_or_default();
        let idempotent = settings.flag("idempotent").unwrap_or_default();
        let https = endpoint.as_ref().is_none_or(|endpoint| endpoint.url.scheme() == "https");
        let via = Via::read(settings);
        let tls = Tls::read(settings, surroundings.base, https);

        let (endpoint, tls) = (endpoint?, tls?);
        let identity =
            self.own.then(|| format!("{} {}", hex::encode(&tls.identity()), surroundings.output));
        let tls = tls.config(settings, https)?;
        let lookup = Arc::clone(&self.lookup);
        let Some(client) = client::client(&endpoint, lookup, tls, via?, connect_timeout) else {
            settings.invalid("url", "no client can be set up for it");
            return None;
        };
        let warnings = headers.warnings();
        let mut built = BuiltHandler::from_async(Recipe {
            endpoint,
            client,
            headers: headers.map,
            signer,
            secrets: variables.secrets(),
            connect_timeout,
            request_id,
            idempotent,
            must_speak: must_speak.unwrap_or_default(),
            most: surroundings.output,
        });
        built.identity = identity;
        built.sources = tls::FILES
            .into_iter()
            .filter_map(|key| settings.text(key))
            .map(|file| surroundings.base.join(file))
            .collect();
        built.warnings = warnings;
        Some(built)
    }
}
