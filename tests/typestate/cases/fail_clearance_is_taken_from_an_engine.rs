//! A clearance cannot be had from an engine either: the methods that return one take a key that only the
//! engine's crate can make.

use hookgate::contract::payload::SessionEnd;
use hookgate::engine::DynHookEngine;
use hookgate::{HookEngine, StepContext};

fn of_a_bound<E: HookEngine>(engine: &E, context: &StepContext<'_>) {
    let mut payload = SessionEnd::new("done");
    let _ = engine.evaluate_any((), &mut payload, context, |_, _, _, _| {});
}

fn behind_dyn(engine: &dyn DynHookEngine, context: &StepContext<'_>) {
    let mut payload = SessionEnd::new("done");
    let key = hookgate::engine::hook_engine::sealed::Key::OURS;
    let _ = engine.evaluate_any(key, &mut payload, context, |_, _, _, _| {});
}

fn main() {}
