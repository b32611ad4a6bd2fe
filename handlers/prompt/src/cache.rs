//! Answers that are known.

use std::sync::Arc;

use quick_cache::sync::Cache;
use tokio::time::Instant;

use crate::outcome::Outcome;
use crate::recipe::Keep;

/// What stands for a question: a hash, since who is judged writes a part of it.
pub(crate) type Key = [u8; 32];

/// The answers of one judge. Judges that are defined alike share them.
pub(crate) struct Answers {
    known: Cache<Key, (Instant, Arc<Outcome>)>,
    keep: Keep,
}

impl Answers {
    pub(crate) fn new(keep: Keep) -> Self {
        Self { known: Cache::new(keep.size), keep }
    }

    /// The answer, if there is one that is not too old.
    pub(crate) fn known(&self, key: &Key) -> Option<Arc<Outcome>> {
        let (until, outcome) = self.known.get(key)?;
        if Instant::now() < until {
            return Some(outcome);
        }
        self.known.remove(key);
        None
    }

    /// Remembers an answer, if it may be: not a failure, and not what another model said.
    pub(crate) fn learn(&self, key: Key, outcome: &Arc<Outcome>) {
        if outcome.finding.is_ok()
            && !outcome.fallback
            && let Some(until) = Instant::now().checked_add(self.keep.ttl)
        {
            self.known.insert(key, (until, Arc::clone(outcome)));
        }
    }
}
