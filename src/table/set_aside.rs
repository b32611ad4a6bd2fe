//! What stands in the place of a hook that cannot be called as it was declared: it always fails, and its posture decides.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookgate_contract::{BuiltHandler, Failure, FailureClass, Invocation, Mode};

use super::event_selector::EventSelector;
use super::spec::{HookSpec, Unread};
use crate::hook_id::HookId;
use crate::matcher::MatchSpec;

/// What is kept of a hook that is set aside, because it could not be read as a whole.
#[derive(Debug, Clone)]
pub(crate) enum SetAside {
    /// Its events, conditions, postures and order.
    Order,
    /// Its events, conditions and postures.
    Conditions,
    /// Its events and postures.
    Events,
    /// Nothing but the id: it is called at these events.
    Everything(Vec<EventSelector>),
}

impl HookSpec {
    /// Puts a hook in its place that always fails, so that what it is about gets its posture. It says why.
    /// Another hook may have its id already.
    pub(crate) fn set_aside(mut self, id: Option<HookId>, left: SetAside, why: String) -> Self {
        if let Some(id) = id {
            self.id = id;
        }
        if !matches!(left, SetAside::Order) {
            self = self.unordered();
        }
        (self.background, self.merge, self.may_allow) = (false, false, false);
        (self.recorded, self.visible_to_user) = (false, false);
        (self.retry, self.text_window, self.shared) = (None, None, None);
        self.unread = Unread { set_aside: true, ..Unread::default() };
        match left {
            SetAside::Order | SetAside::Conditions => {}
            SetAside::Events => self.matcher = MatchSpec::default(),
            SetAside::Everything(events) => {
                self.events = events;
                self.matcher = MatchSpec::default();
                self.mode = Mode::Enforce;
                (self.role, self.on_failure, self.timeout) = (None, None, None);
                self.on = BTreeMap::new();
                (self.required, self.fallback) = (false, Vec::new());
            }
        }
        self.fails(FailureClass::Spawn, why)
    }

    /// Returns what stands in the place of a hook that was found dead, until it is proved again: it fails in the same
    /// way. One that is never called loses its conditions, since nobody can tell what it is about.
    pub(crate) fn dead(&self, class: FailureClass, why: String, is_never_called: bool) -> Self {
        let mut aside = self.clone();
        if is_never_called {
            aside.matcher = MatchSpec::default();
        }
        (aside.merge, aside.may_allow) = (false, false);
        aside.unread.set_aside = true;
        aside.in_place_of = Some(Arc::new(self.clone()));
        let (role, executables) = (self.built.role, self.built.executables.clone());
        aside = aside.fails(class, why);
        (aside.built.role, aside.built.executables) = (role, executables);
        aside
    }

    /// Puts a handler in the place of its own that always fails, and says why.
    fn fails(mut self, class: FailureClass, why: String) -> Self {
        // It answers at once, so there is nothing to wait for, and nothing to try again.
        (self.timeout, self.retry, self.text_window) = (None, None, None);
        let sources = std::mem::take(&mut self.built.sources);
        let note = why.clone();
        let failed = move |_: Invocation<'_>| Err(Failure::new(class, why.clone()).shown());
        self.built = BuiltHandler::from_sync(failed);
        self.built.sources = sources;
        self.built.notes.push(note);
        self
    }
}
