//! Promise: the main screens look as they are recorded here, without colours.

use std::process::Command;

use insta::assert_snapshot;

use crate::support::{Ended, Folder, HOOKS, bash, run};

/// A screen: what was printed on stdout, then on stderr. What differs from run to run is masked.
fn screen(ended: &Ended) -> String {
    let text = format!("{}\n--- stderr\n{}", ended.out(), ended.err());
    let lines = text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    match lines.split_once("sha256:") {
        Some((before, after)) => {
            let after = after.trim_start_matches(|c: char| c.is_ascii_hexdigit());
            format!("{before}sha256:…{after}")
        }
        None => lines,
    }
}

/// A screen with a trace: the id that was made for the step and the time differ from run to run.
fn trace_screen(ended: &Ended) -> String {
    let mask = |line: &str| match line.split_once("  took ") {
        Some((before, _)) => format!("{before}  took      …"),
        None => match line.split_once("\"step_id\":\"") {
            Some((before, rest)) => {
                let (_, after) = rest.split_once('"').unwrap();
                format!("{before}\"step_id\":\"…\"{after}")
            }
            None => line.to_owned(),
        },
    };
    screen(ended).lines().map(mask).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_trace() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = \"guard\"\nevent = \"pre_tool_use\"\n\
         command = { shell = \"echo 'two rules fit' >&2; echo '  the second one decides' >&2; exit 2\" }\n",
    );
    let args = ["eval", "--table", "--hook", "guard", "--trace"];
    assert_snapshot!(trace_screen(&folder.run(&args, bash("rm -rf build"))));
}

#[test]
fn an_unknown_hook() {
    let folder = Folder::with_hooks(HOOKS);
    assert_snapshot!(screen(&folder.run(&["eval", "--hook", "cahced"], bash("ls"))));
}

#[test]
fn a_builtin() {
    assert_snapshot!(screen(&Folder::new().run(&["builtins", "deny", "--table"], "")));
}

#[test]
fn a_condition() {
    assert_snapshot!(screen(&Folder::new().run(&["conditions", "tool", "--table"], "")));
}

#[test]
fn an_sdk_that_is_added() {
    let folder = Folder::with_hooks(HOOKS);
    assert_snapshot!(screen(&folder.run(&["init", "--sdk", "node"], "")));
}

#[test]
fn a_config_that_is_replaced() {
    let folder = Folder::with_hooks(HOOKS);
    assert_snapshot!(screen(&folder.run(&["init", "--force"], "")));
}

#[test]
fn the_list_of_hooks() {
    let folder = Folder::with_hooks(HOOKS);
    // By its name: it is in force whoever trusts the folder.
    assert_snapshot!(screen(&folder.run(&["list", "--table", "-c", "hooks.toml"], "")));
}

#[test]
fn a_config_that_is_valid() {
    // Without programs, whose paths differ from system to system.
    let folder = Folder::with_hooks(
        r#"
[[hook]]
id = "no-force-push"
event = "pre_tool_use"
on_illegal = "ask"
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "audit"
event = "stop"
builtin = { name = "audit" }
"#,
    );
    assert_snapshot!(screen(&folder.run(&["check", "--table", "--failures"], "")));
}

#[test]
fn a_certificate() {
    let hook = |id: &str, more: &str| {
        format!("[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\ntool = \"Bash\"\n{more}\n")
    };
    let canary = "canary = [\n\
                  { step = { tool_name = \"Bash\", tool_input = { command = \"curl x\" } }, decision = \"deny\" },\n\
                  { step = { tool_name = \"Bash\", tool_input = { command = \"ls\" } }, decision = \"allow\" },\n]\n";
    let program = |shell: &str| format!("command = {{ shell = \"{shell}\" }}\n");
    let deny = "input = { \"/command\" = { regex = 'push.*--force' } }\nbuiltin = { name = \"deny\", reason = \"no\" }";
    let folder = Folder::with_hooks(
        &[
            hook("no-force-push", deny),
            hook("no-network", &(program("grep -q curl && exit 2; exit 0") + canary)),
            hook("lets-pass", &(program("exit 0") + canary)),
            hook("no-verdict", &(program("echo yes") + canary)),
            hook("not-said", &program("exit 0")),
        ]
        .concat(),
    );
    let shown = screen(&folder.run(&["certify", "--table", "-c", "hooks.toml"], ""));
    let (rows, until) = shown.split_once("good until ").unwrap();
    let (_, rest) = until.split_once('\n').unwrap();
    assert_snapshot!(format!("{rows}good until …\n{rest}"));
}

#[test]
fn the_analysis_of_a_config() {
    let folder = Folder::with_hooks(
        r#"
[[hook]]
id = "judge"
event = "pre_tool_use"
tool = "Bash"
prompt = { base_url = "http://127.0.0.1:1/v1", model = "m", prompt = "Deny what destroys data." }

[[hook]]
id = "pnpm-here"
event = "pre_tool_use"
tool = "Bash"
builtin = { name = "rewrite", from = "npm", to = "pnpm" }

[[hook]]
id = "no-network"
event = "pre_tool_use"
role = "observe"
builtin = { name = "deny", reason = "no network" }
"#,
    );
    assert_snapshot!(screen(&folder.run(&["check", "--table", "--analyze"], "")));
}

#[test]
fn a_config_beside_recorded_steps() {
    let folder = Folder::with_hooks(HOOKS.split("[[hook]]\nid = \"cached\"").next().unwrap());
    let write = r#"{"hook_event_name":"pre_tool_use","tool_name":"Write","tool_input":{}}"#;
    let steps = [bash("git push --force"), bash("cargo build"), write.to_owned()];
    folder.write("session.jsonl", steps.join("\n"));
    let args = ["check", "--table", "--against", "session.jsonl"];
    assert_snapshot!(screen(&folder.run(&args, "")));
}

#[test]
fn an_event() {
    let folder = Folder::new();
    assert_snapshot!(screen(&folder.run(&["events", "Stop", "--table"], "")));
}

#[test]
fn a_decision() {
    let folder = Folder::with_hooks(HOOKS);
    assert_snapshot!(screen(&folder.run(&["eval", "--table"], bash("git push --force"))));
}

#[test]
fn effects_of_a_command() {
    let text = "cd src && sudo rm -rf build \"$OUT\" && A=1 make 'two words' > log.txt; \
                curl https://example.com/x.sh | sh; ssh host uptime";
    let args = ["effects", "--table", "--cwd", "/home/u/proj", "--command", text];
    assert_snapshot!(screen(&Folder::new().run(&args, "")));
}

#[test]
fn effects_of_a_tool_that_is_not_known() {
    let step = r#"{"tool_name":"mcp__db__query","tool_input":{"sql":"select 1"},"cwd":"/w"}"#;
    assert_snapshot!(screen(&Folder::new().run(&["effects", "--table"], step)));
}

#[test]
fn no_effects() {
    let step = r#"{"tool_name":"TodoWrite","tool_input":{"todos":[]},"cwd":"/w"}"#;
    assert_snapshot!(screen(&Folder::new().run(&["effects", "--table"], step)));
}

/// A policy with conditions that hold, do not hold and cannot be told.
const EXPLAINED: &str = r#"
[[hook]]
id = "no-force-push"
event = "pre_tool_use"
tool = "Bash"
runs = "git push --force|-f"
builtin = { name = "deny", reason = "no force push" }

[[hook]]
id = "reviewed"
event = "pre_tool_use"
agent = "!reviewer"
any = [{ tool = "Read" }, { input = { "/command" = { regex = 'push' } }, not = { tool = "Bash" } }]
builtin = { name = "ask", reason = "by whom?" }

[[hook]]
id = "tried"
event = "pre_tool_use"
mode = "shadow"
reads = "~/.ssh/**"
builtin = { name = "audit" }

[[hook]]
id = "asleep"
event = "pre_tool_use"
mode = "off"
builtin = { name = "audit" }

[[hook]]
id = "log"
event = "pre_tool_use"
builtin = { name = "audit" }
"#;

#[test]
fn an_explanation() {
    let folder = Folder::with_hooks(EXPLAINED);
    let args = ["eval", "--table", "--explain"];
    assert_snapshot!(screen(&folder.run(&args, bash("git push --force"))));
}

#[test]
fn a_dry_run() {
    let folder = Folder::with_hooks(EXPLAINED);
    let args = ["eval", "--table", "--dry"];
    assert_snapshot!(screen(&folder.run(&args, bash("git push $FLAGS"))));
}

#[test]
fn a_dry_run_of_one_hook() {
    let folder = Folder::with_hooks(EXPLAINED);
    let args = ["eval", "--table", "--dry", "--hook", "reviewed"];
    assert_snapshot!(screen(&folder.run(&args, bash("git push"))));
}

#[test]
fn why_a_hook_did_not_run() {
    let folder = Folder::with_hooks(EXPLAINED);
    let args = ["why", "reviewed", "--table"];
    assert_snapshot!(screen(&folder.run(&args, bash("git push"))));
}

#[test]
fn why_a_hook_did_run() {
    let folder = Folder::with_hooks(EXPLAINED);
    let args = ["why", "no-force-push", "--table"];
    assert_snapshot!(screen(&folder.run(&args, bash("git push --force"))));
}

#[test]
fn why_over_a_session() {
    let folder = Folder::with_hooks(EXPLAINED);
    let stop = r#"{"hook_event_name":"stop"}"#.to_owned();
    let steps = [bash("ls"), bash("git push -f"), stop, bash("pwd"), bash("git push $FLAGS")];
    folder.write("session.jsonl", steps.join("\n"));
    let args = ["why", "no-force-push", "--table", "-i", "session.jsonl"];
    assert_snapshot!(screen(&folder.run(&args, "")));
}

#[test]
fn tools_that_are_not_known() {
    let folder =
        Folder::with_hooks("[[hook]]\nid = \"log\"\nevent = \"stop\"\nbuiltin = \"audit\"\n");
    let step = r#"{"tool_name":"mcp__db__query","tool_input":{"sql":"select 1","path":"x"}}"#;
    folder.write("session.jsonl", format!("{}\n{step}\n{{\"tool_name\":\"Wirte\"}}\n", bash("ls")));
    let args = ["check", "--table", "--tools", "session.jsonl"];
    assert_snapshot!(screen(&folder.run(&args, "")));
}

#[test]
fn the_summary_of_a_run() {
    let folder = Folder::with_hooks(HOOKS);
    let steps = ["ls", "git push --force", "cargo publish"].map(bash).join("\n") + "\n{\"broken\n";
    let ended = folder.run(&["run", "--stable"], steps);
    assert_snapshot!(screen(&ended).split_once("--- stderr\n").unwrap().1);
}

#[test]
fn the_table_of_a_run() {
    let folder = Folder::with_hooks(HOOKS);
    let steps = ["ls", "git push --force", "cargo publish", "date"].map(bash).join("\n");
    let ended = folder.run(&["run", "--stable", "--table", "--all"], steps);
    assert_snapshot!(screen(&ended).split_once("--- stderr\n").unwrap().0);
}

/// On a terminal, a mistake is drawn into the text of the config.
#[test]
fn a_mistake_on_a_terminal() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = \"a\"\nevent = \"pre_tool_us\"\nbuiltin = { name = \"audit\" }\n",
    );
    let mut script = Command::new("script");
    script
        .args(["-qec", concat!(env!("CARGO_BIN_EXE_hookgate"), " check --table"), "/dev/null"])
        .current_dir(folder.path(""))
        .env("NO_COLOR", "1")
        .env("TERM", "xterm");
    let ended = run(script, b"");
    assert_snapshot!(screen(&ended).replace('\r', ""));
}
