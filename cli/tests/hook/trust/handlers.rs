//! Every kind of hook that does something, and every file that it is made of.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::ground::{Ground, OTHER, SCRIPT, chmod, hook, is_refused};

/// What a hook has, and how the project changes so that it is another one.
type Change = fn(&Ground);

/// Handlers that leave the mark, with the files that they need and a change.
const HANDLERS: &[(&str, Change, Change, &str)] = &[
    (
        "command = { shell = 'touch MARK' }",
        |_| {},
        |g| g.write("hooks.toml", &hook("theirs", "command = { shell = 'touch MARK; true' }")),
        "hooks.toml",
    ),
    (
        "command = { argv = ['sh', 'a.sh'] }",
        |g| g.write("a.sh", SCRIPT),
        |g| g.write("a.sh", OTHER),
        "a.sh",
    ),
    (
        "command = { argv = ['env', 'A=1', './a.sh'] }",
        |g| g.script("a.sh", SCRIPT),
        |g| g.script("a.sh", OTHER),
        "a.sh",
    ),
    (
        "command = { argv = ['./a.sh'], mode = 'worker', startup = '1s' }",
        |g| g.script("a.sh", SCRIPT),
        |g| g.script("a.sh", OTHER),
        "a.sh",
    ),
    (
        "command = { shell = 'sh ./a.sh' }",
        |g| g.write("a.sh", SCRIPT),
        |g| g.write("a.sh", OTHER),
        "a.sh",
    ),
    (
        "command = { shell = '. ./a.sh && true' }",
        |g| g.write("a.sh", SCRIPT),
        |g| g.write("a.sh", OTHER),
        "a.sh",
    ),
    (
        "command = { shell = 'sh \"$PWD/a.sh\"' }",
        |g| g.write("a.sh", SCRIPT),
        |g| g.write("a.sh", OTHER),
        "a.sh",
    ),
    (
        "command = { argv = ['sh', '-c', 'sh ./a.sh'] }",
        |g| g.write("a.sh", SCRIPT),
        |g| g.write("a.sh", OTHER),
        "a.sh",
    ),
    (
        "command = { shell = 'touch MARK; cat data.txt' }",
        |g| g.write("data.txt", "1"),
        |g| g.write("data.txt", "2"),
        "data.txt",
    ),
    (
        "builtin = { name = 'log', file = 'ran' }",
        |_| {},
        |g| {
            g.write(
                "hooks.toml",
                &hook("theirs", "builtin = { name = 'log', file = 'ran', keep = 1 }"),
            )
        },
        "hooks.toml",
    ),
    (
        "mcp = { server = { command = ['./a.sh'], startup = '1s' }, tool = 't' }",
        |g| g.script("a.sh", SCRIPT),
        |g| g.script("a.sh", OTHER),
        "a.sh",
    ),
];

#[test]
fn whatever_leaves_a_mark_leaves_none_before_it_is_trusted() {
    for (handler, prepare, change, why) in HANDLERS {
        let ground = Ground::with_hook(&handler.replace("file = 'ran'", "file = 'MARK'"));
        prepare(&ground);
        ground.refuses("nobody has said that the project is trusted", handler);
        ground.trust(handler);
        // A worker that is none, and a server that is none, are refused after they were started.
        assert!(ground.call_in(&ground.work(), &[], &[]).0, "{handler}");
        assert!(ground.call_in(&ground.work(), &[], &[]).0, "{handler}, once more");
        change(&ground);
        ground.refuses(why, handler);
        ground.trust(handler);
    }
}

/// What a hook writes is no part of it: it would not be trusted any more after the first call.
#[test]
fn what_a_hook_writes_does_not_count() {
    let ground = Ground::with_hook("command = { shell = 'echo x >> steps.log; touch MARK' }");
    ground.trust("log");
    ground.runs("first");
    ground.runs("second");
    assert_eq!(fs::read_to_string(ground.path("steps.log")).unwrap(), "x\nx\n");
}

#[test]
fn a_program_in_the_path_counts_unless_it_is_of_the_system() {
    let ground = Ground::with_hook("command = { argv = ['my-guard'] }");
    let (first, second) = (ground.outside("first"), ground.outside("second"));
    ground.script_at(&second.join("my-guard"), SCRIPT);
    let path =
        format!("{}:{}:{}", first.display(), second.display(), std::env::var("PATH").unwrap());
    let variables = [("PATH", path.as_str())];
    let call = || ground.call_in(&ground.work(), &[], &variables);
    let trust = || {
        let mut command = ground.session.command(&["trust", "--yes"]);
        let done = command.current_dir(ground.work()).env("PATH", &path).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    is_refused(call(), "nobody has said", "never");
    trust();
    assert!(call().0);
    ground.script_at(&second.join("my-guard"), OTHER);
    is_refused(call(), "my-guard", "changed");
    trust();
    assert!(call().0);
    // Another one comes before it, with the same content.
    ground.script_at(&first.join("my-guard"), OTHER);
    is_refused(call(), "my-guard", "another one is found");
    trust();
    chmod(&first.join("my-guard"), 0o777);
    is_refused(call(), "can be written by everybody", "for everybody");
    assert_eq!(fs::metadata(first.join("my-guard")).unwrap().permissions().mode() & 0o777, 0o777);
}

/// A service that counts who connects.
fn service() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, calls) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&calls);
    thread::spawn(move || {
        for stream in listener.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
            drop(stream);
        }
    });
    (port, calls)
}

#[test]
fn nothing_is_sent_before_it_is_trusted() {
    let (port, calls) = service();
    let url = format!("http://127.0.0.1:{port}");
    let handlers = [
        format!("http = {{ url = '{url}/hook', allow_loopback = ['127.0.0.1:{port}'] }}"),
        format!(
            "prompt = {{ model = 'm', base_url = '{url}/v1', prompt_file = 'rule.md', retries = 0 }}"
        ),
        format!(
            "mcp = {{ server = {{ url = '{url}/mcp', allow_loopback = ['127.0.0.1:{port}'] }}, tool = 't' }}"
        ),
    ];
    for handler in handlers {
        let ground = Ground::with_hook(&handler);
        ground.write("rule.md", "Deny what deletes data.");
        ground.refuses("nobody has said", &handler);
        assert_eq!(calls.load(Ordering::SeqCst), 0, "{handler}");
        ground.trust(&handler);
        let shown = ground.shown()["hooks"][0]["does"].as_str().unwrap().to_owned();
        assert!(shown.contains(&url), "{shown}");
        ground.call_in(&ground.work(), &[], &[]);
        assert!(calls.swap(0, Ordering::SeqCst) > 0, "{handler}: nobody has called");
        let why = if handler.starts_with("prompt") {
            ground.write("rule.md", "Allow everything.");
            "rule.md"
        } else {
            let other = handler.replace("/hook", "/other").replace("tool = 't'", "tool = 'u'");
            ground.write("hooks.toml", &hook("theirs", &other));
            "hooks.toml"
        };
        ground.refuses(why, &handler);
        assert_eq!(calls.load(Ordering::SeqCst), 0, "{handler}");
    }
}
