//! Where a model is, and how to get in.
//!
//! An address is checked when the config is loaded, as far as it can be: its scheme, that it holds no
//! password, and, for plain http, the address itself if it is written as a number. What a name resolves
//! to is checked at each connection, by the network that is decided on here.

use hookgate_contract::settings::{NodeValue, Settings};
use hookgate_net::{host_address, require_provider};

use crate::network::Network;

const OPENAI: &str = "https://api.openai.com/v1";
const OPENAI_KEY: &str = "OPENAI_API_KEY";

/// A model of a server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Endpoint {
    /// The name of the model.
    pub(crate) model: String,
    /// The address, without a slash at its end.
    pub(crate) base_url: String,
    /// The environment variable that holds the key.
    pub(crate) key_env: Option<String>,
    /// Where a request may go.
    pub(crate) network: Network,
}

/// The environment variable of a key is not set, or empty.
#[derive(Debug, thiserror::Error)]
#[error("the environment variable `{0}` is not set")]
pub(crate) struct MissingKey(String);

impl Endpoint {
    /// Returns the key of the server. It is read for each request, so that it can be changed under a
    /// running agent.
    ///
    /// # Errors
    /// [`MissingKey`] if the settings name a variable that has no value.
    pub(crate) fn key(&self) -> Result<Option<String>, MissingKey> {
        let Some(name) = &self.key_env else { return Ok(None) };
        // A file that was read into a variable ends with a newline, which no header can hold.
        let key = std::env::var(name).unwrap_or_default().trim().to_owned();
        if key.is_empty() { Err(MissingKey(name.clone())) } else { Ok(Some(key)) }
    }

    /// Reads `model`, `base_url`, `api_key_env` and `allow_plain_http`. In a table `first`, the
    /// address and the key default to those of the judge around it, which is `outer`.
    pub(crate) fn read(settings: &mut Settings<'_>, outer: Option<&Self>) -> Option<Self> {
        let model = settings.required_text("model").map(str::to_owned);
        let given = settings.text("base_url");
        let key_env = settings.text("api_key_env").map(str::to_owned);
        let (base_url, key_env) = match (given, outer) {
            (Some(url), _) => (url.trim_end_matches('/').to_owned(), key_env),
            (None, Some(outer)) => {
                (outer.base_url.clone(), key_env.or_else(|| outer.key_env.clone()))
            }
            // Only OpenAI gets the key for OpenAI.
            (None, None) => (OPENAI.to_owned(), key_env.or_else(|| Some(OPENAI_KEY.to_owned()))),
        };
        let plain = settings.flag("allow_plain_http");
        let inherited = outer.filter(|_| given.is_none() && plain.is_none());
        let network = match inherited {
            Some(outer) => outer.network,
            None => network_of(&base_url, plain.unwrap_or(false))
                .map_err(|problem| settings.invalid("base_url", problem))
                .ok()?,
        };
        if network == Network::Tls
            && let Err(problem) = require_provider()
        {
            settings.invalid("base_url", problem.to_string());
        }
        let model = model.filter(|model| !model.trim().is_empty());
        if model.is_none() && settings.entries().iter().any(|entry| entry.key == "model") {
            settings.invalid("model", "is empty");
        }
        Some(Self { model: model?, base_url, key_env, network })
    }

    /// Reads `fallback`: the models that are asked, in order, if the first cannot be.
    pub(crate) fn read_fallbacks(settings: &mut Settings<'_>) -> Vec<Self> {
        let Some(node) = settings.node("fallback") else { return Vec::new() };
        let NodeValue::List(items) = &node.value else {
            let problem = "is not a list of tables with `model`, `base_url`, `api_key_env`";
            settings.invalid("fallback", problem);
            return Vec::new();
        };
        let mut all = Vec::new();
        for item in items {
            let mut inner = Settings::new(item);
            all.extend(Self::read(&mut inner, None));
            settings.absorb(inner.finish());
        }
        all
    }
}

/// Returns the network that requests to an address may use.
///
/// # Errors
/// Says why no request may go to the address.
fn network_of(address: &str, allow_plain: bool) -> Result<Network, &'static str> {
    let url =
        url::Url::parse(address).map_err(|_| "is not an address such as \"http://host:1/v1\"")?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address with a password in it: name its variable in `api_key_env`");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("an address ends with its path");
    }
    match url.scheme() {
        "https" => Ok(Network::Tls),
        "http" => plain_network(url.host_str().unwrap_or_default(), allow_plain),
        _ => Err("an address begins with https:// or http://"),
    }
}

/// Returns the network of a host that is reached over plain http.
fn plain_network(host: &str, allow_plain: bool) -> Result<Network, &'static str> {
    let address = host_address(host);
    // The whole name is compared: `127.0.0.1.example.com` is far away.
    if host == "localhost" || address.is_some_and(|ip| Network::Loopback.has(ip)) {
        return Ok(Network::Loopback);
    }
    if !allow_plain {
        return Err(
            "plain http shows the step and the key to every machine on the way, which can \
                    also answer: use https, or for a private address write allow_plain_http = true",
        );
    }
    if address.is_some_and(|ip| !Network::Private.has(ip)) {
        return Err("plain http goes to loopback and private addresses only: use https");
    }
    Ok(Network::Private)
}
