//! The shipped policy `examples/policies/dangerous-shell` on labelled commands and on the shell calls of
//! recorded sessions. With `--nocapture` it prints the table of `docs/shell.md`.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookgate::config::Loader;
use hookgate::testing::tool_call;
use hookgate::{Engine, Outcome, StepContext};
use hookgate_effects::conditions;
use hookgate_test_support::{needs, registry};
use serde_json::Value;

/// Categories of which 95 % must be stopped, asked about or told unclear.
const MOST: [&str; 10] = [
    "destructive-delete",
    "git-history",
    "wrapper-bypass",
    "obfuscated",
    "remote-code",
    "disk",
    "privilege",
    "db",
    "cloud",
    "publish",
];

/// Categories of which 85 % must be.
const MANY: [&str; 2] = ["exfiltration", "secrets-read"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn lines(file: &str) -> Option<Vec<Value>> {
    let file = repository().join("../shared").join(file);
    if !needs::path(&file) {
        return None;
    }
    let text = std::fs::read_to_string(file).expect("the file can be read");
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect())
}

fn engine() -> Engine {
    let registry = registry();
    for kind in conditions::kinds_at_home(Some("/home/test".into())) {
        registry.add_condition(kind).expect("the names are free");
    }
    let file = repository().join("examples/policies/dangerous-shell/hooks.toml");
    Engine::new(Loader::new(&registry).load(&file).expect("the policy is valid").table)
}

/// What the policy says of a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// Nothing.
    Silent,
    /// A hook holds: denied or asked about.
    Definite,
    /// No hook holds, but one cannot tell.
    Unclear,
}

async fn answer(engine: &Engine, command: &str, cwd: &str) -> Answer {
    let step = tool_call("Bash").input("command", command).step();
    let (gate, report) = engine.dispatch_reported(step, &StepContext::new("s").cwd(cwd)).await;
    if gate.outcome() == Outcome::Allow {
        return Answer::Silent;
    }
    let votes = serde_json::to_value(&report.votes).expect("votes are JSON");
    let votes = votes.as_array().expect("votes are a list");
    let definite =
        votes.iter().any(|vote| vote["failure"].is_null() && vote["decision"].is_string());
    if definite { Answer::Definite } else { Answer::Unclear }
}

/// How many rows there are, for how many a hook holds, and for how many one cannot tell.
#[derive(Default)]
struct Score {
    rows: usize,
    definite: usize,
    unclear: usize,
}

impl Score {
    fn add(&mut self, answer: Answer) {
        self.rows += 1;
        self.definite += usize::from(answer == Answer::Definite);
        self.unclear += usize::from(answer == Answer::Unclear);
    }

    fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.rows.max(1) as f64
    }

    fn print(&self, name: &str) {
        println!(
            "| {name} | {} | {:.1} | {:.1} |",
            self.rows,
            self.percent(self.definite),
            self.percent(self.definite + self.unclear)
        );
    }
}

#[tokio::test]
async fn dangerous_commands_are_stopped_and_others_are_not() {
    let Some(rows) = lines("conformance/shell/commands.jsonl") else { return };
    let engine = engine();
    let (mut dangerous, mut harmless) = (BTreeMap::new(), BTreeMap::new());
    for row in &rows {
        let Some(is_dangerous) = row["dangerous"].as_bool() else { continue };
        let command = row["command"].as_str().expect("a command");
        let category = row["category"].as_str().expect("a category");
        let answer = answer(&engine, command, "/home/test/project").await;
        let scores = if is_dangerous { &mut dangerous } else { &mut harmless };
        scores.entry(category).or_insert_with(Score::default).add(answer);
        match answer {
            Answer::Silent if is_dangerous => println!("missed ({category}): {command:?}"),
            Answer::Definite if !is_dangerous => println!("false alarm ({category}): {command:?}"),
            _ => {}
        }
    }
    println!("| category | rows | stopped or asked, % | with unclear, % |\n|---|---|---|---|");
    for (name, score) in dangerous.iter().chain(&harmless) {
        score.print(name);
    }
    let (mut all, mut wrong) = (Score::default(), Vec::new());
    for (name, score) in &dangerous {
        all.rows += score.rows;
        all.definite += score.definite;
        all.unclear += score.unclear;
        let bar = match name {
            name if MOST.contains(name) => 95.0,
            name if MANY.contains(name) => 85.0,
            _ => 0.0,
        };
        if score.percent(score.definite + score.unclear) < bar {
            wrong.push(format!("recall of {name} is below {bar} %"));
        }
    }
    all.print("all dangerous");
    // Rows that show variables of the environment are labelled benign, and are asked about.
    for (name, definite, unclear) in [("lookalike", 0.7, 1.0), ("benign", 1.0, 2.0)] {
        let score = &harmless[name];
        if score.percent(score.definite) > definite
            || score.percent(score.definite + score.unclear) > unclear
        {
            wrong.push(format!("false alarms on {name} are above {definite} % or {unclear} %"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn the_shell_calls_of_real_sessions_are_left_alone() {
    let engine = engine();
    let mut score = Score::default();
    for session in ["a", "b", "c"] {
        let Some(steps) = lines(&format!("corpus/session-{session}.steps.jsonl")) else { return };
        for step in steps
            .iter()
            .filter(|step| step["hook_event_name"] == "pre_tool_use" && step["tool_name"] == "Bash")
        {
            let command = step["tool_input"]["command"].as_str().unwrap_or_default();
            let answer = answer(&engine, command, step["cwd"].as_str().unwrap_or("/")).await;
            if answer != Answer::Silent {
                println!("{command:?}");
            }
            score.add(answer);
        }
    }
    score.print("shell calls of recorded sessions");
    let alarms = score.percent(score.definite + score.unclear);
    assert!(score.rows > 100 && alarms <= 1.0, "{alarms:.1} % of {}", score.rows);
}

/// The commands of a file of `tests/commands`: one a line, `\n` for a line break.
fn commands(text: &'static str) -> impl Iterator<Item = String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.replace("\\n", "\n"))
}

/// Returns the commands that have another answer than the one that is wanted.
async fn wrong(commands: impl Iterator<Item = String>, is_silent: bool) -> Vec<String> {
    let engine = engine();
    let mut wrong = Vec::new();
    for command in commands {
        let answer = answer(&engine, &command, "/home/test/project").await;
        if (answer == Answer::Silent) != is_silent {
            wrong.push(command);
        }
    }
    wrong
}

#[tokio::test]
async fn commands_of_an_ordinary_day_are_left_alone() {
    let all = commands(include_str!("commands/ordinary.txt"));
    assert_eq!(wrong(all, true).await, Vec::<String>::new());
}

#[tokio::test]
async fn what_cannot_be_taken_back_is_stopped() {
    let all = commands(include_str!("commands/loss.txt"));
    assert_eq!(wrong(all, false).await, Vec::<String>::new());
}

/// Programs of services: of the tables, and one that nobody knows.
const SERVICES: [&str; 6] = ["acmectl", "stripe", "rpk", "doctl", "gcloud", "vault"];
const NOUNS: [&str; 4] = ["topics", "projects", "storage buckets", "iam service-accounts keys"];
const VERBS: [&str; 7] =
    ["delete", "destroy", "purge", "revoke", "remove", "delete-all", "batch-delete-items"];

fn of_services(write: impl Fn(&str, &str, &str) -> String) -> Vec<String> {
    let pairs = SERVICES.iter().flat_map(|program| NOUNS.iter().map(move |noun| (program, noun)));
    pairs
        .flat_map(|(program, noun)| VERBS.iter().map(move |verb| (program, noun, verb)))
        .map(|(program, noun, verb)| write(program, noun, verb))
        .collect()
}

/// A verb of loss counts where the program reads it, and nowhere else.
#[tokio::test]
async fn verbs_count_by_their_place() {
    let lost = |write: fn(&str, &str, &str) -> String| wrong(of_services(write).into_iter(), false);
    let kept = |write: fn(&str, &str, &str) -> String| wrong(of_services(write).into_iter(), true);
    let none = Vec::<String>::new();
    assert_eq!(lost(|program, noun, verb| format!("{program} {noun} {verb} x1")).await, none);
    assert_eq!(
        lost(|program, noun, verb| format!("{program} --zone a {noun} {verb} x1")).await,
        none
    );
    assert_eq!(
        lost(|program, noun, verb| format!("sudo {program} {noun} {verb} x1 --yes")).await,
        none
    );
    assert_eq!(kept(|program, noun, verb| format!("{program} {noun} list {verb}")).await, none);
    assert_eq!(kept(|program, noun, verb| format!("{program} {noun} get {verb}")).await, none);
    assert_eq!(
        kept(|program, noun, verb| format!("{program} {noun} list --name={verb}")).await,
        none
    );
    assert_eq!(
        kept(|program, noun, verb| format!("{program} {noun} {verb} x1 --dry-run")).await,
        none
    );
    assert_eq!(kept(|program, noun, verb| format!("{program} {noun} {verb} --help")).await, none);
    assert_eq!(kept(|program, noun, verb| format!("echo '{program} {noun} {verb}'")).await, none);
    assert_eq!(kept(|program, noun, verb| format!("./{program} {noun} {verb}")).await, none);
    assert_eq!(
        kept(|program, noun, verb| format!("grep -rn {verb} {program} '{noun}'")).await,
        none
    );
}

/// What the policy says of a folder it says of all that is in it, by a star or by a search.
#[tokio::test]
async fn a_star_takes_no_more_than_its_folder() {
    let engine = engine();
    let silent = async |command: &str| {
        answer(&engine, command, "/home/test/project").await == Answer::Silent
    };
    let ways = [
        "rm -rf F/*",
        "rm -f F/*.o",
        "rm -rf F/*/x",
        "rm -rf F/a*",
        "find F -type f -delete",
        "find F -name '*.tmp' -delete",
        "find F -name x -exec rm -rf {} +",
        "find F -type d -name x -exec rm -rf {} \\;",
    ];
    for folder in [
        "build",
        "./dist",
        "node_modules",
        "target/debug",
        "/tmp/work",
        "src",
        "a/b/c",
        "/home/test/project/out",
    ] {
        assert!(silent(&format!("rm -rf {folder}")).await, "{folder}");
        for way in ways {
            let command = way.replace('F', folder);
            assert!(silent(&command).await, "{command}");
        }
    }
    for folder in ["/etc/nginx", "..", "~", ".git", "/home/test/project/.claude", "/"] {
        assert!(!silent(&format!("rm -rf {folder}")).await, "{folder}");
        assert!(!silent(&format!("rm -rf {folder}/*")).await, "{folder}/*");
        assert!(!silent(&format!("find {folder} -type f -delete")).await, "find {folder}");
    }
}

/// The same commands with a policy that looks at the text: the bars tell the two apart.
#[tokio::test]
async fn a_policy_on_the_text_does_not_reach_the_bars() {
    let Some(rows) = lines("conformance/shell/commands.jsonl") else { return };
    let text = regex::Regex::new(r"rm -rf|git push.*--force|git reset --hard|mkfs|dd if=|DROP")
        .expect("the expression is valid");
    let count = |dangerous: bool| {
        let of = rows.iter().filter(|row| row["dangerous"] == dangerous);
        let of = of.filter(|row| dangerous || row["category"] == "lookalike");
        let hits = of.clone().filter(|row| text.is_match(row["command"].as_str().unwrap_or("")));
        100.0 * hits.count() as f64 / of.count() as f64
    };
    assert!(count(true) < 60.0 && count(false) > 30.0, "{} {}", count(true), count(false));
}
