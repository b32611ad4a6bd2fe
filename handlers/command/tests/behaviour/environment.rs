//! Promise: a program sees the variables that are listed, runs in the folder of the session, and what
//! the agent chooses cannot keep it from running.

use std::collections::BTreeSet;
use std::path::Path;

use hookgate_contract::payload::{Stop, ToolCall};
use hookgate_contract::{SessionEnv, StepContext, Verdict};
use serde_json::json;

use crate::support::{build, build_in, call, context_of, invoke, invoke_as, invoke_with};

/// Cargo sets it for every test, and no hook asks for it.
const CANARY: &str = "CARGO_MANIFEST_DIR";

#[tokio::test]
async fn the_environment_is_an_allow_list() {
    assert!(std::env::var_os("PATH").is_some());
    let env = std::fs::canonicalize("/usr/bin/env").unwrap();
    let names = |text: &str| -> BTreeSet<String> {
        text.lines().filter_map(|line| Some(line.split_once('=')?.0.to_owned())).collect()
    };
    let argv = json!({"argv": [env.to_str().unwrap()], "stdout": "context"});
    let seen = context_of(&build(&argv)).await;
    let allowed: BTreeSet<_> = [
        "PATH",
        "HOME",
        "LANG",
        "LC_ALL",
        "TMPDIR",
        "TZ",
        "HOOKGATE_CONFIG_DIR",
        "HOOKGATE_EVENT",
        "HOOKGATE_HOOK_ID",
        "HOOKGATE_RUN",
        "HOOKGATE_SESSION_ID",
        "HOOKGATE_STEP_ID",
        "HOOKGATE_TOOL_NAME",
        "PYTHONSAFEPATH",
    ]
    .map(str::to_owned)
    .into();
    assert!(names(&seen).is_subset(&allowed), "{seen}");
    for line in [
        "HOOKGATE_CONFIG_DIR=/",
        "HOOKGATE_EVENT=pre_tool_use",
        "HOOKGATE_HOOK_ID=guard",
        "HOOKGATE_SESSION_ID=session-1",
        "HOOKGATE_STEP_ID=step-1",
        "HOOKGATE_TOOL_NAME=Bash",
        &format!("PATH={}", std::env::var("PATH").unwrap()),
    ] {
        assert!(seen.lines().any(|seen| seen == line), "{line} in {seen}");
    }

    let mut listed = argv;
    listed["env"] = json!([CANARY, "NOT_SET_ANYWHERE"]);
    listed["set_env"] = json!({"MODE": "strict", "PATH": "/nowhere"});
    let seen = context_of(&build(&listed)).await;
    // It was passed on, and its value is hidden.
    for line in [format!("{CANARY}=[{CANARY}]"), "MODE=strict".into(), "PATH=/nowhere".into()] {
        assert!(seen.lines().any(|seen| seen == line), "{line} in {seen}");
    }
    assert!(!names(&seen).contains("NOT_SET_ANYWHERE"));
}

#[tokio::test]
async fn what_a_session_has_stands_before_what_the_process_has() {
    let env = SessionEnv::from_iter([
        (CANARY, "of the session"),
        ("LANG", "xx_YY"),
        ("MODE", "of the session"),
        ("UNLISTED", "goes nowhere"),
    ]);
    let settings = json!({"argv": ["/usr/bin/env"], "stdout": "context", "env": [CANARY], "set_env": {"MODE": "strict"}});
    let context = StepContext::new("session-1").env(&env);
    let seen = invoke_with(&build(&settings), &call(), &context).await.unwrap();
    let seen = seen.parts().unwrap().context.concat();
    // What was passed on is hidden in what the program says; what the config says goes first.
    for line in [&format!("{CANARY}=[{CANARY}]"), "LANG=xx_YY", "MODE=strict"] {
        assert!(seen.lines().any(|seen| seen == line), "{line} in {seen}");
    }
    assert!(!seen.contains("UNLISTED") && !seen.contains("of the session"), "{seen}");
    // It is the value of the session that the program has.
    let test = format!("[ \"${CANARY}\" = 'of the session' ] || exit 2");
    let built = build(&json!({"shell": test, "env": [CANARY]}));
    assert_eq!(invoke_with(&built, &call(), &context).await.unwrap(), Verdict::none());
    assert!(invoke(&built).await.unwrap().parts().is_some(), "and without it that of the process");
}

#[tokio::test]
async fn a_program_of_all_sessions_refuses_one_with_variables_of_its_own() {
    let built = build(&json!({"argv": ["/bin/cat"], "mode": "worker", "env": [CANARY]}));
    let env = SessionEnv::from_iter([(CANARY, "of the session")]);
    let context = StepContext::new("session-1").env(&env);
    let failure = invoke_with(&built, &call(), &context).await.unwrap_err();
    assert!(failure.detail.contains("runs for all sessions"), "{failure}");
    // The same value as it has is no other one; `cat` is no worker, and is asked.
    let same = SessionEnv::from_iter([(CANARY, env!("CARGO_MANIFEST_DIR"))]);
    let context = StepContext::new("session-1").env(&same);
    let failure = invoke_with(&built, &call(), &context).await.unwrap_err();
    assert!(!failure.detail.contains("runs for all sessions"), "{failure}");
}

#[tokio::test]
async fn a_script_finds_its_modules_whatever_the_session_has() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("beside.py"), "TEXT = 'found'\n").unwrap();
    std::fs::write(folder.path().join("hook.py"), "import beside; print(beside.TEXT)\n").unwrap();
    let settings =
        json!({"argv": ["python3", "hook.py"], "stdout": "context", "env": ["PYTHONPATH"]});
    let built = build_in(folder.path(), &settings).unwrap();
    let env = SessionEnv::from_iter([("PYTHONPATH", "/nowhere")]);
    let context = StepContext::new("session-1").env(&env);
    let seen = invoke_with(&built, &call(), &context).await.unwrap();
    assert_eq!(seen, Verdict::none().context("found"));
}

#[tokio::test]
async fn without_a_tool_there_is_no_tool_name() {
    let built = build(&json!({"shell": "[ -z \"${HOOKGATE_TOOL_NAME+x}\" ] || exit 2"}));
    let context = StepContext::new("s");
    assert_eq!(invoke_with(&built, &Stop::default(), &context).await.unwrap(), Verdict::none());
    assert!(invoke(&built).await.unwrap().parts().is_some());
}

#[tokio::test]
async fn values_that_were_passed_on_are_hidden() {
    let canary = std::env::var(CANARY).unwrap();
    let run = |text: &str| build(&json!({"shell": text, "env": [CANARY]}));
    let hidden = format!("key [{CANARY}] is wrong");
    let echo = format!("echo \"key ${CANARY} is wrong\" >&2;");
    let denied = invoke(&run(&format!("{echo} exit 2"))).await.unwrap();
    assert_eq!(denied, Verdict::deny(hidden.as_str()));
    let failure = invoke(&run(&format!("{echo} exit 3"))).await.unwrap_err();
    assert_eq!(failure.detail, format!("exit status 3: {hidden}"));
    let failure = invoke(&run(&format!("echo \"{{\\\"${CANARY}\\\":1}}\""))).await.unwrap_err();
    assert!(!failure.detail.contains(&canary), "{failure}");
    let json = r#"{"decision":"deny","reason":"key %s is wrong"}"#;
    let denied = invoke(&run(&format!("printf '{json}' \"${CANARY}\""))).await.unwrap();
    assert_eq!(denied, Verdict::deny(hidden));
}

#[tokio::test]
async fn it_runs_in_the_folder_of_the_session() {
    let base = tempfile::tempdir().unwrap();
    let session = tempfile::tempdir().unwrap();
    let built = build_in(base.path(), &json!({"shell": "pwd -P", "stdout": "context"})).unwrap();
    let payload = call();
    let real = |path: &Path| std::fs::canonicalize(path).unwrap().to_str().unwrap().to_owned();
    let cwd = session.path().to_str().unwrap().to_owned();
    let context = StepContext::new("s").cwd(&cwd);
    assert_eq!(
        invoke_with(&built, &payload, &context).await.unwrap(),
        Verdict::none().context(real(session.path()))
    );
    session.close().unwrap();
    assert_eq!(
        invoke_with(&built, &payload, &context).await.unwrap(),
        Verdict::none()
            .context(real(base.path()))
            .note("ran in the config's folder: the session's cwd does not exist")
    );
    assert_eq!(
        invoke(&built).await.unwrap(),
        Verdict::none().context(real(base.path())),
        "a session without a folder is nothing to note"
    );
}

/// A project that an agent works on cannot put its own script in place of the hook's.
#[tokio::test]
async fn the_script_is_never_that_of_the_session() {
    let base = tempfile::tempdir().unwrap();
    let session = tempfile::tempdir().unwrap();
    std::fs::write(base.path().join("guard.sh"), "echo real >&2; exit 2").unwrap();
    std::fs::write(session.path().join("guard.sh"), "exit 0").unwrap();
    let cwd = session.path().to_str().unwrap().to_owned();
    let context = StepContext::new("s").cwd(&cwd);
    for argv in [json!(["sh", "guard.sh"]), json!(["sh", "-u", "./guard.sh"])] {
        let built = build_in(base.path(), &json!({ "argv": argv })).unwrap();
        let verdict = invoke_with(&built, &call(), &context).await.unwrap();
        assert_eq!(verdict, Verdict::deny("real"), "{argv}");
    }
}

/// The agent chooses the name of the tool, and the host that of the session.
#[tokio::test]
async fn what_does_not_fit_into_a_variable_is_in_the_envelope_only() {
    let seen = "env | grep -c -E 'HOOKGATE_(TOOL_NAME|SESSION_ID)='; cat >/dev/null";
    let built = build(&json!({"shell": seen, "stdout": "context"}));
    let worker = build(&json!({
        "shell": "echo '{\"ready\":1}'; while read -r call; do id=${call#*:}; id=${id%%,*}
                  echo \"{\\\"id\\\":$id,\\\"verdict\\\":{}}\"; done",
        "mode": "worker",
    }));
    let long = "x".repeat(200_000);
    let zero = "a\0b";
    let edge = "x".repeat(4096);
    for (tool, session, expected) in [
        ("Bash", "s", "2"),
        (edge.as_str(), "s", "2"),
        (zero, "s", "1"),
        (long.as_str(), "s", "1"),
        ("Bash", zero, "1"),
        (zero, long.as_str(), "0"),
    ] {
        let payload = ToolCall::new(tool, json!({}));
        let context = StepContext::new(session);
        let reply = invoke_with(&built, &payload, &context).await.unwrap();
        assert_eq!(reply, Verdict::none().context(expected), "{} {}", tool.len(), session.len());
        assert_eq!(invoke_with(&worker, &payload, &context).await, Ok(Verdict::none()));
    }
    // The folder of the session, and the name of the step.
    let plain = build(&json!({"shell": "cat >/dev/null; exit 2"}));
    for odd in [zero, long.as_str(), "\n", "../..", ""] {
        let context = StepContext::new("s").cwd(odd).step_id(odd);
        let reply = invoke_with(&plain, &call(), &context).await.unwrap();
        let decision = reply.parts().unwrap().decision;
        assert_eq!(decision, Some(hookgate_contract::VerdictDecision::Deny), "{}", odd.len());
    }
}

#[tokio::test]
async fn a_run_that_is_done_later_has_its_key() {
    let say =
        json!({"shell": r#"printf %s "${HOOKGATE_IDEMPOTENCY_KEY-none}""#, "stdout": "context"});
    let built = build(&say);
    let context = StepContext::new("session-1");
    let reply = invoke_as(&built, &call(), &context, Some("sha256:0123")).await.unwrap();
    assert_eq!(reply.parts().unwrap().context.concat(), "sha256:0123");
    assert_eq!(context_of(&built).await, "none", "a call of a dispatch is no run");
}
