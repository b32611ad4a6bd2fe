//! Hooks that depend on how others have ended: they are skipped if that was not well.
//!
//! How a hook ends is noted only if another one depends on it (`table/dependencies.rs`). Two hooks of one event
//! meet in one dispatch, so a dispatch has its own notes: those of another call of a tool, at the same time, must not
//! be taken for them. What a hook needs of an earlier event is in [`TurnNotes`], in bounded memory: for each session
//! and agent how the hooks have ended last in the present turn. A host that names no turns has one for the whole
//! session.
//!
//! A skipped hook is not called. It fails with class `skipped`, so its posture decides what that counts as, and those
//! that depend on it are skipped in turn.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use hookgate_contract::{Envelope, Failure, FailureClass, StepContext};

use super::DispatchState;
use super::sessions::Sessions;
use super::validate::{AnswerKind, Checked};
use crate::hook_id::HookId;
use crate::table::{CompiledHook, Need};

/// Of how many agents of one session the ends of hooks are kept.
const AGENTS: usize = 256;

/// Of how many hooks of one agent the ends are kept.
const HOOKS: usize = 1024;

/// How a hook has ended: with the class of its failure, or well.
type End = Option<FailureClass>;

/// How the hooks have ended that others depend on.
#[derive(Debug, Default)]
pub(super) struct Ends(Vec<(HookId, End)>);

impl Ends {
    fn note(&mut self, hook: &HookId, end: End) {
        if let Some((_, known)) = self.0.iter_mut().find(|(id, _)| id == hook) {
            *known = end;
        } else if self.0.len() < HOOKS {
            self.0.push((hook.clone(), end));
        }
    }

    fn of(&self, hook: &HookId) -> Option<End> {
        self.0.iter().find(|(id, _)| id == hook).map(|(_, end)| *end)
    }
}

/// How the hooks of a turn have ended, of each agent of a session.
type Agents = BTreeMap<String, (u64, Ends)>;

/// How the hooks have ended in the present turn, of all sessions.
#[derive(Debug, Default)]
pub(crate) struct TurnNotes(Mutex<Sessions<Agents>>);

impl TurnNotes {
    fn note(&self, context: &StepContext<'_>, hook: &HookId, end: End) {
        self.with(|sessions| {
            let agents = sessions.get_or_insert(context.session_id).0;
            let agent = context.agent_id.unwrap_or_default();
            if agents.len() >= AGENTS && !agents.contains_key(agent) {
                // The main agent has no id, and stays.
                let first = agents.keys().find(|known| !known.is_empty()).cloned();
                first.map(|first| agents.remove(&first));
            }
            let (turn, ends) = agents.entry(agent.to_owned()).or_default();
            if *turn != context.turn {
                (*turn, *ends) = (context.turn, Ends::default());
            }
            ends.note(hook, end);
        });
    }

    fn of(&self, context: &StepContext<'_>, hook: &HookId) -> Option<End> {
        self.with(|sessions| {
            let agents = sessions.get_mut(context.session_id)?;
            let (turn, ends) = agents.get(context.agent_id.unwrap_or_default())?;
            ends.of(hook).filter(|_| *turn == context.turn)
        })
    }

    /// Forgets a session.
    pub(crate) fn forget_session(&self, session_id: &str) {
        self.with(|sessions| sessions.remove(session_id));
    }

    fn with<T>(&self, run: impl FnOnce(&mut Sessions<Agents>) -> T) -> T {
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl DispatchState<'_> {
    /// Returns the failure of a hook that is not called, because one that it depends on has not ended well.
    #[inline]
    pub(super) fn find_unmet(
        &self,
        hook: &CompiledHook,
        envelope: &Envelope<'_>,
    ) -> Option<Failure> {
        let needs = &hook.dependencies.needs;
        if needs.is_empty() { None } else { self.find_unmet_of(needs, envelope) }
    }

    #[cold]
    #[inline(never)]
    fn find_unmet_of(&self, needs: &[Need], envelope: &Envelope<'_>) -> Option<Failure> {
        let why = needs.iter().find_map(|Need { id, here, must_be_called }| {
            let end = match here {
                true => self.ends.as_ref().and_then(|ends| ends.of(id)),
                false => self.context.services.turn_notes.of(envelope.context(), id),
            };
            match end {
                Some(None) => None,
                Some(Some(class)) => {
                    Some(format!("`{id}`, on which it depends, has failed ({class})"))
                }
                None if !must_be_called => None,
                None => Some(format!("`{id}`, which it needs, was not called in this turn")),
            }
        })?;
        Some(Failure::new(FailureClass::Skipped, why).shown())
    }

    /// Notes how a hook has ended, if others depend on it.
    #[inline]
    pub(super) fn note_end(
        &mut self,
        hook: &CompiledHook,
        envelope: &Envelope<'_>,
        checked: Option<&Checked>,
    ) {
        if hook.dependencies.noted {
            self.note_end_of(hook.id(), envelope, checked);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_end_of(&mut self, hook: &HookId, envelope: &Envelope<'_>, checked: Option<&Checked>) {
        let end = match checked.map(|checked| &checked.kind) {
            Some(AnswerKind::Failed(failure)) => Some(failure.class),
            Some(AnswerKind::Cancelled) => Some(FailureClass::Cancelled),
            _ => None,
        };
        self.ends.get_or_insert_default().note(hook, end);
        self.context.services.turn_notes.note(envelope.context(), hook, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_end_of_a_turn_counts_and_the_next_turn_knows_nothing_of_it() {
        let notes = TurnNotes::default();
        let (hook, other) = (HookId::from("plan"), HookId::from("other"));
        let turn = |number| StepContext::new("s").turn(number);
        notes.note(&turn(1), &hook, Some(FailureClass::Timeout));
        notes.note(&turn(1), &hook, None);
        assert_eq!((notes.of(&turn(1), &hook), notes.of(&turn(1), &other)), (Some(None), None));
        assert_eq!(notes.of(&turn(2), &hook), None);
        assert_eq!(
            notes.of(&turn(1).agent("a", "worker"), &hook),
            None,
            "each agent has its own turns"
        );
        notes.note(&turn(2), &other, None);
        assert_eq!((notes.of(&turn(2), &hook), notes.of(&turn(2), &other)), (None, Some(None)));
        notes.forget_session("s");
        assert_eq!(notes.of(&turn(2), &other), None);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let notes = TurnNotes::default();
        for number in 0..2 * HOOKS {
            notes.note(&StepContext::new("s"), &HookId::from(format!("h{number}")), None);
        }
        for number in 0..2 * AGENTS {
            let agent = number.to_string();
            notes.note(&StepContext::new("s").agent(&agent, "worker"), &HookId::from("h"), None);
        }
        notes.with(|sessions| {
            let agents = sessions.get_mut("s").unwrap();
            assert_eq!(agents.len(), AGENTS);
            assert!(agents.values().all(|(_, ends)| ends.0.len() <= HOOKS));
        });
    }
}
