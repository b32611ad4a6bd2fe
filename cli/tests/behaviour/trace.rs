//! Promise: `eval --hook ID --trace` calls one hook and shows what it got, what it did and what it
//! answered; `HOOKGATE_LOG=debug` shows what hooks write to stderr. Neither shows a secret.

use hookgate_test_support::http_service as service;
use hookgate_test_support::model_server as model;

use crate::support::{Ended, Folder, HOOKS, bash, has_python, run};

const CANARY: &str = "planted-9f8e7d6c5b4a39281706";

/// Two guards that pass, one that fails and one that never answers.
const GUARDS: &str = r#"
[[hook]]
id = "talks"
event = "pre_tool_use"
command = { shell = "echo checked 3 rules >&2; echo with $API_TOKEN >&2; echo '{}'", set_env = { API_TOKEN = "planted-9f8e7d6c5b4a39281706" } }

[[hook]]
id = "stays"
event = "pre_tool_use"
command = { mode = "worker", shell = '''
echo '{"ready":1}'
while read -r call; do
  id=${call#*:}; id=${id%%,*}
  echo "looked at $id" | cut -c 1-9 >&2
  echo "{\"id\":$id,\"verdict\":{\"context\":[\"be careful\"]}}"
done''' }

[[hook]]
id = "breaks"
event = "pre_tool_use"
command = { shell = "echo no such rule >&2; exit 7" }

[[hook]]
id = "hangs"
event = "pre_tool_use"
timeout = "500ms"
command = { shell = "echo waiting >&2; sleep 30" }

[[hook]]
id = "off"
event = "pre_tool_use"
mode = "off"
builtin = { name = "deny", reason = "no" }
"#;

fn traced(folder: &Folder, hook: &str, step: &str) -> Ended {
    folder.run(&["eval", "--table", "--hook", hook, "--trace"], step)
}

/// The lines of a trace, without the times.
fn lines(ended: &Ended) -> Vec<String> {
    let lines = ended.err().lines().map(str::trim_end).filter(|line| !line.contains("  took "));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_trace_shows_what_a_program_got_did_and_answered() {
    let folder = Folder::with_hooks(GUARDS);
    let step = bash(&format!("deploy --token {CANARY}"));

    let ended = traced(&folder, "talks", &step);
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let all = lines(&ended);
    assert_eq!(all[0], "call  talks");
    assert!(all[1].starts_with("  got       {\"protocol\":1,"), "{all:?}");
    assert!(all[1].contains("\"tool_name\":\"Bash\""), "{all:?}");
    assert_eq!(
        all[2..],
        [
            "  stderr    checked 3 rules",
            "            with [API_TOKEN]",
            "  exit      status 0",
            "  answered  {}, which is no opinion",
        ]
    );

    let ended = traced(&folder, "stays", &step);
    assert_eq!(
        lines(&ended)[2..],
        [
            "  stderr    looked at",
            "  worker    answered, call 1 of its process",
            r#"  answered  {"context":["be careful"]}"#,
        ]
    );

    let ended = traced(&folder, "breaks", &step);
    assert_eq!(ended.code(), 2, "the posture counts as ever");
    let all = lines(&ended);
    assert_eq!(all[2..4], ["  stderr    no such rule", "  exit      status 7"]);
    assert!(
        all[4].starts_with("  answered  a failure, exit: exit status 7: no such rule"),
        "{all:?}"
    );
}

#[test]
fn what_a_program_said_before_its_deadline_is_in_the_trace() {
    let ended = traced(&Folder::with_hooks(GUARDS), "hangs", &bash("ls"));
    assert_eq!(ended.code(), 2);
    let expected = ["  stderr    waiting", "  answered  nothing: the call was given up"];
    assert_eq!(lines(&ended)[2..], expected);
}

#[test]
fn no_secret_is_in_a_trace_or_a_log() {
    let folder = Folder::with_hooks(GUARDS);
    let step = bash(&format!("deploy --token {CANARY}"));
    for hook in ["talks", "stays", "breaks"] {
        let mut command = folder.hookgate(&["eval", "--hook", hook, "--trace"]);
        command.env("HOOKGATE_LOG", "debug");
        let ended = run(command, step.as_bytes());
        assert!(!ended.err().contains(CANARY), "{hook}: {}", ended.err());
        assert!(ended.err().contains("call  "), "{}", ended.err());
    }
}

#[test]
fn only_the_hook_that_is_named_is_called() {
    let folder = Folder::with_hooks(HOOKS);
    let ended = folder.run(&["eval", "--hook", "confirm-publish"], bash("git push --force"));
    assert_eq!(ended.code(), 0, "another hook denies this");
    assert!(ended.err().contains("its conditions do not hold"), "{}", ended.err());
    let ended = folder.run(&["eval", "--hook", "not-for-ever"], bash("ls"));
    let expected = "it is for pre_llm_request, and this step is pre_tool_use";
    assert!(ended.err().contains(expected), "{}", ended.err());
    let ended = folder.run(&["eval", "--hook", "no-force-push"], bash("git push --force"));
    assert_eq!((ended.code(), ended.err()), (2, ""));
}

#[test]
fn a_hook_that_is_off_is_called_and_that_is_said() {
    let ended = traced(&Folder::with_hooks(GUARDS), "off", &bash("ls"));
    assert_eq!(ended.code(), 2);
    assert!(ended.err().contains("`off` is off"), "{}", ended.err());
}

#[test]
fn an_unknown_hook_is_an_error_that_names_the_nearest_and_all() {
    let folder = Folder::with_hooks(HOOKS);
    let ended = folder.run(&["eval", "--hook", "no-force-psh"], bash("ls"));
    assert_eq!((ended.code(), ended.out()), (64, ""));
    let expected = "there is no hook `no-force-psh`; did you mean `no-force-push`?";
    assert!(ended.err().contains(expected), "{}", ended.err());
    let all = "no-force-push, confirm-publish, cached, not-for-ever";
    assert!(ended.err().contains(all), "{}", ended.err());
    assert_eq!(folder.run(&["eval", "--trace"], bash("ls")).code(), 64, "of which hook?");
}

#[test]
fn the_log_shows_what_guards_say_that_pass_with_their_ids() {
    // A deny would end the calls that are still open.
    let event = "event = \"pre_tool_use\"";
    let tolerant = GUARDS.replace(event, &format!("{event}\non_failure = \"allow\""));
    let folder = Folder::with_hooks(&tolerant);
    let logged = |filter: &str| {
        let mut command = folder.hookgate(&["run", "--quiet"]);
        command.env("HOOKGATE_LOG", filter);
        run(command, bash("ls").as_bytes()).err().to_owned()
    };
    for filter in ["debug", "hookgate::command=debug"] {
        let log = logged(filter);
        for (hook, said) in [
            ("talks", "checked 3 rules"),
            ("talks", "with [API_TOKEN]"),
            ("stays", "looked at"),
            ("breaks", "no such rule"),
            ("hangs", "waiting"),
        ] {
            let expected = format!("hook=\"{hook}\" stderr={said}");
            assert_eq!(log.matches(&expected).count(), 1, "{filter}: {expected}: {log}");
        }
    }
    assert!(!logged("info").contains("stderr="));
}

#[test]
fn an_error_in_a_worker_names_its_line_and_the_trace_has_all_of_it() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    assert_eq!(folder.run(&["init", "--sdk", "python"], "").code(), 0);
    let guard = "import hookgate\n\ndef check(step):\n    return RULES[step['tool_name']]\n\n\
                 def guard(step):\n    return check(step)\n\nRULES = {}\nhookgate.run(guard)\n";
    folder.write("guard.py", guard);
    let ended = traced(&folder, "python-guard", &bash("ls"));
    assert_eq!(ended.code(), 2);
    let failure = "the hook failed: KeyError: 'Bash' (guard.py:4)";
    assert!(ended.out().contains(failure), "{}", ended.out());
    for expected in
        [failure, "Traceback (most recent call last):", "line 7, in guard", "line 4, in check"]
    {
        assert!(ended.err().contains(expected), "{expected}: {}", ended.err());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_shows_the_status_of_a_service_and_the_model_of_a_judge() {
    let service = service::Service::start(service::Mode::Verdict("{}".to_owned())).await;
    let model = model::Server::start(model::Mode::Decision("deny")).await;
    let address = service.address;
    let folder = Folder::with_hooks(&format!(
        "[[hook]]\nid = 'service'\nevent = 'pre_tool_use'\n\
         http = {{ url = 'http://{address}/', allow_loopback = ['{address}'] }}\n\
         [[hook]]\nid = 'judge'\nevent = 'pre_tool_use'\n\
         prompt = {{ model = 'small', base_url = '{}', prompt = 'No.' }}\n",
        model.base_url
    ));
    let traced = |hook: &str| tokio::task::block_in_place(|| traced(&folder, hook, &bash("ls")));
    let ended = traced("service");
    let expected = ["  status    200", "  answered  {}, which is no opinion"];
    assert_eq!(lines(&ended)[2..], expected, "{}", ended.out());
    let ended = traced("judge");
    let all = lines(&ended);
    assert_eq!(all[2], "  model     small", "{all:?}");
    assert!(all[3].starts_with("  used      1 requests, "), "{all:?}");
    assert!(all[4].starts_with(r#"  answered  {"decision":"deny","#), "{all:?}");
}
