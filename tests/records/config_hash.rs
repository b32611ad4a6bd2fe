//! Promise: the hash of a config depends on the meaning of the config, and on nothing else.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use hookgate::config::Loader;
use hookgate::contract::{BuiltHandler, Failure};
use hookgate::matcher::MatchSpec;
use hookgate::require::Require;
use hookgate::table::EventSelector;
use hookgate::{ConfigHash, Event, FailureClass, HandlerTable, Hook, Mode, Posture, Role};

const CONFIG: &str = r#"
version = 1

[limits]
dispatch_deadline = "30s"
payload = "64KiB"
stop_denials = 4
timeout = { builtin = "2s" }

[require]
events = ["pre_tool_use"]
hooks = ["no-force-push"]

[[hook]]
id = "no-force-push"
event = ["pre_tool_use", "permission_request"]
tool = ["Bash", "mcp__*"]
input = { "/command" = { regex = "push.*--force", not = { regex = "--dry-run" } } }
builtin = { name = "deny", reason = "force push is not allowed here" }
role = "guard"
priority = 10
timeout = "500ms"
on_failure = "deny"
on_timeout = "ask"
tags = ["git", "safety"]

[[hook]]
id = "note"
event = "pre_tool_use"
cwd_glob = "/srv/**"
builtin = { name = "ask", reason = "be careful" }
after = "no-force-push"
"#;

/// Renew it on purpose only: hashes that were stored are compared with this one.
const GOLDEN: &str = "sha256:8d82a155a2c459a9e7cc34d36535de8654c6e507c965454f83d225a32f218919";
const GOLDEN_EMPTY: &str =
    "sha256:aa237de8303fccde1d6245fd5f7d0f820911dd0253ae938ba1b4f67c834ab1cb";

/// The canonical form of a table without hooks, which any other program can make and hash.
const EMPTY: &str = r#"{"form":1,"hooks":[],"limits":{"background_queue":1024,"concurrency":8,"dispatch_deadline_ns":"60000000000","integers":"interoperable","output":262144,"payload":1048576,"stop_denials":3,"timeout_ns":{}},"require":{"events":[],"hooks":[]}}"#;

const GOLDEN_HANDLERS: &str =
    "sha256:f224ad70d151e18a0df49342d72ba09815395174feac88b9cfe1aae93af41d09";

fn load_from(name: &str, text: &str, folder: &Path) -> ConfigHash {
    let loaded = Loader::new(&hookgate_test_support::registry()).parse(name, text, folder);
    loaded.unwrap_or_else(|errors| panic!("{errors}\n{text}")).table.config_hash()
}

fn load(text: &str) -> ConfigHash {
    load_from("hooks.toml", text, ".".as_ref())
}

#[test]
fn the_hash_is_the_same_in_every_build_and_on_every_machine() {
    let empty = HandlerTable::empty().config_hash();
    assert_eq!(empty.to_string(), GOLDEN_EMPTY);
    assert_eq!(*empty.as_bytes(), hmac_sha256::Hash::hash(EMPTY.as_bytes()));
    assert_eq!(load(CONFIG).to_string(), GOLDEN);
}

/// The contents of the files that handlers name are a part of it, their folder is not.
#[cfg(all(feature = "command", feature = "http", feature = "prompt", unix))]
#[test]
fn the_hash_has_the_contents_of_scripts_and_rules_and_not_their_folder() {
    let config = r#"
[[hook]]
id = "script"
event = "pre_tool_use"
command = { argv = ["sh", "guards/guard.sh"], set_env = { LEVEL = "3" } }

[[hook]]
id = "service"
event = "pre_tool_use"
http = { url = "http://127.0.0.1:9/judge", allow_loopback = ["127.0.0.1:9"] }

[[hook]]
id = "rule"
event = "pre_tool_use"
prompt = { model = "m", base_url = "http://127.0.0.1:9/v1", prompt_file = "rule.md", vars = { a = 1, b = 2.5 } }
"#;
    let hash = |script: &str, rule: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("guards")).unwrap();
        std::fs::write(folder.path().join("guards/guard.sh"), script).unwrap();
        std::fs::write(folder.path().join("rule.md"), rule).unwrap();
        load_from("hooks.toml", config, folder.path())
    };
    let first = hash("exit 0\n", "No force.");
    assert_eq!(first.to_string(), GOLDEN_HANDLERS);
    assert_eq!(first, hash("exit 0\n", "No force."), "another folder");
    assert_ne!(first, hash("exit 2\n", "No force."), "another script");
    assert_ne!(first, hash("exit 0\n", "No harm."), "another rule");
}

#[test]
fn what_means_the_same_has_the_same_hash() {
    let hash = load(CONFIG);
    assert_eq!(hash, load_from("policy/other.toml", CONFIG, "/".as_ref()), "the name, the folder");
    assert_eq!(hash, load(&format!("# a comment\n{}", CONFIG.replace('\n', "\n\n"))), "layout");
    for (from, to) in [
        ("role = \"guard\"\npriority = 10\n", "priority = 10\nrole = \"guard\"\n"),
        (
            "name = \"deny\", reason = \"force push is not allowed here\"",
            "reason = \"force push is not allowed here\", name = \"deny\"",
        ),
        (
            "regex = \"push.*--force\", not = { regex = \"--dry-run\" }",
            "not = { regex = \"--dry-run\" }, regex = \"push.*--force\"",
        ),
        ("\"30s\"", "\"30000ms\""),
        ("\"500ms\"", "\"0.5s\""),
        ("\"64KiB\"", "65536"),
        ("[\"git\", \"safety\"]", "[\"safety\", \"git\"]"),
        ("[\"Bash\", \"mcp__*\"]", "[\"mcp__*\", \"Bash\"]"),
        (
            "[\"pre_tool_use\", \"permission_request\"]",
            "[\"permission_request\", \"pre_tool_use\"]",
        ),
        ("event = \"pre_tool_use\"", "event = [\"pre_tool_use\"]"),
        (
            "after = \"no-force-push\"",
            "after = [\"no-force-push\"]\npriority = 100\nmode = \"enforce\"",
        ),
        (
            "tags = [\"git\", \"safety\"]\n",
            "tags = [\"git\", \"safety\"]\n\
             pure = true\n\
             canary = [{ event = \"pre_tool_use\", step = { tool_name = \"Bash\", tool_input = {} }, decision = \"deny\" }]\n",
        ),
        ("{ builtin = \"2s\" }", "{ builtin = \"2s\", http = \"5s\" }"),
    ] {
        assert!(CONFIG.contains(from), "{from}");
        assert_eq!(hash, load(&CONFIG.replace(from, to)), "{to}");
    }
}

#[test]
fn every_change_of_the_meaning_changes_the_hash_and_no_two_changes_have_one_hash() {
    let mut seen = BTreeMap::from([(load(CONFIG), "the config itself")]);
    for (from, to) in [
        ("dispatch_deadline = \"30s\"", "dispatch_deadline = \"31s\""),
        ("payload = \"64KiB\"", "payload = \"65KiB\""),
        ("payload = \"64KiB\"", "output = \"64KiB\""),
        ("stop_denials = 4", "stop_denials = 5"),
        ("stop_denials = 4", "stop_denials = 4\nstop_at = \"ask\""),
        ("stop_denials = 4", "stop_denials = 4\nstop_at = \"halt\""),
        ("stop_denials = 4", "stop_denials = 4\nconcurrency = 2"),
        ("stop_denials = 4", "stop_denials = 4\nbackground_queue = 2"),
        ("stop_denials = 4", "stop_denials = 4\nintegers = \"exact\""),
        ("{ builtin = \"2s\" }", "{ builtin = \"3s\" }"),
        ("events = [\"pre_tool_use\"]", "events = [\"permission_request\"]"),
        ("hooks = [\"no-force-push\"]", ""),
        ("id = \"note\"", "id = \"notes\""),
        ("event = \"pre_tool_use\"", "event = \"permission_request\""),
        ("[\"pre_tool_use\", \"permission_request\"]", "[\"pre_tool_use\"]"),
        ("[\"Bash\", \"mcp__*\"]", "[\"Bash\"]"),
        ("tool = [\"Bash\", \"mcp__*\"]", "tool_glob = [\"Bash\", \"mcp__*\"]"),
        ("tool = [\"Bash\", \"mcp__*\"]", "tool_regex = [\"Bash\", \"mcp__.*\"]"),
        (
            "tool = [\"Bash\", \"mcp__*\"]",
            "tool_regex = [\"Bash\", \"mcp__.*\"]\nregex_search = true",
        ),
        ("tool = [\"Bash\", \"mcp__*\"]", "tool = [\"Bash\", \"mcp__*\"]\nsafety = \"network\""),
        ("tool = [\"Bash\", \"mcp__*\"]", "tool = [\"Bash\", \"mcp__*\"]\nagent = \"reviewer\""),
        ("input = { \"/command\"", "input = { \"/args\""),
        ("input = { \"/command\"", "payload = { \"/tool_input/command\""),
        ("regex = \"push.*--force\"", "regex = \"push.*--force.*\""),
        ("regex = \"push.*--force\"", "glob = \"push.*--force\""),
        ("not = { regex = \"--dry-run\" }", "not = { glob = \"--dry-run\" }"),
        ("not = { regex = \"--dry-run\" }", "exists = true"),
        ("not = { regex = \"--dry-run\" }", "not = { equals = \"--dry-run\" }"),
        ("cwd_glob = \"/srv/**\"", "cwd_glob = \"/srv/*\""),
        ("cwd_glob = \"/srv/**\"", "cwd_glob = \"/srv/**\"\nsubagent = true"),
        ("cwd_glob = \"/srv/**\"", "cwd_glob = \"/srv/**\"\nsubagent = false"),
        ("regex = \"push.*--force\"", "contains = \"push.*--force\""),
        ("regex = \"push.*--force\"", "starts_with = \"push.*--force\""),
        ("regex = \"push.*--force\"", "ends_with = \"push.*--force\""),
        ("regex = \"push.*--force\"", "glob = [\"push.*--force\", \"x\"]"),
        ("regex = \"push.*--force\"", "regex = \"push.*--force\", ignore_case = true"),
        ("regex = \"push.*--force\"", "gt = 5"),
        ("regex = \"push.*--force\"", "ge = 5"),
        ("regex = \"push.*--force\"", "lt = 5"),
        ("regex = \"push.*--force\"", "le = 5"),
        ("regex = \"push.*--force\"", "len = 5"),
        ("regex = \"push.*--force\"", "len = { gt = 5 }"),
        ("name = \"deny\"", "name = \"ask\""),
        ("not allowed here", "not allowed there"),
        ("role = \"guard\"", "role = \"guard\"\nmode = \"warn\""),
        ("priority = 10", "priority = 11"),
        ("timeout = \"500ms\"", "timeout = \"501ms\""),
        ("timeout = \"500ms\"", ""),
        ("on_failure = \"deny\"", "on_failure = \"ask\""),
        ("on_timeout = \"ask\"", "on_timeout = \"allow\""),
        ("on_timeout = \"ask\"", "on_illegal = \"ask\""),
        ("tags = [\"git\", \"safety\"]", "tags = [\"git\"]"),
        ("on_failure = \"deny\"", "on_failure = \"deny\"\nmay_allow = true"),
        (
            "builtin = { name = \"ask\", reason = \"be careful\" }",
            "builtin = { name = \"redact_secrets\", tool_input = true }",
        ),
        (
            "builtin = { name = \"ask\", reason = \"be careful\" }",
            "builtin = { name = \"redact_secrets\", tool_input = true }\nmerge = true",
        ),
        ("on_failure = \"deny\"", "on_failure = \"deny\"\nbefore = \"note\""),
        ("after = \"no-force-push\"", ""),
        ("be careful", "be bold"),
    ] {
        assert!(CONFIG.contains(from), "{from}");
        let mut changed = CONFIG.replacen(from, to, 1);
        if from == "after = \"no-force-push\"" || to.contains("before") {
            changed = changed.replace("after = \"no-force-push\"\n", "");
        }
        let loaded =
            Loader::new(&hookgate_test_support::registry()).parse("h", &changed, ".".as_ref());
        let table = loaded.unwrap_or_else(|errors| panic!("{to}: {errors}")).table;
        if let Some(other) = seen.insert(table.config_hash(), to) {
            panic!("`{to}` and `{other}` have one hash");
        }
    }
}

#[test]
fn the_order_of_hooks_counts_since_it_decides_between_equal_priorities() {
    let hook = |id: &str| {
        format!(
            "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\nbuiltin = {{ name = \"ask\", reason = \"a\" }}\n"
        )
    };
    let (a, b) = (hook("a"), hook("b"));
    assert_ne!(load(&format!("{a}{b}")), load(&format!("{b}{a}")));
}

fn hook() -> Hook {
    let handler = BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| {
        Err(Failure::new(FailureClass::Exit, "never invoked"))
    });
    Hook::new("h", "mine", handler.identity("v1")).event(Event::PreToolUse)
}

#[test]
fn every_setter_of_a_hook_in_rust_changes_its_identity() {
    let mut only = MatchSpec::default();
    only.safety.push(hookgate::contract::payload::Safety::Network);
    let identity = BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| {
        Err(Failure::new(FailureClass::Exit, "never invoked"))
    });
    let changed = [
        hook(),
        Hook::new("other", "mine", hook_handler("v1")).event(Event::PreToolUse),
        Hook::new("h", "theirs", hook_handler("v1")).event(Event::PreToolUse),
        Hook::new("h", "mine", hook_handler("v2")).event(Event::PreToolUse),
        Hook::new("h", "mine", identity).event(Event::PreToolUse),
        hook().event(Event::PostToolUse),
        hook().custom_event("x.deploy"),
        hook().event_selectors(EventSelector::named("PostToolUse").unwrap_or_default()).tool("a"),
        hook().tool("Bash"),
        hook().matching(only),
        hook().role(Role::Guard),
        hook().mode(Mode::Shadow),
        hook().priority(99),
        hook().after("other"),
        hook().before("other"),
        hook().timeout(Duration::from_secs(5)),
        hook().timeout(Duration::from_nanos(5_000_000_001)),
        hook().on_failure(Posture::Deny),
        hook().on_failure_of(FailureClass::Timeout, Posture::Deny),
        hook().on_failure_of(FailureClass::Exit, Posture::Deny),
        hook().background(true),
        hook().merge(true),
        hook().may_allow(true),
        hook().tag("a"),
    ];
    let mut seen = BTreeMap::new();
    for (index, spec) in changed.iter().enumerate() {
        if let Some(other) = seen.insert(spec.clone().build().config_hash(), index) {
            panic!("changes {index} and {other} have one hash");
        }
    }
    // The control: two hooks of the same settings have the same one.
    assert_eq!(hook().build().config_hash(), hook().priority(100).build().config_hash());
}

fn hook_handler(identity: &str) -> BuiltHandler {
    let handler = BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| {
        Err(Failure::new(FailureClass::Exit, "never invoked"))
    });
    handler.identity(identity)
}

#[test]
fn a_table_that_was_put_in_force_and_edited_back_has_its_hash_again() {
    let engine = hookgate::Engine::new(HandlerTable::builder().insert(hook()).build().unwrap());
    let before = engine.table().config_hash();
    engine
        .edit(|table| {
            table.insert(Hook::new("g", "mine", hook_handler("v1")).event(Event::Stop));
        })
        .unwrap();
    assert_ne!(engine.table().config_hash(), before);
    engine.edit(|table| assert!(table.remove("g"))).unwrap();
    assert_eq!(engine.table().config_hash(), before);
    assert!(engine.table().is_same_as(&engine.table()));
    // What an engine requires beyond the config of the table is not a part of the table.
    engine.set_require(Require::default().event(Event::PreToolUse)).unwrap();
    assert_ne!(engine.table().config_hash(), before);
}

#[test]
fn a_hash_has_one_text() {
    let hash = load(CONFIG);
    let text = hash.to_string();
    assert_eq!(text.parse(), Ok(hash));
    assert_eq!(serde_json::to_value(hash).unwrap(), text);
    assert_eq!(serde_json::from_value::<ConfigHash>(text.clone().into()).unwrap(), hash);
    assert_eq!(ConfigHash::from_bytes(*hash.as_bytes()), hash);
    for wrong in [
        text.to_uppercase(),
        text.replace("sha256:", ""),
        format!("{text}0"),
        text.chars().take(70).collect(),
        text.chars().take(70).chain(['g']).collect(),
        String::new(),
    ] {
        assert!(wrong.parse::<ConfigHash>().is_err(), "{wrong}");
        assert!(serde_json::from_value::<ConfigHash>(wrong.into()).is_err());
    }
}
