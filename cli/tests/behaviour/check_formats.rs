//! Promise: every mistake, warning and finding of `check` is in every format, at its place.

use serde_json::{Value, json};

use crate::support::{Ended, Folder};

const WRONG: &str = "[[hook]]\nid = \"a\"\nevent = \"pre_tool_us\"\nbuiltin = \"audit\"\n\n\
                     [[hook]]\nid = \"b\"\nevent = \"stop\"\nbuiltin = \"audt\"\n";

/// Valid, with a warning and a finding.
const DOUBTFUL: &str = "[[hook]]\nid = \"ü\"\nevent = \"pre_tool_use\"\ntool = \"bash\"\nrole = \"observe\"\n\
                        builtin = { name = \"deny\", reason = \"no\" }\n";

/// The results of the one run, after a look at what the format asks for.
fn sarif(ended: &Ended) -> Vec<Value> {
    let log: Value = serde_json::from_str(ended.out()).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().ends_with("sarif-schema-2.1.0.json"));
    let run = &log["runs"].as_array().unwrap()[0];
    assert_eq!(run["tool"]["driver"]["name"], "hookgate");
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap().clone();
    for result in &results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(!rules[index]["shortDescription"]["text"].as_str().unwrap().is_empty());
        let level = result["level"].as_str().unwrap();
        assert!(["error", "warning", "note"].contains(&level), "{level}");
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.starts_with('/') && !uri.contains([' ', '\\']), "{uri}");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert!(place["region"]["startColumn"].as_u64().unwrap() >= 1);
    }
    results
}

/// Code, level, line and column of each result.
fn places(results: &[Value]) -> Vec<(String, String, u64, u64)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let place = |result: &Value| {
        let region = &result["locations"][0]["physicalLocation"]["region"];
        let number = |key: &str| region[key].as_u64().unwrap();
        (
            text(&result["ruleId"]),
            text(&result["level"]),
            number("startLine"),
            number("startColumn"),
        )
    };
    results.iter().map(place).collect()
}

#[test]
fn mistakes_are_in_every_format() {
    let folder = Folder::with_hooks(WRONG);
    let json = folder.run(&["check", "--format", "json"], "");
    assert_eq!(json.code(), 3);
    let errors = json.lines()[0]["errors"].as_array().unwrap().clone();
    assert_eq!(errors.len(), 2);
    let expected: Vec<_> = errors
        .iter()
        .map(|error| {
            let number = |key: &str| error[key].as_u64().unwrap();
            let code = error["code"].as_str().unwrap().to_owned();
            (code, "error".to_owned(), number("line"), number("column"))
        })
        .collect();
    assert_eq!(expected[0], ("unknown_event".to_owned(), "error".to_owned(), 3, 9));

    let ended = folder.run(&["check", "--format", "sarif"], "");
    assert_eq!(ended.code(), 3);
    assert_eq!(places(&sarif(&ended)), expected);
    assert!(ended.err().contains("hooks.toml:3:9: "), "{}", ended.err());

    let ended = folder.run(&["check", "--format", "github"], "");
    assert_eq!(ended.code(), 3);
    let lines: Vec<_> = ended.out().lines().collect();
    assert_eq!(lines.len(), 2);
    let first = "::error file=hooks.toml,line=3,col=9,title=unknown_event::unknown event";
    assert!(lines[0].starts_with(first), "{}", lines[0]);

    let human = folder.run(&["check", "--format", "human"], "");
    for (_, _, line, column) in expected {
        let position = format!("hooks.toml:{line}:{column}: ");
        assert!(human.err().contains(&position), "{position} in {}", human.err());
    }
}

#[test]
fn warnings_and_findings_are_in_every_format_and_can_be_denied() {
    let folder = Folder::with_hooks(DOUBTFUL);
    let check = |more: &[&str]| {
        let args: Vec<&str> = ["check", "--analyze"].iter().chain(more).copied().collect();
        folder.run(&args, "")
    };
    let ended = check(&["--json"]);
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let line = &ended.lines()[0];
    assert_eq!(line["warnings"][0]["code"], "doubtful_setting");
    assert_eq!(line["findings"][0]["code"], "observer_decides");

    let ended = check(&["--format", "sarif"]);
    let found = places(&sarif(&ended));
    let place = |code: &str, line, column| (code.to_owned(), "warning".to_owned(), line, column);
    assert_eq!(found, [place("doubtful_setting", 4, 8), place("observer_decides", 5, 1)]);

    let ended = check(&["--format", "github"]);
    assert_eq!(
        ended.out().matches("::warning file=hooks.toml,line=").count(),
        2,
        "{}",
        ended.out()
    );
    assert_eq!(ended.err(), "");
    assert_eq!(ended.code(), 0);

    for format in ["human", "json", "sarif", "github"] {
        let ended = check(&["--deny-warnings", "--format", format]);
        assert_eq!(ended.code(), 3, "{format}");
        assert!(ended.err().contains("has 2 warnings"), "{}", ended.err());
    }
    let clean = Folder::with_hooks("[[hook]]\nid = \"a\"\nevent = \"stop\"\nbuiltin = \"audit\"\n");
    assert_eq!(clean.run(&["check", "--deny-warnings", "--analyze"], "").code(), 0);
    // A note is no warning.
    let noted = crate::analyze::noted();
    let ended = noted.run(&["check", "--analyze", "--deny-warnings", "--format", "github"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    assert!(ended.out().starts_with("::notice file=hooks.toml,line="), "{}", ended.out());
}

#[test]
fn a_valid_config_gives_an_empty_report() {
    let folder =
        Folder::with_hooks("[[hook]]\nid = \"a\"\nevent = \"stop\"\nbuiltin = \"audit\"\n");
    let ended = folder.run(&["check", "--format", "sarif"], "");
    assert_eq!((ended.code(), sarif(&ended)), (0, Vec::new()));
    assert_eq!(folder.run(&["check", "--format", "github"], "").out(), "");
}

#[test]
fn unknown_tools_and_failed_probes_are_mistakes_too() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = \"worker\"\nevent = \"stop\"\ncommand = { argv = [\"false\"], mode = \"worker\" }\n",
    );
    folder.write("tools.txt", "Bash\nnever_heard_of\n");
    let ended = folder.run(&["check", "--tools", "tools.txt", "--format", "sarif"], "");
    assert_eq!(ended.code(), 3, "{}", ended.err());
    let results = sarif(&ended);
    assert_eq!(results[0]["ruleId"], "unknown_tool");
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "tools.txt");
    assert_eq!(place["region"], json!({"startLine": 2, "startColumn": 1}));

    let ended = folder.run(&["check", "--live", "--format", "sarif"], "");
    assert_eq!(ended.code(), 1, "{}", ended.err());
    assert_eq!(sarif(&ended)[0]["ruleId"], "live_check");
}

#[test]
fn one_format_is_asked_for() {
    let folder = Folder::with_hooks(DOUBTFUL);
    for args in
        [["--json", "--table"].as_slice(), &["--json", "--format", "sarif"], &["--format", "xml"]]
    {
        let all: Vec<&str> = ["check"].iter().chain(args).copied().collect();
        assert_eq!(folder.run(&all, "").code(), 64, "{args:?}");
    }
}
