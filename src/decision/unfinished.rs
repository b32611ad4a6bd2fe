//! What is done if a tool is started, and its result is not handed over.

use std::fmt;
use std::sync::Arc;

/// What an engine with a recorder has done then, to make the record: a drop has neither the engine nor the context.
/// Without a recorder it is nothing. It is no part of what was decided, so all are equal.
#[derive(Clone, Default)]
pub(crate) struct Unfinished(Option<Arc<dyn Fn() + Send + Sync>>);

impl Unfinished {
    pub(crate) fn new(record: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(record)))
    }

    pub(crate) fn record(&self) {
        if let Some(record) = &self.0 {
            record();
        }
    }
}

impl PartialEq for Unfinished {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Unfinished").field(&self.0.is_some()).finish()
    }
}
