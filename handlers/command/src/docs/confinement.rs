//! What a program may see (variables), use (limits) and reach (sandbox).
//!
//! # The environment is an allow-list
//! A hook gets `PATH`, `HOME`, `LANG`, `LC_ALL`, `TMPDIR`, `TZ`, the variables of hookgate, and what its
//! config lists; never the whole environment of the host, which has keys of models and services.
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use hookgate_contract::Verdict;
//! use serde_json::json;
//!
//! // Cargo has set CARGO_PKG_NAME for this process; the hook does not see it.
//! let script = r#"echo "${CARGO_PKG_NAME-unset} $MODE $HOOKGATE_EVENT""#;
//! let settings = json!({"shell": script, "stdout": "context", "set_env": {"MODE": "strict"}});
//! assert_eq!(run(settings), Ok(Verdict::none().context("unset strict pre_tool_use")));
//! ```
//!
//! Lists of folders (`PATH`, `PYTHONPATH`, …) are passed on without relative and empty entries, which
//! would mean the folder of the session. `PYTHONSAFEPATH=1` keeps Python from importing modules from
//! there; `PYTHONPATH` names the folder of the script, so its own modules are found.
//!
//! # Secrets are not repeated
//! The values of `env`, and those of `set_env` whose name or form looks secret, are replaced in whatever
//! the program says: reasons, context, messages, quoted stderr.
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use hookgate_contract::Verdict;
//! use serde_json::json;
//!
//! let settings = json!({
//!     "shell": "echo \"401 for $API_KEY\" >&2; exit 2",
//!     "set_env": {"API_KEY": "correct-horse-battery"},
//! });
//! assert_eq!(run(settings), Ok(Verdict::deny("401 for [API_KEY]")));
//! ```
//!
//! # Limits
//! `limits = { cpu = "5s", memory = "512MiB", files = 64, processes = 32 }`, each optional, each for every
//! single process. `memory` counts what the program can write to. `processes` counts those of the
//! *user*, also of other programs, and does not bind root. With any limit there are no core dumps.
//! Without a shim they are set from outside, a moment (some 100 µs) after the start.
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use hookgate_contract::Verdict;
//! use serde_json::json;
//!
//! let settings = json!({
//!     "shell": "sleep 0.2; ulimit -n",
//!     "stdout": "context",
//!     "limits": {"files": 64},
//! });
//! assert_eq!(run(settings), Ok(Verdict::none().context("64")));
//! ```
//!
//! # Sandbox
//! `sandbox = { read = ["$cwd"], write = ["/tmp/guard"], network = false }`, enforced by Landlock. Beside
//! these the program reads the folders of the system (`/usr`, `/etc`, `/bin`, `/lib*`, `/sbin`) and the
//! files of the hook, and connects to no TCP port. `$cwd` is the folder of the session. It needs the
//! [shim](crate::shim), because a sandbox is set between fork and exec:
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use serde_json::json;
//!
//! // This process has not registered a shim.
//! let settings = json!({"argv": ["true"], "sandbox": {"read": ["$cwd"]}});
//! let error = build_in(std::path::Path::new("/etc"), settings).unwrap_err();
//! assert!(error.contains("this program has no shim"));
//! ```
//!
//! A kernel that cannot enforce it (before 6.2; without network before 6.7) makes each run fail as
//! `untrusted`, and `check` warns of it. A failed sandbox is never left out in silence.
//!
//! Not restricted: UDP, Unix sockets, and changes to the mode, owner and times of files (`chmod`,
//! `chown`, `utime`), for which Landlock has no rights. Reading is not hiding either: what the program
//! reads it can print, and only known secrets are hidden.
