//! Dispatches that wait. The loop is not that of the other cases, because the compiler would lay that one out
//! anew for a second caller.

use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hookgate::{Gate, HookEngine, StepContext};

use super::{Loop, call, engines, refused};

/// Has steps evaluated by so many hooks that wait once, each with a timer.
pub(super) fn once(hooks: usize) -> Loop {
    let engine = engines::pending(hooks);
    Box::new(move |times| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.unwrap_or_else(|error| panic!("no runtime for a case: {error}"));
        let _entered = runtime.enter();
        let context = StepContext::new("session-1").turn(3);
        for _ in 0..times {
            match until_ready(engine.dispatch(call(), &context)) {
                Gate::Cleared(cleared) => {
                    black_box(&cleared);
                }
                gate => refused(gate),
            }
        }
    })
}

fn until_ready<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
    }
}
