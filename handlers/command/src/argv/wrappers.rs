//! Programs that run another one.

use super::syntax::Takes::{Data, Folders, Nothing, Split};
use super::syntax::{Syntax, Then};

/// A wrapper whose command comes first of its operands.
const WRAPPER: Syntax = Syntax { then: Then::Command(0), ..Syntax::NONE };

/// The wrappers that hookgate knows.
pub(super) const ALL: &[Syntax] = &[
    Syntax {
        names: &["env", "genv"],
        flags: "i0v",
        takes: &[
            ("-u", Data),
            ("--unset", Data),
            ("-C", Folders),
            ("--chdir", Folders),
            ("-S", Split),
            ("--split-string", Split),
            ("-a", Data),
            ("--argv0", Data),
            ("-P", Folders),
            ("--version", Nothing),
            ("--help", Nothing),
        ],
        alone: &[
            "--ignore-environment",
            "--null",
            "--debug",
            "--block-signal",
            "--default-signal",
            "--ignore-signal",
            "--list-signal-handling",
        ],
        ..WRAPPER
    },
    Syntax {
        names: &["timeout", "gtimeout"],
        flags: "fpv",
        takes: &[("-k", Data), ("--kill-after", Data), ("-s", Data), ("--signal", Data)],
        alone: &["--foreground", "--preserve-status", "--verbose"],
        then: Then::Command(1),
        ..WRAPPER
    },
    Syntax {
        names: &["nice", "gnice"],
        flags: "0123456789",
        takes: &[("-n", Data), ("--adjustment", Data)],
        ..WRAPPER
    },
    Syntax { names: &["nohup", "gnohup"], ..WRAPPER },
    Syntax { names: &["setsid"], flags: "cfw", alone: &["--ctty", "--fork", "--wait"], ..WRAPPER },
    Syntax {
        names: &["stdbuf", "gstdbuf"],
        takes: &[
            ("-i", Data),
            ("--input", Data),
            ("-o", Data),
            ("--output", Data),
            ("-e", Data),
            ("--error", Data),
        ],
        ..WRAPPER
    },
    Syntax {
        names: &["ionice"],
        flags: "t",
        takes: &[
            ("-c", Data),
            ("--class", Data),
            ("-n", Data),
            ("--classdata", Data),
            ("-p", Data),
            ("--pid", Data),
            ("-P", Data),
            ("--pgid", Data),
            ("-u", Data),
            ("--uid", Data),
        ],
        alone: &["--ignore"],
        ..WRAPPER
    },
    Syntax {
        names: &["chrt"],
        flags: "bfiordRamv",
        takes: &[
            ("-T", Data),
            ("--sched-runtime", Data),
            ("-P", Data),
            ("--sched-period", Data),
            ("-D", Data),
            ("--sched-deadline", Data),
        ],
        alone: &[
            "--batch",
            "--fifo",
            "--idle",
            "--other",
            "--rr",
            "--deadline",
            "--reset-on-fork",
            "--all-tasks",
            "--verbose",
        ],
        then: Then::Command(1),
        ..WRAPPER
    },
    Syntax {
        names: &["taskset"],
        flags: "ac",
        alone: &["--all-tasks", "--cpu-list"],
        then: Then::Command(1),
        ..WRAPPER
    },
    Syntax {
        names: &["xargs", "gxargs"],
        flags: "0oprtx",
        glued: "eil",
        takes: &[
            ("-a", super::syntax::Takes::File),
            ("--arg-file", super::syntax::Takes::File),
            ("-d", Data),
            ("--delimiter", Data),
            ("-E", Data),
            ("-I", Data),
            ("-L", Data),
            ("-n", Data),
            ("--max-args", Data),
            ("-P", Data),
            ("--max-procs", Data),
            ("-s", Data),
            ("--max-chars", Data),
        ],
        alone: &[
            "--null",
            "--no-run-if-empty",
            "--verbose",
            "--exit",
            "--interactive",
            "--open-tty",
        ],
        ..WRAPPER
    },
    Syntax {
        names: &["sudo"],
        flags: "ABbEeHiKklnPSsVv",
        takes: &[
            ("-C", Data),
            ("-D", Folders),
            ("--chdir", Folders),
            ("-g", Data),
            ("--group", Data),
            ("-h", Data),
            ("--host", Data),
            ("-p", Data),
            ("--prompt", Data),
            ("-R", Folders),
            ("-r", Data),
            ("-T", Data),
            ("-t", Data),
            ("-U", Data),
            ("-u", Data),
            ("--user", Data),
        ],
        alone: &[
            "--non-interactive",
            "--preserve-env",
            "--set-home",
            "--login",
            "--shell",
            "--stdin",
            "--background",
            "--reset-timestamp",
            "--askpass",
            "--bell",
        ],
        ..WRAPPER
    },
    Syntax {
        names: &["doas"],
        flags: "Lns",
        takes: &[("-u", Data), ("-C", super::syntax::Takes::File), ("-a", Data)],
        ..WRAPPER
    },
    Syntax {
        names: &["time", "gtime"],
        flags: "apqv",
        takes: &[("-f", Data), ("--format", Data), ("-o", Data), ("--output", Data)],
        alone: &["--append", "--portability", "--quiet", "--verbose"],
        ..WRAPPER
    },
    Syntax { names: &["command"], flags: "pvV", ..WRAPPER },
    Syntax {
        names: &["flock"],
        flags: "enosuxF",
        takes: &[("-w", Data), ("--timeout", Data), ("-E", Data), ("--conflict-exit-code", Data)],
        alone: &["--exclusive", "--nonblock", "--close", "--shared", "--unlock", "--no-fork"],
        then: Then::Command(1),
        ..WRAPPER
    },
    Syntax { names: &["busybox", "toybox"], then: Then::Applet, ..WRAPPER },
];
