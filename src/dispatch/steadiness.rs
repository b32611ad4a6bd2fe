//! In builds with debug assertions: whether a payload of the embedder still says what hooks have read.
//!
//! Only a payload with shared or interior state can change behind the engine's back, which
//! [`Payload`](hookgate_contract::payload::Payload) forbids. The check serialises the step once more, so a
//! release build does without.

use hookgate_contract::payload::AnyPayload;

#[cfg(debug_assertions)]
use crate::log;
#[cfg(debug_assertions)]
use crate::panic_boundary::catch;

/// What the present version of a step serialised to when its hooks began to read it.
#[derive(Default)]
pub(super) struct Steadiness(#[cfg(debug_assertions)] Option<Box<[u8]>>);

/// Returns whether a payload is looked at.
pub(super) fn is_checked(payload: &dyn AnyPayload) -> bool {
    cfg!(debug_assertions) && !payload.is_built_in()
}

#[cfg(debug_assertions)]
impl Steadiness {
    /// Notes what a new version of a step serialises to.
    pub(super) fn begin(payload: &dyn AnyPayload) -> Self {
        Self(if is_checked(payload) { text(payload) } else { None })
    }

    /// Logs an error if the step serialises to something else by now.
    pub(super) fn end(&self, payload: &dyn AnyPayload) {
        let Some(before) = &self.0 else { return };
        if text(payload).is_none_or(|after| after == *before) {
            return;
        }
        log::payload_changed(payload.contract().name);
    }
}

#[cfg(not(debug_assertions))]
impl Steadiness {
    pub(super) const fn begin(_: &dyn AnyPayload) -> Self {
        Self()
    }

    pub(super) const fn end(&self, _: &dyn AnyPayload) {}
}

/// What a payload serialises to; `None` if that fails, which the hooks that read it tell.
#[cfg(debug_assertions)]
fn text(payload: &dyn AnyPayload) -> Option<Box<[u8]>> {
    let mut text = Vec::new();
    let written = catch("the payload", || payload.write_json(&mut text));
    matches!(written, Ok(Ok(()))).then(|| text.into_boxed_slice())
}
