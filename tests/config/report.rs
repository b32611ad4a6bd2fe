//! Promise: one run reports every problem of a file, each of them once.

use crate::loading::{hook, wrong};

const BAD: &str = r#"version = 2
tittle = "x"

[limits]
payload = "12 bananas"
dispatch_deadline = "0s"
concurency = 4
timeout = { comand = "5s" }

[[hook]]
id = "typos"
event = ["pre_tol_use", "stop"]
mode = "enfroce"
prioritty = 3
safety = ["destructiv"]
tool_glob = "[ab"
builtin = { name = "dney", reason = "né" }

[[hook]]
id = "contracts"
event = "session_start"
tool = "Bash"
role = "rewrite"
on_failure = "deny"
on_timeout = "ask"
background = true
builtin = { name = "add_context", text = "é", txet = "x" }

[[hook]]
id = "conditions"
event = "pre_tool_use"
tool_regex = ["ok", "(unclosed"]
input = { "command" = { regex = "x" }, "/a" = { rgex = "x" }, "/b" = {}, "/é" = { glob = "{" } }
timeout = 5
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "conditions"
event = "pre_tool_use"
after = ["condition", "typos"]
builtin = { name = "deny" }

[[hook]]
event = "pre_tool_use"
comand = { argv = ["/bin/true"] }

[[hook]]
id = "kinds"
event = "nothing_like_it"
handler = { kind = "my-kin", anything = 1 }
"#;

const BAD_REPORT: &str = r#"
hooks.toml:1:11: version 2 is not known, only 1
hooks.toml:2:1: unknown key `tittle`; known here: version, limits, hook, allow_empty, include, extends, handler, require, contributions, disable
hooks.toml:5:11: `payload`: not a size such as "256KiB" or "1MiB"
hooks.toml:6:21: `dispatch_deadline`: a duration of zero, in which nothing could happen
hooks.toml:7:1: unknown key `concurency`; did you mean `concurrency`?
hooks.toml:8:13: unknown key `comand`; did you mean `command`?
hooks.toml:12:10: unknown event `pre_tol_use`; did you mean `pre_tool_use`?
hooks.toml:13:8: `mode`: `enfroce` is not one of enforce, warn, shadow, off; did you mean `enforce`?
hooks.toml:14:1: unknown key `prioritty`; did you mean `priority`?
hooks.toml:15:10: `safety`: `destructiv` is not one of read_only, mutating, destructive, network; did you mean `destructive`?
hooks.toml:16:13: hook `typos`: the glob `[ab` cannot be read: `[` is never closed
hooks.toml:16:13: hook `typos`: `stop` is not about a tool: a condition on the tool can never hold there
hooks.toml:17:20: unknown builtin `dney`; did you mean `deny`?
hooks.toml:22:8: hook `contracts`: `session_start` is not about a tool: a condition on the tool can never hold there
hooks.toml:23:8: `role`: this builtin patches nothing: leave `role` out
hooks.toml:23:8: hook `contracts`: a hook cannot rewrite at `session_start`
hooks.toml:24:14: hook `contracts`: a failure cannot count as deny for a hook that can rewrite at `session_start`
hooks.toml:25:14: `on_timeout`: a builtin answers at once, without a process or a service: it never fails so; leave it out
hooks.toml:25:14: hook `contracts`: a failure cannot count as ask for a hook that can rewrite at `session_start`
hooks.toml:26:14: hook `contracts`: only observers run in the background, and rewriters of results; not this hook at `session_start`
hooks.toml:27:47: unknown key `txet`; did you mean `text`?
hooks.toml:32:21: hook `conditions`: the regular expression `(unclosed` cannot be used: unclosed group, at character 1
hooks.toml:33:11: hook `conditions`: `command` is not a JSON pointer: it must begin with `/`: write `/command`
hooks.toml:33:49: unknown key `rgex`; did you mean `regex`?
hooks.toml:33:70: `input`: `/b` has no test: add one of exists, equals, one_of, glob, regex, contains, starts_with, ends_with, gt, ge, lt, le, len
hooks.toml:33:90: hook `conditions`: the glob `{` cannot be read: `{` is never closed
hooks.toml:34:11: `timeout` must be a duration such as "2s", not an integer
hooks.toml:38:6: hook `conditions`: the id is used twice; every hook needs one of its own
hooks.toml:40:10: hook `conditions`: there is no hook `condition`; known here: typos, contracts, line-43, kinds
hooks.toml:41:11: `reason` is missing
hooks.toml:43:1: the hook has no handler
hooks.toml:43:1: `id` is missing
hooks.toml:45:1: unknown key `comand`; did you mean `command`?
hooks.toml:49:9: unknown event `nothing_like_it`
hooks.toml:50:20: no handler of kind `my-kin` is registered; did you mean `my-kind`?
"#;

#[test]
fn one_run_reports_everything_with_its_position() {
    let report = wrong(BAD).to_string();
    assert_eq!(report, BAD_REPORT.trim(), "\n{report}\n");
}

/// What can be read is checked although the syntax is broken elsewhere.
#[test]
fn a_syntax_error_does_not_hide_the_rest() {
    let text =
        format!("{}[[hook]]\nid = \n\n{}", hook("a", "stopp", ""), hook("b", "stop", "x = 1"));
    let report = wrong(&text).to_string();
    assert!(
        report.contains("hooks.toml:3:9: unknown event `stopp`; did you mean `stop`?"),
        "{report}"
    );
    assert!(report.lines().any(|line| line.starts_with("hooks.toml:7:")), "{report}");
    assert!(report.contains(": unknown key `x`"), "{report}");
}

/// What follows from a mistake that was reported is not reported as another one.
#[test]
fn one_mistake_is_one_report() {
    for (text, report) in [
        (hook("a", "stopp", ""), "3:9: unknown event `stopp`; did you mean `stop`?"),
        (
            hook("a", "stop", "background = true").replace("log", "lob"),
            "4:11: unknown builtin `lob`; did you mean `log`?",
        ),
        (
            hook("a", "stopp", "") + &hook("b", "stop", "after = \"a\""),
            "3:9: unknown event `stopp`; did you mean `stop`?",
        ),
        ("[[hook]]\nid = \"a\"\nbuiltin = \"log\"".into(), "1:1: `event` is missing"),
        (
            hook("a", "stop", "").replace("\"log\"", "{ name = 1 }")
                + &hook("b", "stop", "after = \"a\""),
            "4:20: `name` must be a string, not an integer",
        ),
    ] {
        assert_eq!(wrong(&text).to_string(), format!("hooks.toml:{report}"), "{text}");
    }
}
