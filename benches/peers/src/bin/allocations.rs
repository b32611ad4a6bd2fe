//! Counts what each case of each system allocates, and prints it as JSON.
//!
//! It is a program of its own because its allocator counts: times and instructions are measured without it.

use std::any::Any;

use allocation_counter::measure;
use hookgate_peers::call::Call;
use hookgate_peers::case::Case;
use hookgate_peers::cases;
use hookgate_peers::hooks::{About, Act};
use hookgate_peers::memory::{Allocated, Kept, Memory};
use hookgate_peers::rounds::Rounds;
use hookgate_peers::system::System;
use hookgate_peers::systems::{self, Floor};
use hookgate_peers::work::SMALL;

/// How many rounds are counted; of a case with many hooks fewer.
const ROUNDS: u64 = 100;

/// How many hooks an engine has whose size per hook is looked at.
const HOOKS: u32 = 1_000;

fn main() -> Result<(), serde_json::Error> {
    let mut memory = Memory::default();
    let mut systems = systems::all();
    systems.push(Floor::system());
    for system in &systems {
        let cases = cases::all();
        let counted = cases.iter().filter(|case| case.is_counted(system.name()));
        let counted =
            counted.filter_map(|case| Some((case.name.clone(), allocated(system.as_ref(), case)?)));
        memory.cases.insert(system.name().to_owned(), counted.collect());
        if let Some(kept) = kept(system.as_ref()) {
            memory.kept.insert(system.name().to_owned(), kept);
        }
    }
    println!("{}", serde_json::to_string(&memory)?);
    Ok(())
}

fn allocated(system: &dyn System, case: &Case) -> Option<Allocated> {
    let times = if case.work.hooks() > 10 { ROUNDS / 10 } else { ROUNDS };
    let (own, making) = (system.rounds(&case.work)?, system.making(&case.work));
    let (own, making) = (each(&own, times), each(&making, times));
    Some(Allocated { count: own.count - making.count, bytes: own.bytes - making.bytes })
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn each(rounds: &Rounds, times: u64) -> Allocated {
    rounds.warm_up(times);
    rounds.prepare(times);
    let counted = measure(|| rounds.run(times));
    let of = |total: u64| total as f64 / times as f64;
    Allocated { count: of(counted.count_total), bytes: of(counted.bytes_total) }
}

fn kept(system: &dyn System) -> Option<Kept> {
    let empty = bytes(system, 0, cases::every)?;
    let every = bytes(system, HOOKS, cases::every)?;
    let each = |full: f64| (full - empty) / f64::from(HOOKS);
    let tool_hook = bytes(system, HOOKS, cases::exact).map(each);
    Some(Kept { engine: empty, hook: each(every), tool_hook })
}

/// Returns what an engine with so many hooks keeps once it has evaluated a call.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn bytes(system: &dyn System, hooks: u32, about: impl Fn(u32) -> About) -> Option<f64> {
    let hooks = cases::numbered(hooks, about, Act::Silent);
    let mut engine: Option<Box<dyn Any>> = None;
    // What is made once for the whole program does not count.
    drop(system.kept(&hooks, Call::new("read_file", SMALL)));
    let counted = measure(|| engine = system.kept(&hooks, Call::new("read_file", SMALL)));
    engine.map(|_| counted.bytes_current as f64)
}
