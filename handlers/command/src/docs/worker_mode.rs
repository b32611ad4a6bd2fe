//! Worker mode: a process is started once and answers many steps.
//!
//! # The protocol
//! One JSON object per line, in both directions, in UTF-8. `→` is what the worker reads from stdin,
//! `←` what it writes to stdout:
//!
//! ```text
//! ← {"ready":1}
//! → {"id":4711,"hook":"guard","envelope":{"hook_event_name":"pre_tool_use",…}}
//! ← {"id":4711,"verdict":{"decision":"deny","reason":"no"}}
//! → {"id":911,"hook":"guard","envelope":{…}}
//! ← {"id":911,"error":"ValueError: bad command","at":"guard.py:12"}
//! ```
//!
//! 1. The first line says that the worker is ready, and which version of the protocol it speaks.
//! 2. The worker answers each call in one line, with the id of the call. Ids are random numbers below
//!    2⁵³, so that a text of a step which the worker prints is never its answer.
//! 3. `verdict` is what a plain program prints; `{}` is no opinion. `error` says that the hook failed,
//!    which is a failure of class `exit`, and `at`, which may be left out, where in its files.
//! 4. The worker writes nothing else to stdout. stderr is free; its end is quoted if the worker dies.
//! 5. When stdin ends, the worker exits.
//! 6. A call that is a run, done later and perhaps more than once, has an `idempotency_key` before its envelope, which is
//!    the same each time.
//!
//! The worker gets `HOOKGATE_WORKER=1`, no variables of a step, and runs in the folder of the config,
//! since it serves many sessions. A script can tell by the variable which mode it is in. The SDKs
//! ([Python](crate::PYTHON_SDK), [Node](crate::NODE_SDK)) speak both.
//!
//! # A worker in shell
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use hookgate_contract::Verdict;
//! use serde_json::json;
//!
//! let script = r#"
//!     echo '{"ready":1}'
//!     while read -r call; do
//!         id=${call#*:}; id=${id%%,*}
//!         echo "{\"id\":$id,\"verdict\":{\"decision\":\"allow\"}}"
//!     done"#;
//! let worker = json!({"shell": script, "mode": "worker"});
//! assert_eq!(run(worker), Ok(Verdict::allow()));
//! ```
//!
//! # When a worker is out of step
//! Anything else on stdout (a line before a call, a second line for one call, another id, an
//! unknown key) means that its lines cannot be believed any more. The call fails as `malformed`, the
//! worker is killed, and the next call has a new one. A decision in the line is salvaged.
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use hookgate_contract::FailureClass;
//! use serde_json::json;
//!
//! let script = r#"echo '{"ready":1}'; read -r call; echo '{"id":1,"verdict":{}}'"#;
//! let failure = run(json!({"shell": script, "mode": "worker"})).unwrap_err();
//! assert_eq!(failure.class, FailureClass::Malformed);
//! assert!(failure.detail.contains("answers call 1"));
//! ```
//!
//! # Sizing
//! * `workers` (default 1): one process answers one call at a time. Two steps at once need two, or the
//!   second waits. Sessions take turns: many calls of one keep another one waiting for one call only.
//! * `queue` (default 64): more calls than this that wait fail as `overloaded`, at once; one that waits until
//!   its time is over fails so, too.
//! * `max_calls` (default 10,000): bounds a hook that leaks memory.
//! * `startup` (default 10 s): how long an interpreter and its imports may take. The start is not lost
//!   if the call behind it times out: the worker becomes ready for the next call.
//! * `idempotent` (default false): a call is made again, once, if the worker died in it. Set it if the
//!   hook changes nothing outside itself.
//!
//! # Which mode
//! Start with plain mode. Use workers if the hook runs at every tool call and its start is more than
//! you want to wait, or if it holds something that is slow to load (a rule base, a model). A worker must
//! not keep what it learned in one session for the next, unless that is its purpose.
