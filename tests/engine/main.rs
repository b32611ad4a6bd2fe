//! Promise: the engine keeps its promises beside the verdicts: it reports what happened, ends what it
//! began, and holds its bounds whatever the step, the host and the runtime are like.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use hookgate_test_support as support;

mod approvals;
mod background;
mod cancelled;
mod capabilities;
mod certify;
mod closed;
mod dependencies;
mod dispatch_rules;
mod edited;
mod engines;
mod exchanged;
mod failures;
mod gated_stream;
mod guarded_calls;
mod jobs;
mod large_steps;
mod late;
mod load;
mod nested;
mod one_call;
mod order;
mod own_steps;
mod panicking_payloads;
mod parked;
mod permits;
mod reloaded_scopes;
mod require;
mod required_and_fallback;
mod results;
mod retries;
mod scopes;
mod seers;
mod shadow;
mod spans;
mod step_identity;
mod stop_at;
mod stops;
mod stream;
mod stream_gate;
mod stream_windows;
mod told;
mod torture;
mod turns;
mod undelivered;
mod votes;
