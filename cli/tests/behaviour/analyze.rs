//! Promise: `check --analyze` finds what is doubtful about hooks together, each at its line; what is
//! mended is not talked about, and neither are the shipped examples.

use serde_json::{Value, json};

use crate::support::{Ended, Folder, is_built, repository};

/// A defect, and the same mended: the code, the file, the line and column of the finding, the mended file.
struct Seeded {
    code: &'static str,
    wrong: &'static str,
    at: (usize, usize),
    mended: &'static str,
}

const SEEDED: [Seeded; 9] = [
    Seeded {
        code: "shadowed_hook",
        wrong: r#"
[[hook]]
id = "no-shell"
event = "pre_tool_use"
tool = "Bash|Shell"
builtin = { name = "deny", reason = "no shell" }

[[hook]]
id = "ask-before-rm"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = '\brm\b' } }
builtin = { name = "ask", reason = "really?" }
"#,
        at: (9, 1),
        mended: r#"
[[hook]]
id = "no-shell"
event = "pre_tool_use"
tool = "Shell"
builtin = { name = "deny", reason = "no shell" }

[[hook]]
id = "ask-before-rm"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = '\brm\b' } }
builtin = { name = "ask", reason = "really?" }
"#,
    },
    Seeded {
        code: "unreachable_conditions",
        wrong: r#"
[[hook]]
id = "no-rm"
event = "pre_tool_use"
tool = "Bash"
any = [{ tool = "Edit" }, { tool = "Write", input = { "/file_path" = { contains = "/etc/" } } }]
builtin = { name = "deny", reason = "no" }
"#,
        at: (6, 1),
        mended: r#"
[[hook]]
id = "no-rm"
event = "pre_tool_use"
any = [{ tool = "Edit" }, { tool = "Write", input = { "/file_path" = { contains = "/etc/" } } }]
builtin = { name = "deny", reason = "no" }
"#,
    },
    Seeded {
        code: "dead_pattern",
        wrong: r#"
[[hook]]
id = "tested"
event = "post_tool_use"
runs = "cargo test"
mark = "tested"
builtin = "audit"

[[hook]]
id = "tested-before-push"
event = "pre_tool_use"
runs = "git push"
builtin = { name = "require", mark = "testd" }
"#,
        at: (13, 1),
        mended: r#"
[[hook]]
id = "tested"
event = "post_tool_use"
runs = "cargo test"
mark = "tested"
builtin = "audit"

[[hook]]
id = "tested-before-push"
event = "pre_tool_use"
runs = "git push"
builtin = { name = "require", mark = "tested" }
"#,
    },
    Seeded {
        code: "guard_before_rewrite",
        wrong: r#"
[[hook]]
id = "look"
event = "pre_tool_use"
tool = "Bash"
command = { argv = ["true"] }

[[hook]]
id = "pnpm-here"
event = "pre_tool_use"
tool = "Bash"
builtin = { name = "rewrite", from = "npm", to = "pnpm" }
"#,
        at: (3, 1),
        mended: r#"
[[hook]]
id = "look"
event = "pre_tool_use"
tool = "Bash"
after = ["pnpm-here"]
command = { argv = ["true"] }

[[hook]]
id = "pnpm-here"
event = "pre_tool_use"
tool = "Bash"
builtin = { name = "rewrite", from = "npm", to = "pnpm" }
"#,
    },
    Seeded {
        code: "two_rewriters",
        wrong: r#"
[[hook]]
id = "pnpm-here"
event = "pre_tool_use"
tool = "Bash"
builtin = { name = "rewrite", from = "npm", to = "pnpm" }

[[hook]]
id = "yarn-here"
event = "pre_tool_use"
tool = "Bash"
builtin = { name = "rewrite", from = "pnpm", to = "yarn" }
"#,
        at: (9, 1),
        mended: r#"
[[hook]]
id = "pnpm-here"
event = "pre_tool_use"
tool = "Bash"
builtin = { name = "rewrite", from = "npm", to = "pnpm" }

[[hook]]
id = "yarn-here"
event = "pre_tool_use"
tool = "Bash"
after = ["pnpm-here"]
builtin = { name = "rewrite", from = "pnpm", to = "yarn" }
"#,
    },
    Seeded {
        code: "observer_decides",
        wrong: r#"
[[hook]]
id = "ask-first"
event = "pre_tool_use"
tool = "Bash"
role = "observe"
builtin = { name = "ask", reason = "may it?" }
"#,
        at: (6, 1),
        mended: r#"
[[hook]]
id = "ask-first"
event = "pre_tool_use"
tool = "Bash"
mode = "shadow"
builtin = { name = "ask", reason = "may it?" }
"#,
    },
    Seeded {
        code: "uncovered_tool",
        wrong: r#"
[[hook]]
id = "no-shell"
event = "pre_tool_use"
tool = "Bash"
builtin = { name = "deny", reason = "no shell" }
"#,
        at: (2, 1),
        mended: r#"
[[hook]]
id = "no-shell"
event = "pre_tool_use"
tool = "Bash|WebFetch"
builtin = { name = "deny", reason = "no shell" }
"#,
    },
    Seeded {
        code: "posture_without_effect",
        wrong: r#"
[[hook]]
id = "look"
event = "pre_tool_use"
tool = "Bash"
on_http_status = "ask"
command = { argv = ["true"] }
"#,
        at: (6, 1),
        mended: r#"
[[hook]]
id = "look"
event = "pre_tool_use"
tool = "Bash"
on_exit = "ask"
command = { argv = ["true"] }
"#,
    },
    Seeded {
        code: "slow_event",
        wrong: r#"
[[hook]]
id = "first"
event = "pre_tool_use"
timeout = "20s"
command = { argv = ["true"] }

[[hook]]
id = "second"
event = "pre_tool_use"
timeout = "25s"
after = ["first"]
command = { argv = ["true"] }
"#,
        at: (11, 1),
        mended: r#"
[[hook]]
id = "first"
event = "pre_tool_use"
timeout = "20s"
command = { argv = ["true"] }

[[hook]]
id = "second"
event = "pre_tool_use"
timeout = "25s"
command = { argv = ["true"] }
"#,
    },
];

/// Analyzes a config beside a list of two tools.
fn analyze(text: &str) -> (Folder, Ended) {
    let folder = Folder::with_hooks(text);
    folder.write("tools.txt", "Bash\nWebFetch\n");
    let ended = folder.run(&["check", "--analyze", "--tools", "tools.txt", "--json"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    (folder, ended)
}

/// The findings, but for those about the tools of the list unless it is about them.
fn findings(ended: &Ended, code: &str) -> Vec<Value> {
    let all = ended.lines()[0]["findings"].as_array().unwrap().clone();
    let meant = |found: &Value| code == "uncovered_tool" || found["code"] != "uncovered_tool";
    all.into_iter().filter(meant).collect()
}

#[test]
fn each_defect_is_found_at_its_line_and_its_mended_twin_is_clean() {
    for Seeded { code, wrong, at, mended } in SEEDED {
        let (_folder, ended) = analyze(wrong);
        let found = findings(&ended, code);
        assert_eq!(found.len(), 1, "{code}: {found:?}");
        assert_eq!(found[0]["code"], code);
        assert_eq!(
            (&found[0]["line"], &found[0]["column"]),
            (&json!(at.0), &json!(at.1)),
            "{code}"
        );
        let file = if code == "uncovered_tool" { "tools.txt" } else { "hooks.toml" };
        assert_eq!(found[0]["file"], file, "{code}");
        let position = format!("{file}:{}:{}: ", at.0, at.1);
        assert!(ended.err().contains(&position), "{position} in {}", ended.err());
        assert!(ended.err().contains(&format!("[{code}]\n  help: ")), "{}", ended.err());

        let (_folder, ended) = analyze(mended);
        assert_eq!(findings(&ended, code), [] as [Value; 0], "{code}, mended");
    }
}

#[test]
fn a_hook_that_is_shadowed_is_said_once() {
    let (_folder, ended) = analyze(SEEDED[0].wrong);
    assert_eq!(
        ended.err().matches("is never called at `pre_tool_use`").count(),
        1,
        "{}",
        ended.err()
    );
    // With `stop_at = "halt"` all hooks are called, and nothing is shadowed.
    let text = format!("[limits]\nstop_at = \"halt\"\n{}", SEEDED[0].wrong);
    let (_folder, ended) = analyze(&text);
    assert_eq!(findings(&ended, "shadowed_hook"), [] as [Value; 0]);
}

#[test]
fn more_conditions_that_exclude_each_other() {
    let hook = |conditions: &str| {
        format!(
            "[[hook]]\nid = \"a\"\nevent = \"pre_tool_use\"\n{conditions}\n\
             builtin = {{ name = \"deny\", reason = \"no\" }}\n"
        )
    };
    for conditions in [
        "tool = \"Bash\"\nnot = { tool = \"B*\" }",
        "input = { \"/a\" = { equals = 1 } }\npayload = { \"/tool_input/a\" = { equals = 2 } }",
        "runs = [\"git push\"]\nnot = { runs = [\"git push\"] }",
        "any = [{ subagent = true }, { subagent = true, tool = \"Read\" }]\nsubagent = false",
    ] {
        let (_folder, ended) = analyze(&hook(conditions));
        let found = findings(&ended, "unreachable_conditions");
        assert_eq!(found.len(), 1, "{conditions}: {found:?}");
        assert_eq!(found[0]["code"], "unreachable_conditions", "{conditions}");
    }
    for conditions in [
        "tool = \"Bash|Edit\"\nnot = { tool = \"B*\" }",
        "tool = \"Bash\"\nnot = { tool = \"Bash\", input = { \"/command\" = { contains = \"x\" } } }",
        "runs = [\"git push\"]\nnot = { runs = [\"git push --dry-run\"] }",
        "any = [{ subagent = true }, { tool = \"Read\" }]",
    ] {
        let (_folder, ended) = analyze(&hook(conditions));
        assert_eq!(findings(&ended, "unreachable_conditions"), [] as [Value; 0], "{conditions}");
    }
}

#[test]
fn the_longest_step_is_the_sum_along_the_critical_path() {
    let text = r#"
[[hook]]
id = "one"
event = "pre_tool_use"
tool = "Bash"
timeout = "2s"
command = { argv = ["true"] }

[[hook]]
id = "beside"
event = "pre_tool_use"
tool = "Bash"
timeout = "3s"
command = { argv = ["true"] }

[[hook]]
id = "change"
event = "pre_tool_use"
role = "rewrite"
merge = true
timeout = "4s"
command = { argv = ["true"] }

[[hook]]
id = "for-others"
event = "pre_tool_use"
tool = "Read"
timeout = "7s"
command = { argv = ["true"] }

[[hook]]
id = "told"
event = "pre_tool_use"
role = "observe"
timeout = "1s"
command = { argv = ["true"] }
"#;
    let (folder, ended) = analyze(text);
    let latency = ended.lines()[0]["latency"].as_array().unwrap().clone();
    // Bash: 3 s for two guards at once, 4 s, the guards again, and 1 s for the observer.
    // Read: 4 s + 7 s + 1 s, and no guard is before the rewriter.
    let expected = json!([{
        "event": "pre_tool_use",
        "tool": "Read",
        "worst_ms": 12_000,
        "final_round_ms": 0,
        "ends_after_ms": 60_000,
        "hooks": ["change", "for-others", "told"],
    }]);
    assert_eq!(json!(latency), expected);
    let without = text.replace("tool = \"Read\"\n", "tool = \"Bash\"\n");
    folder.write("hooks.toml", without);
    let args = ["check", "--analyze", "--longest", "17s", "--json"];
    let ended = folder.run(&args, "");
    let latency = &ended.lines()[0]["latency"][0];
    assert_eq!((&latency["worst_ms"], &latency["final_round_ms"]), (&json!(18_000), &json!(3000)));
    assert!(ended.err().contains("can take 18 s"), "{}", ended.err());
    assert!(ended.err().contains("more than the 17 s that an agent waits"), "{}", ended.err());
    let table = folder.run(&["check", "--analyze", "--longest", "18s", "--table"], "");
    assert!(!table.err().contains("slow_event"), "{}", table.err());
    assert!(table.out().contains("18s"), "{}", table.out());
}

/// The configs that are shipped, but for those that this program was not built for.
fn shipped() -> Vec<std::path::PathBuf> {
    let mut folders = vec![repository().join("examples")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name == "hooks.toml") {
                found.push(path);
            }
        }
    }
    found.retain(|config| is_built(config.parent().unwrap()));
    found.sort();
    found
}

#[test]
fn the_shipped_examples_have_no_finding() {
    let shipped = shipped();
    assert!(shipped.len() > 20, "{shipped:?}");
    for config in shipped {
        let mut command = Folder::new().hookgate(&["check", "--analyze", "--json", "-c"]);
        command.arg(&config).current_dir(config.parent().unwrap());
        command.env("POLICY_SECRET", "a secret of the tests");
        let ended = crate::support::run(command, b"");
        let line = &ended.lines()[0];
        assert_eq!(line["valid"], true, "{}: {}", config.display(), ended.err());
        assert_eq!(line["findings"], json!([]), "{}", config.display());
    }
}

/// A folder whose config has a note and nothing else.
pub(crate) fn noted() -> Folder {
    Folder::with_hooks(SEEDED[3].wrong)
}
