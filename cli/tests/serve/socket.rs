//! Promise: a socket is for its user alone, a session for its connection, and a server that was killed leaves nothing in
//! the way of the next one.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::support::{Folder, HOOKS, Host, PATIENCE, Server, judge};

fn listening(folder: &Folder, args: &[&str]) -> Server {
    let args: Vec<&str> = args.iter().copied().chain(["-c", "hooks.toml"]).collect();
    let (server, streams) = Server::start(folder, &args);
    drop(streams);
    server.wait_for("listening");
    server
}

#[test]
fn the_socket_stands_in_a_folder_that_is_closed_to_others() {
    let folder = Folder::with_hooks(HOOKS);
    fs::create_dir(folder.path("run")).unwrap();
    let mut server = listening(&folder, &["--socket"]);
    let mode = |name: &str| fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("run/hookgate"), mode("run/hookgate/serve.sock")), (0o700, 0o600));
    let mut host = Host::connect(&folder, "run/hookgate/serve.sock");
    host.hello();
    assert_eq!(host.judge("s", "git push --force")["verdict"], "deny");
    // There is one server at a place.
    let second = folder.hookgate(&["serve", "--socket", "-c", "hooks.toml"]).output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&second.stderr).contains("another server listens"),
        "{second:?}"
    );
    assert_eq!(host.judge("s", "ls")["verdict"], "pass");
    server.signal("TERM");
    assert_eq!(server.ended(), Some(0));
    assert!(!folder.path("run/hookgate/serve.sock").exists());

    // What is no socket is not removed, nor is a file emptied that has the name of the lock.
    folder.write("run/hookgate/notes.txt", "mine");
    folder.write("run/hookgate/other.sock.lock", "mine, too");
    let args = ["--socket", "run/hookgate/notes.txt", "-c", "hooks.toml"];
    assert_eq!(Server::start(&folder, &args).0.ended(), Some(1));
    let mut server = listening(&folder, &["--socket", "run/hookgate/other.sock"]);
    server.signal("TERM");
    assert_eq!(server.ended(), Some(0));
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(read("run/hookgate/notes.txt"), "mine");
    assert_eq!(read("run/hookgate/other.sock.lock"), "mine, too");

    fs::create_dir(folder.path("open")).unwrap();
    fs::set_permissions(folder.path("open"), Permissions::from_mode(0o755)).unwrap();
    let refused = folder
        .hookgate(&["serve", "--socket", "open/s.sock", "-c", "hooks.toml"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("mode 0700"), "{refused:?}");
}

#[test]
fn a_session_belongs_to_its_connection_and_ends_with_it_unless_it_lasts() {
    let folder = Folder::with_hooks(HOOKS);
    let _server = listening(&folder, &["--socket", "own/s.sock"]);
    let (mut one, mut other) =
        (Host::connect(&folder, "own/s.sock"), Host::connect(&folder, "own/s.sock"));
    one.hello();
    other.hello();
    let deny =
        json!({"id": "mine", "event": "pre_tool_use", "builtin": {"name": "deny", "reason": "no"}});
    one.ok("override", json!({"session": "s", "hooks": [deny]}));
    assert_eq!(one.judge("s", "ls")["verdict"], "deny");
    for (method, params) in [
        ("judge", judge("s", "ls")),
        ("override", json!({"session": "s", "disable": ["mine"]})),
        ("session.end", json!({"session": "s"})),
        ("session.begin", json!({"session": "s", "lasting": true})),
    ] {
        assert_eq!(other.err(method, params).0, "session_in_use", "{method}");
    }
    one.ok("session.begin", json!({"session": "shared", "lasting": true}));
    one.ok("override", json!({"session": "shared", "hooks": [deny]}));
    assert_eq!(other.judge("shared", "ls")["verdict"], "deny");
    assert_eq!(other.ok("status", json!({}))["sessions"], 2);
    drop(one);
    let began = std::time::Instant::now();
    while other.ok("status", json!({}))["sessions"] != 1 {
        assert!(began.elapsed() < PATIENCE, "the session of a lost connection goes on");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(other.judge("s", "ls")["verdict"], "pass");
    assert_eq!(other.judge("shared", "ls")["verdict"], "deny");
}

#[test]
fn a_killed_server_is_followed_by_the_next_one_and_connections_are_limited() {
    let folder = Folder::with_hooks(HOOKS);
    let mut server = listening(&folder, &["--socket", "own/s.sock"]);
    let mut host = Host::connect(&folder, "own/s.sock");
    host.hello();
    server.child.kill().unwrap();
    assert_eq!(host.line(), None);
    let _server = listening(&folder, &["--socket", "own/s.sock", "--callers", "2"]);
    let mut hosts: Vec<Host> = (0..2).map(|_| Host::connect(&folder, "own/s.sock")).collect();
    hosts.iter_mut().for_each(|host| _ = host.hello());
    let mut third = Host::connect(&folder, "own/s.sock");
    assert_eq!(third.line().unwrap()["error"]["data"]["name"], "too_many");
    assert_eq!(third.line(), None);
    drop(hosts.pop());
    let began = std::time::Instant::now();
    while hosts[0].ok("status", json!({}))["callers"] != 1 {
        assert!(began.elapsed() < PATIENCE);
    }
    Host::connect(&folder, "own/s.sock").hello();
}
