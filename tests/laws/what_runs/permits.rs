//! The law for permits: one is redeemed if, and only if, it is for this call in this context, was not used and
//! not taken back, and the hooks that a tool call passes are those that let it go on, unless its terms say otherwise.

use std::time::Duration;

use hookgate::contract::payload::{Provenance, Safety, ToolCall};
use hookgate::engine::permit::{Permit, Revocation, Terms};
use hookgate::{
    Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict,
};
use serde_json::json;

use super::{Random, cases, runtime, try_case};

const SESSIONS: &[&str] = &["one", "two"];

fn call(random: &mut Random) -> ToolCall {
    let name = ["Bash", "Read"][random.below(2) as usize];
    let mut call = ToolCall::new(name, json!({"command": random.below(3)}));
    if random.one_in(4) {
        call.tool_category = Some("shell".into());
    }
    if random.one_in(4) {
        call.safety = Some(Safety::ReadOnly);
    }
    if random.one_in(4) {
        call.provenance = Some(Box::new(Provenance::new("mcp")));
    }
    call
}

/// What the model knows of a permit.
struct Known {
    permit: Permit,
    call: ToolCall,
    session: &'static str,
    /// Which hooks of tool calls were in force.
    hooks: u64,
    across_swaps: bool,
    ended: bool,
}

fn table(hooks: u64, of_stop: u64) -> HandlerTable {
    let mut builder = HandlerTable::builder();
    let hook = |id: String| Hook::sync(id, |_| Ok(Verdict::none()));
    builder.insert(hook(format!("tool-{hooks}")).event(Event::PreToolUse));
    builder.insert(hook(format!("stop-{of_stop}")).event(Event::Stop));
    builder.build().unwrap()
}

async fn one_case(random: &mut Random) -> &'static str {
    let (mut hooks, mut of_stop) = (0, 0);
    let engine = Engine::new(table(0, 0));
    let other = Engine::new(table(0, 0));
    let mut known: Vec<Known> = Vec::new();
    let mut redeemed = 0;
    for _ in 0..12 {
        match random.below(8) {
            0 => {
                hooks += 1;
                engine.swap(table(hooks, of_stop));
            }
            1 => {
                // A table of others with the same hooks of tool calls, as an edit leaves it.
                of_stop += 1;
                let hook = Hook::sync(format!("more-{of_stop}"), |_| Ok(Verdict::none()));
                let hook = hook.event(Event::Stop);
                engine
                    .edit(|table| {
                        table.insert(hook.clone());
                    })
                    .unwrap();
            }
            2 => {
                let session = SESSIONS[random.below(2) as usize];
                match known.last() {
                    Some(last) if random.one_in(2) => {
                        engine.revoke(Revocation::Permit(&last.permit.id));
                        known.last_mut().unwrap().ended = true;
                    }
                    _ => {
                        engine.revoke(Revocation::Session(session));
                        let of = known.iter_mut().filter(|known| known.session == session);
                        of.for_each(|known| known.ended = true);
                    }
                }
            }
            3..=5 => {
                let session = SESSIONS[random.below(2) as usize];
                let (call, context) = (call(random), StepContext::new(session));
                let gate = engine.dispatch(ToolUse::from(call.clone()), &context).await;
                let Gate::Cleared(cleared) = gate else { panic!("{gate:?}") };
                let outdated = random.one_in(6);
                if outdated {
                    hooks += 1;
                    engine.swap(table(hooks, of_stop));
                }
                let across_swaps = random.one_in(4);
                let terms = Terms::new(Duration::from_secs(60));
                let terms = if across_swaps { terms.across_swaps() } else { terms };
                let elsewhere = StepContext::new(SESSIONS[usize::from(session == "one")]);
                let at = if random.one_in(8) { &elsewhere } else { &context };
                let fits = at.session_id == session && (!outdated || across_swaps);
                let by = if random.one_in(16) { &other } else { &engine };
                let fits = fits && std::ptr::eq(by, &engine);
                match by.issue(cleared, at, terms) {
                    Ok((permit, running)) => {
                        assert!(fits, "issued");
                        drop(running.finish(Ok::<_, String>("")));
                        let ended = false;
                        known.push(Known { permit, call, session, hooks, across_swaps, ended });
                    }
                    Err(error) => assert!(!fits, "{error}"),
                }
            }
            _ => {
                if known.is_empty() {
                    continue;
                }
                let which = random.below(known.len() as u64) as usize;
                let known = &mut known[which];
                let mut presented = known.call.clone();
                if random.one_in(3) {
                    presented = call(random);
                }
                let session = if random.one_in(4) {
                    SESSIONS[random.below(2) as usize]
                } else {
                    known.session
                };
                let by = if random.one_in(16) { &other } else { &engine };
                let fits = std::ptr::eq(by, &engine)
                    && presented == known.call
                    && session == known.session
                    && !known.ended
                    && (known.across_swaps || known.hooks == hooks);
                let told = by.redeem(&known.permit, &presented, &StepContext::new(session));
                assert_eq!(told.is_ok(), fits, "{told:?}: {presented:?} for {:?}", known.permit);
                if fits {
                    known.ended = true;
                    redeemed += 1;
                }
            }
        }
    }
    if redeemed > 0 { "redeemed" } else { "none" }
}

#[test]
fn a_permit_is_redeemed_exactly_for_what_was_let_go_on() {
    let runtime = runtime();
    let (mut redeemed, mut all) = (0_u64, 0_u64);
    for seed in cases(1000) {
        all += 1;
        let end = try_case(seed, |random| runtime.block_on(one_case(random)));
        redeemed += u64::from(end == "redeemed");
    }
    assert!(all < 100 || redeemed > all / 4, "{redeemed} of {all}");
}
