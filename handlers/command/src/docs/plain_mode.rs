//! Plain mode: a program is started for each step, reads the envelope, and answers by how it ends.
//!
//! # What the program gets
//! * stdin: the envelope, one JSON object without a line break at the end, and then the end of file. A
//!   program need not read it.
//! * the working folder: that of the session; if it does not exist, that of the config, and the vote
//!   notes it.
//! * variables: `HOOKGATE_EVENT`, `HOOKGATE_SESSION_ID`, `HOOKGATE_STEP_ID`, `HOOKGATE_TOOL_NAME` (at
//!   events with a tool), `HOOKGATE_HOOK_ID`, `HOOKGATE_CONFIG_DIR`, `HOOKGATE_RUN`, and the
//!   [allow-list](super::confinement). A run that is done later has `HOOKGATE_IDEMPOTENCY_KEY` as well: it
//!   is the same each time the run is tried. They are for scripts that need no JSON; a value of more than
//!   4 KiB, or with a zero byte, is in the envelope only.
//!
//! # What the program answers
//! | exit status | stdout | stderr | answer |
//! |---|---|---|---|
//! | 0 | empty | ignored | no opinion |
//! | 0 | a verdict | ignored | the verdict |
//! | 0 | anything else | ignored | a failure (`malformed`) |
//! | 2 | ignored, but for a halt | the reason, up to 4 KiB | deny |
//! | other, or a signal | salvaged | quoted, up to 200 characters | a failure (`exit`, `signal`) |
//!
//! An exit status of 2 is the shortest guard:
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use hookgate_contract::Verdict;
//! use serde_json::json;
//!
//! let guard = r#"grep -q '"command":"ls"' && { echo 'no listing' >&2; exit 2; }; exit 0"#;
//! assert_eq!(run(json!({"shell": guard})), Ok(Verdict::deny("no listing")));
//! ```
//!
//! A verdict on stdout can say more: ask, context for the model, a message for the user, a patch.
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use hookgate_contract::Verdict;
//! use serde_json::json;
//!
//! let ask = r#"echo '{"decision":"ask","reason":"it lists files"}'"#;
//! assert_eq!(run(json!({"shell": ask})), Ok(Verdict::ask("it lists files")));
//!
//! // With `stdout = "context"` the output is text for the model, and no JSON is needed.
//! let context = json!({"shell": "echo 'the disk is nearly full'", "stdout": "context"});
//! assert_eq!(run(context), Ok(Verdict::none().context("the disk is nearly full")));
//! ```
//!
//! # A program that was written for an agent
//! `dialect = "claude"` gives a program the envelope, the variables and the names of tools of that agent,
//! and reads its answer as that agent does: JSON, exit status and stderr, and text that is context there.
//! Where the agent would let a step pass after a failure of its hook, the hook has failed here, and its
//! posture says what that counts as. The host says which agents there are (`Registry::add_dialect`).
//!
//! # Silence
//! A program that exits with 0 and prints nothing has no opinion. A guard that always answers should say
//! so, since a crash that looks like success is then a failure and not consent:
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use hookgate_contract::{FailureClass, Verdict};
//! use serde_json::json;
//!
//! assert_eq!(run(json!({"shell": "true"})), Ok(Verdict::none()));
//! let failure = run(json!({"shell": "true", "silence": "failure"})).unwrap_err();
//! assert_eq!(failure.class, FailureClass::Malformed);
//! ```
//!
//! # A damaged answer is never weaker
//! If an answer cannot be read, or the program crashes behind it, an ask, deny or halt in it still
//! counts. It is *salvaged*, and the failure carries it:
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use hookgate_contract::{FailureClass, VerdictDecision};
//! use serde_json::json;
//!
//! let crash = r#"echo '{"decision":"deny","reason":"no"}'; kill -SEGV $$"#;
//! let failure = run(json!({"shell": crash})).unwrap_err();
//! assert_eq!(failure.class, FailureClass::Signal);
//! assert_eq!(failure.salvaged, Some(VerdictDecision::Deny));
//! ```
//!
//! # Output through another process
//! `exec > >(tee -a log)` makes `tee` write the answer, perhaps after the program has exited. So a
//! process that still holds stdout is awaited for up to half a second, within the deadline. If there is
//! no whole verdict then, it is a failure and not silence. A whole verdict is taken at once.
