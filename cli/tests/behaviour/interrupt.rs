//! Promise: an interrupted run leaves nothing running.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Folder, bash};

#[test]
fn hooks_end_with_the_run() {
    for signal in ["-INT", "-TERM", "-HUP", "-QUIT"] {
        // What `nohup` and the like keep from these tests they keep from hookgate as well.
        if signal == "-HUP" && hangup_is_ignored() {
            continue;
        }
        for shim in [true, false] {
            ends_with(signal, shim);
        }
    }
}

fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() & 1 != 0
}

fn ends_with(signal: &str, shim: bool) {
    let folder = Folder::with_hooks(&format!(
        "[[hook]]\nid = \"slow\"\nevent = \"pre_tool_use\"\ntimeout = \"50s\"\n\
         command = {{ shell = \"echo $$ > $HOME/pid; sleep 40\", shim = {shim} }}\n",
    ));
    let file = folder.write("steps.jsonl", bash("ls"));
    let mut child = folder
        .hookgate(&["run", file.to_str().unwrap()])
        .env("HOME", folder.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let pid = loop {
        let text = std::fs::read_to_string(folder.path("pid")).unwrap_or_default();
        if text.ends_with('\n') {
            break text.trim().to_owned();
        }
        assert!(started.elapsed() < Duration::from_secs(20), "the hook was not started");
        sleep(Duration::from_millis(10));
    };
    let kill = |args: &[&str]| Command::new("kill").args(args).output().unwrap().status.success();
    assert!(kill(&[signal, &child.id().to_string()]));
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(1));
    assert!(started.elapsed() < Duration::from_secs(20), "it waited for the hook");
    let gone = (0..200).any(|_| {
        sleep(Duration::from_millis(10));
        !kill(&["-0", &pid])
    });
    assert!(gone, "the hook survived");
}

/// The first signal asks for an orderly end, which waits for what runs in the background.
#[test]
fn a_second_signal_ends_it_at_once() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = \"slow\"\nevent = \"pre_tool_use\"\nrole = \"observe\"\n\
         background = true\ntimeout = \"50s\"\n\
         command = { shell = \"echo $$ > $HOME/pid; sleep 40\" }\n",
    );
    for (first, second) in [("-INT", "-INT"), ("-TERM", "-INT"), ("-INT", "-TERM")] {
        let _ = std::fs::remove_file(folder.path("pid"));
        let mut child = folder
            .hookgate(&["run"])
            .env("HOME", folder.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, format!("{}\n", bash("ls")).as_bytes()).unwrap();
        let started = Instant::now();
        while !folder.path("pid").exists() {
            assert!(started.elapsed() < Duration::from_secs(20), "the hook was not started");
            sleep(Duration::from_millis(10));
        }
        let signal = |name: &str| {
            let id = child.id().to_string();
            assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
        };
        signal(first);
        sleep(Duration::from_millis(300));
        let signalled = Instant::now();
        signal(second);
        let status = child.wait().unwrap();
        // Ten seconds are waited for the background otherwise.
        assert!(signalled.elapsed() < Duration::from_secs(5), "{:?}", signalled.elapsed());
        assert_eq!(status.code(), Some(1));
    }
}
