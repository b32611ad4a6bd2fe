//! A checked patch is applied to the step.

use std::borrow::Cow;

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Contract, json};
use serde_json::{Map, Value};

use super::{Dispatch, Heard, deadline, is_large};
use crate::events::What;

impl Dispatch<'_> {
    /// Sets the fields of a checked patch; tells whether the step is another one now.
    pub(super) fn apply(
        &mut self,
        place: usize,
        patch: Map<String, Value>,
        payload: &mut dyn AnyPayload,
    ) -> bool {
        let Some(entry) = self.entry(place) else { return false };
        let contract = self.contract(payload);
        let changed = set_fields(contract, entry.hook.spec.merge, patch, payload);
        if let Some(heard) = self.asked.get_mut(place).filter(|_| !changed.is_empty()) {
            *heard = Heard::Patched;
        }
        if !changed.is_empty() {
            self.snapshot = None;
            if self.setting.may_wait && self.setting.set.heavy && !self.large {
                self.large = is_large(payload);
                self.deadline = self.deadline.or_else(|| deadline(self.setting.table));
            }
        }
        for name in &changed {
            let name = Cow::Borrowed(*name);
            if !self.patched.contains(&name) {
                self.patched.push(name);
            }
        }
        if self.heard && !changed.is_empty() {
            let envelope = self.envelope(payload);
            self.setting.stream.send(
                entry.id(),
                &envelope,
                What::RewriteApplied {
                    patched: changed.iter().copied().map(Cow::Borrowed).collect(),
                },
            );
        }
        !changed.is_empty()
    }
}

/// Sets the fields of a checked patch; tells which are others now.
pub(super) fn set_fields(
    contract: &'static Contract,
    merge: bool,
    mut patch: Map<String, Value>,
    payload: &mut dyn AnyPayload,
) -> Vec<&'static str> {
    let mut changed = Vec::new();
    for field in contract.patch {
        let Some(value) = patch.remove(field.name) else { continue };
        let value = match payload.field(field.name) {
            Some(before) if merge => {
                let mut merged = before.to_value();
                json::merge(&mut merged, value);
                merged
            }
            _ => value,
        };
        changed.extend(payload.set(field.name, value));
    }
    changed
}
