//! Programs that run another program after their options: which options take a value, and where the
//! other program stands.

use crate::options::OptionTable;

/// What follows the options of a wrapper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shell) enum Shape {
    /// A program and its words, after this many operands of the wrapper itself.
    Program { skip: usize },
    /// Assignments, then a program and its words.
    Assignments,
    /// Words that are shell code once they are joined by blanks, after this many operands.
    Code { skip: usize },
    /// Each operand is code of its own.
    Codes,
    /// Nothing: code stands in an option only.
    Nothing,
}

/// A program that runs another.
#[derive(Debug, Clone, Copy)]
pub(in crate::shell) struct Wrapper {
    /// Its names, with blanks in between. A name of two words has the subcommand that must stand first.
    pub(in crate::shell) names: &'static str,
    pub(in crate::shell) options: OptionTable<'static>,
    pub(in crate::shell) shape: Shape,
    /// Options after which nothing is run.
    pub(in crate::shell) stop: &'static str,
    /// Options whose value is shell code.
    pub(in crate::shell) code: &'static str,
    /// Options that set the folder of what is run.
    pub(in crate::shell) folder: &'static str,
    /// Whether words may be added that are not known.
    pub(in crate::shell) more_args: bool,
}

const fn options(
    short_flags: &'static str,
    short_value: &'static str,
    long_flags: &'static str,
    long_value: &'static str,
    long_optional: &'static str,
) -> OptionTable<'static> {
    OptionTable {
        short_value,
        short_flags,
        long_value,
        long_optional,
        long_flags,
        abbreviations: true,
        stop_at_operand: true,
        ..OptionTable::NONE
    }
}

const fn wrapper(
    names: &'static str,
    options: OptionTable<'static>,
    shape: Shape,
    stop: &'static str,
) -> Wrapper {
    Wrapper { names, options, shape, stop, code: "", folder: "", more_args: false }
}

const PROGRAM: Shape = Shape::Program { skip: 0 };
const SECOND: Shape = Shape::Program { skip: 1 };

/// All wrappers that the table is enough for.
pub(in crate::shell) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        folder: "D chdir",
        ..wrapper(
            "sudo",
            options(
                "AbBEeHikKlnNPSsvV",
                "CDgGhpRrTtUu",
                "askpass background bell edit set-home login remove-timestamp reset-timestamp list non-interactive \
                 no-update preserve-groups stdin shell validate version help",
                "close-from chdir group host prompt chroot role command-timeout type other-user user",
                "preserve-env",
            ),
            Shape::Assignments,
            "l v K V e list validate version help edit remove-timestamp",
        )
    },
    wrapper("doas", options("Lns", "Cua", "", "", ""), Shape::Assignments, "L"),
    wrapper(
        "pkexec",
        options("", "", "disable-internal-agent keep-cwd version help", "user", ""),
        PROGRAM,
        "version help",
    ),
    wrapper(
        "nice",
        OptionTable { numbers: true, ..options("", "n", "help version", "adjustment", "") },
        PROGRAM,
        "help version",
    ),
    wrapper(
        "ionice",
        options("thV", "cnpPu", "ignore help version", "class classdata pid pgid uid", ""),
        PROGRAM,
        "p P u h V pid pgid uid help version",
    ),
    wrapper(
        "chrt",
        options(
            "abdfiomprRvVhG",
            "TPD",
            "all-tasks batch deadline fifo idle other rr reset-on-fork max verbose pid help version",
            "sched-runtime sched-period sched-deadline",
            "",
        ),
        SECOND,
        "p m pid max h V help version",
    ),
    wrapper(
        "taskset",
        options("acphV", "", "all-tasks cpu-list pid help version", "", ""),
        SECOND,
        "p pid h V help version",
    ),
    wrapper(
        "faketime",
        options("fm", "p", "exclude-monotonic help version", "pid date", ""),
        SECOND,
        "p pid h help version",
    ),
    wrapper(
        "timeout gtimeout",
        options(
            "vfp",
            "ks",
            "preserve-status foreground verbose help version",
            "kill-after signal",
            "",
        ),
        SECOND,
        "help version",
    ),
    wrapper("nohup", options("", "", "help version", "", ""), PROGRAM, "help version"),
    wrapper(
        "setsid",
        options("cfwhV", "", "ctty fork wait help version", "", ""),
        PROGRAM,
        "h V help version",
    ),
    wrapper(
        "stdbuf gstdbuf",
        options("", "ioe", "help version", "input output error", ""),
        PROGRAM,
        "help version",
    ),
    wrapper(
        "time gtime",
        options(
            "apqvVhl",
            "fo",
            "append portability quiet verbose version help",
            "format output-file",
            "",
        ),
        PROGRAM,
        "V h help version",
    ),
    wrapper("command", options("pvV", "", "", "", ""), PROGRAM, "v V"),
    wrapper("exec", options("cl", "a", "", "", ""), PROGRAM, ""),
    wrapper(
        "chroot",
        options("", "", "skip-chdir help version", "userspec groups", ""),
        SECOND,
        "help version",
    ),
    Wrapper {
        folder: "wd w",
        ..wrapper(
            "unshare",
            options(
                "muinpUCTfrcZhV",
                "RwSG",
                "fork map-root-user map-current-user map-auto keep-caps help version",
                "root wd setuid setgid map-user map-group map-users map-groups propagation setgroups monotonic boottime",
                "mount uts ipc net pid user cgroup time kill-child mount-proc mount-binfmt",
            ),
            PROGRAM,
            "h V help version",
        )
    },
    wrapper(
        "nsenter",
        options(
            "aFmuinpUCTrweZhV",
            "tSGW",
            "all no-fork preserve-credentials follow-context env help version keep-caps",
            "target setuid setgid wdns",
            "mount uts ipc net pid user cgroup time root wd",
        ),
        PROGRAM,
        "h V help version",
    ),
    wrapper(
        "setpriv",
        options(
            "dhV",
            "",
            "dump nnp no-new-privs clear-groups keep-groups init-groups reset-env help version",
            "ambient-caps inh-caps bounding-set ruid euid rgid egid reuid regid groups securebits pdeathsig \
             selinux-label apparmor-profile",
            "",
        ),
        PROGRAM,
        "d dump h V help version",
    ),
    wrapper(
        "prlimit",
        options(
            "hV",
            "po",
            "noheadings raw verbose help version",
            "pid output",
            "core data nice fsize sigpending memlock rss nofile msgqueue rtprio stack cpu nproc as locks rttime",
        ),
        PROGRAM,
        "p pid h V help version",
    ),
    wrapper(
        "strace",
        options(
            "cCdDfFhiknNqrtTvVwxyYzZ",
            "aAbeEIoOpPsSuUX",
            "follow-forks help version",
            "trace output attach",
            "output-separately",
        ),
        PROGRAM,
        "p h V help version attach",
    ),
    wrapper(
        "ltrace",
        options("bcCfhiLnrStTV", "aAeDFlnopsuwx", "help version", "output", ""),
        PROGRAM,
        "p h V help version",
    ),
    wrapper("valgrind", options("", "", "", "", ""), PROGRAM, "version help"),
    Wrapper {
        folder: "working-directory",
        ..wrapper(
            "systemd-run",
            options(
                "GPqrtSdkhvV",
                "pEuHMC",
                "user system scope remain-after-exit wait pty pipe quiet same-dir collect no-block no-ask-password shell \
                 help version ignore-failure send-sighup",
                "unit property setenv slice uid gid working-directory description host machine on-calendar on-active \
                 on-boot on-startup on-unit-active nice service-type timer-property path-property",
                "",
            ),
            PROGRAM,
            "help version h",
        )
    },
    wrapper("busybox toybox", options("", "", "help list", "", ""), PROGRAM, "help list"),
    wrapper(
        "fakeroot fakechroot",
        options("uhv", "lsibf", "help version", "lib faked", ""),
        PROGRAM,
        "h v help version",
    ),
    wrapper("unbuffer", options("p", "", "", "", ""), PROGRAM, ""),
    wrapper(
        "setarch linux32 linux64 i386 x86_64",
        options("vRFZLXBIST3hV", "", "help version", "", ""),
        PROGRAM,
        "help version",
    ),
    wrapper("caffeinate", options("disu", "tw", "", "", ""), PROGRAM, ""),
    wrapper(
        "proxychains proxychains4 torsocks torify tsocks",
        options("qi", "fua", "", "", ""),
        PROGRAM,
        "",
    ),
    wrapper(
        "xvfb-run",
        options(
            "alhcw",
            "einfps",
            "auto-servernum auto-display listen-tcp help",
            "auth-file error-file server-num server-args xauth-protocol wait",
            "",
        ),
        PROGRAM,
        "h help",
    ),
    wrapper(
        "dbus-run-session dbus-launch",
        options("", "", "exit-with-session sh-syntax", "config-file dbus-daemon", ""),
        PROGRAM,
        "",
    ),
    wrapper(
        "catchsegv ccache sccache distcc rlwrap winpty noglob nocorrect chronic ifne eatmydata firejail cpulimit systemd-inhibit",
        options("", "", "", "", ""),
        PROGRAM,
        "version help",
    ),
    wrapper(
        "numactl",
        options(
            "asH",
            "iNmCpl",
            "interleave all hardware show",
            "membind cpunodebind physcpubind preferred localalloc",
            "",
        ),
        PROGRAM,
        "s H show hardware",
    ),
    wrapper(
        "watchexec",
        options(
            "cnpqrINV1h",
            "wWLFiefosdE",
            "restart postpone no-vcs-ignore no-project-ignore no-default-ignore no-process-group print-events quiet notify help version once stdin-quit",
            "watch watch-non-recursive watch-file filter-file ignore ignore-file exts filter on-busy-update signal stop-signal stop-timeout debounce delay-run env shell project-origin workdir map-signal emit-events-to color fs-events",
            "clear poll",
        ),
        Shape::Code { skip: 0 },
        "h V help version",
    ),
    wrapper("entr", options("acdnprsxz", "", "", "", ""), PROGRAM, ""),
    // Each operand is a command, and so is what prepares and follows them.
    Wrapper {
        code: "s setup p prepare C conclude c cleanup reference",
        ..wrapper(
            "hyperfine poop",
            OptionTable {
                stop_at_operand: false,
                ..options(
                    "iNh",
                    "wmMrsSpcCuPDLn",
                    "show-output ignore-failure help",
                    "warmup min-runs max-runs runs setup prepare conclude cleanup shell style export-json export-csv export-markdown command-name reference input output",
                    "",
                )
            },
            Shape::Codes,
            "h help",
        )
    },
    wrapper(
        "concurrently conc",
        OptionTable {
            stop_at_operand: false,
            ..options(
                "gkriP",
                "nclspmtx",
                "raw group kill-others kill-others-on-fail kill-others-on-success no-color passthrough-arguments \
                 pad-prefix handle-input timings help version",
                "names prefix prefix-colors prefix-length success max-processes hide name-separator restart-tries \
                 restart-after timestamp-format default-input-target teardown cwd kill-signal kill-timeout",
                "",
            )
        },
        Shape::Codes,
        "help version",
    ),
    Wrapper {
        code: "c command",
        ..wrapper(
            "sg",
            OptionTable { stop_at_operand: false, ..options("", "c", "", "command", "") },
            Shape::Nothing,
            "",
        )
    },
    wrapper(
        "bwrap",
        options("", "", "unshare-all share-net die-with-parent new-session", "", ""),
        Shape::Nothing,
        "help version",
    ),
];

/// The names of all wrappers.
pub(in crate::shell) fn names() -> impl Iterator<Item = (&'static str, &'static Wrapper)> {
    let all = WRAPPERS.iter();
    all.flat_map(|one| one.names.split_ascii_whitespace().map(move |name| (name, one)))
}

/// Returns the wrapper of a name.
pub(in crate::shell) fn find(name: &str) -> Option<&'static Wrapper> {
    names().find(|(known, _)| *known == name).map(|(_, wrapper)| wrapper)
}
