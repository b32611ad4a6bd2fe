//! Hooks that are programs: `command = { argv = ["./guard.py"] }`.
//!
//! The program gets the envelope on stdin and answers by how it ends:
//!
//! | exit | means |
//! |---|---|
//! | 0 | stdout is the verdict; nothing there is no opinion, unless `silence = "failure"` |
//! | 2 | a deny, with stderr as the reason; a halt where stdout says so |
//! | anything else, or a signal | a failure |
//!
//! Whoever still holds stdout when the program has ended (the `tee` of `exec > >(tee -a log)`) is
//! waited for, half a second at most and within the deadline; if there is no whole answer then, it
//! is a failure and not silence. An ask, deny or halt on stdout stands however the program ends.
//!
//! # Settings
//! * `argv`: the program and its arguments, without a shell; or `shell`: a text for the shell
//!   `shell_program` (default `sh`).
//! * `env`: the names of further environment variables that the program gets. It gets `PATH`,
//!   `HOME`, `LANG`, `LC_ALL`, `TMPDIR` and `TZ`, and `HOOKGATE_EVENT`, `HOOKGATE_SESSION_ID`,
//!   `HOOKGATE_TOOL_NAME`, `HOOKGATE_HOOK_ID`, `HOOKGATE_STEP_ID`, `HOOKGATE_CONFIG_DIR` (the folder
//!   of the config) and `HOOKGATE_RUN`, and nothing else. A value of the step that is longer than
//!   4 KiB or has a zero byte stands in the envelope only. `PATH` and other lists of folders come
//!   without relative and empty entries. `PYTHONSAFEPATH=1` keeps Python from taking modules from the
//!   folder of the session, and `PYTHONPATH` names that of the script, where it is in Python.
//! * `set_env`: variables with values.
//! * `silence`: what an exit status of 0 without an answer means: `abstain` (no opinion), or
//!   `failure` for a guard that always answers, be it `{}`. A worker always has to.
//! * `stdout`: `verdict`, or `context` for a program that prints text for the model.
//! * `grace`: how long a program whose answer nobody waits for may take to end after TERM
//!   (default `200ms`).
//! * `limits`: `{ cpu = "5s", memory = "512MiB", files = 64, processes = 32 }`, each optional.
//!   `memory` is what the program can write to, and `processes` those of the user; that one does
//!   not bind the superuser. Without the [`shim`] they hold from a moment after the start.
//! * `sandbox`: `{ read = ["$cwd"], write = ["/tmp/guard"], network = false }`, enforced by
//!   Landlock: beside these the program reads the folders of the system and its own files, and
//!   connects to no TCP port. `$cwd` is the folder of the session. What cannot be enforced is a
//!   failure of class `untrusted`. UDP and Unix sockets are not restricted, nor are the modes, owners
//!   and times of files (`chmod`, `chown`, `utime`): Landlock has no rights for them.
//! * `shim`: `false` runs the program without the [`shim`] that the host has registered.
//! * `mode`: `plain`, a process for each step, or `worker`, processes that stay.
//!
//! # Worker mode
//! A worker gets `HOOKGATE_WORKER=1` and no variables of a step, and runs in the folder of the
//! config. Its first line is `{"ready":1}`; then it reads `{"id":7,"hook":"…","envelope":{…}}` and
//! answers `{"id":7,"verdict":{…}}`, a line each, or `{"id":7,"error":"…"}` where the hook failed.
//! The ids are random numbers below 2⁵³. A worker that writes anything before it is asked, or more
//! than one line for a call, has failed in that call and is replaced. It ends when stdin does. The
//! [SDKs](PYTHON_SDK) do all of this.
//!
//! * `workers`: how many processes there are at most (default 1). Each answers one call at a time.
//! * `queue`: how many calls may wait for one (default 64); more fail as `overloaded`.
//! * `max_calls`: after so many calls a process is replaced (default 10000).
//! * `startup`: how long a process may take until it is ready (default `10s`).
//! * `idempotent`: whether a call is made again, once, if the worker died in it (default false).
//!
//! A worker that does not answer within the deadline of the call has `grace` to do so, and is
//! killed. The first that dies is replaced at once, further ones in a row ever later.
//!
//! The live check of a hook has one worker ready, and keeps it. In plain mode there is none: to run
//! the program would be to judge.
//!
//! # Where things are found
//! A program runs in the folder of the session, which the judged party can write to. So what runs is
//! found from the folder of the config when the table is built:
//!
//! * The program, any argument that is a relative path and names a file beside the config, and the
//!   value of `--option=value`, become absolute paths. A folder does where the argument has a `/` or
//!   stands behind an option. Who means a file of the session writes a `shell` text.
//! * Of interpreters (Python, shells, Node, Perl, Ruby, PHP, awk, jq, …) and of programs that run
//!   another one (`env`, `timeout`, `nice`, `sudo`, …) the options are known. What they would open
//!   and is not beside the config is an error, and so is an interpreter without a script, which would
//!   run the envelope.
//! * Program text (`-c`, `-e`, `shell`) that names a relative path, and `-m`, are warned of: write
//!   `$HOOKGATE_CONFIG_DIR/…`.
//!
//! What is run is compared with what it was when the table was built, before each start; another
//! content is a failure of class `untrusted` until the config is loaded again. Programs outside the
//! folder of the config that are larger than 1 MiB are not hashed: any change of the file counts. What
//! a script loads itself (modules, libraries) is not followed.
//!
//! # What is left behind
//! Nothing: the program runs in a process group of its own. When it has ended, the rest of the
//! group is killed. When nobody waits for its answer any more the group gets TERM, and after
//! `grace` KILL, from a thread that outlives every runtime. A process that leaves the group
//! (`setsid`) is found if the host runs programs under the [`shim`] or adopts them
//! ([`become_subreaper`]); of a host that does neither it escapes, and of one that only adopts it does
//! if it also clears its environment (`setsid env -i`). A host that ends calls [`settle`] before, or
//! uses the shim. Without the shim programs go on if the host is killed by a signal for which it has
//! no handler (KILL, and HUP and QUIT in most hosts): nobody is left to end them.
//!
//! # Platform
//! Linux 5.4 or later (`pidfd_open`, `waitid`); the sandbox needs 6.2, without network 6.7.

mod argv;
mod audit;
mod capture;
mod children;
mod environment;
mod launch;
mod leader;
mod limits;
mod line;
mod mark;
mod outcome;
mod pin;
mod process;
mod program;
mod reaper;
mod recipe;
mod sandbox;
pub mod shim;
mod worker;

use std::sync::LazyLock;

use hookgate_contract::HandlerKind;

pub use reaper::{become_subreaper, settle};
pub use recipe::build;

/// The kind under which these handlers stand in a config.
pub const KIND: &str = "command";

/// Returns the kind, to be added to a registry: no config can use it before.
#[must_use]
pub fn kind() -> HandlerKind {
    // One kind for the whole process, so that its handlers are kept across registries.
    static KIND_OF_CRATE: LazyLock<HandlerKind> = LazyLock::new(|| HandlerKind::new(KIND, build));
    KIND_OF_CRATE.clone()
}

/// The SDK for hooks in Python: one file, to be put beside the script as `hookgate.py`.
pub const PYTHON_SDK: &str = include_str!("../sdk/hookgate.py");

/// The SDK for hooks in Node: one file, to be put beside the script as `hookgate.mjs`.
pub const NODE_SDK: &str = include_str!("../sdk/hookgate.mjs");
