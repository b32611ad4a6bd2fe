//! Patches of background rewriters: published, never applied.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::hook_id::HookId;
use crate::sessions::Sessions;

/// A patch that a background rewriter made. It is published, never applied: the agent has gone on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PatchEnvelope {
    /// A number that grows with every patch of the engine.
    pub revision: u64,
    /// The hook.
    pub hook: HookId,
    /// The event.
    pub event: String,
    /// The fields that it would set.
    pub patch: Map<String, Value>,
    /// When, in milliseconds since 1970.
    pub time: u64,
}

/// How many patches of a session wait to be taken.
const PATCHES_PER_SESSION: usize = 256;

/// The patches that nobody has taken yet.
#[derive(Debug, Default)]
pub(crate) struct Published {
    waiting: Mutex<Sessions<VecDeque<PatchEnvelope>>>,
    revision: AtomicU64,
    lost: AtomicU64,
}

impl Published {
    /// The number of the next patch.
    pub(crate) fn next_revision(&self) -> u64 {
        // ORDERING: only the numbers matter, not what else the threads see.
        self.revision.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Keeps a patch until it is taken. Where there are too many, the oldest of the session goes
    /// out; where there are too many sessions, all of the oldest one.
    pub(crate) fn keep(&self, session_id: &str, patch: PatchEnvelope) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let (patches, gone) = waiting.of(session_id);
        let mut lost = gone.map_or(0, |gone| gone.len());
        if patches.len() >= PATCHES_PER_SESSION {
            patches.pop_front();
            lost += 1;
        }
        patches.push_back(patch);
        self.lost.fetch_add(lost as u64, Ordering::Relaxed);
    }

    /// The patches that were published for a session since this was last asked.
    pub(crate) fn take(&self, session_id: &str) -> Vec<PatchEnvelope> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.remove(session_id).map(Vec::from).unwrap_or_default()
    }

    /// How many patches went out before somebody took them.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}
