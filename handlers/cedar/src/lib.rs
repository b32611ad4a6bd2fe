//! Hooks that are policies in Cedar.

mod context;
mod error;
mod factory;
mod files;
mod handler;
mod policies;
mod settings;
mod uid;

use std::sync::{Arc, LazyLock};

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, Envelope, HandlerKind};
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
    let effects: Arc<handler::EffectsFn> = Arc::new(effects);
    HandlerKind::new(KIND, move |settings, context| {
        factory::build(settings, context, Some(Arc::clone(&effects)))
    })
}

/// Builds a handler.
pub fn build(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<BuiltHandler> {
    factory::build(settings, context, None)
}
