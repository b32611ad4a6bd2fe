//! Promise: an input that is too large, endless or scarce is an error that names the limit.

use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{Folder, HOOKS, bash, run};

const COMMAND: &str = "[[hook]]\nid = \"c\"\nevent = \"pre_tool_use\"\ncommand = ";

#[test]
fn values_beyond_any_use_are_refused_with_their_bound() {
    let limits = |more: &str| format!("[limits]\n{more}\n{HOOKS}");
    for (config, bound) in [
        (limits("dispatch_deadline = \"18446744073709551615s\""), "365d"),
        (limits("dispatch_deadline = \"366d\""), "365d"),
        (limits("timeout = { command = \"500000000000y\" }"), "365d"),
        (limits("payload = \"2GiB\""), "1GiB"),
        (limits("output = 9223372036854775807"), "1"),
        (limits("background_queue = 2305843009213693952"), "1 to 1048576"),
        (limits("concurrency = 2305843009213693952"), "1 to 1048576"),
        (limits("concurrency = 0"), "1 to 1048576"),
        (format!("{COMMAND}{{ argv = [\"true\"] }}\ntimeout = \"1000y\"\n"), "365d"),
        (
            format!("{COMMAND}{{ argv = [\"true\"], mode = \"worker\", startup = \"9999y\" }}\n"),
            "365d",
        ),
    ] {
        let ended = Folder::with_hooks(&config).run(&["check"], "");
        assert_eq!(ended.code(), 3, "{config}: {}", ended.err());
        assert!(ended.err().contains(bound), "{config}: {}", ended.err());
    }
    // What is only large is taken.
    for config in [
        limits(
            "dispatch_deadline = \"365d\"\npayload = \"1GiB\"\noutput = \"1GiB\"\nbackground_queue = 1048576",
        ),
        format!(
            "{COMMAND}{{ argv = [\"true\"], limits = {{ memory = \"64GiB\" }} }}\ntimeout = \"30d\"\n"
        ),
    ] {
        let folder = Folder::with_hooks(&config);
        assert_eq!(folder.run(&["check"], "").code(), 0, "{}", folder.run(&["check"], "").err());
        assert!(folder.run(&["eval"], bash("ls")).code() != 101);
    }
}

#[test]
fn a_file_that_is_none_is_refused_at_once() {
    let folder = Folder::with_hooks(HOOKS);
    assert!(Command::new("mkfifo").arg(folder.path("fifo")).status().unwrap().success());
    symlink("/dev/zero", folder.path("zero")).unwrap();
    folder.write("large", vec![b'#'; (8 << 20) + 1]);
    std::fs::create_dir(folder.path("folder")).unwrap();
    let judge = |file: &str| {
        format!(
            "[[hook]]\nid = \"j\"\nevent = \"pre_tool_use\"\n\
             prompt = {{ model = \"m\", base_url = \"http://127.0.0.1:9/v1\", prompt_file = \"{file}\" }}\n"
        )
    };
    let service = "[[hook]]\nid = \"h\"\nevent = \"pre_tool_use\"\n\
                 http = { url = \"https://hooks.example.com/\", ca_file = \"FILE\" }\n";
    for (file, why) in [
        ("fifo", "it is a named pipe"),
        ("zero", "it is a device"),
        ("large", "it is larger than 8388608 bytes"),
        ("folder", "it is a folder"),
    ] {
        folder.write("judge.toml", judge(file));
        folder.write("http.toml", service.replace("FILE", file));
        for (args, code) in [
            (["check", "-c", file].as_slice(), 3),
            (&["list", "-c", file], 3),
            (&["run", "-c", file], 3),
            (&["eval", "-c", file], 3),
            (&["check", "-c", "judge.toml"], 3),
            (&["check", "-c", "http.toml"], 3),
        ] {
            let started = Instant::now();
            let ended = folder.run(args, "");
            assert!(started.elapsed() < Duration::from_secs(10), "{args:?}");
            assert_eq!(ended.code(), code, "{args:?}: {}", ended.err());
            assert!(ended.err().contains(why), "{args:?}: {}", ended.err());
        }
    }
    for (file, why) in [("fifo", "it is a named pipe"), ("zero", "it is a device")] {
        let replay = ["judge", "eval", "gold.jsonl", "--hook", "cached", "--replay", file];
        folder.write("gold.jsonl", format!("{{\"envelope\":{},\"label\":\"deny\"}}", bash("ls")));
        for args in [&["judge", "eval", file, "--hook", "cached"][..], &replay] {
            let started = Instant::now();
            let ended = folder.run(args, "");
            assert!(started.elapsed() < Duration::from_secs(10), "{args:?}");
            assert_eq!(ended.code(), 1, "{args:?}: {}", ended.err());
            assert!(ended.err().contains(why), "{args:?}: {}", ended.err());
        }
    }
}

/// What a service or a record says that it used is a claim: the sum of many has no overflow.
#[test]
fn figures_of_any_size_are_added_up() {
    let folder = Folder::with_hooks(HOOKS);
    let gold = |command: &str| format!("{{\"envelope\":{},\"label\":\"allow\"}}", bash(command));
    folder.write("gold.jsonl", ["a", "b", "c"].map(gold).join("\n"));
    let eval = ["judge", "eval", "gold.jsonl", "--hook", "cached", "--repeats", "2"];
    let recorded = folder.run(&[&eval[..], &["--record", "replies.jsonl"]].concat(), "");
    assert_eq!(recorded.code(), 0, "{}", recorded.err());
    let recording = std::fs::read_to_string(folder.path("replies.jsonl")).unwrap();
    let lines = recording.lines().map(|line| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        if line.get("step").is_some() {
            line["latency_us"] = u64::MAX.into();
            line["usage"] = serde_json::json!({
                "model": "m", "calls": u32::MAX,
                "prompt_tokens": u64::MAX, "completion_tokens": u64::MAX, "cost": f64::MAX,
            });
        }
        line.to_string()
    });
    let lines: Vec<_> = lines.collect();
    folder.write("replies.jsonl", lines.join("\n"));
    for output in ["--json", "--table"] {
        let args = [&eval[..], &["--replay", "replies.jsonl", output]].concat();
        let ended = folder.run(&args, "");
        assert_eq!(ended.code(), 0, "{}", ended.err());
        assert!(ended.out().contains(&u64::MAX.to_string()), "{}", ended.out());
    }
}

#[test]
fn too_few_files_are_an_error_and_not_a_panic() {
    let folder = Folder::with_hooks(HOOKS);
    for number in [4, 5, 6, 7, 8, 10, 14] {
        let hookgate = env!("CARGO_BIN_EXE_hookgate");
        let mut command = Command::new("sh");
        let script = format!("ulimit -n {number}; exec {hookgate} run");
        command.args(["-c", &script]).current_dir(folder.path(""));
        let ended = run(command, bash("ls").as_bytes());
        assert!([1, 127].contains(&ended.code()), "{number}: {} {}", ended.code(), ended.err());
        assert!(!ended.err().contains("panicked"), "{number}: {}", ended.err());
    }
    let mut command = Command::new("sh");
    let script = format!("ulimit -n 8; exec {} run", env!("CARGO_BIN_EXE_hookgate"));
    command.args(["-c", &script]).current_dir(folder.path(""));
    let ended = run(command, b"");
    assert_eq!(ended.code(), 1);
    assert!(ended.err().contains("too few files can be opened"), "{}", ended.err());
    assert!(ended.err().contains("ulimit -n"), "{}", ended.err());
}
