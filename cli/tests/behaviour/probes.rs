//! Promise: `check --live` finds out whether everything that the hooks need is ready, and decides
//! nothing.

use hookgate_test_support::model_server as server;
use hookgate_test_support::unused_port;

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use self::server::{Mode, Server};
use self::unused_port::UnusedPort;
use crate::support::{Ended, Folder, run};

/// The rule of every judge here; it must appear nowhere.
const RULE: &str = "Nobody publishes on a Friday.";

fn judge(id: &str, base_url: &str, more: &str) -> String {
    format!(
        "[[hook]]\nid = '{id}'\nevent = 'pre_tool_use'\ntimeout = '600ms'\n[hook.prompt]\n\
         model = 'm'\nbase_url = '{base_url}'\nprompt = '{RULE}'\nbackoff = '1ms'\n{more}\n"
    )
}

fn worker(id: &str, shell: &str, more: &str) -> String {
    format!(
        "[[hook]]\nid = '{id}'\nevent = 'pre_tool_use'\n[hook.command]\nmode = 'worker'\n\
         shell = '''{shell}'''\n{more}\n"
    )
}

/// A worker that leaves its number behind, and then has nothing to say.
fn ready() -> String {
    worker("ready", "echo $$ >pid; echo '{\"ready\":1}'; cat >/dev/null", "")
}

/// Checks a config, in a thread that the server does not need.
fn check(folder: &Folder, args: &[&str]) -> Ended {
    let args = [&["check"], args].concat();
    tokio::task::block_in_place(|| folder.run(&args, ""))
}

fn live(config: &str) -> (Ended, Value) {
    let folder = Folder::with_hooks(config);
    let ended = check(&folder, &["--live"]);
    let line = ended.lines()[0].clone();
    assert_eq!(line["valid"], true, "{line}");
    assert!(!format!("{ended:?}").contains("Friday"), "{ended:?}");
    (ended, line["live"].clone())
}

/// The one hook of a config failed: in which class, and with which detail.
fn failed(config: &str) -> (String, String) {
    let (ended, live) = live(config);
    assert_eq!((ended.code(), live.as_array().unwrap().len()), (1, 1), "{live}");
    assert!(ended.err().contains("the config is valid, but 1 live check failed"), "{ended:?}");
    assert_eq!(live[0]["ok"], false);
    assert!(!live[0]["help"].as_str().unwrap().is_empty());
    let text = |key: &str| live[0][key].as_str().unwrap().to_owned();
    (text("failure"), text("detail"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_answers_is_ok_and_was_sent_nothing_of_ours() {
    let server = Server::start(Mode::ByRule).await;
    let (ended, live) = live(&judge("judge", &server.base_url, ""));
    assert_eq!(ended.code(), 0, "{}", ended.err());
    assert_eq!((&live[0]["hook"], &live[0]["ok"]), (&json!("judge"), &json!(true)));
    let found = live[0]["found"].as_str().unwrap();
    let expected = format!("m at {} answers in the form `schema`, in ", server.base_url);
    assert!(found.starts_with(&expected) && found.ends_with(" ms"), "{found}");
    assert_eq!(server.calls(), 1);
    let request = &server.seen()[0];
    assert!(!request.to_string().contains("Friday"), "{request}");
    assert!(request["max_tokens"].as_u64().unwrap() <= 256, "{request}");
}

/// The control of all that is called here.
#[tokio::test(flavor = "multi_thread")]
async fn without_the_flag_nothing_is_called() {
    let server = Server::start(Mode::ByRule).await;
    let folder = Folder::with_hooks(&(judge("judge", &server.base_url, "") + &ready()));
    let ended = check(&folder, &[]);
    assert_eq!(ended.code(), 0, "{}", ended.err());
    assert_eq!(ended.lines()[0].get("live"), None);
    assert_eq!(server.calls(), 0);
    assert!(!folder.path("pid").exists());
    // The same config, and both are called.
    assert_eq!(check(&folder, &["--live"]).code(), 0);
    assert_eq!(server.calls(), 1);
    assert!(folder.path("pid").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_weaker_form_is_detected_and_reported() {
    let cases = [(Some("json_object"), "json_object", 2), (None, "text", 3)];
    for (knows, form, calls) in cases {
        let server = Server::start(Mode::SupportsFormat(knows)).await;
        let (ended, live) = live(&judge("judge", &server.base_url, ""));
        assert_eq!(ended.code(), 0, "{}", ended.err());
        let found = live[0]["found"].as_str().unwrap();
        let note = format!("in the form `{form}` (the server takes no stricter one)");
        assert!(found.contains(&note), "{found}");
        assert_eq!(server.calls(), calls);
    }
    // Who names a form gets no other.
    let server = Server::start(Mode::SupportsFormat(Some("json_object"))).await;
    let (class, detail) = failed(&judge("judge", &server.base_url, "response = 'schema'"));
    assert_eq!(class, "http_status");
    assert!(detail.contains("status 400, about `response_format`"), "{detail}");
    let (_, live) = live(&judge("judge", &server.base_url, "response = 'json_object'"));
    let found = live[0]["found"].as_str().unwrap();
    assert!(found.contains("in the form `json_object`, in "), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_server_is_unreachable() {
    let unused = UnusedPort::new();
    let gone = unused.base_url();
    let (class, detail) = failed(&judge("judge", &gone, ""));
    assert_eq!(class, "unreachable");
    assert_eq!(detail, format!("m at {gone}: no connection to the server of the model"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_does_not_answer_as_a_judge_must_fails() {
    let server = Server::start(Mode::ByRule).await;
    server.slow(Duration::from_secs(20));
    let (class, detail) = failed(&judge("judge", &server.base_url, ""));
    assert_eq!((class.as_str(), detail.contains("no answer within 600ms")), ("timeout", true));
    assert!(detail.starts_with("m at http://"), "{detail}");
    for (mode, class, calls) in [
        (Mode::Echo, "malformed", 2),
        (Mode::WrongNonce, "malformed", 2),
        (Mode::Empty, "malformed", 2),
        (Mode::Refusal, "unsure", 1),
        (Mode::Status(500), "http_status", 3),
    ] {
        let server = Server::start(mode.clone()).await;
        assert_eq!(failed(&judge("judge", &server.base_url, "")).0, class, "{mode:?}");
        assert_eq!(server.calls(), calls, "{mode:?}");
    }
    // What it thinks of the step is all the same, and so is a repair.
    for mode in [Mode::Decision("deny"), Mode::Decision("unsure"), Mode::Truncated] {
        let server = Server::start(mode.clone()).await;
        assert_eq!(live(&judge("judge", &server.base_url, "")).0.code(), 0, "{mode:?}");
    }
    let server = Server::start(Mode::ByRule).await;
    server.first([Mode::Prose]);
    assert_eq!(live(&judge("judge", &server.base_url, "")).0.code(), 0);
    // That it has not enough tokens for an answer is a mistake in the config.
    let server = Server::start(Mode::Truncated).await;
    let (class, detail) = failed(&judge("judge", &server.base_url, "max_tokens = 20"));
    assert_eq!(class, "malformed");
    assert!(detail.contains("raise `max_tokens`"), "{detail}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_missing_or_wrong_is_auth_and_is_not_shown() {
    let server = Server::start(Mode::Status(401)).await;
    let config = judge("judge", &server.base_url, "api_key_env = 'HOOKGATE_LIVE_KEY'");
    let (class, detail) = failed(&config);
    assert_eq!((class.as_str(), server.calls()), ("auth", 0));
    assert!(detail.contains("`HOOKGATE_LIVE_KEY` is not set"), "{detail}");
    let folder = Folder::with_hooks(&config);
    for format in ["--json", "--table"] {
        let mut command = folder.hookgate(&["check", "--live", format]);
        command.env("HOOKGATE_LIVE_KEY", "sk-live-4711-0815");
        let ended = tokio::task::block_in_place(|| run(command, b""));
        assert_eq!(ended.code(), 1);
        // A port may have the same digits as a part of the key.
        assert!(ended.out().contains("auth") && !format!("{ended:?}").contains("4711-0815"));
    }
    assert!(server.heads()[0].contains("bearer sk-live-4711-0815"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_model_that_may_be_called_is_probed() {
    let (main, other) = (Server::start(Mode::ByRule).await, Server::start(Mode::ByRule).await);
    let first = Server::start(Mode::ByRule).await;
    let more = |other: &str| {
        format!(
            "fallback = [{{ model = 'b', base_url = '{other}' }}]\n\
             first = {{ model = 'c', base_url = '{}' }}",
            first.base_url
        )
    };
    let (ended, live) = live(&judge("judge", &main.base_url, &more(&other.base_url)));
    assert_eq!(ended.code(), 0, "{live}");
    assert_eq!((main.calls(), other.calls(), first.calls()), (1, 1, 1));
    let found = live[0]["found"].as_str().unwrap();
    assert!(found.contains("the fallback b at") && found.contains("asked first, c at"), "{found}");
    // One that is gone fails the hook, and what became of the others is reported.
    let unused = UnusedPort::new();
    let gone = unused.base_url();
    let (class, detail) = failed(&judge("judge", &main.base_url, &more(&gone)));
    assert_eq!(class, "unreachable");
    let broken = format!("the fallback b at {gone}: no connection");
    assert!(detail.contains(&broken) && detail.contains("answers in the form"), "{detail}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_is_started_and_ended_again() {
    let folder = Folder::with_hooks(&ready());
    let ended = check(&folder, &["--live"]);
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let found = ended.lines()[0]["live"][0]["found"].as_str().unwrap().to_owned();
    assert!(found.contains("/sh is ready, in "), "{found}");
    let pid = std::fs::read_to_string(folder.path("pid")).unwrap();
    assert!(!Path::new("/proc").join(pid.trim()).exists(), "the worker {pid} was left behind");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_not_ready_fails() {
    let slow = worker("slow", "sleep 20", "startup = '200ms'");
    let (class, detail) = failed(&slow);
    assert_eq!((class.as_str(), detail.contains("raise `startup`")), ("spawn", true), "{detail}");
    let (class, detail) = failed(&worker("broken", "echo no such module >&2; exit 3", ""));
    assert_eq!(class, "exit");
    assert!(detail.contains("before it was ready: exit status 3: no such module"), "{detail}");
    let (class, detail) = failed(&worker("chatty", "echo hello; cat >/dev/null", ""));
    assert_eq!((class.as_str(), detail.contains("first line")), ("spawn", true), "{detail}");
    let late = slow.replace("'pre_tool_use'", "'pre_tool_use'\ntimeout = '100ms'");
    assert_eq!(failed(&late.replace("200ms", "10s")).0, "timeout");
}

/// To run a plain program, or to call a service, would already be an evaluation.
#[tokio::test(flavor = "multi_thread")]
async fn what_would_decide_and_what_is_off_is_left_alone() {
    let server = Server::start(Mode::Status(500)).await;
    let config = format!(
        "{}[[hook]]\nid = 'plain'\nevent = 'pre_tool_use'\ncommand = {{ shell = 'touch ran' }}\n\
         [[hook]]\nid = 'service'\nevent = 'pre_tool_use'\nhttp = {{ url = '{}', \
         allow_loopback = ['{}'] }}\n",
        judge("off", &server.base_url, "").replace("timeout", "mode = 'off'\ntimeout"),
        server.base_url,
        server.base_url.trim_start_matches("http://").trim_end_matches("/v1")
    );
    let folder = Folder::with_hooks(&config);
    let ended = check(&folder, &["--live"]);
    assert_eq!(ended.code(), 0, "{ended:?}");
    let line = &ended.lines()[0];
    assert_eq!((&line["live"], &line["untried"]), (&json!([]), &json!(["plain", "service"])));
    assert_eq!(server.calls(), 0);
    assert!(!folder.path("ran").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn people_get_a_line_for_each_hook_in_the_order_of_the_config() {
    let server = Server::start(Mode::ByRule).await;
    server.slow(Duration::from_millis(100));
    let unused = UnusedPort::new();
    let gone = unused.base_url();
    let config =
        judge("slow-one", &server.base_url, "") + &judge("gone", &gone, "retries = 0") + &ready();
    let ended = check(&Folder::with_hooks(&config), &["--live", "--table"]);
    assert_eq!(ended.code(), 1);
    let lines: Vec<_> = ended.out().lines().collect();
    let index = |start: &str| lines.iter().position(|line| line.starts_with(start)).unwrap();
    assert_eq!(index("ok hooks.toml: 3 hooks"), 0);
    let first = index("ok     slow-one  m at");
    assert_eq!(index("failed gone      unreachable: m at"), first + 1);
    assert_eq!(lines[first + 2], "  help: start the server, or correct `base_url`");
    assert_eq!(index("ok     ready     a worker of"), first + 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_config_is_still_3_and_nothing_is_called() {
    let server = Server::start(Mode::ByRule).await;
    let config = judge("judge", &server.base_url, "") + "[[hook]]\nid = 'x'\nevent = 'nowhere'\n";
    let ended = check(&Folder::with_hooks(&config), &["--live"]);
    assert_eq!((ended.code(), server.calls()), (3, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_named_as_first_must_exist() {
    let server = Server::start(Mode::ByRule).await;
    let dear = judge("dear", &server.base_url, "first = 'cheap'");
    let (class, detail) = failed(&dear);
    assert_eq!(class, "spawn");
    assert!(detail.contains("`first` names the judge `cheap`"), "{detail}");
    let cheap = judge("cheap", &server.base_url, "");
    let off = cheap.replace("[hook.prompt]", "mode = 'off'\n[hook.prompt]");
    let (ended, _) = live(&format!("{dear}{off}"));
    assert_eq!(ended.code(), 0, "{ended:?}");
}
