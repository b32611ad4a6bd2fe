//! The deny that replaces a missing guard.
//!
//! A table that leaves a required event unguarded is put in force all the same, because its other
//! hooks may be urgent. But the engine then compiles a hook of its own before the hooks of that
//! event, which denies every step and says what is missing. It is gone with the next table that
//! guards the event.
//!
//! It is a hook like any other, so that a dispatch needs no branch for it, and records name it
//! (`require`).

use std::collections::BTreeMap;
use std::sync::Arc;

use hookgate_contract::{BuiltHandler, Invocation, Posture, ReasonCode, Role, Verdict};

use super::compiled_hook::CompiledHook;
use super::contracts::{contract_of, own_event};
use super::definition::HookDefinition;
use super::event_selector::EventSelector;
use super::groups::number_groups;
use super::hook::Hook;
use super::origin::Origin;
use super::spec::Unread;
use super::{Bucket, HandlerTable};
use crate::require::REQUIRE;

impl HandlerTable {
    /// Compiles the last resort into the events that are not guarded as required.
    pub(super) fn deny_unguarded(&mut self) {
        let gaps = self.gaps();
        self.deny_gaps(gaps);
    }

    /// Returns the events that must be guarded and are not, with what is missing.
    pub(super) fn gaps(&self) -> BTreeMap<String, String> {
        let gaps = self.unguarded().into_iter();
        gaps.map(|(event, why)| (event.to_owned(), why)).collect()
    }

    /// Denies the steps of events that are not guarded.
    pub(super) fn deny_gaps(&mut self, gaps: BTreeMap<String, String>) {
        for (event, why) in gaps {
            if let Some(bucket) = self.last_resort(&event, &why) {
                self.put_bucket(&event, Arc::new(bucket));
            }
        }
    }

    /// Returns the hooks of an event, with one before them that denies.
    fn last_resort(&self, event: &str, why: &str) -> Option<Bucket> {
        let reason = format!(
            "`{event}` must be guarded, and {why}: put the guard in force again, or have whoever \
             runs the agent change what is required"
        );
        let deny = Verdict::deny(reason).reason_code(ReasonCode::Unguarded);
        let selector =
            own_event(event).map_or_else(|| EventSelector::custom(event), EventSelector::event);
        let handler = BuiltHandler::from_sync(move |_: Invocation<'_>| Ok(deny.clone()));
        let spec = Hook::new(REQUIRE, "engine", handler)
            .event_selectors([selector.clone()])
            .role(Role::Guard)
            .on_failure(Posture::Deny)
            .read_from(Origin::engine(), Unread::default())
            .build();
        // INVARIANT: this hook has nothing in it that could be refused, and patterns that were joined
        // before can be joined again.
        let contract = contract_of(&self.contracts, event);
        let mut errors = Vec::new();
        let hook = Arc::new(HookDefinition::new(Arc::new(spec), &mut errors));
        let first = CompiledHook::new(&hook, 0, &selector, contract, &self.limits, &mut errors);
        let first = Arc::new(first);
        let mut hooks = vec![Arc::clone(&first)];
        if let Some(bucket) = self.bucket_of(event) {
            hooks.extend(bucket.entries.iter().filter(|hook| hook.id() != REQUIRE).cloned());
        }
        number_groups(&mut hooks);
        let made = Bucket::new(contract, hooks).or_else(|_| Bucket::new(contract, vec![first]));
        let mut bucket = made.ok()?;
        bucket.last_resort = true;
        Some(bucket)
    }
}
