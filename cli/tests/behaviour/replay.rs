//! Promise: recorded steps are judged by another config as it would have judged them then, and what nobody can know is
//! said to be unknown.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;

use hookgate::envelope::Incoming;
use hookgate::{Engine, HandlerTable};
use hookgate_store::{EnvelopeMode, Journal, JournalSettings};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::judged_steps::NO_RM;
use crate::support::{Ended, Folder, repository, run};

/// A program that leaves a trace, and a question about the branch, beside `NO_RM`.
const ASKED: &str = r#"
[[hook]]
id = "script"
event = "pre_tool_use"
runs = ["npm *"]
timeout = "20s"
command = { argv = ["./guard.sh"] }

[[hook]]
id = "on-main"
event = "pre_tool_use"
runs = ["git push *"]
git_branch = "main"
builtin = { name = "ask", reason = "this is main" }
"#;

const GUARD: &str = "#!/bin/sh\n: > called\necho '{\"decision\":\"deny\",\"reason\":\"no npm\"}'\n";

const COMMANDS: [&str; 5] = ["ls", "rm -r build", "npm publish", "git push origin", "rm x"];

fn hooks() -> String {
    format!("{NO_RM}{ASKED}")
}

fn step(folder: &Folder, session: &str, id: usize, command: &str) -> String {
    json!({
        "hook_event_name": "pre_tool_use", "session_id": session, "step_id": format!("{session}-{id}"),
        "cwd": folder.path(""), "tool_name": "Bash", "tool_input": {"command": command},
    })
    .to_string()
}

fn guard(folder: &Folder, text: &str) {
    folder.write_program("guard.sh", text);
}

/// A folder on the branch `main` with a journal of some steps, and no trace of the program.
fn recorded() -> Folder {
    let folder = Folder::with_hooks(&hooks());
    guard(&folder, GUARD);
    std::fs::create_dir(folder.path(".git")).unwrap();
    folder.write(".git/HEAD", "ref: refs/heads/main\n");
    let steps = COMMANDS.iter().enumerate();
    let steps: Vec<String> = steps.map(|(id, command)| step(&folder, "s", id, command)).collect();
    let args = ["run", "-c", "hooks.toml", "--journal", "journal.db", "-q", "--table"];
    let ended = folder.run(&args, steps.join("\n"));
    assert_eq!(ended.code(), 0, "{}", ended.err());
    std::fs::remove_file(folder.path("called")).unwrap();
    folder
}

fn replay(folder: &Folder, args: &[&str]) -> Ended {
    let mut all = vec!["replay", "-c", "hooks.toml", "--journal", "journal.db"];
    all.extend(args);
    folder.run(&all, "")
}

/// What each step was and is now.
fn came_out(ended: &Ended) -> Vec<String> {
    let said = |said: &Value| match said["decision"].as_str() {
        Some("unknown") => format!("unknown(≥ {})", said["at_least"].as_str().unwrap()),
        decision => decision.unwrap_or("–").to_owned(),
    };
    let line = |line: Value| {
        format!(
            "{} {} {}",
            said(&line["was"]),
            said(&line["now"]),
            line["change"].as_str().unwrap_or("–")
        )
    };
    ended.lines().into_iter().map(line).collect()
}

fn change(folder: &Folder, from: &str, to: &str) {
    assert!(hooks().contains(from), "{from}");
    folder.write("hooks.toml", hooks().replace(from, to));
}

#[test]
fn the_same_config_says_the_same_and_calls_no_program() {
    let folder = recorded();
    // What is checked out now has nothing to do with it.
    folder.write(".git/HEAD", "ref: refs/heads/topic\n");
    let ended = replay(&folder, &[]);
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let same =
        ["allow allow same", "deny deny same", "deny deny same", "ask ask same", "deny deny same"];
    assert_eq!(came_out(&ended), same);
    assert!(!folder.path("called").exists(), "a replay has called a program");
    let npm = &ended.lines()[2];
    assert_eq!(npm["now"]["reason"], "no npm", "it answers as it did");
}

#[test]
fn a_weaker_config_is_found_and_can_fail() {
    let folder = recorded();
    change(&folder, r#"runs = ["rm *"]"#, r#"runs = ["rm -r *"]"#);
    let ended = replay(&folder, &["--fail-on", "weaker"]);
    assert_eq!(ended.code(), 2, "{}", ended.err());
    assert_eq!(came_out(&ended)[4], "deny allow weaker");
    assert!(ended.err().contains("5 steps · 4 same · 1 weaker"), "{}", ended.err());
    assert_eq!(replay(&folder, &["--fail-on", "stricter,rewritten,unknown"]).code(), 0);
    let only = replay(&folder, &["--only", "weaker"]);
    assert_eq!(came_out(&only), ["deny allow weaker"]);
}

#[test]
fn what_a_changed_program_would_say_is_unknown_until_somebody_says_it() {
    let folder = recorded();
    guard(&folder, &GUARD.replace("deny", "ask"));
    let npm = |args: &[&str]| came_out(&replay(&folder, args))[2].clone();
    let ended = replay(&folder, &[]);
    assert_eq!(came_out(&ended)[2], "deny unknown(≥ allow) unknown");
    assert_eq!(ended.lines()[2]["unknown"], json!(["script"]));
    assert!(ended.err().contains("script (1 step)"), "{}", ended.err());
    assert_eq!(npm(&["--stub", "script=deny"]), "deny deny same");
    assert_eq!(npm(&["--stub", "script=none"]), "deny allow weaker");
    assert_eq!(npm(&["--stub", "script=timeout"]), "deny deny same", "its posture");
    assert!(!folder.path("called").exists());
    assert_eq!(npm(&["--live"]), "deny ask weaker");
    assert!(folder.path("called").exists(), "--live has not called the program");
    let wrong = replay(&folder, &["--stub", "scripts=deny"]);
    assert_eq!(wrong.code(), 64);
    assert!(wrong.err().contains("did you mean `script`"), "{}", wrong.err());
}

#[test]
fn a_program_that_changes_nothing_is_called() {
    let folder = recorded();
    change(&folder, "command = {", "pure = true\ncommand = {");
    assert_eq!(came_out(&replay(&folder, &[]))[2], "deny deny same");
    assert!(folder.path("called").exists());
}

#[test]
fn the_branch_of_then_is_not_that_of_now() {
    let folder = recorded();
    change(&folder, "this is main", "main is for releases");
    assert_eq!(came_out(&replay(&folder, &[]))[3], "ask unknown(≥ allow) unknown");
    assert_eq!(came_out(&replay(&folder, &["--live"]))[3], "ask ask same");
    folder.write(".git/HEAD", "ref: refs/heads/topic\n");
    assert_eq!(came_out(&replay(&folder, &["--live"]))[3], "ask allow weaker");
}

/// A hook that lets two commands pass.
const TWO: &str = "[[hook]]\nid = \"two\"\nevent = \"pre_tool_use\"\n";

#[test]
fn hooks_that_count_have_counted_what_was_before() {
    let folder = recorded();
    folder.write(
        "hooks.toml",
        format!(
            "{TWO}builtin = {{ name = \"limit\", of = \"calls\", over = 2, then = \"deny\" }}\n"
        ),
    );
    assert_eq!(
        came_out(&replay(&folder, &["--text", "npm publish"])),
        ["deny deny same"],
        "it is the third step of its session"
    );
    assert_eq!(came_out(&replay(&folder, &["--text", "build"])), ["deny allow weaker"]);
}

#[test]
fn each_step_is_judged_at_its_own_time() {
    let folder = recorded();
    let window = format!(
        "{TWO}builtin = {{ name = \"limit\", of = \"calls\", over = 2, per = \"1m\", then = \"deny\" }}\n"
    );
    let hours = "\n[[hook]]\nid = \"at-night\"\nevent = \"pre_tool_use\"\nwhen = { hours = \"00:00-06:00\", zone = \"UTC\" }\nbuiltin = { name = \"deny\", reason = \"it is night\" }\n";
    folder.write("hooks.toml", format!("{window}{hours}"));
    let log = folder.run(&["log", "--json", "--journal", "journal.db"], "");
    let at = |hour: u64, apart: u64| {
        let mut time = 1_700_006_400_000 + hour * 3_600_000;
        let steps =
            log.lines().into_iter().filter(|line| line["kind"] == "step").map(|mut line| {
                time += apart;
                line["time"] = time.into();
                line.to_string()
            });
        let steps: Vec<String> = steps.collect();
        let ended = folder.run(&["replay", "-c", "hooks.toml", "-"], steps.join("\n"));
        assert_eq!(ended.code(), 0, "{}", ended.err());
        let by = |line: Value| {
            line["now"]["by"]
                .as_array()
                .unwrap()
                .iter()
                .map(|by| by.as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
                .join(" ")
        };
        ended.lines().into_iter().map(by).collect::<Vec<String>>()
    };
    // 1_700_006_400 is midnight in UTC.
    assert_eq!(at(12, 1_000), ["", "", "two", "two", "two"], "all within a minute");
    assert_eq!(at(12, 120_000), ["", "", "", "", ""], "two minutes apart");
    assert_eq!(at(2, 120_000), ["at-night"; 5]);
}

#[test]
fn which_of_the_recorded_steps_a_rule_would_stop() {
    let folder = recorded();
    let rule = "[[hook]]\nid = \"rule\"\nevent = \"pre_tool_use\"\nruns = [\"rm *\", \"git push *\"]\nbuiltin = { name = \"deny\", reason = \"no\" }\n";
    folder.write("hooks.toml", rule);
    let groups = |by: &str| {
        let ended = replay(&folder, &["--by", by]);
        let groups = ended.lines().into_iter();
        groups
            .map(|group| {
                (group["group"].as_str().unwrap().to_owned(), group["steps"].as_u64().unwrap())
            })
            .collect::<BTreeMap<_, _>>()
    };
    let pairs = |pairs: &[(&str, u64)]| {
        pairs.iter().map(|(name, steps)| ((*name).to_owned(), *steps)).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(groups("program"), pairs(&[("git", 1), ("rm", 2)]));
    assert_eq!(groups("tool"), pairs(&[("Bash", 3)]));
    assert_eq!(groups("hook"), pairs(&[("rule", 3)]));
    let paths = groups("path");
    let build = folder.path("build").display().to_string();
    assert_eq!(paths.get(&build), Some(&1), "{paths:?}");
}

#[tokio::test]
async fn a_record_without_its_step_is_told() {
    let folder = Folder::with_hooks(&hooks());
    let mut settings = JournalSettings::new(folder.path("journal.db"));
    settings.envelope = EnvelopeMode::Hash;
    let journal = Journal::open(settings).unwrap();
    let engine = Engine::new(HandlerTable::empty()).with_recorder(journal.clone());
    let mut incoming = Incoming::parse(step(&folder, "s", 1, "rm x").as_bytes()).unwrap();
    engine.evaluate(&mut incoming).await;
    drop((engine, journal));
    let ended = replay(&folder, &[]);
    assert!(ended.lines().is_empty());
    assert!(ended.err().contains("left out: 1 record whose step"), "{}", ended.err());
}

#[test]
fn what_is_unreadable_is_told_with_its_place() {
    let folder = Folder::with_hooks(&hooks());
    let lines =
        format!("{}\n{{\"seq\":1,\"kind\":\"stop\"}}\nnonsense\n", step(&folder, "s", 1, "rm x"));
    folder.write("steps.jsonl", lines);
    let ended = folder.run(&["replay", "-c", "hooks.toml", "steps.jsonl"], "");
    assert_eq!(ended.code(), 1);
    assert_eq!(came_out(&ended), ["– deny –"]);
    assert!(ended.err().contains("steps.jsonl:2:1"), "{}", ended.err());
    assert!(ended.err().contains("steps.jsonl:3:"), "{}", ended.err());
    let filtered = folder.run(&["replay", "-c", "hooks.toml", "steps.jsonl", "--since", "1h"], "");
    assert_eq!(filtered.code(), 64, "{}", filtered.err());
    let missing = folder.run(&["replay", "-c", "hooks.toml", "--journal", "none.db"], "");
    assert_eq!(missing.code(), 1);
    assert!(missing.err().contains("there is no journal"), "{}", missing.err());
}

/// Checks that a screen stands in docs/replay.md as it is.
#[track_caller]
fn assert_on_page(screen: &str) {
    let page = std::fs::read_to_string(repository().join("docs/replay.md")).unwrap();
    assert!(page.contains(screen), "docs/replay.md does not show:\n{screen}");
}

#[test]
fn the_screens_of_the_page() {
    let folder = recorded();
    change(&folder, r#"runs = ["rm *"]"#, r#"runs = ["rm -r *", "ls"]"#);
    guard(&folder, &GUARD.replace("deny", "ask"));
    let screen = |ended: &Ended| {
        let lines: Vec<String> =
            ended.out().lines().map(|line| line.trim_end().to_owned()).collect();
        format!("{}\n{}", lines.join("\n"), ended.err().trim_end())
    };
    let steps = screen(&replay(&folder, &["--table"]));
    assert_on_page(&steps);
    assert_snapshot!(steps);
    let groups = screen(&replay(&folder, &["--table", "--by", "program", "-q"]));
    assert_on_page(groups.trim_end());
    assert_snapshot!(groups);
}

#[test]
fn what_an_agent_has_told_is_judged_at_its_time() {
    let folder = Folder::with_hooks(&format!(
        "{}\n[[hook]]\nid = \"secret\"\nevent = \"post_tool_use\"\nbuiltin = {{ name = \"redact_secrets\" }}\n",
        hooks()
    ));
    let line = |kind: &str, content: Value| {
        json!({
            "type": kind, "sessionId": "s", "cwd": folder.path(""), "timestamp": "2026-11-01T12:00:00.000Z",
            "message": {"role": kind, "content": content},
        })
    };
    let transcript = [
        json!({"type": "summary", "summary": "a session"}),
        line("user", "clean up".into()),
        line(
            "assistant",
            json!([
                {"type": "text", "text": "I will."},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "rm -r build"}},
            ]),
        ),
        line("user", json!([{"type": "tool_result", "tool_use_id": "t1", "content": "done"}])),
    ];
    let text: Vec<String> = transcript.iter().map(Value::to_string).collect();
    folder.write("session.jsonl", text.join("\n"));
    let judge = |file: &str, agent: &str| {
        let ended = folder.run(&["replay", "-c", "hooks.toml", "--agent", agent, file], "");
        let steps = ended.lines().into_iter();
        let steps = steps.map(|step| {
            format!(
                "{} {}",
                step["event"].as_str().unwrap(),
                step["now"]["decision"].as_str().unwrap()
            )
        });
        (ended.code(), steps.collect::<Vec<_>>(), ended.err().to_owned())
    };
    let (code, steps, err) = judge("session.jsonl", "claude");
    assert_eq!(code, 0, "{err}");
    assert_eq!(steps, ["user_prompt_submit allow", "pre_tool_use deny", "post_tool_use allow"]);
    let sent = json!({"session_id": "s", "cwd": "/w", "hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": {"command": "rm x"}, "timestamp": "2026-11-01T12:00:00Z", "transcript_path": ""});
    folder.write("sent.jsonl", sent.to_string());
    let (code, steps, err) = judge("sent.jsonl", "gemini");
    assert_eq!((code, steps), (0, vec!["pre_tool_use deny".to_owned()]), "{err}");
    let (code, steps, err) = judge("sent.jsonl", "claude");
    assert_eq!((code, steps.len()), (1, 0));
    assert!(err.contains("sent.jsonl:1:1") && err.contains("BeforeTool"), "{err}");
}

#[test]
fn a_branch_that_nobody_knows_hides_no_guard_after_it() {
    let folder = recorded();
    let after = "\n[[hook]]\nid = \"no-push\"\nevent = \"pre_tool_use\"\nruns = [\"git push *\"]\nbuiltin = { name = \"deny\", reason = \"no push\" }\n";
    let hooks = hooks().replace("this is main", "main is for releases");
    folder.write(
        "hooks.toml",
        format!(
            "{}{after}",
            hooks.replace("git_branch = \"main\"", "git_branch = \"main\"\non_unclear = \"deny\"")
        ),
    );
    let push = &replay(&folder, &[]).lines()[3];
    assert_eq!(
        (&push["now"]["at_least"], &push["now"]["by"]),
        (&json!("deny"), &json!(["no-push"]))
    );
    assert_eq!(push["change"], "stricter");
}

#[test]
fn what_was_unknown_makes_the_later_steps_that_count_unknown() {
    let folder = recorded();
    guard(&folder, &GUARD.replace("deny", "ask"));
    let limit = "\n[[hook]]\nid = \"three\"\nevent = \"pre_tool_use\"\nbuiltin = { name = \"limit\", of = \"calls\", over = 3, then = \"deny\" }\n";
    folder.write("hooks.toml", format!("{}{limit}", hooks()));
    let came = came_out(&replay(&folder, &[]));
    assert_eq!(came[0], "allow allow same");
    assert_eq!(came[2], "deny unknown(≥ allow) unknown", "the program itself");
    assert_eq!(came[3], "ask unknown(≥ ask) unknown", "how much was counted, nobody knows");
    assert_eq!(came_out(&replay(&folder, &["--stub", "script=deny"]))[3], "ask ask same");
}

#[test]
fn a_script_in_the_text_of_a_shell_is_a_part_of_its_hook() {
    let folder = recorded();
    change(&folder, r#"argv = ["./guard.sh"]"#, r#"shell = "cat | $HOOKGATE_CONFIG_DIR/guard.sh""#);
    let steps = step(&folder, "t", 1, "npm publish");
    let args = ["run", "-c", "hooks.toml", "--journal", "other.db", "-q", "--table"];
    assert_eq!(folder.run(&args, steps).code(), 0);
    let npm =
        || came_out(&folder.run(&["replay", "-c", "hooks.toml", "--journal", "other.db"], ""));
    assert_eq!(npm(), ["deny deny same"]);
    guard(&folder, "#!/bin/sh\necho '{}'\n");
    assert_eq!(npm(), ["deny unknown(≥ allow) unknown"]);
}

#[test]
fn a_replay_writes_nothing_to_a_disk() {
    let folder = recorded();
    let config = "[[hook]]\nid = \"undo\"\nevent = \"pre_tool_use\"\nbuiltin = \"snapshot\"\n\n[[hook]]\nid = \"short\"\nevent = \"post_tool_use\"\nbuiltin = { name = \"limit_large_tool_results\", max_bytes = 1000, folder = \"results\" }\n";
    folder.write("hooks.toml", config);
    std::fs::create_dir(folder.path("bin")).unwrap();
    let git = folder
        .write("bin/git", format!("#!/bin/sh\n: > {}\n", folder.path("git-was-called").display()));
    std::fs::set_permissions(git, std::fs::Permissions::from_mode(0o755)).unwrap();
    let result = json!({
        "hook_event_name": "post_tool_use", "session_id": "s", "cwd": folder.path(""), "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_response": "x".repeat(5_000),
    });
    folder.write("steps.jsonl", format!("{}\n{result}\n", step(&folder, "s", 1, "ls")));
    let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap());
    let judge = |verb: &str| {
        let mut command = folder.hookgate(&[verb, "-c", "hooks.toml", "--json", "steps.jsonl"]);
        command.env("PATH", &path);
        let ended = run(command, b"");
        (
            folder.path("git-was-called").exists(),
            folder.path("results").exists(),
            ended.err().to_owned(),
        )
    };
    let (git, results, err) = judge("replay");
    assert_eq!((git, results), (false, false), "{err}");
    let (git, results, err) = judge("run");
    assert_eq!((git, results), (true, true), "the control does both: {err}");
}

#[test]
fn another_answer_is_a_change() {
    let folder = Folder::new();
    let answer = |text: &str| {
        format!(
            "[[hook]]\nid = \"a\"\nevent = \"pre_tool_use\"\nrole = \"rewrite\"\nbuiltin = {{ name = \"answer\", result = \"{text}\" }}\n"
        )
    };
    folder.write("hooks.toml", answer("one"));
    let args = ["run", "-c", "hooks.toml", "--journal", "journal.db", "-q", "--table"];
    assert_eq!(folder.run(&args, step(&folder, "s", 1, "ls")).code(), 0);
    assert_eq!(came_out(&replay(&folder, &[])), ["answered answered same"]);
    folder.write("hooks.toml", answer("two"));
    assert_eq!(came_out(&replay(&folder, &[])), ["answered answered rewritten"]);
}

#[test]
fn what_a_rewriter_has_changed_is_another_step_for_a_program() {
    let folder = recorded();
    let rewriter = "[[hook]]\nid = \"short\"\nevent = \"pre_tool_use\"\nbuiltin = { name = \"rewrite\", from = \"npm publish\", to = \"npm pack\" }\n";
    folder.write("hooks.toml", format!("{rewriter}{}", hooks()));
    assert_eq!(came_out(&replay(&folder, &[]))[2], "deny unknown(≥ allow) unknown");
    folder.write(
        "hooks.toml",
        format!("{}{}", rewriter.replace("npm publish", "yarn publish"), hooks()),
    );
    assert_eq!(came_out(&replay(&folder, &[]))[2], "deny deny same", "the control");
}
