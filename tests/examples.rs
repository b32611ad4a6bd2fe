//! Promise: the example programs do what they say.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::path::PathBuf;
use std::process::Command;

use hookgate_test_support::needs;

/// Runs an example. `cargo test` builds it beside this test; where only this test was asked for,
/// it is built now.
fn run(name: &str) -> String {
    let mut path: PathBuf = std::env::current_exe().expect("this test has a path");
    path.pop();
    path.set_file_name("examples");
    path.push(name);
    if !path.exists() {
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "hookgate", "--example", name])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .expect("cargo runs");
        assert!(built.success(), "the example `{name}` does not build");
    }
    let output = Command::new(&path).output().expect("the example runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text")
}

#[test]
fn the_first_program_prints_what_readme_and_crate_page_say() {
    assert_eq!(run("first_program"), "denied by no-shell: no shell here\n");
}

#[test]
fn an_agent_loop_meets_every_state() {
    let expected = "\
ls: output of `ls`
false: error: exit status 1
git push --force: denied by no-force-push: force push is not allowed here
cat README.md: # from the cache (supplied by a hook)
cat key.pem: withheld by no-keys: the result holds a key
rm -rf /: the run ends, halted by panic-button: nobody does that here
cargo publish: publish for everybody?
approved: output of `cargo publish`
refused: denied by the user: not today
approved after a swap: denied by freeze: nothing goes out this week
";
    assert_eq!(run("agent_loop"), expected);
}

#[test]
fn a_config_is_reloaded_and_what_is_broken_is_not_in_force() {
    let expected = "\
reloaded: generation 2, 2 hooks (added log)
refused: generation 2 stays
refused: generation 2 stays
reloaded: generation 3, 1 hook, 1 fewer (removed no-shell)
1 hook in force, 2 reloads have failed
";
    assert_eq!(run("reload"), expected);
}

#[test]
fn an_embedder_defines_its_own_step() {
    let expected = "\
web goes to staging
asked: to production?
denied by freeze: the ledger is frozen
";
    assert_eq!(run("custom_step"), expected);
}

#[test]
fn the_whole_day_of_a_runtime() {
    if !needs::program("sh") {
        return;
    }
    let expected = "\
== a user who says yes
[yes] user: Release it.
[yes] read_file: token: [redacted:github_token]
[yes] shell: denied by no-force-push: force push is not allowed here
[yes] shell: published
[yes] shell: no such report
[yes] ended: done
== a user who says no
[no] user: Publish it.
[no] shell: denied by the user: the user said no
[no] ended: done
== a user who changes what he agrees to
[edit] user: Publish it.
[edit] shell: would publish
[edit] ended: done
== an answer after the process that asked was killed
publish this? -> allow
== two sessions with hooks of their own
[reads] user: Look around.
[reads] shell: denied by scope/own: not in this session
[reads] read_file: token: [redacted:github_token]
[reads] shell: denied by no-force-push: force push is not allowed here
[reads] ended: done
[works] user: Look around.
[works] shell: hello
[works] read_file: denied by scope/own: not in this session
[works] shell: denied by no-force-push: force push is not allowed here
[works] ended: done
== an answer that is cut in the middle of a sentence
[stream] The token is [redacted:github_token], and all is well.
[stream] We ship on Friday[denied by no-names: customers are not named]
== a reload while two sessions run
in force: generation 2, 6 hooks
[one] user: Tidy up.
[one] shell: ready
[one] shell: denied by the user: the user said no
[one] ended: done
[two] user: Tidy up.
[two] shell: ready
[two] shell: denied by the user: the user said no
[two] ended: done
== an edit with a mistake changes nothing
generation 2 stays: hooks.toml:13:26: unknown key `regexp`; did you mean `regex`?
== Esc while a hook is at work, while a tool runs, while the user is asked
[esc-hook] user: Review it.
[esc-hook] ended: cancelled
[esc-tool] user: Wait.
[esc-tool] ended: cancelled
[esc-ask] user: Publish it.
[esc-ask] ended: cancelled
== the end, with work pending
some was, true
[late] ended: denied by hookgate: the engine is closed: the program is about to end
== the audit
145 dispatches, of them
  edit: pre_tool_use decided: ask by publishing-asks
  edit: pre_tool_use decided: ask by publishing-asks
  edit: pre_tool_use approved: allow by the user
  esc-ask: pre_tool_use decided: ask by publishing-asks
  esc-hook: pre_tool_use decided: cancelled
  esc-tool: post_tool_use unfinished: deny by hookgate
  late: user_prompt_submit decided: deny by hookgate
  no: pre_tool_use decided: ask by publishing-asks
  no: pre_tool_use rejected: deny by the user
  one: pre_tool_use decided: ask by publishing-asks
  one: pre_tool_use rejected: deny by the user
  reads: pre_tool_use decided: deny by scope/own
  reads: pre_tool_use decided: deny by no-force-push
  stream: post_llm_response decided: deny by no-names
  two: pre_tool_use decided: ask by publishing-asks
  two: pre_tool_use rejected: deny by the user
  works: pre_tool_use decided: deny by scope/own
  works: pre_tool_use decided: deny by no-force-push
  yes: pre_tool_use decided: deny by no-force-push
  yes: pre_tool_use decided: ask by publishing-asks
  yes: pre_tool_use approved: allow by the user
";
    assert_eq!(run("runtime"), expected);
}

/// Row H10: the facts of a finished turn, and the notification beside a failure, among others.
#[test]
fn a_turn_knows_where_each_line_comes_from_and_how_it_has_ended() {
    let printed = run("turn");
    let turns: Vec<&str> = printed.split("turn ").skip(1).collect();
    assert_eq!(turns.len(), 2, "{printed}");
    for line in [
        "house rules @system       | Run the tests before you stop.",
        "memory likes @memory      | The user likes short answers.",
        "network: false",
        "tools: Bash, Search",
    ] {
        assert!(turns[0].lines().any(|printed| printed == line), "no `{line}` in\n{}", turns[0]);
    }
    // What stays in the conversation is not sent again.
    assert!(!turns[1].contains("short answers"), "{}", turns[1]);
    let ends = |turn: &str| {
        let hooks = ["ledger:", "failures:", "limit:", "bell:"];
        let ends = turn.lines().filter(|line| hooks.iter().any(|hook| line.starts_with(hook)));
        ends.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        ends(turns[0]),
        [r#"ledger: "succeeded", "The build is fixed.", [{"is_error":false,"tool":"Bash"}]"#]
    );
    assert_eq!(
        ends(turns[1]),
        [
            r#"failures: "the model is overloaded""#,
            r#"bell: "error", "the model is overloaded""#,
            r#"ledger: "provider_failure", [], "the model is overloaded""#,
            "limit: 2",
            r#"bell: "warning", "the turns of this run are over""#,
        ]
    );
}
