//! The headers of every request of a hook.

use hookgate_contract::settings::{NodeValue, Settings};
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};

use crate::names;
use crate::variables::Variables;

/// Reads `headers`.
pub(crate) fn read(settings: &mut Settings<'_>, variables: &Variables) -> Headers {
    let mut headers = Headers { map: ours(), literal: Vec::new() };
    let Some(node) = settings.node("headers") else { return headers };
    let NodeValue::Table(entries) = &node.value else {
        settings.invalid("headers", format!("it must be a table, not {}", node.kind()));
        return headers;
    };
    let mut given: Vec<HeaderName> = Vec::new();
    for entry in entries {
        match header(&entry.key, &entry.node.value, variables) {
            Ok((name, _)) if given.contains(&name) => {
                settings.invalid("headers", format!("`{name}` is given twice"));
            }
            Ok((name, value)) => {
                given.push(name.clone());
                if let Some((value, literal)) = value {
                    if literal {
                        headers.literal.push(name.clone());
                    }
                    headers.map.insert(name, value);
                }
            }
            Err(problem) => settings.invalid("headers", format!("`{}`: {problem}", entry.key)),
        }
    }
    headers
}

/// Headers, and the names of those whose value stands in the config.
pub(crate) struct Headers {
    pub(crate) map: HeaderMap,
    literal: Vec<HeaderName>,
}

impl Headers {
    /// What somebody who checks the config should look at.
    pub(crate) fn warnings(&self) -> Vec<String> {
        const TELLING: &[&str] = &["authorization", "cookie", "x-api-key", "proxy-authorization"];
        let telling = |name: &&HeaderName| TELLING.contains(&name.as_str());
        let warning = |name: &HeaderName| {
            format!(
                "the header `{name}` stands in the config: list a variable in `env` and write \
                 `${{NAME}}`"
            )
        };
        self.literal.iter().filter(telling).map(warning).collect()
    }
}

fn ours() -> HeaderMap {
    let agent = concat!("hookgate/", env!("CARGO_PKG_VERSION"));
    HeaderMap::from_iter([
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (ACCEPT, HeaderValue::from_static("application/json")),
        // An answer that must be unpacked could be of any size.
        (ACCEPT_ENCODING, HeaderValue::from_static("identity")),
        (USER_AGENT, HeaderValue::from_static(agent)),
    ])
}

/// A name, and unless a variable is missing, the value and whether it names no variable.
type Header = (HeaderName, Option<(HeaderValue, bool)>);

fn header(key: &str, value: &NodeValue, variables: &Variables) -> Result<Header, String> {
    let name = HeaderName::from_bytes(key.as_bytes()).map_err(|_| "it is no name of a header")?;
    if let Some(problem) = names::refuse(name.as_str()) {
        return Err(problem.to_owned());
    }
    let NodeValue::Text(text) = value else { return Err("it must be a string".to_owned()) };
    let Some(expanded) = variables.expand(text)? else { return Ok((name, None)) };
    // The message must not show the value.
    let mut value = HeaderValue::from_str(&expanded).map_err(
        |_| "the value cannot stand in a header: it has a line break or another control character",
    )?;
    value.set_sensitive(true);
    Ok((name, Some((value, !text.contains("${")))))
}
