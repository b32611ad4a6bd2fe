//! Hooks that are programs: `command = { argv = ["./guard.py"] }`.
//!
//! The program gets the envelope of a step on stdin and answers by how it ends:
//!
//! | exit | means |
//! |---|---|
//! | 0 | stdout is the verdict; an empty stdout is no opinion, unless `silence = "failure"` |
//! | 2 | a deny, with stderr as the reason; a halt if stdout says so |
//! | anything else, or a signal | a failure |
//!
//! An ask, deny or halt on stdout counts however the program ends.
//!
//! # Why a crate of its own
//! To start programs is a privilege. An embedder who does not want it does not compile this crate, and
//! no `hooks.toml` can start a program then. It knows the contract only, not the engine.
//!
//! # A hook in a test
//! The engine builds handlers from `hooks.toml`. Without an engine, as in the test of a guard:
//!
//! ```
//! use std::path::Path;
//!
//! use hookgate_contract::StepId;
//! use hookgate_contract::payload::ToolCall;
//! use hookgate_contract::settings::{Node, Settings};
//! use hookgate_contract::{BuildContext, Envelope, Handler, Invocation, StepContext, Verdict};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The settings, as they are in the config; relative paths start at the folder in the context.
//! let node = Node::from_json(&json!({"shell": "echo 'not on Fridays' >&2; exit 2"}));
//! let mut settings = Settings::new(&node);
//! let built = hookgate_command::build(&mut settings, &BuildContext::new(Path::new("/etc"), 65_536));
//! assert!(settings.finish().is_empty());
//! let Some(Handler::Async(handler)) = built.map(|built| built.handler) else { unreachable!() };
//!
//! // A step: an agent wants to run `ls`.
//! let (payload, context) = (ToolCall::new("Bash", json!({"command": "ls"})), StepContext::new("s"));
//! let id = StepId::new(Some("step-1"), String::new);
//! let envelope = Envelope::new(&payload, &context, &id, 1, 1 << 20);
//!
//! // Programs need a runtime with I/O and time.
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! let reply = runtime.block_on(handler.handle(Invocation::new("guard", &envelope)));
//! assert_eq!(reply, Ok(Verdict::deny("not on Fridays")));
//! # Ok(())
//! # }
//! ```
//!
//! # Guides
//! [`docs`] explains the protocols, the life of a program, its confinement, its identity, the failures
//! and the costs, with examples that are tests.
//!
//! # Settings
#![doc = include_str!("settings.md")]
//!
//! `limits` and `sandbox` are described in [`docs::confinement`], `mode = "worker"` in
//! [`docs::worker_mode`].
//!
//! # Guarantees
//! * **What runs is what was configured.** Programs and scripts are found from the folder of the config
//!   when the table is built, and pinned; the folder of the session, where the agent writes, decides
//!   nothing ([`docs::identity`]).
//! * **A deadline is a deadline.** The dispatch goes on at once; the program gets TERM, and KILL after
//!   `grace` ([`docs::lifetime`]).
//! * **Nothing is left behind.** Each program has a process group of its own, which is killed when the
//!   program has ended. Processes that leave the group are found by a host that is a subreaper
//!   ([`become_subreaper`]) or has a [`shim`]; only the shim holds if the host itself is killed.
//! * **Damage never weakens an answer.** A decision in a broken, cut or late answer is salvaged.
//! * **Secrets that the program was given are not repeated** in what it says.
//!
//! # The log
//! At `DEBUG`, target `hookgate::command`, `tracing` gets each line that a program writes to stderr, and
//! how the program ended, with the id of the hook as the field `hook`.
//!
//! # Probes
//! The probe of a hook in worker mode has one worker ready, and keeps it for the first call. In plain
//! mode there is no probe: running the program would already be a decision about a step.
//!
//! # Platform
//! Linux 5.4 or later (`pidfd_open`, `waitid`); the sandbox needs 6.2, without network 6.7. A tokio
//! runtime with I/O and time (`enable_all`) must run the dispatch. Elsewhere there is less of it, and a config that asks
//! for what is missing is refused:
//!
//! | | Linux | macOS and other Unix | Windows |
//! |---|---|---|---|
//! | what a program leaves behind is ended | all of it | what stays in its process group | all of it: job objects |
//! | `grace` between the request to end and the end | yes | yes | no: it is ended at once |
//! | if the host is killed | ended, with a [`shim`] | goes on | ended |
//! | `limits`, `sandbox`, `shim = true` | yes | refused | refused |
//! | a replaced program is noticed | by its content, large ones by inode and times | the same | large ones by size and times |
//! | accounts that could replace it are warned of | yes | yes | no |
//! | programs | by the first line of a script, or as they are | the same | `.exe`, `.com`, `.bat`, `.cmd` |

#[cfg(not(any(unix, windows)))]
compile_error!("there are no programs here: build hookgate without the feature `command`");

mod argv;
mod audit;
mod call_log;
pub mod docs;
mod exit_failure;
mod factory;
mod handler;
mod line_process;
mod pool;
mod program;
mod program_pin;
mod reply;
mod run;
mod script;
pub mod server;
mod settings;
pub mod shim;
#[cfg(unix)]
mod wait;
mod worker;

use std::sync::LazyLock;

use hookgate_contract::HandlerKind;

pub use factory::build;
pub use run::{become_subreaper, settle};
pub use settings::SETTINGS;

/// The name of this kind of handler in a config: `command = { argv = ["./guard.py"] }`.
///
/// ```
/// assert_eq!(hookgate_command::KIND, "command");
/// ```
pub const KIND: &str = "command";

/// Returns the kind, to be added to a registry: no config can use it before.
#[must_use]
pub fn kind() -> HandlerKind {
    // One kind for the whole process, so that its handlers are kept across registries.
    static KIND_OF_CRATE: LazyLock<HandlerKind> = LazyLock::new(|| HandlerKind::new(KIND, build));
    KIND_OF_CRATE.clone()
}

/// The SDK for hooks in Python: one file, to be put beside the script as `hookgate.py`. It serves both
/// modes; `hookgate init` writes it.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("hookgate.py"), hookgate_command::PYTHON_SDK)?;
/// assert!(hookgate_command::PYTHON_SDK.contains("def run("));
/// # Ok(())
/// # }
/// ```
pub const PYTHON_SDK: &str = include_str!("../sdk/hookgate.py");

/// The SDK for hooks in Node: one file, to be put beside the script as `hookgate.mjs`. It serves both
/// modes; `hookgate init` writes it.
///
/// ```
/// assert!(hookgate_command::NODE_SDK.contains("export async function run("));
/// ```
pub const NODE_SDK: &str = include_str!("../sdk/hookgate.mjs");
