//! The proxy of a hook.
//!
//! No proxy is used unless the hook names one: a variable such as `HTTPS_PROXY`, set for another
//! program, must not send the steps of an agent to a third party. Through a proxy the name of the
//! service is resolved by the proxy, so the address rules do not apply to it there; the host of the
//! proxy itself is what the operator named and is not checked either.

use hookgate_contract::settings::Settings;
use hookgate_net::Proxy;
use url::Url;

/// Reads `proxy`; returns `None` if it was given and is wrong.
pub(crate) fn read_proxy(settings: &mut Settings<'_>) -> Option<Proxy> {
    let Some(text) = settings.text("proxy") else { return Some(Proxy::NONE) };
    if text == "env" {
        return Some(Proxy::of_environment());
    }
    parse_proxy(text).map_err(|problem| settings.invalid("proxy", problem)).ok()
}

fn parse_proxy(text: &str) -> Result<Proxy, &'static str> {
    const WRONG: &str = "it is neither `env` nor a URL such as http://proxy.example.com:3128";
    let url = Url::parse(text).map_err(|_| WRONG)?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(WRONG);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a password does not belong in a config: use `env`, with HTTPS_PROXY set");
    }
    Ok(Proxy::at(url.as_str()))
}
