//! The conditions of one `[[hook]]`, as they are written.
//!
//! ```toml
//! tool = ["Bash|Shell", "!BashOutput"]     # names of tools
//! safety = "destructive"                   # what the tool can do
//! agent = "reviewer"                       # ids or types of agents
//! cwd_glob = "/srv/**"                     # the folder of the session
//! input = { "/command" = { regex = "rm", not = { glob = "*--dry-run*" } } }
//! payload = { "/prompt" = { glob = "*" } } # any event
//! ```
//!
//! An empty list or table is refused: it could be meant to match everything or nothing. Whether
//! patterns can be compiled is found later, by the table.

mod combined;

use hookgate_contract::ConditionContext;
use hookgate_contract::payload::Safety;
use hookgate_contract::settings::{Node, NodeValue, Settings};
use hookgate_contract::suggest::Suggestion;

use super::reader::Reader;
use crate::matcher::{InputSpec, InputTest, MatchSpec, Test};
pub(super) use combined::is_nesting;
use combined::read_combined;

/// The problem of an empty condition, which could mean all or nothing.
pub(super) const NO_CONDITION: &str = "it is empty: leave it out to match everything";

/// Reads the names or patterns of which one is enough.
fn any_of(settings: &mut Settings<'_>, key: &'static str) -> Vec<String> {
    let given = settings.one_or_more(key);
    if given.as_ref().is_some_and(Vec::is_empty) {
        settings.invalid(key, NO_CONDITION);
    }
    given.unwrap_or_default().into_iter().map(str::to_owned).collect()
}

/// Reads the conditions of a hook. What is not given stays empty, and an empty list restricts
/// nothing.
pub(super) fn read_conditions(
    reader: &mut Reader<'_>,
    settings: &mut Settings<'_>,
    context: &ConditionContext<'_>,
) -> MatchSpec {
    read_table(reader, settings, context, 0)
}

/// Reads the conditions of a table that is inside of so many others: the hook is inside of none.
pub(super) fn read_table(
    reader: &mut Reader<'_>,
    settings: &mut Settings<'_>,
    context: &ConditionContext<'_>,
    depth: usize,
) -> MatchSpec {
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
                let hint = Suggestion::nearest(name, &names);
                settings.invalid(
                    "safety",
                    format!("`{name}` is not one of {}{hint}", names.join(", ")),
                );
            }
        }
    }
    matcher.input = pointers(settings, "input");
    matcher.payload = pointers(settings, "payload");
    read_combined(reader, settings, context, depth, &mut matcher);
    matcher
}

/// Reads conditions on JSON pointers: the keys of the table are the pointers, their values the
/// tests. A pointer without a test is refused, since it could be meant as `exists = true` or as a
/// mistake.
fn pointers(settings: &mut Settings<'_>, key: &'static str) -> Vec<InputSpec> {
    let Some(table) = settings.table(key) else { return Vec::new() };
    let (mut errors, mut specs) = (Vec::new(), Vec::new());
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
        errors.extend(tests.finish());
        let spec = InputSpec::new(entry.key.as_str());
        specs.push(read.into_iter().fold(spec, InputSpec::test));
    }
    settings.absorb(errors);
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

/// Reads the tests of one table.
fn plain_tests(settings: &mut Settings<'_>, negated: bool) -> Vec<InputTest> {
    let exists = settings.flag("exists").map(Test::Exists);
    let equals = settings.node("equals");
    if equals.is_some_and(is_not_json) {
        settings.invalid("equals", NO_NUMBER);
    }
    let equals = equals.map(|node| Test::Equals(node.to_json()));
    let one_of = match settings.node("one_of") {
        None => None,
        Some(Node { value: NodeValue::List(items), .. }) if items.is_empty() => {
            settings.invalid("one_of", "it is empty: no value could be one of them");
            None
        }
        Some(node @ Node { value: NodeValue::List(items), .. }) => {
            if is_not_json(node) {
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
    let tests = all.into_iter().flatten();
    tests.map(|test| if negated { !test } else { test.into() }).collect()
}

/// The problem of a number that JSON does not have.
const NO_NUMBER: &str = "`nan` and `inf` are not numbers of JSON, so no value is equal to them";

/// Returns whether a value contains a number that JSON does not have.
fn is_not_json(node: &Node) -> bool {
    match &node.value {
        NodeValue::Float(number) => !number.is_finite(),
        NodeValue::List(items) => items.iter().any(is_not_json),
        NodeValue::Table(entries) => entries.iter().any(|entry| is_not_json(&entry.node)),
        _ => false,
    }
}
