//! A table with one hook of another table.

use hookgate::{HandlerTable, Mode};

use super::call_trace::CallTrace;
use crate::abort::Abort;
use crate::terminal::stderr;

/// Takes a hook out of a table. Its order among others (`after`, `before`) goes, and so does what the
/// table requires. Hooks that its conditions watch stay with their conditions, but are not called.
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
        spec = spec.watch_handler(trace.clone().into_layer());
    }
    table
        .alone(spec)
        .map_err(|errors| Abort::failure(format!("`{hook}` makes no table alone: {errors}")))
}

/// Returns why a hook was not called about a step of this event; `None` if that is not known.
pub(super) fn silence(table: &HandlerTable, hook: &str, event: &str) -> Option<String> {
    let spec = table.specs().find(|spec| spec.id() == hook)?;
    let events: Vec<&str> = spec.events().iter().map(|on| on.name()).collect();
    // Observers that run in the background leave no vote.
    if spec.is_background() {
        return None;
    }
    Some(if events.contains(&event) {
        format!(
            "`{hook}` was not called: its conditions do not hold for this step (`--explain` \
             shows why)"
        )
    } else {
        format!(
            "`{hook}` was not called: it is for {}, and this step is {event}",
            events.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use hookgate::contract::{BuiltCondition, Condition, Envelope, Truth};
    use hookgate::matcher::MatchSpec;
    use hookgate::{Engine, Event, Hook, Verdict};
    use serde_json::json;

    use super::*;
    use crate::input::envelope;

    /// Holds when the hook `first` has held.
    struct AfterFirst(AtomicUsize);

    impl Condition for AfterFirst {
        fn hold(&self, _: &Envelope<'_>) -> Truth {
            (self.0.load(Ordering::SeqCst) > 0).into()
        }

        fn explain(&self, _: &Envelope<'_>) -> String {
            "it counts `first`".to_owned()
        }

        fn watches(&self) -> Option<&str> {
            Some("first")
        }

        fn noted(&self, _: &Envelope<'_>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[tokio::test]
    async fn a_hook_that_is_watched_counts_and_is_not_called() {
        let deny = |id: &str| {
            let reason = format!("denied by {id}");
            Hook::sync(id, move |_| Ok(Verdict::deny(reason.clone()))).event(Event::Stop)
        };
        let mut conditions = MatchSpec::new();
        let after = AfterFirst(AtomicUsize::new(0));
        conditions.registered.push(BuiltCondition::new("after", json!("first"), after));
        let mut builder = HandlerTable::builder();
        builder.insert(deny("first").after("other").build());
        builder.insert(deny("other").build());
        builder.insert(deny("second").matching(conditions).build());
        let table = builder.build().unwrap();

        let engine = Engine::new(take(&table, "second", None).unwrap());
        let mut outcomes = Vec::new();
        for _ in 0..2 {
            let mut step =
                envelope::read(br#"{"hook_event_name":"stop"}"#, table.limits().integers).unwrap();
            let report = engine.evaluate(&mut step).await;
            outcomes.push((report.decision.name(), report.reason));
        }
        let denied = ("deny", Some("denied by second".to_owned()));
        assert_eq!(outcomes, [("allow", None), denied]);
        assert!(take(&table, "third", None).is_err());
    }
}
