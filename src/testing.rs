//! A kit for tests of hooks and of runtimes with hooks. It needs the Cargo feature `testing`, so enable
//! it where the tests are: `[dev-dependencies] hookgate = { version = "…", features = ["testing"] }`.
//!
//! | part | for |
//! |---|---|
//! | [`Script`] | a handler that replies as it is told and remembers its invocations |
//! | [`Captured`] | a [`Recorder`](crate::Recorder) that keeps every record |
//! | [`tool_call`] | a builder of tool calls, before and after they have run |
//! | [`engine`], [`context`] | the rest of a test in one word each |
//!
//! Nothing in it uses a clock, a file or a network, so a test with it gives the same result every time.
//! It panics where a test should fail, so it is not for programs.
//!
//! ```
//! use hookgate::testing::{self, Captured, Script};
//! use hookgate::{Event, HookEngine, Outcome, Verdict};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let script = Script::new().reply(Verdict::deny("not yet"));
//! let captured = Captured::new();
//! let engine = testing::engine([script.hook("guard").event(Event::PreToolUse)])
//!     .with_recorder(captured.clone());
//!
//! let push = || testing::tool_call("Bash").input("command", "git push").step();
//! assert!(!engine.dispatch(push(), &testing::context()).await.is_cleared());
//! assert!(engine.dispatch(push(), &testing::context()).await.is_cleared(), "the script is at its end");
//!
//! assert_eq!(script.calls()[0].input["command"], "git push");
//! assert_eq!(captured.outcomes(), [Outcome::Deny, Outcome::Allow]);
//! # });
//! ```

mod captured;
mod script;
mod tool_call;

use hookgate_contract::StepContext;

pub use captured::Captured;
pub use script::{Script, ScriptedCall};
pub use tool_call::{ToolCallBuilder, tool_call};

use crate::engine::Engine;
use crate::table::{Hook, TableBuilder};

/// Returns an engine with these hooks.
///
/// # Panics
/// If no table can be built of the hooks; the message lists everything that is wrong.
#[must_use]
#[track_caller]
#[expect(clippy::panic, reason = "a test fails like this")]
pub fn engine(hooks: impl IntoIterator<Item = Hook>) -> Engine {
    match hooks.into_iter().collect::<TableBuilder>().build() {
        Ok(table) => Engine::new(table),
        Err(errors) => panic!("no table can be built of these hooks: {errors}"),
    }
}

/// Returns the context of a step in the session `session-1`, before its first turn.
#[must_use]
pub const fn context() -> StepContext<'static> {
    StepContext::new("session-1")
}
