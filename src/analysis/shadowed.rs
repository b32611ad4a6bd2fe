//! Hooks that never run, because an earlier one always denies.

use super::finding::{Finding, FindingCode};
use crate::table::HandlerTable;

pub(super) fn find(table: &HandlerTable) -> Vec<Finding> {
    let shadowed = table.shadowed().into_iter();
    shadowed
        .map(|(hook, event, by)| {
            let place = by.origin().to_string();
            let message = format!(
                "`{}` is never called at `{event}`: `{}` ({place}) comes before it and denies every step \
                 that it is for",
                hook.id(),
                by.id()
            );
            let help = format!(
                "delete it, narrow the conditions of `{0}`, or let it come first: `before = [\"{0}\"]`",
                by.id()
            );
            Finding::new(FindingCode::ShadowedHook, hook, "id", message, help).at(event)
        })
        .collect()
}
