//! Builds handlers from settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hookgate_contract::BuildContext;
use hookgate_contract::BuiltHandler;
use hookgate_contract::dialect::ScriptAgent;
use hookgate_contract::settings::{NodeValue, Settings};
use hookgate_contract::template::ValueTemplate;
use hookgate_contract::{Resource, Role};
use hookgate_net::{Lookup, SystemLookup};

use crate::client;
use crate::endpoint::Endpoint;
use crate::handler::{CallOptions, HttpHandler};
use crate::headers::FixedHeaders;
use crate::proxy::read_proxy;
use crate::service::Service;
use crate::signature::Signer;
use crate::tls::{self, TlsSettings};
use crate::variables::{VariableSource, Variables};

/// How long a connection may take if the hook does not say.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Builds handlers that call services.
///
/// The default takes names from the resolver of the system and variables from the environment, as
/// [`build`](crate::build) does. Use a factory of your own to take them from elsewhere: from a
/// service registry and a vault, or from a test.
///
/// A handler of the default factory is kept over a reload of the config as long as its settings and
/// the files that they name stay the same. With another source that cannot be known, so a reload
/// builds the handler anew and its connections are opened again.
///
/// ```
/// use hookgate_contract::BuildContext;
/// use hookgate_contract::settings::{Node, Settings};
/// use hookgate_http::HttpFactory;
///
/// let vault = |name: &str| (name == "TOKEN").then(|| "from-a-vault".into());
/// let factory = HttpFactory::default().variables(vault);
/// let node = Node::from_json(&serde_json::json!({
///     "url": "http://policy.internal:8080/evaluate",
///     "allow_private": ["policy.internal:8080"],
///     "env": ["TOKEN"],
///     "headers": { "authorization": "Bearer ${TOKEN}" },
/// }));
/// let mut settings = Settings::new(&node);
/// let built = factory.build(&mut settings, &BuildContext::new("/etc/hookgate".as_ref(), 1024));
/// assert!(built.is_some() && settings.finish().is_empty());
/// ```
#[derive(Clone)]
pub struct HttpFactory {
    lookup: Arc<dyn Lookup>,
    variables: VariableSource,
    /// Whether both are those of the system, whose answers do not depend on the factory.
    system_sources: bool,
}

impl Default for HttpFactory {
    fn default() -> Self {
        let variables = Arc::new(|name: &str| std::env::var(name).ok());
        Self { lookup: Arc::new(SystemLookup), variables, system_sources: true }
    }
}

impl fmt::Debug for HttpFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("HttpFactory");
        debug.field("system_sources", &self.system_sources).finish_non_exhaustive()
    }
}

impl HttpFactory {
    /// Resolves names in another way. The addresses are checked like those of the system.
    ///
    /// ```
    /// use hookgate_http::{HttpFactory, Lookup, LookupFuture};
    ///
    /// struct Fixed;
    ///
    /// impl Lookup for Fixed {
    ///     fn lookup(&self, _: &str) -> LookupFuture {
    ///         Box::pin(async { Ok(vec![[10, 0, 0, 7].into()]) })
    ///     }
    /// }
    ///
    /// let factory = HttpFactory::default().lookup(Fixed);
    /// # drop(factory);
    /// ```
    #[must_use]
    pub fn lookup(mut self, lookup: impl Lookup + 'static) -> Self {
        self.lookup = Arc::new(lookup);
        self.system_sources = false;
        self
    }

    /// Takes the values of the variables that hooks list from elsewhere than the environment.
    ///
    /// They are read once, when a handler is built.
    #[must_use]
    pub fn variables(
        mut self,
        variables: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.variables = Arc::new(variables);
        self.system_sources = false;
        self
    }

    /// Builds a handler. It opens no connection: a service that is down is not an error here.
    ///
    /// Returns `None` if the settings are wrong; all that is wrong is then noted in them. The
    /// handler must run inside a tokio runtime with time and I/O enabled; outside of one, each call
    /// fails with the class `spawn`.
    pub fn build(
        &self,
        settings: &mut Settings<'_>,
        context: &BuildContext<'_>,
    ) -> Option<BuiltHandler> {
        let mut signer = None;
        let service = self.read_service(settings, context, |settings, variables| {
            signer = Signer::read(settings, &self.variables, variables);
        });
        let agent = context.read_dialect(settings);
        if agent.is_some() && settings.has("silence") {
            settings.invalid("silence", "the `dialect` says what silence means: leave it out");
        }
        let body = read_body(settings, context, agent.is_some());
        let options = read_options(settings, context.output);
        let service = service?;
        let (identity, sources) = (service.identity.clone(), service.sources.clone());
        let warnings = service.warnings.clone();
        let once = agent.as_ref().is_some_and(ScriptAgent::asks_once);
        let handler = HttpHandler { service, signer, agent, body, options };
        let tells = handler.body.is_some();
        let mut built = BuiltHandler::from_async(handler).external().takes(Resource::Request);
        if tells {
            // Who sends a message mostly tells what was decided; another `role` can be given.
            built.role = Some(Role::Observe);
        }
        built.once = once;
        (built.identity, built.sources, built.warnings) = (identity, sources, warnings);
        Some(built)
    }

    /// Makes a service that handlers of another kind call. It reads `url`, `env`, `headers`,
    /// `connect_timeout`, `proxy`, the settings of TLS and the `allow_…`, as
    /// [`SETTINGS`](crate::SETTINGS) has them, and opens no connection.
    ///
    /// Returns `None` if the settings are wrong; all that is wrong is then noted in them.
    pub fn service(
        &self,
        settings: &mut Settings<'_>,
        context: &BuildContext<'_>,
    ) -> Option<Service> {
        self.read_service(settings, context, |_, _| ())
    }

    /// Makes a service; `more` reads settings that add variables.
    fn read_service(
        &self,
        settings: &mut Settings<'_>,
        context: &BuildContext<'_>,
        more: impl FnOnce(&mut Settings<'_>, &mut Variables),
    ) -> Option<Service> {
        // Everything is read before anything is given up, so that one run shows all mistakes.
        let endpoint = Endpoint::read(settings);
        let mut variables = Variables::read(settings, &self.variables);
        more(settings, &mut variables);
        let headers = FixedHeaders::read(settings, &variables);
        let connect_timeout = settings.duration("connect_timeout").unwrap_or(CONNECT_TIMEOUT);
        let https = endpoint.as_ref().is_none_or(Endpoint::is_https);
        let proxy = read_proxy(settings);
        let tls = TlsSettings::read(settings, context.base, https);

        let (endpoint, tls) = (endpoint?, tls?);
        // A handler keeps its limit, so another limit makes another handler.
        let identity =
            self.system_sources.then(|| format!("{} {}", tls.identity(), context.output));
        let tls = if https { Some(tls.client_config(settings)?) } else { None };
        let lookup = Arc::clone(&self.lookup);
        let client = client::connect_only_to(&endpoint, lookup, tls, proxy?, connect_timeout);
        let warnings = headers.warnings();
        let secrets = variables.secrets();
        let sources = tls::source_files(settings, context.base);
        let headers = headers.map;
        Some(Service { endpoint, client, headers, secrets, identity, sources, warnings })
    }
}

/// Reads `body`: a table of texts, some of them templates over the envelope.
fn read_body(
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
    speaks_dialect: bool,
) -> Option<ValueTemplate> {
    let node = settings.node("body")?;
    if !matches!(node.value, NodeValue::Table(_)) {
        settings.invalid(
            "body",
            format!("must be a table such as {{ text = \"…\" }}, not {}", node.kind()),
        );
        return None;
    }
    if speaks_dialect {
        settings.invalid("body", "the `dialect` says what is sent: leave it out");
        return None;
    }
    ValueTemplate::read(node, context.events)
        .map_err(|error| settings.invalid("body", error.to_string()))
        .ok()
}

fn read_options(settings: &mut Settings<'_>, output_limit: usize) -> CallOptions {
    let silence_fails = settings.choice("silence", &["abstain", "failure"], |name| match name {
        "abstain" => Some(false),
        "failure" => Some(true),
        _ => None,
    });
    CallOptions {
        request_id: settings.flag("request_id").unwrap_or_default(),
        idempotent: settings.flag("idempotent").unwrap_or_default(),
        silence_fails: silence_fails.unwrap_or_default(),
        output_limit,
    }
}
