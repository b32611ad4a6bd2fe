//! What stands in the place of a dead hook.

use std::sync::Arc;

use hookgate_contract::FailureClass;

use super::proof::{Proof, State};
use crate::engine::Engine;
use crate::log;
use crate::table::{BuildErrors, HandlerTable, HookSpec, TableBuilder};

/// What a proof has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Enforced {
    /// Nothing: the hook in force is what it should be, or is another one than the proof is about.
    Nothing,
    /// The hook is dead: what it is about gets its posture from now on.
    SetAside,
    /// The hook was set aside, and is in force again.
    PutBack,
}

impl Engine {
    /// Puts in force what is known of a hook. In the place of one that is dead stands one that always fails, in the
    /// same way, so that its posture decides; one that is proved gets its handler back. A hook that is another one
    /// meanwhile, because of a reload or an edit, is left alone.
    ///
    /// # Errors
    /// Nothing can stand in the place of the hook: it stays in force.
    pub fn enforce_proof(&self, proof: &Proof) -> Result<Enforced, BuildErrors> {
        loop {
            let table = self.table();
            let Some((next, enforced)) = table.spec(&proof.id).and_then(|now| next(now, proof))
            else {
                return Ok(Enforced::Nothing);
            };
            let mut builder = TableBuilder::from_table(&table);
            builder.replace(next);
            if self.swap_if(table.generation(), builder.build()?).is_ok() {
                tell(proof, enforced);
                return Ok(enforced);
            }
        }
    }
}

/// Returns what is to stand in the place of a hook in force; `None` if it may stay.
fn next(now: &HookSpec, proof: &Proof) -> Option<(HookSpec, Enforced)> {
    let declared = now.declared();
    if !proof.is_of(declared) {
        return None;
    }
    match (proof.state, now.in_place_of()) {
        (State::Proved, Some(declared)) => Some((declared.clone(), Enforced::PutBack)),
        // One with a mistake is set aside for that.
        (State::Dead, None) if now.why_set_aside().is_none() => {
            let why = proof.why_dead()?;
            let why = format!("{why}; the hook is set aside until it is proved again");
            let class = proof.how.as_deref().and_then(FailureClass::from_name);
            let class = class.unwrap_or(FailureClass::Spawn);
            Some((declared.dead(class, why, proof.is_never_called()), Enforced::SetAside))
        }
        _ => None,
    }
}

fn tell(proof: &Proof, enforced: Enforced) {
    let hook = &proof.id;
    match (enforced, proof.why_dead()) {
        (Enforced::SetAside, Some(why)) => {
            log::dead_hook_set_aside(hook.as_str(), &why);
        }
        _ => log::hook_works_again(hook.as_str()),
    }
}

/// Returns a loaded table in which hooks that were found dead stay set aside, as far as they are the same ones.
///
/// # Errors
/// What stands in their place does not fit to the rest.
pub(crate) fn keeping_dead_aside(
    loaded: HandlerTable,
    in_force: &HandlerTable,
) -> Result<HandlerTable, BuildErrors> {
    let is_same = |declared: &HookSpec| {
        loaded.spec(declared.id()).is_some_and(|new| new.is_same_as(declared))
    };
    let dead = in_force.specs().filter(|now| now.in_place_of().is_some_and(is_same));
    let dead: Vec<&HookSpec> = dead.collect();
    if dead.is_empty() {
        return Ok(loaded);
    }
    let mut builder = TableBuilder::from_table(&Arc::new(loaded.clone()));
    for hook in dead {
        builder.replace(hook.clone());
    }
    builder.build()
}
