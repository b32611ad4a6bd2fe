//! `http_post`: somebody is told of a step.

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, Role};

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::host::Host;

/// What the builtin is.
///
/// It posts a text of its own to a service, and takes whatever that answers with a status of success; it is the
/// kind of handler `http` with a `body`, under the name that docker agent gives it, and has all its settings and its
/// rules of where a request may go.
///
/// ```toml
/// [[hook]]
/// id = "tell-the-channel"
/// event = "run_failed"
/// builtin = { name = "http_post", url = "https://chat.example.com/hook", body = { text = "{{ error }}" } }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `url` | string, required | where to post; `https`, or `http` to a host that an `allow_…` names |
/// | `body` | table, required | what is posted as JSON, a table; a text with `{{` is a template over the envelope |
/// | `headers` | table of strings | headers of the request; `${NAME}` is the value of a variable |
/// | `env` | array of strings | the variables that `headers` may name; each must be set |
/// | `allow_loopback` | array of strings | hosts that may have a loopback address, each as `host:port` |
/// | `allow_private` | array of strings | hosts that may have a private or shared address, each as `host:port` |
///
/// A service that cannot be reached, or answers with another status, is the failure of an observer: the user is told,
/// and the step goes on. It needs the kind `http` of the host; in a host that has none it is an error of the config.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "http_post",
    role: Role::Observe,
    about: "posts a text of its own to a service",
    supports: None,
    settings: &[
        SettingDoc::required(
            "url",
            SettingType::Matching("URL", "^https?://"),
            "where to post; `https`, or `http` to a host that an `allow_…` names",
        ),
        SettingDoc::required(
            "body",
            SettingType::Any,
            "what is posted as JSON, a table; a text with `{{` is a template over the envelope",
        ),
        SettingDoc::optional(
            "headers",
            SettingType::Map(&SettingType::Text),
            "headers of the request; `${NAME}` is the value of a variable",
        ),
        SettingDoc::optional(
            "env",
            SettingType::Texts,
            "the variables that `headers` may name; each must be set",
        ),
        SettingDoc::optional(
            "allow_loopback",
            SettingType::Texts,
            "hosts that may have a loopback address, each as `host:port`",
        ),
        SettingDoc::optional(
            "allow_private",
            SettingType::Texts,
            "hosts that may have a private or shared address, each as `host:port`",
        ),
    ],
    example: r#"[[hook]]
id = "tell-the-channel"
event = "run_failed"
builtin = { name = "http_post", url = "https://chat.example.com/hook", body = { text = "{{ error }}" } }
"#,
    build: Build::WithHost(build),
};

/// Builds the handler from the settings of a config.
fn build(
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
    host: &Host,
) -> Option<BuiltHandler> {
    let Some(http) = host.http else {
        settings.invalid("name", "this program has no handlers of the kind `http`");
        return None;
    };
    let has_body = settings.has("body");
    if !has_body {
        settings.missing("body");
    }
    let built = http(settings, context)?;
    has_body.then(|| built.role(Role::Observe))
}
