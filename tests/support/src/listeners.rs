//! What tests that listen to `tracing` need, where other tests run beside them.

use std::sync::LazyLock;

use tracing::Dispatch;
use tracing::subscriber::NoSubscriber;

static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::new()));

/// Keeps a second listener, which hears nothing, for as long as the process lives. Call it before a
/// test listens in its own thread.
///
/// While there is only one listener, `tracing` asks the thread that reaches an event first whether
/// anybody listens, and remembers the answer for all threads. A test in another thread that listens to
/// nothing then makes the listener miss the event.
pub fn keep_second() {
    LazyLock::force(&SECOND);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;

    /// Counts the events that it hears.
    struct Counter(Arc<AtomicUsize>);

    impl Subscriber for Counter {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, _: &Event<'_>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    fn event() {
        tracing::info!("an event");
    }

    #[test]
    fn a_thread_that_reaches_an_event_first_and_listens_to_nothing_changes_nothing() {
        keep_second();
        let heard = Arc::new(AtomicUsize::new(0));
        tracing::subscriber::with_default(Counter(heard.clone()), || {
            thread::spawn(event).join().unwrap();
            event();
        });
        assert_eq!(heard.load(Ordering::SeqCst), 1);
    }
}
