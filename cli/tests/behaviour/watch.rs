//! `run --watch` puts a changed config in force while it runs.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use std::{fs, thread};

use serde_json::Value;

use crate::support::{Folder, HOOKS, bash};

/// Long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

struct Watching {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    stderr: Receiver<String>,
}

impl Watching {
    fn start(folder: &Folder, config: &str) -> Self {
        let mut child = folder
            .hookgate(&["run", "--watch", "-c", config])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, stderr) = channel();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout, stderr }
    }

    /// Sends a step and reads its record: each is there before the next step is.
    fn judge(&mut self, command: &str) -> Value {
        writeln!(self.stdin.as_mut().unwrap(), "{}", bash(command)).unwrap();
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Waits for a line on stderr.
    fn hears(&self, words: &str) -> String {
        loop {
            let line =
                self.stderr.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no `{words}`"));
            if line.contains(words) {
                return line;
            }
        }
    }

    fn end(mut self) -> (Option<i32>, String) {
        drop(self.stdin.take());
        let code = self.child.wait().unwrap().code();
        (code, self.stderr.iter().collect::<Vec<_>>().join("\n"))
    }
}

#[test]
fn a_change_is_in_force_a_broken_one_is_not() {
    let folder = Folder::with_hooks(HOOKS);
    let mut run = Watching::start(&folder, "hooks.toml");
    let record = run.judge("git push --force");
    assert_eq!((&record["decision"], &record["generation"]), (&"deny".into(), &1.into()));

    folder.write("hooks.toml", HOOKS.replace("push.*--force", "rebase"));
    assert!(run.hears("reloaded").contains("generation 2"));
    let record = run.judge("git push --force");
    assert_eq!((&record["decision"], &record["generation"]), (&"allow".into(), &2.into()));

    folder.write("hooks.toml", HOOKS.replace("pre_tool_use", "pre_tool_us"));
    run.hears("hooks.toml:4:9: unknown event `pre_tool_us`");
    assert!(run.hears("not reloaded").contains("generation 2"));
    let record = run.judge("git rebase");
    assert_eq!((&record["decision"], &record["generation"]), (&"deny".into(), &2.into()));

    // As editors do it: a new file takes the place of the old one.
    let next = folder.write("hooks.toml.new", HOOKS);
    fs::rename(next, folder.path("hooks.toml")).unwrap();
    assert!(run.hears("reloaded").contains("generation 3"));
    let record = run.judge("git push --force");
    assert_eq!((&record["decision"], &record["generation"]), (&"deny".into(), &3.into()));

    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("generations 1 to 3"), "{said}");
}

#[test]
fn a_config_behind_a_link_is_watched_where_it_is() {
    let folder = Folder::new();
    fs::create_dir(folder.path("real")).unwrap();
    folder.write("real/hooks.toml", HOOKS);
    std::os::unix::fs::symlink("real/hooks.toml", folder.path("hooks.toml")).unwrap();
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(run.judge("ls")["decision"], "allow");
    folder.write("real/hooks.toml", HOOKS.replace("push.*--force", "ls"));
    run.hears("generation 2");
    assert_eq!(run.judge("ls")["decision"], "deny");
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn a_script_that_was_missing_is_noticed_when_it_is_there() {
    let folder = Folder::with_hooks(HOOKS);
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(run.judge("ls")["decision"], "allow");
    let guard = "[[hook]]\nid = \"g\"\nevent = \"pre_tool_use\"\n\
                 command = { argv = [\"sh\", \"./guard.sh\"] }\n";
    folder.write("hooks.toml", guard);
    run.hears("not reloaded");
    folder.write("guard.sh", "echo no >&2; exit 2\n");
    run.hears("generation 2");
    assert_eq!(run.judge("ls")["decision"], "deny");
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn a_changed_script_of_a_worker_is_in_force() {
    let folder = Folder::new();
    fs::create_dir(folder.path("scripts")).unwrap();
    let worker = |decision: &str| {
        format!(
            "echo '{{\"ready\":1}}'\nwhile read -r line; do\n    id=${{line#*\\\"id\\\":}}\n    \
             echo \"{{\\\"id\\\":${{id%%,*}},\\\"verdict\\\":{{\\\"decision\\\":\\\"{decision}\\\",\\\"reason\\\":\\\"r\\\"}}}}\"\ndone\n"
        )
    };
    folder.write("scripts/worker.sh", worker("deny"));
    folder.write(
        "hooks.toml",
        "[[hook]]\nid = \"w\"\nevent = \"pre_tool_use\"\n\
         command = { argv = [\"sh\", \"scripts/worker.sh\"], mode = \"worker\" }\n",
    );
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(run.judge("ls")["decision"], "deny");
    // The first look is over, and nothing else in the folder of the config changes: who is told of
    // the script must watch it where it is.
    thread::sleep(Duration::from_millis(700));
    folder.write("scripts/worker.sh", worker("ask"));
    assert!(run.hears("reloaded").contains("generation 2"));
    assert_eq!(run.judge("ls")["decision"], "ask");
    // What is none of its business puts nothing in force.
    folder.write("notes.txt", "hello");
    thread::sleep(Duration::from_millis(700));
    assert_eq!(run.judge("ls")["generation"], 2);
    assert_eq!(run.end().0, Some(0));
}
