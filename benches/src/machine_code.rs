//! Compares the machine code of an agent's loop with hooks to that of the loop without any.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::Command;

use hookgate::contract::payload::TurnBoundary;
use hookgate::{Engine, Gate, HookEngine, Noop, StepContext};

use crate::cases::now;
use crate::error::MeasureError;

/// The loop as it would be written without hooks.
#[inline(never)]
fn loop_without_hooks(turns: &[u64]) -> u64 {
    let mut sum = 0;
    for &turn in turns {
        sum = act(&boundary(turn), sum);
    }
    sum
}

/// The same with hooks.
#[inline(always)]
fn loop_with<E: HookEngine>(engine: &E, turns: &[u64]) -> u64 {
    let context = StepContext::new("session-1");
    let mut sum = 0;
    for &turn in turns {
        sum = match engine.pass(boundary(turn)) {
            Ok(turn) => act(turn.payload(), sum),
            Err(turn) => match now(engine.dispatch(turn, &context)) {
                Gate::Cleared(turn) => act(turn.payload(), sum),
                Gate::Denied(_) | Gate::Halted(_) => sum,
            },
        };
    }
    sum
}

#[inline(never)]
fn loop_with_noop(turns: &[u64]) -> u64 {
    loop_with(&Noop, turns)
}

#[inline(never)]
fn loop_with_engine(engine: &Engine, turns: &[u64]) -> u64 {
    loop_with(engine, turns)
}

fn boundary(turn: u64) -> TurnBoundary {
    TurnBoundary::new().continues_so_far(turn)
}

/// What the runtime does in each turn. It cannot panic: the location that a panic names
/// would differ in each loop.
fn act(turn: &TurnBoundary, sum: u64) -> u64 {
    black_box(turn.continues_so_far.unwrap_or_default()).wrapping_add(sum)
}

/// Returns whether the loop with `Noop` is the loop without hooks, instruction by instruction, and the one
/// with an engine is not: else the comparison would see no difference anywhere.
pub(crate) fn check() -> Result<bool, MeasureError> {
    let engine = black_box(Engine::without_hooks());
    let turns = black_box(vec![1, 2, 3]);
    let sums =
        [loop_without_hooks(&turns), loop_with_noop(&turns), loop_with_engine(&engine, &turns)];
    let functions = disassemble()?;
    let code = |name| functions.get(name).ok_or(MeasureError::NoFunction(name));
    let without = code("loop_without_hooks")?;
    let noop = code("loop_with_noop")?;
    let real = code("loop_with_engine")?;
    Ok(sums == [6; 3] && without == noop && without != real)
}

/// Returns the instructions of the functions of this file, without what depends on their addresses.
fn disassemble() -> Result<BTreeMap<String, Vec<String>>, MeasureError> {
    let this = std::env::current_exe().map_err(MeasureError::Itself)?;
    let output = Command::new("objdump")
        .args(["--disassemble", "--demangle", "--no-show-raw-insn"])
        .arg(this)
        .output()
        .map_err(MeasureError::Objdump)?;
    let mut functions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut current = None;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some((_, head)) = line.split_once(" <")
            && let Some(name) = head.strip_suffix(">:")
        {
            let ours = name.strip_prefix("hookgate_benches::machine_code::");
            current = ours.map(str::to_owned);
        } else if let (Some(name), Some((_, instruction))) = (&current, line.split_once(":\t")) {
            functions.entry(name.clone()).or_default().push(normal(instruction, name));
        }
    }
    Ok(functions)
}

/// Returns an instruction with its targets by name: `call 18f7c0 <act>` becomes `call <act>`, and an
/// address in the same function becomes an offset.
fn normal(instruction: &str, function: &str) -> String {
    let words = instruction.split_whitespace().filter(|word| {
        let address = word.chars().all(|c| c.is_ascii_hexdigit()) && word.len() > 4;
        !address && !word.ends_with("(%rip)")
    });
    words.collect::<Vec<_>>().join(" ").replace(function, "self")
}
