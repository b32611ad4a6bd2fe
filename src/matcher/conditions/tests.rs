use hookgate_contract::payload::{ToolCall, UserPromptSubmit};
use serde_json::json;

use super::super::test::{InputTest, Test};
use super::*;

fn truth(pointer: &str, test: Test, negated: bool, payload: &dyn AnyPayload) -> Truth {
    let spec = MatchSpec {
        input: vec![InputSpec::new(pointer).test(if negated {
            !test
        } else {
            InputTest::from(test)
        })],
        ..MatchSpec::default()
    };
    let mut errors = Vec::new();
    let conditions = Conditions::compile(&spec, &mut errors);
    assert_eq!(errors, []);
    conditions.hold(payload, &StepContext::new("s"))
}

#[test]
fn missing_is_false_and_a_wrong_type_cannot_be_told() {
    let call = ToolCall::new(
        "Bash",
        json!({"command": "git push\n--force", "n": 1, "a/b": {"~": [1, 2]}}),
    );
    let regex = |text: &str| Test::Regex(text.into());
    assert_eq!(truth("/command", regex("push.*--force"), false, &call), Truth::True);
    assert_eq!(truth("/command", Test::Glob("git".into()), false, &call), Truth::False);
    assert_eq!(truth("/command", Test::Glob("git *".into()), false, &call), Truth::True);
    assert_eq!(truth("/n", regex("1"), false, &call), Truth::Unknown);
    assert_eq!(truth("/n", regex("1"), true, &call), Truth::Unknown);
    assert_eq!(truth("/gone", regex("1"), false, &call), Truth::False);
    assert_eq!(truth("/gone", regex("1"), true, &call), Truth::True);
    assert_eq!(truth("/gone", Test::Exists(false), false, &call), Truth::True);
    assert_eq!(truth("/n", Test::OneOf(vec![json!(1), json!("x")]), false, &call), Truth::True);
    assert_eq!(truth("/a~1b/~0/1", Test::Equals(json!(2)), false, &call), Truth::True);
    assert_eq!(truth("/a~1b/~0/01", Test::Exists(true), false, &call), Truth::Unknown);
}

#[test]
fn without_a_tool_the_pointer_starts_at_the_payload() {
    let prompt = UserPromptSubmit::new("please rm -rf /");
    assert_eq!(truth("/prompt", Test::Regex("rm -rf".into()), false, &prompt), Truth::True);
    assert_eq!(truth("/prompt", Test::Equals(json!("x")), true, &prompt), Truth::True);
    assert_eq!(truth("/source", Test::Equals(json!("user")), false, &prompt), Truth::True);
}

#[test]
fn false_beats_cannot_tell() {
    let call = ToolCall::new("Bash", json!({"n": 1}));
    let spec = MatchSpec {
        safety: vec![Safety::Destructive],
        agent: vec!["reviewer".into()],
        cwd_glob: vec!["/srv/**".into()],
        ..MatchSpec::default()
    };
    let conditions = Conditions::compile(&spec, &mut Vec::new());
    let of = |context: StepContext<'_>| conditions.hold(&call, &context);
    assert_eq!(of(StepContext::new("s").agent("7", "reviewer")), Truth::Unknown);
    assert_eq!(of(StepContext::new("s").agent("7", "reviewer").cwd("/home")), Truth::False);
    assert_eq!(of(StepContext::new("s").agent("7", "coder")), Truth::False);
    assert_eq!(of(StepContext::new("s").cwd("/srv/a/b")), Truth::Unknown);
}

/// A model, or a rewriter, may choose another shape than the condition was written for.
#[test]
fn a_shape_that_has_no_keys_cannot_be_told_at_any_depth() {
    let regex = || Test::Regex("rm".into());
    for input in [
        json!("rm -rf /"),
        json!("{\"command\":\"rm -rf /\"}"),
        json!([{"command": "rm -rf /"}]),
        json!(null),
        json!(7),
    ] {
        let call = ToolCall::new("Bash", input.clone());
        for negated in [false, true] {
            assert_eq!(truth("/command", regex(), negated, &call), Truth::Unknown, "{input}");
            let exists = Test::Exists(true);
            assert_eq!(truth("/command", exists, negated, &call), Truth::Unknown, "{input}");
        }
    }
    let call = ToolCall::new("Bash", json!({"a": "x", "b": {}, "c": [1]}));
    assert_eq!(truth("/a/b/c", regex(), false, &call), Truth::Unknown);
    assert_eq!(truth("/c/first", regex(), false, &call), Truth::Unknown);
    assert_eq!(truth("/b/command", regex(), false, &call), Truth::False);
    assert_eq!(truth("/c/1", regex(), false, &call), Truth::False);
}

#[test]
fn a_star_means_any_element_and_two_any_string_below() {
    let call = ToolCall::new(
        "Edit",
        json!({
            "edits": [{"file": "a.rs"}, {"file": ".env"}, {"mode": 1}],
            "none": [], "odd": [{"file": 1}, "x"], "deep": {"a": [{"b": "rm -rf /"}], "n": 1},
        }),
    );
    let glob = |text: &str| Test::Glob(text.into());
    assert_eq!(truth("/edits/*/file", glob("*.env"), false, &call), Truth::True);
    assert_eq!(truth("/edits/*/file", glob("*.py"), false, &call), Truth::False);
    assert_eq!(truth("/edits/*/file", glob("*.env"), true, &call), Truth::True, "the other one");
    assert_eq!(truth("/edits/*", Test::Exists(true), false, &call), Truth::True);
    assert_eq!(truth("/none/*", Test::Exists(true), false, &call), Truth::False);
    assert_eq!(truth("/none/*/file", glob("*"), false, &call), Truth::False);
    assert_eq!(truth("/odd/*/file", glob("*.env"), false, &call), Truth::Unknown);
    assert_eq!(truth("/deep/**", Test::Regex("rm".into()), false, &call), Truth::True);
    assert_eq!(truth("/deep/**", Test::Regex("mv".into()), false, &call), Truth::False);
    assert_eq!(truth("/**", glob(".env"), false, &call), Truth::True);
    assert_eq!(truth("/deep/n/**", glob("x"), false, &call), Truth::Unknown);
    let text = ToolCall::new("Bash", json!("rm -rf /"));
    assert_eq!(truth("/**", Test::Regex("rm".into()), false, &text), Truth::True);
    assert_eq!(truth("/**", Test::Regex("mv".into()), false, &text), Truth::Unknown);
    assert_eq!(truth("/*", Test::Regex("rm".into()), false, &text), Truth::Unknown);
}

#[test]
fn a_folder_is_compared_without_detours() {
    let spec = MatchSpec { cwd_glob: vec!["/srv/**".into()], ..MatchSpec::default() };
    let conditions = Conditions::compile(&spec, &mut Vec::new());
    let call = ToolCall::new("Bash", json!({}));
    let of = |cwd: &str| conditions.hold(&call, &StepContext::new("s").cwd(cwd));
    for cwd in ["/srv/a", "/srv//a/", "/tmp/../srv/a", "/srv/./a", "/srv/"] {
        assert_eq!(of(cwd), Truth::True, "{cwd}");
    }
    for cwd in ["/srv/../tmp", "/srv/a/../../tmp", "/srvx"] {
        assert_eq!(of(cwd), Truth::False, "{cwd}");
    }
    for cwd in ["srv/a", "", "."] {
        assert_eq!(of(cwd), Truth::Unknown, "{cwd}");
    }
}
