//! Which file is run, and what happens if it changes.
//!
//! # Paths start at the config
//! A program runs in the folder of the session, and the agent writes there. So what is *run* is found
//! from the folder of the config, when the table is built, and is an absolute path from then on:
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use serde_json::json;
//!
//! let folder = tempfile::tempdir().unwrap();
//! std::fs::write(folder.path().join("guard.sh"), "exit 2").unwrap();
//! let built = build_in(folder.path(), json!({"argv": ["env", "sh", "-e", "guard.sh"]})).unwrap();
//! assert!(built.executables.contains(&folder.path().join("guard.sh")));
//! assert!(built.executables.iter().all(|path| path.is_absolute()));
//! ```
//!
//! * The program itself: a path from the config, or a bare name in `PATH` (absolute entries only).
//! * Scripts, libraries and folders in the options of known interpreters (Python, shells, Node, Perl,
//!   Ruby, PHP, Lua, Java, awk, jq, …), also behind programs that run another one (`env`, `timeout`,
//!   `nice`, `sudo`, …).
//! * Any other argument, or value of `--option=value`, that names a file beside the config. A folder
//!   counts if the argument has a `/` or follows an option.
//!
//! A `shell` text, and program text as in `sh -c TEXT`, is not parsed. A script that it names as `$HOOKGATE_CONFIG_DIR/…` or
//! by an absolute path is a part of the hook; a relative path in it means a file of the session, and is warned of.
//!
//! # What is refused
//! What cannot be decided is an error when the config is loaded, not a risk when it runs:
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use serde_json::json;
//!
//! let error = |argv: &[&str]| {
//!     build_in(std::path::Path::new("/etc"), json!({"argv": argv})).unwrap_err()
//! };
//! assert!(error(&["sh", "missing.sh"]).contains("is not there"));
//! // An interpreter without a script would run the envelope.
//! assert!(error(&["sh"]).contains("takes its program from stdin"));
//! assert!(error(&["env", "PATH=.", "sh", "-c", "true"]).contains("write an absolute path"));
//! ```
//!
//! # Pins
//! Each file that is run is pinned: its content is hashed when the table is built (up to 1 MiB for
//! programs of the system; of larger ones any change of the file counts). Before each start the pin is
//! compared, and another content is a failure of class `untrusted` until the config is loaded again:
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use hookgate_contract::{FailureClass, Verdict};
//! use serde_json::json;
//!
//! let folder = tempfile::tempdir().unwrap();
//! let script = folder.path().join("guard.sh");
//! std::fs::write(&script, "echo no >&2; exit 2").unwrap();
//! let built = build_in(folder.path(), json!({"argv": ["sh", "guard.sh"]})).unwrap();
//! assert_eq!(invoke(&built), Ok(Verdict::deny("no")));
//!
//! std::fs::write(&script, "exit 0").unwrap();
//! assert_eq!(invoke(&built).unwrap_err().class, FailureClass::Untrusted);
//!
//! let reloaded = build_in(folder.path(), json!({"argv": ["sh", "guard.sh"]})).unwrap();
//! assert_ne!(reloaded.identity, built.identity);
//! assert_eq!(invoke(&reloaded), Ok(Verdict::none()));
//! ```
//!
//! # Limits
//! Not pinned is what a script loads itself: modules, sourced files, rules that it opens. Between the
//! comparison and the start there are some milliseconds: what was put in place of a file then runs, but
//! what it says does not count. And an account that may write to the files of a
//! hook decides what the hook does after the next reload: `check` warns of files and folders that
//! accounts other than the owner can change.
