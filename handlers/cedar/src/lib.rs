//! Hooks that are policies in Cedar: `cedar = { policies = "policy.cedar", schema = "app.cedarschema" }`.
//!
//! Use it for policies that are checked before they are used: with a schema a misspelled attribute is
//! an error of the config, not a rule that never applies. They are evaluated in process by
//! [cedar-policy](https://docs.rs/cedar-policy), in about 20 µs a step.
//!
//! # Policies
//! A step is permitted if a `permit` applies and no `forbid` does. What no policy permits is denied.
//!
//! ```
//! use hookgate_contract::payload::ToolCall;
//! use hookgate_contract::settings::{Node, Settings};
//! use hookgate_contract::{BuildContext, Envelope, Handler, Invocation, StepContext, StepId, Verdict};
//! use serde_json::json;
//!
//! # fn main() -> std::io::Result<()> {
//! let folder = tempfile::tempdir()?;
//! let policies = r#"
//! permit (principal, action == Action::"Bash", resource);
//!
//! @id("no-force")
//! @reason("push without --force")
//! forbid (principal, action == Action::"Bash", resource)
//! when { context.tool_input.command like "*--force*" };
//! "#;
//! std::fs::write(folder.path().join("policy.cedar"), policies)?;
//!
//! // The settings, as hooks.toml has them: cedar = { policies = "policy.cedar" }
//! let node = Node::from_json(&json!({"policies": "policy.cedar"}));
//! let mut settings = Settings::new(&node);
//! let built = hookgate_cedar::build(&mut settings, &BuildContext::new(folder.path(), 1024));
//! assert!(settings.finish().is_empty());
//! let Some(Handler::Sync(handler)) = built.map(|built| built.handler) else { unreachable!() };
//!
//! let call = ToolCall::new("Bash", json!({"command": "git push --force"}));
//! let (context, id) = (StepContext::new("session-1"), StepId::new(Some("step-1"), String::new));
//! let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20);
//! let verdict = handler.handle(Invocation::new("policy", &envelope)).unwrap();
//! let expected = Verdict::deny("push without --force").note("forbidden by `no-force`");
//! assert_eq!(verdict, expected);
//! # Ok(())
//! # }
//! ```
//!
//! # The request
//!
//! | part | without a setting |
//! |---|---|
//! | `principal` | `Agent::` with the kind of the agent, or its id, or `main` |
//! | `action` | `Action::` with the tool; with the event if there is none |
//! | `resource` | `Resource::` with the path, command, address or query that the tool gets; with the tool, or the event |
//! | `context` | the [envelope](hookgate_contract::Envelope), and `effects` if the host knows them |
//!
//! Each entity may be written as a template: `'Tool::"{{ tool_name }}"'`. The type is that of the
//! config; a step can only choose the id. `context = { path = "/tool_input/file_path" }` chooses fields,
//! which a schema makes necessary; one that a step does not have is left out, and `has` tests it.
//!
//! JSON becomes Cedar so: an array is a set, null is left out, a number with at most four digits behind the
//! point is a `decimal`, and any other number that Cedar does not hold is a text, so that a comparison with
//! it fails. `context.effects` has sets of names, since Cedar cannot look into the records of a set: `runs`
//! has programs, `reads`, `writes` and `deletes` have paths (`/srv/**` for all that is below), `connects`
//! has hosts, `unclear` says what cannot be told.
//!
//! # The verdict
//!
//! | decision of Cedar | verdict |
//! |---|---|
//! | permitted | allow, with the policies in the note of the vote |
//! | a `forbid` applies | deny, with the texts of `@reason`, `@advice` or `@message` of these policies, or their ids |
//! | a `forbid` with `@decision("ask")` or `@decision("halt")` | ask, halt; of several the strictest; an ask only of what a `permit` permits |
//! | no `permit` applies | deny, with the setting `reason` |
//! | a policy cannot be evaluated | a failure of class `malformed`, whatever the others say |
//! | the request does not fit the schema | a failure of class `malformed` |
//!
//! Cedar leaves out a policy that cannot be evaluated, and a `forbid` that is left out forbids nothing. That
//! is why it is a failure here. The id of a policy is its `@id`, or its file and line.
//!
//! A template (`?principal`) is an error, since nothing fills its slots; so are a file without a policy and
//! two policies with one id. Evaluation cannot loop, and takes time in proportion to the policies and the
//! step; for steps of more than 64 KiB it runs on a blocking thread, within the deadline of the hook.
//!
//! # Settings
//!
#![doc = include_str!("settings.md")]
//!
//! Paths are relative to the folder of the config. A change of a file makes another handler when the
//! config is loaded again, and a host that watches its config loads it then.
//!
//! # What it costs
//! 70 more packages, 90 s of processor time for a debug build and 230 s for a release build, 7.6 MB of a
//! stripped binary (measured alone, with thin LTO). So it is a feature of the command line that is off
//! unless it is asked for: `cargo install hookgate-cli --features cedar`.
//!
//! # What else it changes
//! cedar-policy turns on `preserve_order` of serde_json, and Cargo unites the features of all that it builds
//! together: a program with this crate writes the keys of JSON in the order in which they came, and not
//! sorted. What is hashed (configs, permits, identities of AGENT-HOOKS) is taken of the canonical form and
//! is the same in both builds.

mod context;
mod error;
mod factory;
mod handler;
mod policies;
mod settings;
mod uid;

use std::sync::{Arc, LazyLock};

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, EffectsFn, Envelope, HandlerKind};
use serde_json::Value;

pub use settings::SETTINGS;

/// The key of these handlers in a config.
pub const KIND: &str = "cedar";

/// Returns the kind, to be added to a registry: no config can use it before.
#[must_use]
pub fn kind() -> HandlerKind {
    // One kind for the whole process, so that its handlers are kept across registries.
    static KIND_OF_CRATE: LazyLock<HandlerKind> = LazyLock::new(|| HandlerKind::new(KIND, build));
    KIND_OF_CRATE.clone()
}

/// Returns the kind with the effects that the host knows.
#[must_use]
pub fn kind_with(effects: impl Fn(&Envelope<'_>) -> Value + Send + Sync + 'static) -> HandlerKind {
    let effects: Arc<EffectsFn> = Arc::new(effects);
    HandlerKind::new(KIND, move |settings, context| {
        factory::build(settings, context, Some(Arc::clone(&effects)))
    })
}

/// Builds a handler.
pub fn build(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<BuiltHandler> {
    factory::build(settings, context, None)
}
