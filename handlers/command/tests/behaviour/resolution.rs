//! Promise: what runs is what was configured, whatever stands in the folder of the session.

use std::path::{Path, PathBuf};

use hookgate_contract::{FailureClass, Reply, StepContext, Verdict, Word};
use serde_json::json;
use tempfile::TempDir;

use crate::support::{ask_about, build_in, call};

/// A folder of a config and one of a session, with files of the same names that say `real` and
/// `decoy`.
struct Folders {
    base: TempDir,
    session: TempDir,
}

/// Scripts that deny with a reason, by the ending of their names.
fn script(ending: &str, reason: &str) -> String {
    let say = format!(r#"{{"decision":"deny","reason":"{reason}"}}"#);
    match ending {
        "py" => format!("print('{say}', flush=True)\nimport os\nos._exit(0)\n"),
        "js" => format!("console.log('{say}'); process.exit(0);\n"),
        "pl" => format!("print '{say}'; exit 0;\n"),
        "awk" => format!("BEGIN {{ print \"{}\"; exit 0 }}\n", say.replace('"', "\\\"")),
        "jq" => format!("{say}\n"),
        "tcl" => format!("puts {{{say}}}\nexit 0\n"),
        _ => format!("echo '{say}'\nexit 0\n"),
    }
}

const ENDINGS: &[&str] = &["sh", "py", "js", "pl", "awk", "jq", "tcl"];

impl Folders {
    fn new() -> Self {
        let folders =
            Self { base: tempfile::tempdir().unwrap(), session: tempfile::tempdir().unwrap() };
        for (folder, reason) in [(&folders.base, "real"), (&folders.session, "decoy")] {
            std::fs::create_dir(folder.path().join("sub")).unwrap();
            for ending in ENDINGS {
                for name in ["guard", "sub/other"] {
                    let path = folder.path().join(format!("{name}.{ending}"));
                    std::fs::write(path, script(ending, reason)).unwrap();
                }
            }
        }
        // What the judged party puts there besides.
        let session = folders.session.path();
        for name in ["absent.sh", "json.py", "os.py", "guard", "sitecustomize.py", "fs.js", "5"] {
            let ending = name.rsplit('.').next().unwrap();
            std::fs::write(session.join(name), script(ending, "decoy")).unwrap();
        }
        for ending in ENDINGS {
            let path = session.join(format!("absent.{ending}"));
            std::fs::write(path, script(ending, "decoy")).unwrap();
        }
        folders
    }

    fn build(&self, argv: &[String]) -> Result<hookgate_contract::Built, String> {
        build_in(self.base.path(), &json!({ "argv": argv }))
    }

    async fn ask(&self, built: &hookgate_contract::Built) -> Reply {
        let cwd = self.session.path().to_str().unwrap().to_owned();
        ask_about(built, &call(), &StepContext::new("s").cwd(&cwd)).await
    }
}

/// Small numbers that look random, the same in each run.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).unwrap()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.next(of.len())]
    }
}

/// An interpreter, what its scripts are called, and options that may stand before them.
struct Interpreter {
    program: String,
    ending: &'static str,
    options: &'static [&'static str],
    /// Words right before the script.
    before: &'static str,
}

fn found(name: &str) -> bool {
    std::process::Command::new("sh")
        .args(["-c", &format!("command -v {name}")])
        .output()
        .is_ok_and(|output| output.status.success())
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
    let of = |program: &str, ending, options, before| Interpreter {
        program: program.to_owned(),
        ending,
        options,
        before,
    };
    let mut all = vec![of("sh", "sh", SH, ""), of("awk", "awk", AWK, "-f")];
    all.extend(python.map(|program| of(&program, "py", PYTHON, "")));
    for (name, ending, options, before) in [
        ("bash", "sh", BASH, ""),
        ("dash", "sh", SH, ""),
        ("node", "js", NODE, ""),
        ("perl", "pl", PERL, ""),
        ("jq", "jq", JQ, "-f"),
        ("tclsh", "tcl", &[][..], ""),
    ] {
        if found(name) {
            all.push(of(name, ending, options, before));
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
    let cases = std::env::var("HOOKGATE_ARGV_CASES").ok().and_then(|cases| cases.parse().ok());
    let folders = std::sync::Arc::new(Folders::new());
    let interpreters = interpreters();
    let (mut real, mut refused) = (0, 0);
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..cases.unwrap_or(150) {
        let argv = argv(&mut dice, &interpreters);
        let Ok(built) = folders.build(&argv) else {
            refused += 1;
            continue;
        };
        let folders = folders.clone();
        running.spawn(async move {
            let reply = folders.ask(&built).await;
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
    let told = format!("{reply:?}");
    assert!(!told.contains("decoy"), "{argv:?} ran the session's: {told}");
    // Some interpreters end with 2 where they do not know an option, and that is a deny.
    let word = reply.as_ref().ok().map(|verdict| verdict.parts().and_then(|parts| parts.decision));
    assert!(word.is_none_or(|word| word == Some(Word::Deny)), "{argv:?}: {told}");
    usize::from(*reply == Ok(Verdict::deny("real")))
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

#[tokio::test]
async fn the_argvs_that_ran_the_sessions_script_run_the_configs() {
    let folders = Folders::new();
    let mut lines = vec![
        "bash -e guard.sh",
        "sh -e guard.sh",
        "bash -euo pipefail guard.sh",
        "bash -o pipefail guard.sh",
        "env bash guard.sh",
        "/usr/bin/env bash guard.sh",
        "timeout 5 sh guard.sh",
        "nice sh guard.sh",
        "nohup sh guard.sh",
        "setsid -w sh guard.sh",
        "stdbuf -oL sh guard.sh",
        "awk -f guard.awk",
        "python3 -I guard.py",
        "python3 -E guard.py",
        "python3 -O guard.py",
        "python3 -X dev guard.py",
        "python3 -W error guard.py",
        "python3 -I ./guard.py",
        "env python3 guard.py",
    ];
    let if_found = [
        ("node", "node -r fs guard.js"),
        ("node", "node --require fs guard.js"),
        ("jq", "jq -c -f guard.jq"),
    ];
    lines.extend(if_found.iter().filter(|(name, _)| found(name)).map(|(_, line)| *line));
    for line in lines {
        let built = folders.build(&words(line)).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(folders.ask(&built).await, Ok(Verdict::deny("real")), "{line}");
        let base = folders.base.path();
        assert!(built.sources.iter().any(|path| path.starts_with(base)), "{line}: not followed");
        assert!(built.resolved.iter().any(|path| path.starts_with(base)), "{line}: not told");
        assert_eq!(built.warnings, [""; 0], "{line}");
    }
    let split = ["env", "-S", "python3 -I guard.py"].map(str::to_owned);
    let built = folders.build(&split).unwrap();
    assert_eq!(folders.ask(&built).await, Ok(Verdict::deny("real")));
}

/// The judged party puts a `json.py` into its folder.
#[tokio::test]
async fn python_takes_no_module_from_the_folder_of_the_session() {
    let folders = Folders::new();
    std::fs::write(folders.base.path().join("helper.py"), "WHY = 'real'\n").unwrap();
    std::fs::write(
        folders.base.path().join("imports.py"),
        "import json, helper\nprint(json.dumps({'decision': 'deny', 'reason': helper.WHY}))\n",
    )
    .unwrap();
    let code = "import json; print(json.dumps({'decision': 'deny', 'reason': 'real'}))";
    for argv in [
        ["python3", "imports.py"].map(str::to_owned).to_vec(),
        ["python3", "-c", code].map(str::to_owned).to_vec(),
        ["sh", "-c", &format!("python3 -c \"{code}\"")].map(str::to_owned).to_vec(),
    ] {
        let built = folders.build(&argv).unwrap();
        assert_eq!(folders.ask(&built).await, Ok(Verdict::deny("real")), "{argv:?}");
    }
    // The control: a script of one's own that does not want it so says so.
    let settings = json!({"argv": ["python3", "-c", code], "set_env": {"PYTHONSAFEPATH": ""}});
    let built = build_in(folders.base.path(), &settings).unwrap();
    assert_eq!(folders.ask(&built).await, Ok(Verdict::deny("decoy")));
}

/// `#!/usr/bin/env python3` looks into PATH.
#[test]
fn no_program_is_found_through_a_relative_entry_of_path() {
    let path = format!(".::sub:{}:", std::env::var("PATH").unwrap());
    crate::secrets::again("resolution::with_a_relative_path", [("PATH".to_owned(), path)]);
}

#[tokio::test]
#[ignore = "is run by the test above, with a PATH that has relative entries"]
async fn with_a_relative_path() {
    use std::os::unix::fs::PermissionsExt;
    let folders = Folders::new();
    let executable = |path: PathBuf, text: &str| {
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    };
    let decoy = format!("#!/bin/sh\n{}", script("sh", "decoy"));
    executable(folders.session.path().join("cat"), &decoy);
    executable(folders.session.path().join("sub/cat"), &decoy);
    let real = script("sh", "real").replace("echo", "exec cat >/dev/null; echo");
    executable(folders.base.path().join("run"), &format!("#!/bin/sh\ncat >/dev/null\n{real}"));
    for settings in [
        json!({"argv": ["./run"]}),
        json!({"argv": ["sh", "-c", "cat > /dev/null; echo \"$PATH\" >&2; exit 2"]}),
        json!({"argv": ["./run"], "env": ["PATH"]}),
    ] {
        let built = build_in(folders.base.path(), &settings).unwrap();
        let told = format!("{:?}", folders.ask(&built).await);
        assert!(!told.contains("decoy"), "{settings}: {told}");
        assert!(!told.contains("::") && !told.contains("\".:"), "{settings}: {told}");
    }
    let relative = json!({"shell": "true", "set_env": {"PATH": "bin:/usr/bin"}});
    let error = build_in(folders.base.path(), &relative).unwrap_err();
    assert!(error.contains("relative or empty entry"), "{error}");
}

#[tokio::test]
async fn a_script_that_was_swapped_is_not_run() {
    for mode in ["plain", "worker"] {
        let folders = Folders::new();
        let guard = folders.base.path().join("guard.sh");
        let worker = "echo '{\"ready\":1}'; while read -r call; do id=${call#*:}; id=${id%%,*}\n\
                      echo \"{\\\"id\\\":$id,\\\"verdict\\\":{\\\"decision\\\":\\\"deny\\\",\
                      \\\"reason\\\":\\\"real\\\"}}\"; done\n";
        if mode == "worker" {
            std::fs::write(&guard, worker).unwrap();
        }
        let mut settings = json!({"argv": ["env", "sh", "-e", "guard.sh"], "mode": mode});
        if mode == "worker" {
            // Each call has a process of its own.
            settings["max_calls"] = json!(1);
        }
        let built = build_in(folders.base.path(), &settings).unwrap();
        assert_eq!(folders.ask(&built).await, Ok(Verdict::deny("real")), "{mode}");
        // Another time, the same content: it is the same script.
        let text = std::fs::read(&guard).unwrap();
        std::fs::remove_file(&guard).unwrap();
        std::fs::write(&guard, &text).unwrap();
        assert_eq!(folders.ask(&built).await, Ok(Verdict::deny("real")), "{mode}");
        // The same length and the same times: only the content tells.
        let other = String::from_utf8(text.clone()).unwrap().replace("real", "lax!");
        let times = std::fs::metadata(&guard).unwrap().modified().unwrap();
        std::fs::write(&guard, other).unwrap();
        std::fs::File::options()
            .write(true)
            .open(&guard)
            .and_then(|file| file.set_modified(times))
            .unwrap();
        let failure = folders.ask(&built).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Untrusted, "{mode}: {failure}");
        assert!(failure.detail.contains("guard.sh") && failure.detail.contains("reload"));
        std::fs::write(&guard, &text).unwrap();
        assert_eq!(folders.ask(&built).await, Ok(Verdict::deny("real")), "{mode}");
        std::fs::remove_file(&guard).unwrap();
        let failure = folders.ask(&built).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Spawn, "{mode}: {failure}");
        // A pipe in its place would be waited for.
        std::process::Command::new("mkfifo").arg(&guard).status().unwrap();
        let failure = folders.ask(&built).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Untrusted, "{mode}: {failure}");
    }
}

#[tokio::test]
async fn a_program_beside_the_config_that_was_swapped_is_not_run_until_the_config_is_read_again() {
    let folders = Folders::new();
    let copy = |from: &str| {
        let (program, new) = (folders.base.path().join("guard"), folders.base.path().join("new"));
        std::fs::copy(from, &new).unwrap();
        std::fs::rename(&new, &program).unwrap();
    };
    copy("/bin/true");
    let build = || build_in(folders.base.path(), &json!({"argv": ["./guard"]})).unwrap();
    let built = build();
    assert_eq!(folders.ask(&built).await, Ok(Verdict::none()));
    copy("/bin/false");
    let failure = folders.ask(&built).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Untrusted, "{failure}");
    let again = build();
    assert_ne!(again.identity, built.identity);
    assert_eq!(folders.ask(&again).await.unwrap_err().class, FailureClass::Exit);
}

/// A program of the system is known by its name only, so that a config has the same hash everywhere;
/// yet a reload after it was changed makes another handler.
#[tokio::test]
async fn a_program_in_path_that_was_swapped_is_another_one_after_a_reload() {
    let (base, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let program = elsewhere.path().join("tool");
    std::fs::copy("/bin/true", &program).unwrap();
    let build = || build_in(base.path(), &json!({ "argv": [program] })).unwrap();
    let (first, second) = (build(), build());
    assert_eq!(first.identity, second.identity);
    std::fs::remove_file(&program).unwrap();
    std::fs::copy("/bin/false", &program).unwrap();
    let context = StepContext::new("s");
    let failure = ask_about(&first, &call(), &context).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Untrusted, "{failure}");
    let third = build();
    assert_ne!(first.identity, third.identity);
    assert_eq!(ask_about(&third, &call(), &context).await.unwrap_err().class, FailureClass::Exit);
    assert_eq!(third.identity, build().identity);
}

#[test]
fn what_cannot_be_resolved_is_an_error_that_says_what_to_write() {
    let folders = Folders::new();
    for (line, advice) in [
        ("python3 -I absent.py", "paths start at the folder of the config"),
        ("env bash -e absent.sh", "paths start at the folder of the config"),
        ("node --require dotenv guard.js", "write the path of a file"),
        ("bash", "name a script"),
        ("env PATH=. sh guard.sh", "write an absolute path"),
    ] {
        if !found(line.split(' ').next().unwrap()) {
            continue;
        }
        let error = folders.build(&words(line)).err().unwrap_or_else(|| panic!("{line} loads"));
        assert!(error.contains(advice), "{line}: {error}");
    }
    let warned = |settings| build_in(folders.base.path(), &settings).unwrap().warnings.join(" ");
    let told = warned(json!({"shell": "./guard.sh"}));
    assert!(told.contains("$HOOKGATE_CONFIG_DIR/guard.sh"), "{told}");
    let options = json!({"NODE_OPTIONS": "--require ./guard.js"});
    let told = warned(json!({"argv": ["true"], "set_env": options}));
    assert!(told.contains("$HOOKGATE_CONFIG_DIR/guard.js"), "{told}");
    let told = warned(json!({"shell": "exec \"$HOOKGATE_CONFIG_DIR/guard.sh\""}));
    assert_eq!(told, "");
}

#[test]
fn a_folder_that_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let base = tempfile::tempdir().unwrap();
    let odd = base.path().join(std::ffi::OsStr::from_bytes(b"odd-\xff"));
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("guard.sh"), "").unwrap();
    let error = build_in(Path::new(&odd), &json!({"argv": ["sh", "guard.sh"]})).unwrap_err();
    assert!(error.contains("no UTF-8"), "{error}");
}
