//! Promise: random command lines of real interpreters and wrappers never run a file of the session.

use hookgate_contract::{Reply, Verdict, VerdictDecision};

use super::{Folders, found};
use crate::support::Dice;

/// An interpreter, what its scripts are called, and options that may stand before them.
struct Interpreter {
    program: String,
    ending: &'static str,
    options: &'static [&'static str],
    /// Words right before the script.
    before: &'static str,
}

fn interpreters() -> Vec<Interpreter> {
    const PYTHON: &[&str] = &[
        "-I",
        "-E",
        "-O",
        "-OO",
        "-u",
        "-s",
        "-B",
        "-X dev",
        "-Xutf8",
        "-W error",
        "-Wignore",
        "-b",
        "-IE",
        "-q",
        "--check-hash-based-pycs never",
        "--",
        "-P",
    ];
    const BASH: &[&str] = &[
        "-e",
        "-u",
        "-eu",
        "-euo pipefail",
        "-o pipefail",
        "+e",
        "--norc",
        "--posix",
        "-O extglob",
        "--noprofile",
        "--",
        "-l",
        "--rcfile guard.sh",
        "-x",
    ];
    const SH: &[&str] = &["-e", "-u", "-eu", "-o nounset", "+e", "-f", "--", "-x"];
    const NODE: &[&str] = &[
        "-r fs",
        "--require path",
        "--no-warnings",
        "--max-old-space-size=64",
        "-r ./guard.js",
        "--import=node:fs",
        "--trace-warnings",
        "--stack-trace-limit=5",
        "--",
        "--conditions x",
        "--require absent",
        "--title x",
        "--frobnicate 5",
        "--unhandled-rejections strict",
    ];
    const PERL: &[&str] = &["-w", "-T", "-t", "-Isub", "-I sub", "-Mstrict", "-W", "--", "-I."];
    const AWK: &[&str] = &["-v x=1", "-vx=1", "-F :", "-F:", "-f guard.awk"];
    const JQ: &[&str] = &["-c", "-n", "-r", "--arg a guard", "-L sub", "--indent 2", "-S", "--tab"];
    let python = std::process::Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map(|path| path.trim().to_owned());
    let interpreter = |program: &str, ending, options, before| Interpreter {
        program: program.to_owned(),
        ending,
        options,
        before,
    };
    let mut all = vec![interpreter("sh", "sh", SH, ""), interpreter("awk", "awk", AWK, "-f")];
    all.extend(python.map(|program| interpreter(&program, "py", PYTHON, "")));
    for (name, ending, options, before) in [
        ("bash", "sh", BASH, ""),
        ("dash", "sh", SH, ""),
        ("node", "js", NODE, ""),
        ("perl", "pl", PERL, ""),
        ("jq", "jq", JQ, "-f"),
        ("tclsh", "tcl", &[][..], ""),
    ] {
        if found(name) {
            all.push(interpreter(name, ending, options, before));
        }
    }
    all
}

const WRAPPERS: &[&str] = &[
    "env",
    "env -i",
    "env A=b",
    "env -u HOME",
    "env -u HOME A=b C=guard.sh",
    "timeout 20",
    "timeout -k 1 20",
    "timeout --signal KILL 20",
    "nice",
    "nice -n 1",
    "nice -1",
    "nohup",
    "setsid -w",
    "stdbuf -oL",
    "stdbuf -o L -e 0",
    "ionice -c 3",
    "env -C /",
    "env -S",
    "env PATH=.:/usr/bin:/bin",
];

fn argv(dice: &mut Dice, interpreters: &[Interpreter]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut add = |text: &str| words.extend(text.split_whitespace().map(str::to_owned));
    let interpreter = &interpreters[dice.next(interpreters.len())];
    let mut split = false;
    for _ in 0..dice.next(3) {
        let wrapper = dice.one(WRAPPERS);
        if split || !found(wrapper.split(' ').next().unwrap()) {
            continue;
        }
        add(wrapper);
        split = wrapper == "env -S";
    }
    let start = words.len();
    let mut add = |text: &str| words.extend(text.split_whitespace().map(str::to_owned));
    add(&interpreter.program);
    for _ in 0..dice.next(4) {
        if !interpreter.options.is_empty() {
            add(dice.one(interpreter.options));
        }
    }
    add(interpreter.before);
    let stem = dice.one(&["guard", "guard", "./guard", "sub/other", "./sub/../guard", "absent"]);
    add(&format!("{stem}.{}", interpreter.ending));
    add(dice.one(&["", "", "guard.sh", "x", "--flag=guard.py"]));
    if split {
        let text = words.split_off(start).join(" ");
        words.push(text);
    }
    words
}

/// Real programs behind random options and wrappers, in a folder full of decoys.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_program_of_the_session_ever_runs_in_place_of_the_configs() {
    let runs = std::env::var("HOOKGATE_ARGV_CASES").ok().and_then(|runs| runs.parse().ok());
    let folders = std::sync::Arc::new(Folders::new());
    let interpreters = interpreters();
    let (mut real, mut refused) = (0, 0);
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..runs.unwrap_or(150) {
        let argv = argv(&mut dice, &interpreters);
        let Ok(built) = folders.build(&argv) else {
            refused += 1;
            continue;
        };
        let folders = folders.clone();
        running.spawn(async move {
            let reply = folders.invoke(&built).await;
            (argv, reply)
        });
        if running.len() >= 4 {
            let (argv, reply) = running.join_next().await.unwrap().unwrap();
            real += check(&argv, &reply);
        }
    }
    while let Some(ended) = running.join_next().await {
        let (argv, reply) = ended.unwrap();
        real += check(&argv, &reply);
    }
    eprintln!("{real} ran the config's, {refused} were refused");
    assert!(real > 20 && refused > 5, "{real} {refused}");
}

fn check(argv: &[String], reply: &Reply) -> usize {
    let shown = format!("{reply:?}");
    assert!(!shown.contains("decoy"), "{argv:?} ran the session's: {shown}");
    // Some interpreters end with 2 where they do not know an option, and that is a deny.
    let decision =
        reply.as_ref().ok().map(|verdict| verdict.parts().and_then(|parts| parts.decision));
    assert!(
        decision.is_none_or(|decision| decision == Some(VerdictDecision::Deny)),
        "{argv:?}: {shown}"
    );
    usize::from(*reply == Ok(Verdict::deny("real")))
}
