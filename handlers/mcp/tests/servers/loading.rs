//! What is wrong with the settings is an error of the config.

use serde_json::{Value, json};

use crate::{load, load_in, scan, script};

fn errors(settings: Value) -> String {
    load(&settings).err().unwrap_or_else(|| "it loads".to_owned())
}

#[test]
fn there_is_one_server_and_one_question() {
    assert!(errors(json!({})).contains("`tool` is missing"));
    assert!(errors(json!({})).contains("`server` is missing"));
    assert_eq!(errors(json!({"tool": "a", "server": {}})), "`command` is missing");
    let both = json!({"command": ["python3"], "url": "https://example.com/mcp"});
    assert!(errors(json!({"tool": "a", "server": both})).contains("one of the two"));
    let mut settings = scan(&[]);
    settings["interceptor"] = json!("b");
    assert!(errors(settings).contains("`tool` is given too"));
    let mut settings = scan(&[]);
    settings["config"] = json!({"a": 1});
    assert!(errors(settings).contains("it goes with `interceptor`"));
}

#[test]
fn mistakes_are_found_when_it_is_loaded() {
    let with = |pointer: &str, value: Value| {
        let mut settings = scan(&[]);
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        settings.pointer_mut(parent).unwrap()[key] = value;
        errors(settings)
    };
    assert!(
        with("/server/command", json!(["no-such-server"])).contains("no program `no-such-server`")
    );
    assert!(with("/server/command", json!(["python3", "./none.py"])).contains("is not there"));
    assert!(with("/server/command", json!([])).contains("`command`: it names no program"));
    assert!(with("/server/enviroment", json!([])).contains("unknown key `enviroment`"));
    assert!(with("/server/headers", json!({})).contains("unknown key `headers`"));
    assert!(with("/arguments/x", json!("{{ tol_input }}")).contains("`tol_input` is not a name"));
    assert!(with("/arguments/x", json!("{{ tool_input")).contains("not a valid template"));
    assert!(with("/arguments", json!("x")).contains("it must be a table"));
}

#[test]
fn the_identity_follows_the_script() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("server.py");
    std::fs::copy(script(), &copy).unwrap();
    let settings = json!({"server": {"command": ["python3", "server.py"]}, "tool": "scan"});
    let load = || load_in(folder.path(), &settings).unwrap();
    let before = load();
    assert_eq!(before.sources, std::slice::from_ref(&copy));
    assert_eq!(load().identity, before.identity);
    std::fs::write(&copy, "print()").unwrap();
    assert_ne!(load().identity, before.identity);
}
