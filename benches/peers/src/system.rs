//! What an adapter implements, and what is measured of it.

use std::any::Any;
use std::future::Future;
use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};

use crate::call::{Call, Calls};
use crate::hooks::{HookSpec, calls};
use crate::rounds::{Rounds, block_on};
use crate::work::Work;

/// What a system said of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It may happen.
    Allowed,
    /// It may happen with these arguments.
    Rewritten(serde_json::Value),
    /// It must not happen.
    Denied,
}

/// Translates hooks and calls into those of one system.
///
/// The loop over the calls belongs to the adapter: it is written as an embedder of that system would, so that no
/// system pays for moves that another needs.
pub trait Adapter: 'static {
    /// The name of the system.
    const NAME: &'static str;
    /// The version of the system.
    const VERSION: &'static str;
    /// The table of hooks and what evaluates with it.
    type Engine: Send + Sync + 'static;
    /// A call, as the system takes it.
    type Step: Send + 'static;
    /// What comes back.
    type Outcome: Send + 'static;

    /// Makes an engine with hooks; `None` if the system has no such hooks.
    fn engine(hooks: &[HookSpec]) -> Option<Self::Engine>;

    /// Makes the next call.
    fn step(calls: &Calls) -> Self::Step;

    /// Evaluates so many calls, and hands over what comes back.
    fn agent(
        engine: &Self::Engine,
        step: impl Fn() -> Self::Step,
        done: impl Fn(Self::Outcome),
        times: u64,
    ) -> impl Future<Output = ()>;

    /// Returns what the system said of a call.
    fn verdict(outcome: Self::Outcome) -> Verdict;

    /// Builds a table of hooks and puts it in force; whether the system can.
    fn swap(engine: &Self::Engine, hooks: &[HookSpec]) -> bool;

    /// Puts one hook of `hooks` in force in place of the one of its name; whether the system can.
    fn replace(engine: &Self::Engine, hooks: &[HookSpec], index: usize) -> bool;

    /// As [`Adapter::agent`], with the engine for programs without hooks, if there is one.
    fn without_hooks(_calls: Calls) -> Option<Rounds> {
        None
    }

    /// Whether a hook can change the arguments.
    const REWRITES: bool = true;

    /// Whether a running loop sees a swap. Otherwise the host has to look for a new engine by itself.
    const SWAPS_IN_PLACE: bool = true;
}

/// A system that can be proven and measured.
pub trait System: Send + Sync {
    /// Returns its name.
    fn name(&self) -> &'static str;

    /// Returns its version.
    fn version(&self) -> &'static str;

    /// Whether its hooks can change the arguments of a call.
    fn rewrites(&self) -> bool;

    /// Makes a case ready to run; `None` if the system cannot do it.
    fn rounds(&self, work: &Work) -> Option<Rounds>;

    /// Makes the loop ready that makes the calls of a case and drops them: what is subtracted.
    fn making(&self, work: &Work) -> Rounds;

    /// Evaluates each call with the same engine, and returns what it said of it and how many hooks ran. `None` if
    /// the system does not have such hooks.
    fn judge(&self, hooks: &[HookSpec], calls: &[Call]) -> Option<Vec<(Verdict, u64)>>;

    /// Makes an engine with hooks that has evaluated one call, to see how large it is.
    fn kept(&self, hooks: &[HookSpec], call: Call) -> Option<Box<dyn Any>>;

    /// Makes two loops of one engine ready: one evaluates calls, the other one swaps its table.
    fn swapped_meanwhile(&self, hooks: &[HookSpec], call: Call) -> Option<(Rounds, Rounds)>;
}

/// The system of an adapter.
#[derive(Debug)]
pub struct Adapted<A>(pub A);

impl<A: Adapter + Send + Sync> System for Adapted<A> {
    fn name(&self) -> &'static str {
        A::NAME
    }

    fn version(&self) -> &'static str {
        A::VERSION
    }

    fn rewrites(&self) -> bool {
        A::REWRITES
    }

    fn rounds(&self, work: &Work) -> Option<Rounds> {
        match work {
            Work::WithoutHooks => A::without_hooks(work.calls()),
            Work::Dispatch { hooks, runs, before, .. } => {
                let engine = A::engine(hooks)?;
                Some(counted(dispatched::<A>(engine, work.calls(), *before), *runs))
            }
            Work::InTurn { hooks, .. } => {
                let engine = A::engine(hooks)?;
                Some(counted(dispatched::<A>(engine, work.calls(), false), 0))
            }
            Work::Swap { hooks } => {
                let (engine, hooks) = (A::engine(&[])?, hooks.clone());
                A::swap(&engine, &hooks).then(|| {
                    Rounds::new(move |times| {
                        (0..times).for_each(|_| assert!(A::swap(&engine, &hooks)))
                    })
                })
            }
            Work::SwapAndCall { hooks } => {
                let (engine, hooks, calls) = (A::engine(&[])?, hooks.clone(), work.calls());
                A::swap(&engine, &hooks).then(|| {
                    Rounds::new(move |times| {
                        for _ in 0..times {
                            assert!(A::swap(&engine, &hooks));
                            block_on(A::agent(&engine, || A::step(&calls), look, 1));
                        }
                    })
                })
            }
            Work::Replace { hooks } => {
                let (engine, hooks) = (A::engine(hooks)?, hooks.clone());
                let next = std::sync::atomic::AtomicUsize::new(0);
                A::replace(&engine, &hooks, 0).then(|| {
                    Rounds::new(move |times| {
                        for _ in 0..times {
                            let index = next.fetch_add(7, std::sync::atomic::Ordering::Relaxed);
                            assert!(A::replace(&engine, &hooks, index % hooks.len()));
                        }
                    })
                })
            }
        }
    }

    fn making(&self, work: &Work) -> Rounds {
        let calls = work.calls();
        match work {
            Work::Swap { .. } | Work::Replace { .. } | Work::Dispatch { before: true, .. } => {
                Rounds::new(|times| (0..times).for_each(|round| _ = black_box(round)))
            }
            Work::WithoutHooks
            | Work::Dispatch { .. }
            | Work::InTurn { .. }
            | Work::SwapAndCall { .. } => Rounds::new(move |times| {
                block_on(async {
                    for _ in 0..times {
                        look(A::step(&calls));
                    }
                });
            }),
        }
    }

    fn judge(&self, hooks: &[HookSpec], each: &[Call]) -> Option<Vec<(Verdict, u64)>> {
        let engine = A::engine(hooks)?;
        let judged = each.iter().map(|call| {
            let (before, said) = (calls(), Mutex::new(None));
            let next = Calls::new(call.clone(), false);
            let keep = |outcome| *lock(&said) = Some(A::verdict(outcome));
            block_on(A::agent(&engine, || A::step(&next), keep, 1));
            let said = lock(&said).take();
            (said.unwrap_or(Verdict::Denied), calls() - before)
        });
        Some(judged.collect())
    }

    fn kept(&self, hooks: &[HookSpec], call: Call) -> Option<Box<dyn Any>> {
        let engine = Box::new(A::engine(hooks)?);
        let calls = Calls::new(call, false);
        block_on(A::agent(&engine, || A::step(&calls), drop, 1));
        Some(engine)
    }

    fn swapped_meanwhile(&self, hooks: &[HookSpec], call: Call) -> Option<(Rounds, Rounds)> {
        let engine = Arc::new(A::engine(hooks).filter(|_| A::SWAPS_IN_PLACE)?);
        let (dispatching, calls) = (Arc::clone(&engine), Calls::new(call, false));
        let hooks = hooks.to_vec();
        let run = Rounds::new(move |times| {
            block_on(A::agent(&dispatching, || A::step(&calls), look, times));
        });
        let swap = Rounds::new(move |times| {
            (0..times).for_each(|_| assert!(A::swap(&engine, &hooks)));
        });
        Some((run, swap))
    }
}

/// Evaluates calls: each made just before it is evaluated, and dropped after it; or, with `before`, all made
/// before the time that counts and dropped after it, so that large ones do not hide what is measured.
fn dispatched<A: Adapter>(engine: A::Engine, calls: Calls, before: bool) -> Rounds {
    if !before {
        return Rounds::new(move |times| {
            block_on(A::agent(&engine, || A::step(&calls), look, times));
        });
    }
    let steps = Arc::new(Mutex::new(Vec::new()));
    let outcomes = Arc::new(Mutex::new(Vec::new()));
    let (to_run, ran) = (Arc::clone(&steps), Arc::clone(&outcomes));
    let prepare = move |times| {
        *lock(&outcomes) = Vec::with_capacity(usize::try_from(times).unwrap_or_default());
        *lock(&steps) = (0..times).map(|_| A::step(&calls)).collect();
    };
    Rounds::prepared(prepare, move |times| {
        let next = std::cell::RefCell::new(std::mem::take(&mut *lock(&to_run)));
        let done = std::cell::RefCell::new(std::mem::take(&mut *lock(&ran)));
        let step = || match next.borrow_mut().pop() {
            Some(step) => step,
            None => panic!("more rounds than were prepared"),
        };
        block_on(A::agent(&engine, step, |outcome| done.borrow_mut().push(outcome), times));
        *lock(&ran) = done.into_inner();
    })
}

/// Makes rounds that fail unless so many hooks ran in each.
fn counted(rounds: Rounds, each: u64) -> Rounds {
    let rounds = Arc::new(rounds);
    let preparing = Arc::clone(&rounds);
    Rounds::prepared(
        move |times| preparing.prepare(times),
        move |times| {
            let before = calls();
            rounds.run(times);
            let ran = calls() - before;
            assert!(
                ran == each * times,
                "{ran} calls of hooks instead of {each} in {times} rounds"
            );
        },
    )
}

/// Looks at an outcome and drops it.
#[inline(always)]
fn look<O>(outcome: O) {
    black_box(&outcome);
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
