//! What the conditions of a table say of a step, in words.

use hookgate::StepContext;
use hookgate::contract::Truth;
use hookgate::contract::payload::Stop;
use hookgate::table::{Called, ExplainedCondition};

use crate::says::{deny, load};
use crate::support::{self, Log};

fn explained(lines: &str) -> (Called, Vec<ExplainedCondition>) {
    let log = Log::default();
    let table = load(&log, &deny(lines)).unwrap_or_else(|errors| panic!("{errors}")).table;
    let context = StepContext::new("s").cwd("/srv/a").agent("7", "coder");
    let mut all = table.explain(&support::call("git push"), &context);
    let hook = all.remove(0);
    assert!(all.is_empty() && hook.hook == "h" && hook.origin.to_string() == "hooks.toml:1");
    assert_eq!(log.take(), [""; 0], "nobody is told anything");
    (hook.called, hook.conditions)
}

#[test]
fn every_condition_says_what_it_looked_at() {
    let lines = r#"tool = "Read|Write"
safety = "destructive"
agent = ["coder", "!x"]
cwd_glob = "/home/**"
input = { "/command" = { regex = "push", not = { glob = "*--force*" } }, "/n" = { exists = true } }
payload = { "/tool_name" = { one_of = ["a", "Bash"] } }
says = "unknown""#;
    let (called, conditions) = explained(lines);
    assert_eq!(called, Called::No);
    let shown: Vec<_> = conditions
        .iter()
        .map(|c| (c.written.as_str(), c.truth, c.why.as_str(), c.origin.as_deref().unwrap()))
        .collect();
    use Truth::{False, True, Unknown};
    assert_eq!(
        shown,
        [
            (r#"tool = "Read|Write""#, False, "the tool is `Bash`", "hooks.toml:4"),
            (
                r#"safety = "destructive""#,
                Unknown,
                "the host has not classified the tool",
                "hooks.toml:5"
            ),
            (
                r#"agent = ["coder", "!x"]"#,
                True,
                "the agent is `7` of type `coder`",
                "hooks.toml:6"
            ),
            (r#"cwd_glob = "/home/**""#, False, "the folder is `/srv/a`", "hooks.toml:7"),
            (
                r#"input = { "/command" = { not = { glob = "*--force*" }, regex = "push" } }"#,
                True,
                "`/command` is \"git push\"",
                "hooks.toml:8"
            ),
            (
                r#"input = { "/n" = { exists = true } }"#,
                False,
                "there is no value at `/n`",
                "hooks.toml:8"
            ),
            (
                r#"payload = { "/tool_name" = { one_of = ["Bash", "a"] } }"#,
                True,
                "`/tool_name` is \"Bash\"",
                "hooks.toml:9"
            ),
            (r#"says = "unknown""#, Unknown, "`h` is not known before it runs", "hooks.toml:10"),
        ]
    );
}

#[test]
fn tables_are_explained_with_what_is_in_them() {
    let (called, conditions) =
        explained("any = [{ tool = \"Read\" }, { says = \"unknown\", agent = \"coder\" }]");
    assert_eq!(called, Called::Unclear);
    let [any] = conditions.as_slice() else { panic!("{conditions:?}") };
    let written = r#"any = [{ tool = "Read" }, { agent = "coder", says = "unknown" }]"#;
    assert_eq!((any.written.as_str(), any.truth), (written, Truth::Unknown));
    assert_eq!(any.why, "`h` is not known before it runs");
    let parts: Vec<_> = any.parts.iter().map(|part| (part.truth, part.parts.len())).collect();
    assert_eq!(parts, [(Truth::False, 1), (Truth::Unknown, 2)]);

    let (called, conditions) = explained("not = { tool = \"Bash\" }");
    assert_eq!((called, conditions[0].truth), (Called::No, Truth::False));
    assert_eq!(conditions[0].why, "its table holds");
    let json = serde_json::to_value(&conditions[0]).unwrap();
    assert_eq!((&json["truth"], &json["parts"][0]["key"]), (&"false".into(), &"tool".into()));
}

#[test]
fn other_events_have_other_hooks() {
    let table = load(&Log::default(), &deny("says = \"true\"")).unwrap().table;
    assert!(table.explain(&Stop::default(), &StepContext::new("s")).is_empty());
}
