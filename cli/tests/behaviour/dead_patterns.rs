//! Promise: no pattern is dead in silence. For each pattern of a hook there is a step that it matches, or `check` says
//! that there is none, at its line and with what to write; the neighbours of what is told are not talked about.

use std::fs;

use crate::support::{Ended, Folder};

/// Conditions of a hook, whether they are an error or a warning, and what the message says to write.
const DEAD: &[(&str, &str, &str)] = &[
    // Characters that look like others, or cannot be seen.
    ("runs = \"rm –rf\"", "error", "write `rm -rf`"),
    ("runs = \"git\u{a0}push\"", "error", "write `git push`"),
    ("runs = \"rm\u{200b}\"", "error", "the invisible character U+200B"),
    ("runs = { program = \"gіt\" }", "error", "write `git`"),
    ("tool = \"B\u{430}sh\"", "error", "write `Bash`"),
    ("connects = \"ev\u{456}l.com\"", "error", "write `evil.com`"),
    ("pushes = \"ma\u{456}n\"", "error", "write `main`"),
    ("git_branch = \"ma\u{456}n\"", "error", "write `main`"),
    ("writes = \"**/.\u{200b}env\"", "warning", "write `**/.env`"),
    ("writes = \"my–app/**\"", "warning", "write `my-app/**`"),
    // Words of another place.
    ("runs = \"HUSKY=0 git commit\"", "error", "`{ program = \"git\", env = \"HUSKY=0\" }`"),
    ("runs = { program = \"CI=1\" }", "error", "sets a variable"),
    ("runs = \"'git push'\"", "error", "leave the quotes out"),
    ("runs = { program = \"'git'\" }", "error", "write `git`"),
    ("runs = \"`git push`\"", "error", "a backtick"),
    ("runs = \"Git Push\"", "warning", "write `git`, or `Git|git` for both"),
    ("runs = \"push\"", "warning", "did you mean `git push`?"),
    ("runs = \"git Push\"", "warning", "did you mean `git push`?"),
    ("runs = \"git push:*\"", "warning", "write `git push`, which takes any words"),
    ("runs = \"git push, git reset\"", "warning", "a comma separates nothing"),
    ("runs = \"git 'push origin'\"", "warning", "leave the quotes out"),
    ("runs = \"Bash(git push*)\"", "error", "write `tool = \"Bash\"` and `runs = \"git push\"`"),
    ("writes = \"Edit(src/**)\"", "error", "`writes = \"src/**\"`"),
    ("connects = \"WebFetch(domain:evil.com)\"", "error", "`connects = \"evil.com\"`"),
    ("tool = \"Bash(git push:*)\"", "error", "such as `runs = \"git push\"`"),
    // What a known program never does.
    ("runs = { program = \"rm\", discards = true }", "warning", "about work of git"),
    ("runs = { program = \"ls\", mode = \"setuid\" }", "warning", "gives no mode to a file"),
    ("runs = { program = \"grep\", verb = \"delete\" }", "warning", "has no verbs"),
    ("runs = { program = \"curl\", code_from = \"network\" }", "warning", "runs no code"),
    ("runs = { program = \"xargs\", via = \"rm\" }", "warning", "starts no other programs"),
    // Conditions of one hook that exclude each other.
    ("tool = \"Write\"\nruns = \"git push\"", "warning", "a call of `Write` never runs a program"),
    ("tool = \"Edit|Write\"\npushes = \"main\"", "warning", "never pushes to a remote"),
    ("tool = \"Read\"\nwrites = \"**\"", "warning", "never writes a file"),
    ("tool = \"WebSearch\"\nconnects = \"*\"", "warning", "never connects to a host"),
    ("any = [{ tool = \"Write\", runs = \"rm\" }]", "warning", "no table of `any` can hold"),
    ("tool = \"Bash\"\nany = [{ tool = \"Read\" }]", "warning", "is never called"),
    ("runs = \"git push\"\nnot = { runs = \"git\" }", "warning", "`not` leaves"),
    ("writes = \"src/**\"\nnot = { writes = \"**\" }", "warning", "`not` leaves"),
    ("connects = \"evil.com\"\nnot = { connects = \"*\" }", "warning", "`not` leaves"),
    ("tool = \"Bash\"\nnot = { runs = \"**\" }", "warning", "`not` leaves"),
    ("pushes = [\"main\", \"!*\"]", "warning", "takes it out again"),
    // Keys and values of the inputs of tools that are known.
    (
        "tool = \"Bash\"\ninput = { \"/cmd\" = { contains = \"rm\" } }",
        "warning",
        "did you mean `/command`?",
    ),
    (
        "tool = \"Bash\"\ninput = { \"/file_path\" = { contains = \"x\" } }",
        "warning",
        "has no key `file_path`",
    ),
    (
        "tool = \"Write\"\ninput = { \"/path\" = { contains = \"x\" } }",
        "warning",
        "there it is `/file_path`",
    ),
    (
        "tool = \"Bash\"\ninput = { \"/command/0\" = { equals = \"rm\" } }",
        "warning",
        "nothing is inside of it",
    ),
    ("tool = \"Bash\"\ninput = { \"/command\" = { equals = 5 } }", "warning", "is a text"),
    ("tool = \"Bash\"\ninput = { \"/command\" = { gt = 3 } }", "warning", "is a text"),
    ("tool = \"Bash\"\ninput = { \"/timeout\" = { contains = \"5\" } }", "warning", "is a number"),
    ("input = { \"/timeout\" = { gt = 10, lt = 5 } }", "error", "no number is between"),
    ("input = { \"/x\" = { gt = 10, contains = \"5\" } }", "error", "either a number or a text"),
    (
        "input = { \"/x\" = { starts_with = \"rm\", equals = \"ls\" } }",
        "error",
        "fails another test",
    ),
    (
        "input = { \"/x\" = { starts_with = [\"a\", \"b\"], glob = \"*\", not = { exists = true } } }",
        "error",
        "missing",
    ),
    // Payloads.
    (
        "payload = { \"/tool_name\" = { equals = \"bash\" } }",
        "warning",
        "Claude Code's tool is `Bash`",
    ),
    ("payload = { \"/tool_name\" = { glob = \"Edit|Write\" } }", "warning", "write `{Edit,Write}`"),
    ("payload = { \"/tool_name/0\" = { equals = \"x\" } }", "warning", "nothing is inside of it"),
    (
        "tool = \"Bash\"\npayload = { \"/tool_input/cmd\" = { contains = \"rm\" } }",
        "warning",
        "did you mean `/tool_input/command`?",
    ),
    // Forms.
    ("connects = \".evil.com\"", "error", "write `*.evil.com`"),
    ("pushes = \"origin/main\"", "warning", "`{ to = \"main\", remote = \"origin\" }`"),
    ("pushes = \"heads/main\"", "warning", "`refs/heads/main`"),
    ("pushes = { to = \"main\", remote = \"github.com\" }", "warning", "write `*github.com*`"),
    ("git_branch = \"origin/main\"", "warning", "write `main`"),
    (
        "input = { \"/file_path\" = { starts_with = \"~/.ssh\" } }",
        "warning",
        "`~` is not replaced here",
    ),
    (
        "input = { \"/file_path\" = { starts_with = \"$project/src\" } }",
        "warning",
        "`$project` is not replaced here",
    ),
    (
        "input = { \"/file_path\" = { starts_with = \"src/\" } }",
        "warning",
        "write `contains = \"/src/\"`",
    ),
    ("input = { \"/command\" = { regex = \"/rm/i\" } }", "warning", "write `(?i)rm`"),
    ("input = { \"/command\" = { regex = \"/^rm/\" } }", "warning", "write `^rm`"),
    ("writes = \"src\"", "warning", "write `src/**`"),
    ("reads = \"~/.ssh\"", "warning", "write `~/.ssh/**`"),
    // Time.
    ("when = { from = \"2206-01-01\" }", "warning", "is the year right?"),
    ("runs = \"rm\"\nenforce_after = \"2206-01-01\"", "warning", "is the year right?"),
    (
        "when = { hours = \"02:10-02:20\", from = \"2117-03-28\", until = \"2117-03-28\", zone = \"Europe/Berlin\" }",
        "warning",
        "no moment until",
    ),
    // Marks.
    ("runs = \"rm\"\nmarked = \"m\"\nmark = \"m\"", "warning", "only this hook sets the mark `m`"),
];

/// Conditions that are near to those above, and right.
const ALIVE: &[&str] = &[
    "runs = \"git commit -m '*–*'\"",
    "runs = \"grep поиск\"",
    "runs = \"R|Rscript CMD\"",
    "runs = \"Remove-Item\"",
    "runs = \"deploy\"",
    "runs = \"sql DELETE|delete FROM|from **\"",
    "runs = \"env HUSKY=0\"",
    "runs = \"make VERSION=1\"",
    "runs = { program = \"git\", env = \"HUSKY=0\" }",
    "runs = \"npm run test:*\"",
    "runs = \"git frobnicate\"",
    "runs = { discards = true }",
    "runs = { program = \"git\", discards = true }",
    "runs = { program = \"chmod|install\", mode = \"setuid\" }",
    "runs = { program = \"kubectl|rpk\", verb = \"delete\" }",
    "runs = { program = \"bash|python3\", code_from = \"network\" }",
    "runs = { program = \"rm\", via = [\"xargs\", \"sudo\"] }",
    "runs = { program = \"rm\", via = \"my-wrapper\" }",
    "writes = \"Übersicht 2024–2025.md\"",
    "writes = \"John’s notes/**\"",
    "writes = \"**/поиск.md\"",
    "tool = \"Bash\"\nruns = \"git push\"",
    "tool = \"Bash|Write\"\nruns = \"rm\"",
    "tool = \"mcp__fs__write\"\nwrites = \"**\"",
    "tool = \"Write\"\nwrites = \"src/**\"",
    "tool = \"WebFetch\"\nconnects = \"*\"",
    "tool = \"apply_patch\"\ndeletes = \"**\"",
    "any = [{ tool = \"Write\" }, { runs = \"rm\" }]",
    "runs = \"git push\"\nnot = { runs = \"git push origin\" }",
    "runs = \"rm\"\nnot = { tool = \"Bash\" }",
    "runs = \"git\"\nnot = { runs = \"git status|log\" }",
    "writes = \"**\"\nnot = { writes = \"/tmp/**\" }",
    "connects = \"*\"\nnot = { connects = \"docs.rs\" }",
    "tool = \"Bash\"\nnot = { runs = \"git\" }",
    "runs = \"git push\"\nnot = { runs = \"git\", git_branch = \"main\" }",
    "tool = \"Bash\"\ninput = { \"/description\" = { contains = \"x\" } }",
    "tool = \"Bash\"\ninput = { \"/workdir\" = { contains = \"x\" } }",
    "tool = \"mcp__x__y\"\ninput = { \"/cmd\" = { contains = \"x\" } }",
    "tool = \"Bash\"\ninput = { \"/timeout\" = { gt = 5 } }",
    "tool = \"Bash\"\ninput = { \"/command\" = { len = { gt = 5 } } }",
    "tool = \"MultiEdit\"\ninput = { \"/edits/*/new_string\" = { contains = \"x\" } }",
    "tool = \"Bash\"\ninput = { \"/**\" = { contains = \"x\" } }",
    "input = { \"/cmd/0\" = { equals = \"rm\" } }",
    "input = { \"/x\" = { starts_with = \"a\", ends_with = \"b\" } }",
    "input = { \"/x\" = { starts_with = [\"ab\", \"c\"], contains = \"b\" } }",
    "input = { \"/command\" = { starts_with = \"~/bin/\" } }",
    "input = { \"/file_path\" = { starts_with = \"/srv/\" } }",
    "input = { \"/command\" = { regex = \"/etc/\" } }",
    "input = { \"/command\" = { regex = \"/home/u\" } }",
    "input = { \"/command\" = { glob = \"*a | b*\" } }",
    "payload = { \"/tool_name\" = { one_of = [\"bash\", \"Bash\"] } }",
    "payload = { \"/tool_name\" = { equals = \"mcp__x__y\" } }",
    "connects = \"*.evil.com\"",
    "pushes = [\"main\", \"feature/origin\"]",
    "pushes = { to = \"main\", remote = \"https://github.com/*\" }",
    "pushes = \"refs/heads/main\"",
    "git_branch = [\"main\", \"release/*\"]",
    "writes = \"src/**\"",
    "writes = \"src/\"",
    "deletes = \"src\"",
    "writes = \"Makefile\"",
    "writes = [\"/\", \"/home\", \"/etc/**\"]",
    "writes = { within = \"~/.ssh\" }",
    "when = { hours = \"02:10-02:20\" }",
    "when = { until = \"2099-12-31\" }",
    "runs = \"rm\"\nnot = { marked = \"once\" }\nmark = \"once\"",
];

fn config(conditions: &[&str]) -> String {
    let hook = |(at, conditions): (usize, &&str)| {
        format!(
            "[[hook]]\nid = \"h{at}\"\nevent = \"pre_tool_use\"\n{conditions}\n\
             builtin = {{ name = \"ask\", reason = \"why?\" }}\n\n"
        )
    };
    conditions.iter().enumerate().map(hook).collect()
}

/// The errors and the warnings of a config, each with its line.
fn told(ended: &Ended) -> Vec<(&'static str, u64, String)> {
    let lines = ended.lines();
    let of = |key: &'static str, severity: &'static str| {
        let all = lines.iter().filter_map(move |line| line[key].as_array()).flatten();
        all.map(move |told| {
            let message = told["message"].as_str().unwrap_or_default().to_owned();
            (severity, told["line"].as_u64().unwrap_or_default(), message)
        })
    };
    of("errors", "error").chain(of("warnings", "warning")).collect()
}

fn check(text: &str) -> Vec<(&'static str, u64, String)> {
    told(&Folder::with_hooks(text).run(&["check", "--json"], b""))
}

#[test]
fn a_dead_pattern_is_told_at_its_place_with_what_to_write() {
    let mut wrong = Vec::new();
    for (conditions, severity, says) in DEAD {
        let found = check(&config(&[conditions]));
        let last = 3 + conditions.lines().count() as u64;
        let is_it = |(of, line, message): &(&str, u64, String)| {
            of == severity && (4..=last).contains(line) && message.contains(says)
        };
        if !found.iter().any(is_it) {
            wrong.push(format!("{conditions:?} must be {severity} with {says:?}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_step_can_match_is_not_talked_about() {
    let found = check(&config(ALIVE));
    let about = |line: u64| {
        let text = config(ALIVE);
        text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default().to_owned()
    };
    let found: Vec<_> = found.iter().map(|told| (about(told.1), told)).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_builtin_that_looks_at_nothing_is_told() {
    let hook = |conditions: &str, builtin: &str| {
        format!(
            "[[hook]]\nid = \"g\"\nevent = \"pre_tool_use\"\n{conditions}builtin = {{ {builtin} }}\n"
        )
    };
    let rewrite = |from: &str| format!("name = \"rewrite\", from = \"{from}\", to = \"pnpm\"");
    let protect = |path: &str| format!("name = \"protect_config\", paths = [\"{path}\"]");
    let bash = "tool = \"Bash\"\n";
    for (conditions, builtin, says) in [
        (bash, rewrite("Npm"), "the known one is `npm`"),
        ("tool = \"Write\"\n", rewrite("npm"), "`Write` has no key `command`"),
        (bash, rewrite("npm") + ", pointer = \"/cmd\"", "did you mean `/command`?"),
        ("", protect("polices"), "nothing is at `polices`, which is"),
        ("", protect("polices"), "did you mean `policies`?"),
        ("", protect("policies/*.toml"), "write `policies`"),
        ("", protect("$cwd/policies"), "`$cwd` is not replaced here"),
        (bash, rewrite("npm"), ""),
        (bash, rewrite("npm run"), ""),
        ("", protect("policies"), ""),
        ("", protect("$config/policies"), ""),
    ] {
        let folder = Folder::with_hooks(&hook(conditions, &builtin));
        fs::create_dir(folder.path("hooks.toml").with_file_name("policies")).unwrap();
        let found = told(&folder.run(&["check", "--json"], b""));
        let holds = match says {
            "" => found.is_empty(),
            says => found.iter().any(|(_, _, message)| message.contains(says)),
        };
        assert!(holds, "{builtin}: {says:?}: {found:?}");
    }
}

#[test]
fn a_required_hook_that_fits_no_step_is_told() {
    let of = |runs: &str| check(&format!("[require]\nhooks = [\"h0\"]\n{}", config(&[runs])));
    let says = |found: &[(&str, u64, String)]| {
        found.iter().any(|(_, _, message)| message.contains("is required, and may be called"))
    };
    assert!(says(&of("runs = \"Rm\"")), "{:?}", of("runs = \"Rm\""));
    assert_eq!(of("runs = \"rm\""), []);
}
