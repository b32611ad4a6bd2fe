//! The headers that every request of a hook carries: ours, and those of the setting `headers`.
//!
//! They are built once, when the config is loaded, so that a mistake in one is an error of the
//! config and not of a step. Values from the config are marked as sensitive: the client leaves them
//! out of its own debug output.

use hookgate_contract::settings::{NodeValue, SettingEntry, Settings};
use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};

use crate::header_names;
use crate::variables::Variables;

/// Headers that usually hold a credential.
const CREDENTIALS: &[&str] = &["authorization", "cookie", "x-api-key", "proxy-authorization"];

/// The headers of a request, and the names of those whose value is written in the config.
pub(crate) struct FixedHeaders {
    pub(crate) map: HeaderMap,
    literal: Vec<HeaderName>,
}

impl FixedHeaders {
    /// Reads `headers` and adds those of the protocol that are the same in every request.
    pub(crate) fn read(settings: &mut Settings<'_>, variables: &Variables) -> Self {
        let mut headers = Self { map: protocol_headers(), literal: Vec::new() };
        let Some(node) = settings.node("headers") else { return headers };
        let NodeValue::Table(entries) = &node.value else {
            settings.invalid("headers", format!("it must be a table, not {}", node.kind()));
            return headers;
        };
        let mut given: Vec<HeaderName> = Vec::new();
        for entry in entries {
            match ConfiguredHeader::read(entry, variables) {
                Ok(header) if given.contains(&header.name) => {
                    settings.invalid("headers", format!("`{}` is given twice", header.name));
                }
                Ok(header) => {
                    given.push(header.name.clone());
                    headers.add(header);
                }
                Err(problem) => settings.invalid("headers", format!("`{}`: {problem}", entry.key)),
            }
        }
        headers
    }

    fn add(&mut self, header: ConfiguredHeader) {
        let Some(value) = header.value else { return };
        if header.literal {
            self.literal.push(header.name.clone());
        }
        self.map.insert(header.name, value);
    }

    /// Returns a sentence for each credential that is written in the config itself.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let is_credential = |name: &&HeaderName| CREDENTIALS.contains(&name.as_str());
        let warning = |name: &HeaderName| {
            format!(
                "the value of the header `{name}` is written in the config: list a variable in \
                 `env` and write `${{NAME}}`"
            )
        };
        self.literal.iter().filter(is_credential).map(warning).collect()
    }
}

fn protocol_headers() -> HeaderMap {
    let agent = concat!("hookgate/", env!("CARGO_PKG_VERSION"));
    HeaderMap::from_iter([
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (ACCEPT, HeaderValue::from_static("application/json")),
        // A compressed answer could unpack to any size.
        (ACCEPT_ENCODING, HeaderValue::from_static("identity")),
        (USER_AGENT, HeaderValue::from_static(agent)),
    ])
}

/// One header of the setting `headers`.
struct ConfiguredHeader {
    name: HeaderName,
    /// `None` if it names a variable that has no value.
    value: Option<HeaderValue>,
    /// Whether it names no variable.
    literal: bool,
}

impl ConfiguredHeader {
    fn read(entry: &SettingEntry, variables: &Variables) -> Result<Self, String> {
        let name = HeaderName::from_bytes(entry.key.as_bytes())
            .map_err(|_| "it is not the name of a header")?;
        if let Some(problem) = header_names::why_reserved(name.as_str()) {
            return Err(problem.to_owned());
        }
        let NodeValue::Text(text) = &entry.node.value else {
            return Err("it must be a string".to_owned());
        };
        let value = variables.expand(text)?.map(|value| header_value(&value)).transpose()?;
        Ok(Self { name, value, literal: !text.contains("${") })
    }
}

fn header_value(text: &str) -> Result<HeaderValue, &'static str> {
    // The message must not show the value.
    let mut value = HeaderValue::from_str(text).map_err(
        |_| "the value cannot be sent in a header: it has a line break or a control character",
    )?;
    value.set_sensitive(true);
    Ok(value)
}
