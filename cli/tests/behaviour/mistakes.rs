//! Promise: no mistake in a config is silent. What people write by mistake is an error, or `check`
//! warns of it, at its place; what is no mistake is not talked about.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::support::{Ended, Folder, repository, run};

fn check(hooks: &str) -> Ended {
    let folder = Folder::with_scripts(hooks);
    let mut command = folder.hookgate(&["check", "--json"]);
    command.env_remove("NOPE").env_remove("OPENAI_API_KEY");
    run(command, b"")
}

/// The errors or the warnings, each with its place.
fn told(ended: &Ended, key: &str) -> Vec<(u64, u64, String)> {
    let lines = ended.lines();
    let all = lines.iter().filter_map(|line| line[key].as_array()).flatten();
    all.map(|told| {
        let message = told["message"].as_str().unwrap().to_owned();
        let help = told["help"].as_str().unwrap_or_default();
        let place = |key: &str| told[key].as_u64().unwrap();
        (place("line"), place("column"), format!("{message} {help}"))
    })
    .collect()
}

#[test]
fn the_collected_mistakes_are_told() {
    let folder = repository().join("../shared/conformance/policy");
    if !hookgate_test_support::needs::path(&folder) || !crate::support::has_python() {
        return;
    }
    let text = fs::read_to_string(folder.join("mistakes.jsonl")).unwrap();
    let (mut wrong, mut counted) = (Vec::new(), BTreeMap::new());
    for row in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let must = row["must"].as_str().unwrap().to_owned();
        let hooks = row["hooks_toml"].as_str().unwrap();
        let ended = check(hooks);
        let (errors, warnings) = (told(&ended, "errors"), told(&ended, "warnings"));
        let holds = match must.as_str() {
            "error" => !errors.is_empty(),
            "meant" => errors.is_empty(),
            "told" => !(errors.is_empty() && warnings.is_empty()),
            "fine" => errors.is_empty() && warnings.is_empty(),
            other => panic!("{other} is not known"),
        };
        let lines = hooks.lines().count().max(1) as u64;
        let placed = errors.iter().chain(&warnings).all(|(line, ..)| (1..=lines).contains(line));
        if !holds || !placed {
            wrong.push(format!("{} must be {must}: {errors:?} {warnings:?}", row["name"]));
        }
        *counted.entry(must).or_insert(0) += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counted.len() == 4 && counted.values().sum::<usize>() > 50, "{counted:?}");
}

/// Those of the third reading are told as well; the few that are no mistakes work as they are meant.
#[test]
fn the_mistakes_of_first_days_are_told() {
    let file = repository().join("../shared/conformance/policy/mistakes-3.jsonl");
    if !hookgate_test_support::needs::path(&file) || !crate::support::has_python() {
        return;
    }
    let text = fs::read_to_string(file).unwrap();
    let mut silent = Vec::new();
    for row in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let ended = check(row["config"].as_str().unwrap());
        let all = [told(&ended, "errors"), told(&ended, "warnings")].concat();
        if all.is_empty() {
            silent.push(row["mistake"].as_str().unwrap().to_owned());
        }
    }
    // It fires under the agent that calls the tool so.
    assert_eq!(silent, ["tool of another agent: run_shell_command"]);
}

const DENY: &str = "builtin = { name = \"deny\", reason = \"x\" }";

fn hook(event: &str, more: &str, handler: &str) -> String {
    format!("[[hook]]\nid = \"a\"\nevent = \"{event}\"\n{more}\n{handler}\n")
}

/// What stands on lines 4 and 5 of a hook, the place that is told of, and words of the message.
type Case = (&'static str, &'static str, (u64, u64), &'static str);

const AT_TOOLS: &[Case] = &[
    // Names.
    ("matcher = 'Bash'", DENY, (4, 1), "this key is `tool` here"),
    ("reason = 'x'", "builtin = 'audit'", (4, 1), "builtin = { name = \"deny\""),
    ("tool = 'Bahs'", DENY, (4, 8), "did you mean `Bash`?"),
    ("tool = ['Edit', 'webfetch']", DENY, (4, 17), "`WebFetch`"),
    ("tool = 'mcp__.*'", DENY, (4, 8), "write `mcp__*`"),
    ("tool = 'Bash '", DENY, (4, 8), "write `Bash`"),
    ("tool = 'Bash'\ntool_glob = 'mcp__*'", DENY, (5, 13), "no name matches both"),
    ("tool_regex = '^mcp__'", DENY, (4, 14), "write `tool = \"mcp__*\"`"),
    ("tool_regex = ['a', 'b(']", DENY, (4, 20), "unclosed group, at character 2"),
    ("mode = 'dry_run'", DENY, (4, 8), "did you mean `shadow`?"),
    ("mode = 'block'", DENY, (4, 8), "did you mean `enforce`?"),
    ("tool_nam = 'Bash'", DENY, (4, 1), "this key is `tool` here"),
    ("subagent = 'true'", DENY, (4, 12), "write true without quotes"),
    ("tool = 'Bash'\nnot = { tool = 'Bash' }", DENY, (5, 1), "excludes every step"),
    (
        "tool_regex = 'write|notebookedit'",
        DENY,
        (4, 1),
        "fits `NotebookEdit` of Claude Code in other letters",
    ),
    ("safety = 'destructive'", DENY, (4, 1), "coding agents do not say"),
    // Patterns of effects.
    ("runs = 'git (push|pull)'", DENY, (4, 13), "write `git push|pull`"),
    ("runs = '^git push'", DENY, (4, 8), "write `git push`"),
    ("runs = 'rm ~/x'", DENY, (4, 12), "is replaced before"),
    ("runs = { words = 'push --force' }", DENY, (4, 18), "write it in `flags`"),
    ("runs = { program = 'git push' }", DENY, (4, 24), "write the others in `words`"),
    ("runs = { env = '$HUSKY' }", DENY, (4, 16), "the name of no variable"),
    ("runs = ['git push', '!git *']", DENY, (4, 1), "take out all that it means"),
    ("runs = 'git psuh'", DENY, (4, 1), "did you mean `git push`?"),
    ("writes = 'C:\\Windows\\**'", DENY, (4, 10), "write `/c/Windows/**`"),
    ("reads = '*.pem|*.key'", DENY, (4, 15), "`{*.pem,*.key}`"),
    ("deletes = { outside = '/' }", DENY, (4, 1), "nothing is outside"),
    ("connects = 'a.com|b.com'", DENY, (4, 18), "several hosts are a list"),
    ("git_branch = ['main', '!*']", DENY, (4, 1), "taken out again"),
    (
        "any = [{ runs = ['ls', '!ls'] }, { tool = 'X' }]",
        DENY,
        (4, 1),
        "take out all that it means",
    ),
    // Time and logic.
    ("when = { until = '2020-01-01' }", DENY, (4, 1), "its time is over"),
    (
        "when = { days = 'mon', from = '2099-01-06', until = '2099-01-07' }",
        DENY,
        (4, 1),
        "no moment until",
    ),
    ("expr = 'false && step.tool_name == \"x\"'", DENY, (4, 15), "always false"),
    ("expr = 'step.decision == \"deny\"'", DENY, (4, 23), "write `step.decision.outcome"),
    (
        "expr = 'step.tool_name == \"a\" && step.tool_name == \"b\"'",
        DENY,
        (4, 49),
        "never \"a\" and \"b\" at once",
    ),
    ("", "builtin = { name = 'require', mark = 'tested' }", (5, 1), "no hook sets the mark"),
    // Pointers.
    ("payload = { \"/decision/outcome\".equals = 'deny' }", DENY, (4, 13), "role = \"observe\""),
    ("input = { \"/file_path\" = { regex = 'src/*' } }", DENY, (4, 36), "looks like a glob"),
    ("input = { \"/tool_input/command\".regex = 'x' }", DENY, (4, 11), "write `/command`"),
    ("input = { \"/args.path\".regex = 'x' }", DENY, (4, 11), "write `/args/path`"),
    ("input = { \"/commnad\".regex = 'x' }", DENY, (4, 11), "did you mean `/command`?"),
    ("input = { \"/tool_name\".equals = 'Bash' }", DENY, (4, 11), "tested by `tool`"),
    ("payload = { \"/tool_inptu\".exists = true }", DENY, (4, 13), "did you mean `/tool_input`?"),
    // Tests.
    ("input = { \"/a\" = { include = 'x' } }", DENY, (4, 20), "did you mean `contains`?"),
    ("input = { \"/a\" = { regex = 'a(?!b)' } }", DENY, (4, 28), "`not = { regex"),
    ("input = { \"/a\" = { regex = \"rm\\s\" } }", DENY, (4, 32), "single quotes, '…'"),
    ("input = { \"/a\" = { contains = \"a\\b\" } }", DENY, (4, 31), "what `\\b` became"),
    ("input = { \"/a\" = { one_of = ['x', '7'] } }", DENY, (4, 35), "without quotes"),
    ("input = { \"/a\" = { gt = '7' } }", DENY, (4, 25), "write 7 without quotes"),
    ("input = { \"/a\" = { len = { lt = 0 } } }", DENY, (4, 9), "no length is within"),
    ("input = { \"/a\" = { len = 'x' } }", DENY, (4, 26), "{ gt = 100 }"),
    ("input = { \"/a\" = { gt = 1, ignore_case = true } }", DENY, (4, 42), "changes nothing"),
    ("input = { \"/a\" = ['x'] }", DENY, (4, 18), "one_of = [\"x\"]"),
    (
        "input = { \"/a\" = { equals = 'a', not = { equals = 'a' } } }",
        DENY,
        (4, 11),
        "no value meets",
    ),
    ("input = { \"/a\" = { gt = 5, lt = 5 } }", DENY, (4, 11), "no number is between"),
    ("input = { \"/file_path\" = { glob = '**/*.lock' } }", DENY, (4, 35), "write `{**/,}*.lock`"),
    ("input = { \"/file_path\" = { glob = '~/.ssh/*' } }", DENY, (4, 35), "neither `~` nor"),
    // Handlers.
    ("", "builtin = 'block'", (5, 11), "did you mean `deny`?"),
    ("", "builtin = 'deny'", (5, 11), "builtin = { name = \"deny\", reason = … }"),
    ("", "builtin = { name = 'limit', of = 'dollars', over = 5 }", (5, 34), "did you mean `cost`?"),
    ("", "builtin = 'no-such-thing'", (5, 11), "known here: add_context"),
    ("", "command = { argv = ['./noshebang'] }", (5, 20), "has no first line"),
    ("", "command = { argv = ['python3 g.py'] }", (5, 20), "each word is an argument"),
    ("", "command = { argv = ['a | b'] }", (5, 20), "`shell = \"a | b\"`"),
    ("", "command = { argv = ['$HOME/g.sh'] }", (5, 20), "are replaced in `argv`"),
    ("", "command = ['python3', 'g.py']", (5, 11), "{ argv = [\"python3\",\"g.py\"] }"),
    ("", "command = { argv = ['python3', 'g.py'], env = ['NOPE'] }", (5, 47), "`NOPE`"),
    ("", "command = { argv = ['./syn.sh'] }", (5, 11), "syntax error"),
    ("", "command = { argv = ['python3', 'plain.py'], mode = 'worker' }", (5, 52), "no worker"),
    ("role = 'rewrite'", "command = { argv = ['python3', 'g.py'] }", (4, 8), "`merge = true`"),
    ("role = 'rewrite'", DENY, (4, 8), "patches nothing"),
    ("on_timeout = 'ask'", DENY, (4, 14), "never fails so"),
    ("", "prompt = { model = 'm', prompt = 'p' }", (5, 10), "`OPENAI_API_KEY` is not set"),
    (
        "[hook.builtin]\nname = 'deny'\nreason = 'x'\ntool = 'Bash'",
        "",
        (7, 1),
        "belongs to the hook",
    ),
];

const ELSEWHERE: &[(&str, Case)] = &[
    (
        "user_prompt_submit",
        ("input = { \"/promt\".regex = 'x' }", DENY, (4, 11), "did you mean `/prompt`?"),
    ),
    (
        "notification",
        ("", "command = { argv = ['python3', 'deny.py'] }", (3, 9), "the hook only observes"),
    ),
    (
        "post_tool_use",
        (
            "input = { \"/tool_response/stdout\".regex = 'x' }",
            DENY,
            (4, 11),
            "payload = { \"/tool_response/stdout\"",
        ),
    ),
    (
        "post_tool_use",
        (
            "payload = { \"/tool_result\".regex = 'x' }",
            DENY,
            (4, 13),
            "did you mean `/tool_response`?",
        ),
    ),
];

#[test]
fn each_mistake_is_told_at_its_value_with_what_to_write() {
    if !crate::support::has_python() {
        return;
    }
    let at_tools = AT_TOOLS.iter().map(|case| ("pre_tool_use", *case));
    let mut wrong = Vec::new();
    for (event, (more, handler, place, words)) in at_tools.chain(ELSEWHERE.iter().copied()) {
        let ended = check(&hook(event, more, handler));
        let mut all = told(&ended, "errors");
        all.extend(told(&ended, "warnings"));
        let found = all
            .iter()
            .any(|(line, column, message)| (*line, *column) == place && message.contains(words));
        if !found {
            wrong.push(format!("{more} {handler}: {place:?} {words}\n    {all:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_meant_is_not_talked_about() {
    for (event, more, handler) in [
        ("pre_tool_use", "tool = ['Edit|Write', 'mcp__*', '!mcp__fs__*']", DENY),
        ("pre_tool_use", "tool = 'Bash|bash'", DENY),
        ("pre_tool_use", "tool = 'deploy'\nagent = '!main'\nsubagent = true", DENY),
        ("pre_tool_use", "input = { \"/files/*/path\" = { contains = ['a', 'b'] } }", DENY),
        ("pre_tool_use", "input = { \"/commands\" = { len = { ge = 2, lt = 9 } } }", DENY),
        (
            "pre_tool_use",
            "input = { \"/port\" = { one_of = [22, '22'], not = { gt = 80 } } }",
            DENY,
        ),
        (
            "pre_tool_use",
            "input = { \"/file_path\" = { glob = ['{*/,}Cargo.lock', '/etc/*'] } }",
            DENY,
        ),
        (
            "pre_tool_use",
            "role = 'rewrite'\nmerge = false",
            "command = { argv = ['python3', 'g.py'] }",
        ),
        (
            "pre_tool_use",
            "role = 'observe'\npayload = { \"/decision/outcome\".equals = 'deny' }",
            "command = { shell = 'cat > /dev/null' }",
        ),
        ("pre_tool_use", "runs = ['git checkout ** -- **', { flags = '--' }]", DENY),
        ("pre_tool_use", "runs = ['git push', '!git push --dry-run']", DENY),
        ("pre_tool_use", "git_branch = ['release/*', '!release/old']", DENY),
        ("pre_tool_use", "expr = 'has(step.tool_input.x) && step.rejudge == false'", DENY),
        ("session_end", "role = 'observe'", "command = { shell = 'exit 2' }"),
        ("session_end", "", "command = { shell = 'cat > /dev/null' }"),
        ("*", "", "builtin = 'audit'"),
        ("post_*", "mode = 'shadow'", "builtin = 'audit'"),
    ] {
        let ended = check(&hook(event, more, handler));
        let told = (told(&ended, "errors"), told(&ended, "warnings"));
        assert_eq!(told, (Vec::new(), Vec::new()), "{more} {handler}");
    }
}

#[test]
fn a_hook_behind_a_deny_of_the_same_steps_is_told() {
    let two = |first: &str, second: &str| {
        let ask = "builtin = { name = \"ask\", reason = \"y\" }";
        let later = hook("pre_tool_use", second, ask).replace("id = \"a\"", "id = \"b\"");
        let ended = check(&(hook("pre_tool_use", first, DENY) + &later));
        let warnings = told(&ended, "warnings");
        warnings.iter().map(|(line, column, _)| (*line, *column)).collect::<Vec<_>>()
    };
    assert_eq!(two("tool = 'Bash'", "tool = ['Bash']"), [(7, 6)]);
    assert_eq!(two("", "tool = 'Bash'"), [(7, 6)]);
    for (first, second) in [
        ("tool = 'Bash'", ""),
        ("tool = 'Bash'", "tool = 'Edit'"),
        ("mode = 'shadow'", ""),
        ("", "priority = 1"),
        ("", "mode = 'off'"),
        ("subagent = true", "subagent = false"),
    ] {
        assert_eq!(two(first, second), [], "{first} {second}");
    }
}

/// The shipped configs, which people copy, give no warning.
#[test]
fn the_examples_are_without_warnings() {
    let root = repository();
    let examples = fs::read_dir(root.join("examples")).unwrap();
    let mut configs: Vec<_> = examples
        .map(|entry| entry.unwrap().path().join("hooks.toml"))
        .filter(|path| path.exists())
        .collect();
    configs.extend(["hooks-1.toml", "hooks-2.toml"].map(|name| root.join("cli/demo").join(name)));
    assert!(configs.len() > 5);
    for config in configs {
        // Its interpreter may be missing here.
        if config.to_string_lossy().contains("node-guard")
            && !hookgate_test_support::needs::program("node")
        {
            continue;
        }
        let folder = Folder::new();
        let mut command = folder.hookgate(&["check", "--json", "-c", config.to_str().unwrap()]);
        command.env("POLICY_SECRET", "0123456789abcdef0123456789abcdef");
        let ended = run(command, b"");
        let (errors, warnings) = (told(&ended, "errors"), told(&ended, "warnings"));
        // Who may write in a checkout is not a matter of the config.
        let warnings: Vec<_> = warnings
            .iter()
            .filter(|(.., message)| !message.contains("chmod") && !message.contains("chown"))
            .collect();
        assert!(errors.is_empty() && warnings.is_empty(), "{config:?}: {errors:?} {warnings:?}");
    }
}
