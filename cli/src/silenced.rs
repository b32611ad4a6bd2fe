//! Hooks whose conditions are evaluated, so that marks and counts are kept, and whose handlers are not
//! called.

use hookgate::{HandlerTable, HookSpec};

use crate::abort::Abort;

/// Returns a table of the same hooks, of which only some are called. It requires nothing.
pub(crate) fn table_with_silenced(
    table: &HandlerTable,
    is_called: impl Fn(&HookSpec) -> bool,
) -> Result<HandlerTable, Abort> {
    let mut builder = HandlerTable::builder();
    builder.limits(table.limits().clone()).allow_unknown_contracts();
    builder.extend(table.specs().map(|spec| match is_called(spec) {
        true => spec.clone().unordered(),
        false => spec.silenced(),
    }));
    builder.build().map_err(|errors| {
        Abort::failure(format!("the hooks make no table without their handlers: {errors}"))
    })
}
