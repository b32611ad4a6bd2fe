//! What went wrong, by class, and what to do.
//!
//! A failure is not a verdict: what it counts as is the *posture* of the hook (`on_failure`), decided by
//! the engine. This crate says which class it is, and what is left of a decision.
//!
//! | class | when | what to do |
//! |---|---|---|
//! | `spawn` | the program is gone, not executable, or the interpreter of its first line is | install it, `chmod +x` |
//! | `spawn` | a worker is not ready within `startup`, or speaks another version | raise `startup`, update the SDK |
//! | `spawn` | workers die in a row; the next start has to wait | look at stderr in the first failure |
//! | `spawn` | there is no tokio runtime with I/O and time | `enable_all()` on its builder |
//! | `untrusted` | a pinned file has changed, or the sandbox cannot be enforced | look at the file, reload; newer kernel |
//! | `exit` | any exit status but 0 and 2; the `error` of a worker | read the quoted stderr |
//! | `signal` | killed by a signal: a crash, a limit, want of memory | the message names the usual cause |
//! | `malformed` | stdout is not a verdict, or a worker is out of step | print logs to stderr |
//! | `malformed` | no whole answer, and another process still holds stdout | wait for it in the script |
//! | `oversize` | stdout, or a line of a worker, is longer than `limits.output` | say less, or raise it |
//! | `overloaded` | more than `queue` calls wait for a worker, or a call has waited for one until its time was over | raise `workers` |
//! | `overloaded` | as many programs of hooks were at work as the engine lets, until the time of the hook was over | raise `processes` in `[limits]`, or `timeout` |
//! | `overloaded` | this process had no file for the pipes to the program, until the time of the hook was over | raise `ulimit -n`, or lower `processes` |
//!
//! The class `timeout` comes from the engine, which drops the future at the deadline. A decision that the
//! program had written until then is not lost: the handler leaves it with the invocation, and the
//! engine's failure carries it.
//!
//! The detail of a failure is one text for a person: what happened, what it mostly means, the last
//! lines of stderr.
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use hookgate_contract::FailureClass;
//! use serde_json::json;
//!
//! let failure = run(json!({"shell": "echo 'KeyError: path' >&2; exit 1"})).unwrap_err();
//! assert_eq!(failure.class, FailureClass::Exit);
//! assert_eq!(
//!     failure.detail,
//!     "exit status 1 (a failure: to deny, exit 2 or print a verdict): KeyError: path"
//! );
//!
//! let failure = run(json!({"shell": "exec no-such-program"})).unwrap_err();
//! assert!(failure.detail.contains("is it in PATH?"));
//!
//! let failure = run(json!({"shell": "yes"})).unwrap_err();
//! assert_eq!(failure.class, FailureClass::Oversize);
//! ```
