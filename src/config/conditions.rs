//! The conditions of one `[[hook]]`.

use hookgate_contract::payload::Safety;
use hookgate_contract::settings::{Node, NodeValue, Settings};
use hookgate_contract::suggest::nearest;

use crate::matcher::{InputSpec, InputTest, MatchSpec, Test};

/// Said of a condition that leaves open whether it is meant to match all or nothing.
const NO_CONDITION: &str = "it is empty: leave it out to match everything";

/// Reads the names or patterns of which any is enough.
fn any_of(settings: &mut Settings<'_>, key: &'static str) -> Vec<String> {
    let given = settings.one_or_more(key);
    if given.as_ref().is_some_and(Vec::is_empty) {
        settings.invalid(key, NO_CONDITION);
    }
    given.unwrap_or_default().into_iter().map(str::to_owned).collect()
}

/// Reads the conditions of a hook.
pub(super) fn matcher(settings: &mut Settings<'_>) -> MatchSpec {
    let mut matcher = MatchSpec {
        tool: any_of(settings, "tool"),
        tool_glob: any_of(settings, "tool_glob"),
        tool_regex: any_of(settings, "tool_regex"),
        regex_search: settings.flag("regex_search").unwrap_or_default(),
        agent: any_of(settings, "agent"),
        cwd_glob: any_of(settings, "cwd_glob"),
        ..MatchSpec::default()
    };
    for name in any_of(settings, "safety") {
        let name = name.as_str();
        match Safety::from_name(name) {
            Some(safety) => matcher.safety.push(safety),
            None => {
                let names = Safety::ALL.map(Safety::name);
                let hint = nearest(name, &names).map(|near| format!("; did you mean `{near}`?"));
                let hint = hint.unwrap_or_default();
                settings.invalid(
                    "safety",
                    format!("`{name}` is not one of {}{hint}", names.join(", ")),
                );
            }
        }
    }
    matcher.input = pointers(settings, "input");
    matcher.payload = pointers(settings, "payload");
    matcher
}

/// Reads conditions on JSON pointers.
fn pointers(settings: &mut Settings<'_>, key: &'static str) -> Vec<InputSpec> {
    let Some(table) = settings.table(key) else { return Vec::new() };
    let (mut wrong, mut specs) = (Vec::new(), Vec::new());
    if table.entries().is_empty() {
        settings.invalid(key, NO_CONDITION);
    }
    for entry in table.entries() {
        let mut tests = Settings::new(&entry.node);
        let read = tests_of(&mut tests);
        if read.is_empty() && tests.entries().is_empty() {
            tests.invalid(
                key,
                format!("`{}` has no test: add exists, equals, glob, regex or one_of", entry.key),
            );
        }
        wrong.extend(tests.finish());
        specs.push(InputSpec { pointer: entry.key.clone(), tests: read });
    }
    settings.absorb(wrong);
    specs
}

/// Reads the tests of one pointer; those under `not` must fail.
fn tests_of(settings: &mut Settings<'_>) -> Vec<InputTest> {
    let mut tests = plain_tests(settings, false);
    if let Some(mut not) = settings.table("not") {
        tests.extend(plain_tests(&mut not, true));
        settings.absorb(not.finish());
    }
    tests
}

fn plain_tests(settings: &mut Settings<'_>, negated: bool) -> Vec<InputTest> {
    let exists = settings.flag("exists").map(Test::Exists);
    let equals = settings.node("equals");
    if equals.is_some_and(no_json) {
        settings.invalid("equals", NO_NUMBER);
    }
    let equals = equals.map(|node| Test::Equals(node.to_json()));
    let one_of = match settings.node("one_of") {
        None => None,
        Some(Node { value: NodeValue::List(items), .. }) if items.is_empty() => {
            settings.invalid("one_of", "it is empty: nothing is one of nothing");
            None
        }
        Some(node @ Node { value: NodeValue::List(items), .. }) => {
            if no_json(node) {
                settings.invalid("one_of", NO_NUMBER);
            }
            Some(Test::OneOf(items.iter().map(Node::to_json).collect()))
        }
        Some(_) => {
            settings.invalid("one_of", "must be an array");
            None
        }
    };
    let glob = settings.text("glob").map(|text| Test::Glob(text.to_owned()));
    let regex = settings.text("regex").map(|text| Test::Regex(text.to_owned()));
    let all = [exists, equals, one_of, glob, regex];
    all.into_iter().flatten().map(|test| InputTest { test, negated }).collect()
}

const NO_NUMBER: &str = "`nan` and `inf` are no numbers of JSON: no value is equal to them";

/// Whether a number in a value is one that JSON does not have.
fn no_json(node: &Node) -> bool {
    match &node.value {
        NodeValue::Float(number) => !number.is_finite(),
        NodeValue::List(items) => items.iter().any(no_json),
        NodeValue::Table(entries) => entries.iter().any(|entry| no_json(&entry.node)),
        _ => false,
    }
}
