//! A checked patch is applied to the step.
//!
//! `validate` has compared every field of the patch with the contract, so setting fields cannot fail
//! halfway: a patch is applied whole or not at all.
//!
//! A patch that sets a field to the value that it has is not a change: the step stays the version that it
//! is, and no final round follows. With `merge = true` the value is merged into the present one by the
//! rules of a JSON merge patch (RFC 7396), so a hook can set one key of an object without repeating it;
//! else the value replaces the present one.
//!
//! A step that was small can become large by a patch. Then, if the dispatch may wait, work that grows with
//! it is offloaded from there on, and the dispatch gets a deadline if it had none.

use std::borrow::Cow;

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Contract, Failure, FailureClass, Patch, json};
use serde_json::Value;

use super::refuse::{refuse_as_illegal, strictest};
use super::steadiness::Steadiness;
use super::{DispatchState, Progress, deadline, is_large};
use crate::events::HookEventKind;
use crate::matcher::are_equal;
use crate::panic_boundary::catch;
use crate::table::CompiledHook;

impl DispatchState<'_> {
    /// Sets the fields of a checked patch and returns whether the step has changed.
    pub(super) fn apply_patch(
        &mut self,
        index: usize,
        patch: Patch,
        payload: &mut dyn AnyPayload,
    ) -> bool {
        let Some(hook) = self.hook(index) else { return false };
        let contract = self.contract(payload);
        let mut has_changed = false;
        // The fields of this patch, for subscribers.
        let mut changed = Vec::new();
        let before = if payload.is_built_in() { None } else { Some(identity(payload)) };
        let (patched, subscribed) = (&mut self.patched, self.subscribed);
        set_fields(contract, hook.definition.spec.merge, patch, payload, |name| {
            has_changed = true;
            if subscribed {
                changed.push(Cow::Borrowed(name));
            }
            if !patched.iter().any(|earlier| earlier == name) {
                patched.push(Cow::Borrowed(name));
            }
        });
        if !has_changed {
            return false;
        }
        if let Some(before) = before {
            self.refuse_moved(before, hook, payload);
        }
        if let Some(progress) = self.progress.get_mut(index) {
            *progress = Progress::Patched;
        }
        self.snapshot = None;
        self.steadiness = Steadiness::begin(payload);
        if self.context.may_wait && self.context.set.heavy && !self.large {
            self.large = is_large(payload);
            self.deadline = self.deadline.or_else(|| deadline(self.context.table));
        }
        if self.subscribed {
            let envelope = self.envelope(payload);
            let what = HookEventKind::RewriteApplied { patched: changed };
            self.context.services.stream.send(hook.id(), &envelope, what);
        }
        true
    }

    /// Refuses a step that a patch has made one of another event or tool: other hooks would have seen it.
    #[cold]
    fn refuse_moved(&mut self, before: Identity, hook: &CompiledHook, payload: &dyn AnyPayload) {
        let after = catch("the payload", || identity(payload));
        if after.as_ref().is_ok_and(|after| *after == before) {
            return;
        }
        let problem = match after {
            Ok(_) => format!(
                "the patch of `{}` makes it a step of another event or tool, whose hooks do not see it",
                hook.id()
            ),
            Err(failure) => format!("after the patch of `{}` {}", hook.id(), failure.detail),
        };
        let ballot = refuse_as_illegal(strictest(self.context.bucket.contract), problem);
        ballot.into_iter().for_each(|ballot| self.ballots.push(ballot));
    }
}

/// The name of the event, and of the tool.
type Identity = (String, Option<String>);

/// Returns what the hooks of a step are chosen by. It is compared for payloads of the embedder only: no field that a
/// patch sets in one of the engine is a part of it.
#[cold]
fn identity(payload: &dyn AnyPayload) -> Identity {
    let tool = payload.tool().map(|call| call.tool_name.clone());
    (payload.event_name().to_owned(), tool)
}

/// Sets the fields of a checked patch and gives `changed` the names of those that have changed. With
/// `merge`, the value of a field is merged into the present one (RFC 7396).
///
/// Of a payload of the embedder it is found by comparing what it serialises to: that its `set` says what it
/// did is not known.
fn set_fields(
    contract: &'static Contract,
    merge: bool,
    mut patch: Patch,
    payload: &mut dyn AnyPayload,
    mut changed: impl FnMut(&'static str),
) {
    let mut before = if payload.is_built_in() { None } else { text(payload) };
    for field in contract.patch {
        let Some(value) = patch.remove(field.name) else { continue };
        let value = if merge { merged(payload, field.name, value) } else { value };
        let said = payload.set(field.name, value);
        if payload.is_built_in() {
            said.into_iter().for_each(&mut changed);
            continue;
        }
        let after = text(payload);
        // What cannot be told counts as changed.
        if after.is_none() || after != before {
            changed(field.name);
        }
        before = after;
    }
}

/// Returns a value merged into the present one of a field.
fn merged(payload: &dyn AnyPayload, field: &str, value: Value) -> Value {
    match present(payload, field) {
        Some(mut whole) => {
            json::merge(&mut whole, value);
            whole
        }
        None => value,
    }
}

/// Returns the present value of a field; of a payload of the embedder that is what it serialises.
pub(crate) fn present(payload: &dyn AnyPayload, field: &str) -> Option<Value> {
    if payload.is_built_in() {
        return payload.field(field).map(|value| value.to_value());
    }
    payload.to_value().ok()?.get_mut(field).map(Value::take)
}

fn text(payload: &dyn AnyPayload) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    payload.write_json(&mut text).is_ok().then_some(text)
}

/// Sets the fields of a step as the user wants them, who was checked by the contract as a hook is.
pub(crate) fn apply_edit(edit: Patch, payload: &mut dyn AnyPayload) {
    set_fields(payload.contract(), false, edit, payload, |_| ());
}

/// Returns the fields of a step that a patch would change. The patch is tried on a copy; a copy that
/// is the same text as the step has not changed.
pub(super) fn find_changes(
    contract: &'static Contract,
    merge: bool,
    patch: Patch,
    step: &dyn AnyPayload,
) -> Vec<&'static str> {
    let mut trial = step.snapshot();
    let mut changed = Vec::new();
    set_fields(contract, merge, patch, &mut *trial, |name| changed.push(name));
    if changed.is_empty() {
        return changed;
    }
    match (text(step), text(&*trial)) {
        (Some(before), Some(after)) if before == after => Vec::new(),
        _ => changed,
    }
}

/// Returns the failure of a patch that a payload of the embedder would not take: a field stays as it is,
/// although the patch holds another value. Tried on a copy, field by field.
pub(crate) fn find_untaken(
    contract: &'static Contract,
    merge: bool,
    patch: &Patch,
    step: &dyn AnyPayload,
) -> Option<Failure> {
    if step.is_built_in() {
        return None;
    }
    let mut trial = step.snapshot();
    let untaken = patch.iter().find(|&(name, value)| {
        let wanted = if merge { merged(&*trial, name, value.clone()) } else { value.clone() };
        let mut has_changed = false;
        let mut one = Patch::new();
        one.insert(name.to_owned(), wanted.clone());
        set_fields(contract, false, one, &mut *trial, |_| has_changed = true);
        !has_changed && !are_equal(&wanted, &present(&*trial, name).unwrap_or_default())
    });
    let (field, _) = untaken?;
    let event = contract.name;
    let detail = format!(
        "the payload of `{event}` does not take a patch of `{field}`, although its contract lists it: \
         implement `Payload::set` for that field, or take it out of `takes_patch`"
    );
    Some(Failure::new(FailureClass::Illegal, detail).shown())
}
