//! Whether hooks work: each gets its [canaries](crate::HookSpec::canaries), alone and enforced, and what came is compared
//! with what must come.
//!
//! A guard that is broken is quiet: its program was replaced by `exit 0`, its condition has a typing error. A host calls
//! [`Engine::certify_and_enforce`] from time to time: in the place of a hook that is dead then stands one that always
//! fails, so that what it is about gets its posture, until a later call finds that it works again.
//!
//! ```
//! use std::sync::atomic::{AtomicBool, Ordering};
//! use std::sync::Arc;
//! use hookgate::table::Canary;
//! use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine, Outcome, StepContext, ToolUse, Verdict};
//! use serde_json::json;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! let works = Arc::new(AtomicBool::new(true));
//! let handler = Arc::clone(&works);
//! let step = |command| {
//!     let step = json!({"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {"command": command}});
//!     step.as_object().cloned().unwrap()
//! };
//! let guard = Hook::sync("no-push", move |call| {
//!     let input = &call.tool().unwrap().tool_input;
//!     let is_push = input["command"] == "git push";
//!     Ok(if is_push && handler.load(Ordering::SeqCst) { Verdict::deny("no") } else { Verdict::none() })
//! });
//! let guard = guard
//!     .event(Event::PreToolUse)
//!     .canary(Canary::new(step("git push"), Outcome::Deny))
//!     .canary(Canary::new(step("ls"), Outcome::Allow));
//! let engine = Engine::new(HandlerTable::builder().insert(guard).build()?);
//! let push = || ToolUse::propose("Bash", r#"{"command":"git push"}"#).unwrap();
//!
//! works.store(false, Ordering::SeqCst);
//! assert!(engine.dispatch(push(), &StepContext::new("s")).await.is_cleared(), "the guard is quiet");
//! let round = engine.certify_and_enforce().await;
//! assert_eq!(round.set_aside, ["no-push"]);
//! assert!(!engine.dispatch(push(), &StepContext::new("s")).await.is_cleared());
//!
//! works.store(true, Ordering::SeqCst);
//! assert_eq!(engine.certify_and_enforce().await.put_back, ["no-push"]);
//! # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
//! ```
//!
//! Handlers are the real ones: programs are run, services are asked. The sessions of these steps have names of their own
//! (`canary-…`), which no two trials share, and no recorder sees them.
//!
//! | file | holds |
//! |---|---|
//! | `certify.rs` | what an engine does with the hooks in force |
//! | `certify/lone_hook.rs`, `certify/came.rs` | a hook alone, and what comes of a step |
//! | `certify/fault.rs`, `certify/values.rs` | what came, compared with what must come |
//! | `certify/proof.rs` | what is known of a hook |
//! | `certify/stand_in.rs` | what stands in the place of a dead hook, also after a reload |
//! | `certify/settings.rs` | the section `[certify]` |

mod came;
mod fault;
mod lone_hook;
mod proof;
mod settings;
mod stand_in;
mod values;

use std::collections::BTreeSet;

use hookgate_contract::{Mode, Role};

use crate::engine::Engine;
use crate::hook_id::HookId;
use crate::table::{BuildErrors, HandlerTable, HookSpec};
pub use came::{Came, note};
pub use fault::fault;
pub use lone_hook::{Direct, LoneHook, Way, only_outcome};
pub use proof::{Fault, Proof, Sent, State};
pub use settings::{CertifySettings, OnDead, section};
pub use stand_in::Enforced;
pub(crate) use stand_in::keeping_dead_aside;
pub use values::{includes, is_patched};

/// What is said of a hook without canaries.
pub const ADD_CANARIES: &str = "add a `canary` that must be denied, and one that must be allowed";

/// What is known of the hooks in force.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Certified {
    /// The hooks that guard or rewrite, in the order of declaration.
    pub hooks: Vec<Proof>,
}

impl Certified {
    /// Returns the hooks that do not work.
    pub fn dead(&self) -> impl Iterator<Item = &Proof> {
        self.hooks.iter().filter(|proof| proof.state == State::Dead)
    }
}

/// What was found of the hooks in force, and what has become of them.
#[derive(Debug)]
#[non_exhaustive]
pub struct Round {
    /// What was found.
    pub certified: Certified,
    /// The hooks whose posture is in force from now on.
    pub set_aside: Vec<HookId>,
    /// The hooks that were set aside and work again.
    pub put_back: Vec<HookId>,
    /// The hooks that are dead, and stay in force because nothing can stand in their place.
    pub refused: Vec<(HookId, BuildErrors)>,
}

impl Engine {
    /// Sends the canaries of each hook in force to it, and changes nothing. A hook without canaries is untested.
    ///
    /// # Cancel safety
    /// Nothing is left of it if the future is dropped.
    pub async fn certify(&self) -> Certified {
        let table = self.table();
        let mut hooks = Vec::new();
        for hook in deciders(&table) {
            hooks.push(prove(&table, hook).await);
        }
        Certified { hooks }
    }

    /// Proves the hooks in force one after the other, as [`Engine::certify`] does, and [enforces](Engine::enforce_proof)
    /// what is found of each at once.
    ///
    /// # Cancel safety
    /// What was found so far is in force if the future is dropped.
    pub async fn certify_and_enforce(&self) -> Round {
        let table = self.table();
        let certified = Certified { hooks: Vec::new() };
        let mut round =
            Round { certified, set_aside: Vec::new(), put_back: Vec::new(), refused: Vec::new() };
        for hook in deciders(&table) {
            let proof = prove(&table, hook).await;
            let id = || hook.id().clone();
            match self.enforce_proof(&proof) {
                Ok(Enforced::SetAside) => round.set_aside.push(id()),
                Ok(Enforced::PutBack) => round.put_back.push(id()),
                Ok(Enforced::Nothing) => {}
                Err(errors) => round.refused.push((id(), errors)),
            }
            round.certified.hooks.push(proof);
        }
        round
    }
}

/// Returns the hooks that guard or rewrite at some event, and those that are off and may, as they were declared.
#[must_use]
pub fn deciders(table: &HandlerTable) -> Vec<&HookSpec> {
    let listed = table.listing().filter(|listed| listed.role() != Role::Observe);
    let deciders: BTreeSet<_> = listed.map(|listed| listed.id()).collect();
    let is_off = |hook: &&HookSpec| {
        hook.mode() == Mode::Off && hook.role().is_some_and(|role| role != Role::Observe)
    };
    let meant = table.specs().filter(|hook| deciders.contains(hook.id()) || is_off(hook));
    meant.map(HookSpec::declared).collect()
}

/// Says why nothing is sent to a hook.
#[must_use]
pub fn why_not_sent(hook: &HookSpec) -> Option<Fault> {
    if hook.mode() == Mode::Off {
        return Some(Fault::untested("off", "it is switched off"));
    }
    if let Some(why) = hook.why_set_aside() {
        return Some(Fault::dead("set_aside", why));
    }
    hook.is_background().then(|| Fault::untested("background", "nothing waits for what it says"))
}

/// Sends the canaries of a hook of a table to it.
pub async fn prove(table: &HandlerTable, hook: &HookSpec) -> Proof {
    let mut sent = Vec::new();
    let fault = match why_not_sent(hook) {
        Some(fault) => Some(fault),
        None if hook.canaries().is_empty() => Some(Fault::untested("no_canary", ADD_CANARIES)),
        None => prove_written(table, hook, &mut sent).await.err(),
    };
    Proof::new(hook, sent, fault)
}

async fn prove_written(
    table: &HandlerTable,
    hook: &HookSpec,
    sent: &mut Vec<Sent>,
) -> Result<(), Fault> {
    let folder = std::env::current_dir().unwrap_or_default();
    LoneHook::new(table, hook)?.prove(&Direct, &folder, sent).await
}
