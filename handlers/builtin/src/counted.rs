//! Which steps a limit has counted.

use std::collections::VecDeque;

use hmac_sha256::Hash;
use hookgate_contract::Invocation;
use serde::{Deserialize, Serialize};

/// How many steps are remembered: more than wait for a user at the same time.
const STEPS: usize = 32;

/// The steps of a session that were counted last, so that each is counted once.
///
/// A step is evaluated again after a rewrite, and after an approval if hooks were swapped while the user was
/// asked. It keeps its step id then. A hook that had not matched it before counts it at that point.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Counted(VecDeque<u64>);

impl Counted {
    /// Returns whether a step is not counted yet, and notes that it is now.
    pub(crate) fn is_new(&mut self, invocation: &Invocation<'_>) -> bool {
        let envelope = invocation.envelope;
        // A host may use the id of a call for the steps before and after it, and a model the id of a call in each turn.
        let mut hash = Hash::new();
        hash.update(envelope.payload().event_name());
        hash.update(envelope.context().turn.to_le_bytes());
        hash.update(envelope.step_id());
        let [a, b, c, d, e, f, g, h, ..] = hash.finalize();
        let step = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        if self.0.contains(&step) {
            return false;
        }
        if self.0.len() == STEPS {
            self.0.pop_front();
        }
        // At once, so that a limit which is counted for long does not allocate.
        self.0.reserve_exact(STEPS - self.0.len());
        self.0.push_back(step);
        true
    }
}
