//! Hooks whose conditions are evaluated, so that marks and counts are kept, and whose handlers are not
//! called.

use std::sync::Arc;

use hookgate::contract::Handler;
use hookgate::{HandlerTable, HookSpec, Invocation, Mode, Verdict};

use crate::abort::Abort;

/// Returns a hook with the same conditions that does nothing.
pub(crate) fn silence(spec: &HookSpec) -> HookSpec {
    let silent = |_: Handler| Handler::Sync(Arc::new(|_: Invocation<'_>| Ok(Verdict::none())));
    // One that is off is not evaluated at all.
    let mode = if spec.mode() == Mode::Off { Mode::Off } else { Mode::Shadow };
    spec.clone().unordered().with_mode(mode).watch_handler(silent)
}

/// Returns a table of the same hooks, of which only some are called. It requires nothing.
pub(crate) fn table_with_silenced(
    table: &HandlerTable,
    is_called: impl Fn(&HookSpec) -> bool,
) -> Result<HandlerTable, Abort> {
    let mut builder = HandlerTable::builder();
    builder.limits(table.limits().clone()).allow_unknown_contracts();
    builder.extend(table.specs().map(|spec| match is_called(spec) {
        true => spec.clone().unordered(),
        false => silence(spec),
    }));
    builder.build().map_err(|errors| {
        Abort::failure(format!("the hooks make no table without their handlers: {errors}"))
    })
}
