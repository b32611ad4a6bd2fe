//! A type from outside cannot be an engine, so it cannot clear.

use std::future::Ready;

use hookgate::{Event, Gate, HookEngine, HookStep, StepContext};

struct Yes;

impl HookEngine for Yes {
    type Dispatch<'a, S: HookStep + 'a> = Ready<Gate<S>>;

    fn armed(&self, _: Event) -> bool {
        false
    }

    fn generation(&self) -> hookgate::Generation {
        hookgate::Generation::UNPUBLISHED
    }

    fn pass<S: HookStep>(&self, step: S) -> Result<S::Cleared, S> {
        Err(step)
    }

    fn dispatch<'a, S: HookStep + 'a>(&'a self, _: S, _: &'a StepContext<'a>) -> Ready<Gate<S>> {
        loop {}
    }
}

fn main() {}
