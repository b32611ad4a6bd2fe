//! Patches of background rewriters: published, never applied.
//!
//! A background rewriter ends when the agent has long gone on, so its patch cannot change the step any
//! more. The runtime takes it when it suits: with the next report of the session, or with
//! [`Engine::take_published`](crate::Engine::take_published).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::dispatch::sessions::Sessions;
use crate::hook_id::HookId;

/// A patch that a background rewriter made. It is published, never applied: the agent has gone on.
///
/// A runtime that can still use it (a shorter form of a result that is in the history) checks the event
/// and applies the fields by itself. The revision tells which of two patches is the later one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PatchEnvelope {
    /// The number of the patch, from 1; it grows with every patch of the engine.
    pub revision: u64,
    /// The hook.
    pub hook: HookId,
    /// The event.
    pub event: String,
    /// The fields that the patch would set.
    pub patch: Map<String, Value>,
    /// When it was published, in milliseconds since 1970.
    pub time: u64,
}

/// How many patches of one session wait to be taken.
const PATCHES_PER_SESSION: usize = 256;

/// The patches that were not taken yet.
#[derive(Debug, Default)]
pub(super) struct Published {
    waiting: Mutex<Sessions<VecDeque<PatchEnvelope>>>,
    revision: AtomicU64,
    lost: AtomicU64,
}

impl Published {
    /// Returns the number of the next patch.
    pub(super) fn next_revision(&self) -> u64 {
        // ORDERING: only the numbers matter, not what else the threads see.
        self.revision.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Keeps a patch until it is taken. Beyond the bound of the session its oldest patch is lost;
    /// beyond the bound of sessions, all patches of the oldest one.
    pub(super) fn push(&self, session_id: &str, patch: PatchEnvelope) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let (patches, evicted) = waiting.get_or_insert(session_id);
        let mut lost = evicted.map_or(0, |evicted| evicted.len());
        if patches.len() >= PATCHES_PER_SESSION {
            patches.pop_front();
            lost += 1;
        }
        patches.push_back(patch);
        self.lost.fetch_add(lost as u64, Ordering::Relaxed);
    }

    /// Takes the patches of a session that were published since the last call.
    pub(super) fn take(&self, session_id: &str) -> Vec<PatchEnvelope> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.remove(session_id).map(Vec::from).unwrap_or_default()
    }

    /// Returns how many patches were lost before they were taken.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}
