//! Programs that run another program: `env`, `timeout`, `nice`, `sudo`, …
//!
//! A wrapper hides the program that matters: `env -i nice python3 guard.py` runs a script, and the
//! script is what a hook must bring along. So the arguments of a wrapper are read up to its command,
//! and the command is read as a program with arguments of its own, as often as needed.

use super::syntax::Takes::{Data, Exits, File, Folders, Split};
use super::syntax::{Syntax, Then};

/// A wrapper whose first operand is the command.
const WRAPPER: Syntax = Syntax { then: Then::Command(0), ..Syntax::NONE };

/// The wrappers that hookgate knows.
pub(super) const ALL: &[Syntax] = &[
    Syntax {
        names: "env genv",
        flags: "i0v",
        takes: &[
            (Data, "-u --unset -a --argv0"),
            (Folders, "-C --chdir -P"),
            (Split, "-S --split-string"),
            (Exits, "--version --help"),
        ],
        alone: "--ignore-environment --null --debug --block-signal --default-signal \
                --ignore-signal --list-signal-handling",
        ..WRAPPER
    },
    Syntax {
        names: "timeout gtimeout",
        flags: "fpv",
        takes: &[(Data, "-k --kill-after -s --signal")],
        alone: "--foreground --preserve-status --verbose",
        then: Then::Command(1),
        ..WRAPPER
    },
    Syntax {
        names: "nice gnice",
        flags: "0123456789",
        takes: &[(Data, "-n --adjustment")],
        ..WRAPPER
    },
    Syntax { names: "nohup gnohup", ..WRAPPER },
    Syntax { names: "setsid", flags: "cfw", alone: "--ctty --fork --wait", ..WRAPPER },
    Syntax {
        names: "stdbuf gstdbuf",
        takes: &[(Data, "-i --input -o --output -e --error")],
        ..WRAPPER
    },
    Syntax {
        names: "ionice",
        flags: "t",
        takes: &[(Data, "-c --class -n --classdata -p --pid -P --pgid -u --uid")],
        alone: "--ignore",
        ..WRAPPER
    },
    Syntax {
        names: "chrt",
        flags: "bfiordRamv",
        takes: &[(Data, "-T --sched-runtime -P --sched-period -D --sched-deadline")],
        alone: "--batch --fifo --idle --other --rr --deadline --reset-on-fork --all-tasks \
                --verbose",
        then: Then::Command(1),
        ..WRAPPER
    },
    Syntax {
        names: "taskset",
        flags: "ac",
        alone: "--all-tasks --cpu-list",
        then: Then::Command(1),
        ..WRAPPER
    },
    Syntax {
        names: "xargs gxargs",
        flags: "0oprtx",
        glued: "eil",
        takes: &[
            (File, "-a --arg-file"),
            (Data, "-d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars"),
        ],
        alone: "--null --no-run-if-empty --verbose --exit --interactive --open-tty",
        ..WRAPPER
    },
    Syntax {
        names: "sudo",
        flags: "ABbEeHiKklnPSsVv",
        takes: &[
            (Data, "-C -g --group -h --host -p --prompt -r -T -t -U -u --user"),
            (Folders, "-D --chdir -R"),
        ],
        alone: "--non-interactive --preserve-env --set-home --login --shell --stdin --background \
                --reset-timestamp --askpass --bell",
        ..WRAPPER
    },
    Syntax { names: "doas", flags: "Lns", takes: &[(Data, "-u -a"), (File, "-C")], ..WRAPPER },
    Syntax {
        names: "time gtime",
        flags: "apqv",
        takes: &[(Data, "-f --format -o --output")],
        alone: "--append --portability --quiet --verbose",
        ..WRAPPER
    },
    Syntax { names: "command", flags: "pvV", ..WRAPPER },
    Syntax {
        names: "flock",
        flags: "enosuxF",
        takes: &[(Data, "-w --timeout -E --conflict-exit-code")],
        alone: "--exclusive --nonblock --close --shared --unlock --no-fork",
        then: Then::Command(1),
        ..WRAPPER
    },
    Syntax { names: "busybox toybox", then: Then::Applet, ..WRAPPER },
];
