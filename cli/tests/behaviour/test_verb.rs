//! Promise: `hookgate test` tells a policy that does what its cases say from one that does not, and runs
//! nothing that is not asked for.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::Duration;

use hookgate::FailureClass;
use serde_json::Value;

use crate::support::{Ended, Folder, is_built, repository, run};

const HOOKS: &str = r#"
[[hook]]
id = "no-push"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = "push" } }
builtin = { name = "deny", reason = "no push on Fridays", reason_code = "policy_violation" }

[[hook]]
id = "npm"
event = "pre_tool_use"
input = { "/command" = { starts_with = "npm" } }
builtin = { name = "rewrite", from = "npm", to = "pnpm" }

[[hook]]
id = "judge"
event = "pre_tool_use"
tool = "Write"
on_timeout = "ask"
command = { argv = ["./judge.sh"] }

[[hook]]
id = "seen"
event = "stop"
builtin = "audit"
"#;

const DENIED: &str = r#"[[case]]
name = "denied"
event = "pre_tool_use"
step = { tool_name = "Bash", tool_input = { command = "git push" } }
"#;

const WRITE: &str = r#"[[case]]
name = "written"
event = "pre_tool_use"
step = { tool_name = "Write", tool_input = { file_path = "a", content = "b" } }
"#;

/// A folder with the hooks, and with a script that leaves a file.
fn folder(tests: &str) -> Folder {
    let folder = Folder::with_hooks(HOOKS);
    let script = folder.write("judge.sh", "#!/bin/sh\ncat > /dev/null\n: > ran\nexit 2\n");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder.write("hooks_test.toml", tests);
    folder
}

fn test(tests: &str, flags: &[&str]) -> Ended {
    let args: Vec<&str> = ["test"].iter().chain(flags).copied().collect();
    folder(tests).run(&args, "")
}

/// What differs in the first case.
fn differences(ended: &Ended) -> Vec<String> {
    let all = ended.lines()[0]["differences"].as_array().unwrap().clone();
    all.iter().map(|one| one["what"].as_str().unwrap().to_owned()).collect()
}

/// Each expectation holds when it is right, and fails alone when it is wrong.
#[test]
fn every_expectation_can_fail() {
    let npm = DENIED.replace("git push", "npm test");
    let silent = "[[case]]\nname = \"s\"\nevent = \"stop\"\ndecision = \"allow\"\n";
    let failing = format!("{WRITE}fault = {{ judge = \"exit\" }}\n");
    for (case, right, wrong) in [
        (DENIED, r#"decision = "deny""#, r#"decision = "allow""#),
        (DENIED, r#"by = ["no-push"]"#, r#"by = ["no-push", "judge"]"#),
        (DENIED, r#"reason = "on F.*s$""#, r#"reason = "on Monday""#),
        (DENIED, r#"reason_code = "policy_violation""#, r#"reason_code = "timeout""#),
        (
            &npm,
            r#"patch = { tool_input = { command = "pnpm test" } }"#,
            r#"patch = { tool_input = { command = "npm" } }"#,
        ),
        (&npm, r#"patch = { "/tool_input/command" = "pnpm test" }"#, "patch = {}"),
        (DENIED, "patch = {}", "patch = { tool_input = {} }"),
        (silent, "context = []", r#"context = "x""#),
        (silent, "messages = []", r#"messages = ["x"]"#),
        (&failing, r#"failures = { judge = "exit" }"#, r#"failures = { judge = "timeout" }"#),
        (DENIED, "failures = {}", r#"failures = { judge = "exit" }"#),
    ] {
        let ended = test(&format!("{case}{right}\n"), &[]);
        assert_eq!((ended.code(), differences(&ended)), (0, vec![]), "{right}: {}", ended.err());
        let ended = test(&format!("{case}{wrong}\n"), &[]);
        let key = wrong.split(' ').next().unwrap();
        assert_eq!((ended.code(), differences(&ended)), (2, vec![key.to_owned()]), "{wrong}");
    }
}

#[test]
fn a_fault_of_each_class_counts_as_the_posture_says() {
    for class in FailureClass::ALL {
        let case = format!(
            "{WRITE}fault = {{ judge = \"{class}\" }}\nfailures = {{ judge = \"{class}\" }}\n"
        );
        // The hook asks when it is late; a hook that is unclear asks unless it says otherwise.
        let asks = matches!(class, FailureClass::Timeout | FailureClass::Unclear);
        let (right, wrong) = if asks { ("ask", "deny") } else { ("deny", "ask") };
        let ended = test(&format!("{case}decision = \"{right}\"\n"), &[]);
        assert_eq!(ended.code(), 0, "{class}: {}", ended.out());
        assert_eq!(test(&format!("{case}decision = \"{wrong}\"\n"), &[]).code(), 2, "{class}");
    }
}

#[test]
fn nothing_is_run_unless_it_is_asked_for() {
    let folder = folder(&format!("{WRITE}decision = \"deny\"\n"));
    let ended = folder.run(&["test"], "");
    assert_eq!((ended.code(), differences(&ended)), (2, vec!["handler".to_owned()]));
    assert!(ended.out().contains("--run") && ended.out().contains("stub"), "{}", ended.out());
    assert!(!folder.path("ran").exists());

    let ended = folder.run(&["test", "--run"], "");
    assert_eq!(ended.code(), 0, "{}", ended.out());
    assert!(folder.path("ran").exists());
}

#[test]
fn a_stub_answers_in_place_of_the_program() {
    let stub = |verdict: &str, decision: &str| {
        let folder =
            folder(&format!("{WRITE}stub = {{ judge = {verdict} }}\ndecision = \"{decision}\"\n"));
        let code = folder.run(&["test", "--run"], "").code();
        assert!(!folder.path("ran").exists());
        code
    };
    assert_eq!(stub(r#"{ verdict = "ask", reason = "sure?" }"#, "ask"), 0);
    assert_eq!(stub(r#"{ decision = "halt", reason = "stop" }"#, "halt"), 0);
    assert_eq!(stub(r#"{ verdict = "none" }"#, "allow"), 0);
    assert_eq!(stub(r#"{ verdict = "deny", reason = "no" }"#, "allow"), 2);
    assert_eq!(stub(r#"{ verdict = "perhaps" }"#, "allow"), 3);
}

#[test]
fn the_steps_of_a_case_are_one_session_and_cases_are_not() {
    let hooks = "[[hook]]\nid = \"limit\"\nevent = \"pre_tool_use\"\n\
                 builtin = { name = \"limit\", of = \"calls\", over = 1, per = \"session\", reason = \"enough\" }\n";
    let step = "step = { tool_name = \"Bash\", tool_input = { command = \"ls\" } }\n";
    let folder = Folder::with_hooks(hooks);
    folder.write(
        "hooks_test.toml",
        format!(
            "event = \"pre_tool_use\"\n[[case]]\nname = \"two\"\n[[case.steps]]\n{step}[[case.steps]]\n{step}\
             decision = \"halt\"\n[[case]]\nname = \"one\"\n{step}decision = \"allow\"\n"
        ),
    );
    let ended = folder.run(&["test"], "");
    assert_eq!(ended.code(), 0, "{}", ended.out());
    let ended = folder.run(&["test", "--filter", "two$"], "");
    assert_eq!((ended.lines().len(), ended.code()), (2, 0));
}

#[test]
fn mistakes_have_a_place() {
    for (tests, place) in [
        (
            "[[case]]\nname = \"a\"\nevnt = \"stop\"\n",
            "hooks_test.toml:3:1: unknown key `evnt`; did you mean `event`",
        ),
        (
            "[[case]]\nname = \"a\"\nevent = \"stopp\"\ndecision = \"allow\"\n",
            "hooks_test.toml:3:9: ",
        ),
        (
            "[[case]]\nname = \"a\"\nevent = \"stop\"\ndecision = \"alow\"\n",
            "hooks_test.toml:4:12: ",
        ),
        ("[[case]]\nname = \"a\"\nevent = \"stop\"\n", "hooks_test.toml:2:8: "),
        (
            "[[case]]\nname = \"a\"\nevent = \"stop\"\ndecision = \"allow\"\nby = \"juge\"\n",
            "hooks_test.toml:5:6: ",
        ),
        (
            "[[case]]\nname = \"a\"\nevent = \"stop\"\ndecision = \"allow\"\nfault = { juge = \"exit\" }\n",
            "hooks_test.toml:5:11: ",
        ),
        (
            "[[case]]\nname = \"a\"\nevent = \"stop\"\ndecision = \"allow\"\nfault = { judge = \"exits\" }\n",
            "hooks_test.toml:5:19: ",
        ),
        ("[[case]]\nname = \"a\"\nevent = \"stop\"\nreason = \"(\"\n", "hooks_test.toml:4:10: "),
        ("[[case]]\nname = \n", "hooks_test.toml:2:"),
        (
            "[[case]]\nname = \"a\"\nevent = \"pre_tool_use\"\nstep = { tool_input = {} }\ndecision = \"allow\"\n",
            "hooks_test.toml:4:8: ",
        ),
        (
            "[[case]]\nname = \"a\"\nevent = \"stop\"\nstep_file = \"none.json\"\ndecision = \"allow\"\n",
            "hooks_test.toml:4:13: ",
        ),
    ] {
        let ended = test(tests, &[]);
        assert_eq!((ended.code(), ended.out()), (3, ""), "{tests}\n{}", ended.err());
        assert!(ended.err().contains(place), "{place}\n{}", ended.err());
    }
}

#[test]
fn yaml_and_json_are_read_and_their_mistakes_have_a_place() {
    let folder = folder("");
    folder.write("a_test.yaml", "case:\n  - name: a\n    event: stop\n    decision: allow\n");
    folder.write("step.json", r#"{"hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{"command":"git push"}}"#);
    folder.write(
        "b_test.json",
        r#"{"case":[{"name":"b","step_file":"step.json","decision":"deny"}]}"#,
    );
    let ended = folder.run(&["test"], "");
    assert_eq!((ended.code(), ended.lines().len()), (0, 3), "{}", ended.err());
    folder.write("a_test.yaml", "case:\n  - name: a\n    event: stop\n    decsion: allow\n");
    folder.write("b_test.json", "{\"case\":\n null}");
    let ended = folder.run(&["test"], "");
    assert_eq!(ended.code(), 3);
    for place in ["a_test.yaml:4:5: unknown key `decsion`", "b_test.json:2:2: "] {
        assert!(ended.err().contains(place), "{}", ended.err());
    }
}

#[test]
fn a_run_without_a_case_fails() {
    let skipped = format!("{DENIED}decision = \"deny\"\nskip = \"later\"\n");
    for (tests, flags) in [("", &[][..]), (&skipped, &[]), (DENIED, &["--filter", "no such"])] {
        let tests = if tests == DENIED {
            format!("{DENIED}decision = \"deny\"\n")
        } else {
            tests.to_owned()
        };
        let ended = test(&tests, flags);
        assert_eq!(ended.code(), 2, "{tests}");
        assert!(ended.err().contains("no case was run"));
        let flags: Vec<&str> = flags.iter().chain(&["--allow-empty"]).copied().collect();
        assert_eq!(test(&tests, &flags).code(), 0, "{tests}");
    }
    let folder = folder("");
    assert_eq!(folder.run(&["test", "nowhere_test.toml"], "").code(), 3);
    std::fs::remove_file(folder.path("hooks_test.toml")).unwrap();
    let ended = folder.run(&["test"], "");
    assert_eq!(ended.code(), 2);
    assert!(ended.err().contains("hooks_test.toml"), "{}", ended.err());
    assert_eq!(test(DENIED, &["--repeat", "0"]).code(), 64);
    assert_eq!(Folder::with_hooks("[[hook]]\n").run(&["test"], "").code(), 3);
}

const MIXED: &str = r#"
event = "pre_tool_use"
[[case]]
name = "passes"
step = { tool_name = "Bash", tool_input = { command = "git push" } }
decision = "deny"
[[case]]
name = "fails <&> # here"
step = { tool_name = "Bash", tool_input = { command = "ls" } }
decision = "deny"
by = "no-push"
[[case]]
name = "skipped"
skip = "not yet"
decision = "deny"
step = { tool_name = "Bash", tool_input = { command = "ls" } }
[[case]]
name = "known"
todo = "see issue 1"
step = { tool_name = "Bash", tool_input = { command = "ls" } }
decision = "ask"
"#;

/// A text with its times masked.
fn masked(text: &str) -> String {
    let times = regex::Regex::new(r#"time="[0-9.]+"|in [0-9a-z ]+$"#).unwrap();
    text.lines().map(|line| times.replace_all(line, "…").into_owned() + "\n").collect()
}

#[test]
fn each_format_tells_the_same() {
    let json = test(MIXED, &[]);
    let status: Vec<Value> = json.lines().iter().map(|line| line["status"].clone()).collect();
    assert_eq!(
        status,
        ["passed".into(), "failed".into(), "skipped".into(), "todo".into(), Value::Null]
    );
    assert_eq!(json.lines()[1]["differences"][0]["expected"], "deny");
    for format in ["human", "junit", "tap"] {
        let ended = test(MIXED, &["--format", format]);
        assert_eq!(ended.code(), 2);
        insta::assert_snapshot!(format!("test_{format}"), masked(ended.out()));
    }
}

#[test]
fn coverage_has_a_threshold() {
    let tests = format!("{DENIED}decision = \"deny\"\n");
    let ended = test(&tests, &["--coverage"]);
    let coverage = &ended.lines()[1]["coverage"];
    assert_eq!((ended.code(), coverage["percent"].as_f64()), (0, Some(25.0)));
    assert_eq!(coverage["hooks"][0]["acted"], 1);
    assert_eq!(test(&tests, &["--threshold", "25"]).code(), 0);
    let ended = test(&tests, &["--threshold", "26"]);
    assert_eq!(ended.code(), 2);
    assert!(ended.err().contains("judge"), "{}", ended.err());
}

#[test]
fn an_update_writes_what_came_out_and_keeps_comments() {
    let tests =
        format!("# first\n{DENIED}decision = \"ask\" # really?\nby = [\"judge\"] # who\n# last\n");
    let folder = folder(&tests);
    assert_eq!(folder.run(&["test"], "").code(), 2);
    let ended = folder.run(&["test", "--update"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let expected = tests.replace("\"ask\"", "\"deny\"").replace("[\"judge\"]", "[\"no-push\"]");
    assert_eq!(std::fs::read_to_string(folder.path("hooks_test.toml")).unwrap(), expected);

    // What no handler has decided is not written down.
    let tests = format!("{WRITE}decision = \"allow\"\n");
    folder.write("hooks_test.toml", &tests);
    assert_eq!(folder.run(&["test", "--update"], "").code(), 2);
    assert_eq!(std::fs::read_to_string(folder.path("hooks_test.toml")).unwrap(), tests);
}

#[test]
fn the_order_is_that_of_the_seed() {
    let cases: String = (0..20)
        .map(|n| format!("[[case]]\nname = \"{n}\"\nevent = \"stop\"\ndecision = \"allow\"\n"))
        .collect();
    let names = |flags: &[&str]| -> Vec<String> {
        let lines = test(&cases, flags).lines();
        lines.iter().filter_map(|line| Some(line["name"].as_str()?.to_owned())).collect()
    };
    let plain = names(&[]);
    let seven = names(&["--shuffle=7"]);
    assert_eq!(seven, names(&["--shuffle=7"]));
    assert!(seven != plain && seven != names(&["--shuffle=8"]));
    let mut sorted = [seven.clone(), plain.clone()];
    sorted.iter_mut().for_each(|all| all.sort());
    assert_eq!(sorted[0], sorted[1]);
    assert_eq!(names(&["--repeat", "2"]).len(), 40);
}

#[test]
fn a_watch_runs_the_cases_again() {
    let folder = folder(&format!("{DENIED}decision = \"deny\"\n"));
    let mut command = folder.hookgate(&["test", "--watch"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, records) = std::sync::mpsc::channel::<Value>();
    std::thread::spawn(move || {
        for line in lines {
            let _ = sender.send(serde_json::from_str(&line.unwrap()).unwrap());
        }
    });
    let next_summary = || loop {
        let record = records.recv_timeout(Duration::from_secs(30)).ok()?;
        if record["type"] == "summary" {
            break record["passed"].as_u64();
        }
    };
    let mut passed = vec![next_summary()];
    folder.write("hooks.toml", HOOKS.replace("regex = \"push\"", "regex = \"pull\""));
    passed.push(next_summary());
    folder.write("hooks_test.toml", format!("{DENIED}decision = \"allow\"\n"));
    passed.push(next_summary());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(passed, [Some(1), Some(0), Some(1)]);
}

/// The shipped examples carry their cases, which leave nothing behind.
#[test]
fn the_shipped_examples_pass_their_tests() {
    let examples = repository().join("examples");
    let mut tried = 0;
    for folder in [examples.clone(), examples.join("policies"), examples.join("start")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if !path.join("hooks.toml").is_file() || !is_built(&path) {
                continue;
            }
            let config = path.join("hooks.toml");
            let mut command = Folder::new().hookgate(&["test", "-c", config.to_str().unwrap()]);
            // A service is only asked with a key for its signature, which the config wants to see.
            command.env("POLICY_SECRET", "x").current_dir("/");
            let ended = run(command, b"");
            assert_eq!(ended.code(), 0, "{}\n{}{}", path.display(), ended.out(), ended.err());
            assert!(!path.join("steps.jsonl").exists());
            tried += 1;
        }
    }
    assert!(tried > 25, "{tried}");
}
