//! A table with one hook of another table.

use hookgate::{HandlerTable, Mode, Report};

use super::call_trace::CallTrace;
use crate::abort::Abort;
use crate::terminal::stderr;

/// Takes a hook out of a table. Its order among others (`after`, `before`) goes, and so does what the
/// table requires.
pub(super) fn take(
    table: &HandlerTable,
    hook: &str,
    trace: Option<&CallTrace>,
) -> Result<HandlerTable, Abort> {
    let Some(spec) = table.specs().find(|spec| spec.id() == hook) else {
        let known: Vec<String> = table.specs().map(|spec| spec.id().to_string()).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        return Err(Abort::unknown_name("hook", hook, &known));
    };
    let mut spec = spec.clone().unordered();
    if spec.mode() == Mode::Off {
        stderr::note(&format!("`{hook}` is off: it is called here as if it were enforced"));
        spec = spec.with_mode(Mode::Enforce);
    }
    if let Some(trace) = trace {
        spec = spec.map_handler(trace.clone().into_layer());
    }
    HandlerTable::builder()
        .limits(table.limits().clone())
        .allow_unknown_contracts()
        .insert(spec)
        .build()
        .map_err(|errors| Abort::failure(format!("`{hook}` makes no table alone: {errors}")))
}

/// Returns why a hook was not called; `None` if it was, or if the step could not be read.
pub(super) fn silence(table: &HandlerTable, hook: &str, report: &Report) -> Option<String> {
    let event = report.event.as_deref()?;
    if report.votes.iter().any(|vote| vote.hook == hook) {
        return None;
    }
    let spec = table.specs().find(|spec| spec.id() == hook)?;
    let events: Vec<&str> = spec.events().iter().map(|on| on.name()).collect();
    // Observers that run in the background leave no vote.
    if spec.is_background() {
        return None;
    }
    Some(if events.contains(&event) {
        format!(
            "`{hook}` was not called: its conditions do not hold for this step (`hookgate list` \
             shows them)"
        )
    } else {
        format!(
            "`{hook}` was not called: it is for {}, and this step is {event}",
            events.join(", ")
        )
    })
}
