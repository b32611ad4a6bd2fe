//! The conditions of one `[[hook]]`, as they are written.
//!
//! ```toml
//! tool = ["Bash|Shell", "!BashOutput"]     # names of tools
//! safety = "destructive"                   # what the tool can do
//! agent = "reviewer"                       # ids or types of agents
//! cwd_glob = "/srv/**"                     # the folder of the session
//! subagent = true                          # only agents that another one has started
//! input = { "/command" = { regex = 'rm', not = { glob = "*--dry-run*" } } }
//! payload = { "/prompt" = { contains = ["drop table", "truncate"], ignore_case = true } }
//! ```
//!
//! An empty list or table is refused: it could be meant to match everything or nothing. Whether
//! patterns can be compiled is found later, by the table.

mod combined;

use hookgate_contract::ConditionContext;
use hookgate_contract::payload::Safety;
use hookgate_contract::settings::{Node, NodeValue, SettingError, SettingProblem, Settings};
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
        subagent: settings.flag("subagent"),
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
        let pointer = entry.key.as_str();
        if !matches!(entry.node.value, NodeValue::Table(_)) {
            errors.push(no_table(pointer, &entry.node));
            continue;
        }
        let mut tests = Settings::new(&entry.node);
        let read = tests_of(&mut tests);
        if read.is_empty() && tests.entries().is_empty() {
            tests.invalid(key, format!("`{pointer}` has no test: add one of {TESTS}"));
        }
        errors.extend(tests.finish());
        specs.push(read.into_iter().fold(InputSpec::new(pointer), InputSpec::test));
    }
    settings.absorb(errors);
    specs
}

/// All tests, for messages.
const TESTS: &str = "exists, equals, one_of, glob, regex, contains, starts_with, ends_with, gt, \
                     ge, lt, le, len";

/// The error for a pointer with a value in place of a table of tests.
fn no_table(pointer: &str, node: &Node) -> SettingError {
    let written = node.to_json();
    let problem = match &node.value {
        NodeValue::Text(_) => format!(
            "must be a table of tests: write {{ equals = {written} }}, or {{ contains = {written} }} for a part of the text"
        ),
        NodeValue::List(_) => {
            format!("must be a table of tests: write {{ one_of = {written} }}")
        }
        _ => format!("must be a table of tests: write {{ equals = {written} }}"),
    };
    SettingError {
        span: node.span.clone(),
        problem: SettingProblem::Invalid { key: pointer.to_owned(), problem },
    }
}

/// Reads the tests of one pointer; those under `not` must fail. `ignore_case` is for all tests of its
/// table, and for those under `not` unless they say otherwise.
fn tests_of(settings: &mut Settings<'_>) -> Vec<InputTest> {
    let ignore_case = settings.flag("ignore_case");
    let mut tests = plain_tests(settings);
    let mut negated = Vec::new();
    let mut ignore_below = None;
    if let Some(mut not) = settings.table("not") {
        ignore_below = not.flag("ignore_case");
        negated = plain_tests(&mut not);
        settings.absorb(not.finish());
    }
    if ignore_case == Some(true) && !tests.iter().chain(&negated).any(tests_texts) {
        settings.invalid("ignore_case", "it changes nothing: there is no test of a text");
    }
    let with_case = |test: Test, ignore: Option<bool>| {
        let ignores = ignore == Some(true) && tests_texts(&test);
        let test = InputTest::from(test);
        if ignores { test.ignore_case() } else { test }
    };
    let negated = negated.into_iter().map(|test| !with_case(test, ignore_below.or(ignore_case)));
    let mut all: Vec<_> = tests.drain(..).map(|test| with_case(test, ignore_case)).collect();
    all.extend(negated);
    all
}

/// Returns whether upper and lower case can make a difference to a test.
fn tests_texts(test: &Test) -> bool {
    match test {
        Test::Equals(value) => value.is_string(),
        Test::OneOf(values) => values.iter().any(serde_json::Value::is_string),
        Test::Any(tests) => tests.iter().any(tests_texts),
        Test::Exists(_) | Test::Length { .. } => false,
        Test::Gt(_) | Test::Ge(_) | Test::Lt(_) | Test::Le(_) => false,
        _ => true,
    }
}

/// Reads the tests of one table.
fn plain_tests(settings: &mut Settings<'_>) -> Vec<Test> {
    let exists = settings.flag("exists").map(Test::Exists);
    let equals = settings.node("equals");
    if equals.is_some_and(is_not_json) {
        settings.invalid("equals", NO_NUMBER);
    }
    let equals = equals.map(|node| Test::Equals(node.to_json()));
    let mut tests: Vec<Test> = exists.into_iter().chain(equals).chain(one_of(settings)).collect();
    tests.extend(regex(settings));
    tests.extend(texts(settings, "glob", Test::Glob));
    tests.extend(texts(settings, "contains", Test::Contains));
    tests.extend(texts(settings, "starts_with", Test::StartsWith));
    tests.extend(texts(settings, "ends_with", Test::EndsWith));
    tests.extend(number(settings, "gt").map(Test::Gt));
    tests.extend(number(settings, "ge").map(Test::Ge));
    tests.extend(number(settings, "lt").map(Test::Lt));
    tests.extend(number(settings, "le").map(Test::Le));
    tests.extend(length(settings));
    tests
}

fn one_of(settings: &mut Settings<'_>) -> Option<Test> {
    let node = settings.node("one_of")?;
    let NodeValue::List(items) = &node.value else {
        settings.invalid("one_of", format!("must be an array: write [{}]", node.to_json()));
        return None;
    };
    if items.is_empty() {
        settings.invalid("one_of", "it is empty: no value could be one of them");
        return None;
    }
    if is_not_json(node) {
        settings.invalid("one_of", NO_NUMBER);
    }
    Some(Test::OneOf(items.iter().map(Node::to_json).collect()))
}

/// Reads a regular expression. A list is refused: an expression has alternatives of its own.
fn regex(settings: &mut Settings<'_>) -> Option<Test> {
    if let Some(Node { value: NodeValue::List(items), .. }) = settings.node("regex") {
        let texts: Option<Vec<_>> = items
            .iter()
            .map(|item| match &item.value {
                NodeValue::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let joined = texts.unwrap_or_default().join("|");
        let written = format!("must be one string: alternatives are written with `|`, '{joined}'");
        settings.invalid("regex", written);
        return None;
    }
    settings.text("regex").map(|text| Test::Regex(text.to_owned()))
}

/// Reads a text, or a list of which one is enough.
fn texts(settings: &mut Settings<'_>, key: &'static str, test: fn(String) -> Test) -> Option<Test> {
    let given = settings.one_or_more(key)?;
    let mut tests: Vec<Test> = given.iter().map(|&text| test(text.to_owned())).collect();
    match tests.len() {
        0 => {
            settings.invalid(key, "it is empty: no value could be one of them");
            None
        }
        1 => tests.pop(),
        _ => Some(Test::Any(tests)),
    }
}

/// Reads a number that values are compared with.
fn number(settings: &mut Settings<'_>, key: &'static str) -> Option<serde_json::Number> {
    let node = settings.node(key)?;
    match node.to_json() {
        serde_json::Value::Number(number) => Some(number),
        _ => {
            let problem = match &node.value {
                NodeValue::Float(_) => NO_NUMBER.to_owned(),
                NodeValue::Text(text) if text.parse::<f64>().is_ok() => {
                    format!("must be a number: write {text} without quotes")
                }
                _ => format!("must be a number, not {}", node.kind()),
            };
            settings.invalid(key, problem);
            None
        }
    }
}

/// Reads `len`: a number, or a table of bounds.
fn length(settings: &mut Settings<'_>) -> Option<Test> {
    let node = settings.node("len")?;
    if let NodeValue::Integer(number) = &node.value {
        return match u64::try_from(*number) {
            Ok(exact) => Some(Test::Length { least: exact, most: Some(exact) }),
            Err(_) => {
                settings.invalid("len", "must not be negative");
                None
            }
        };
    }
    if !matches!(node.value, NodeValue::Table(_)) {
        let problem =
            format!("must be a number, or bounds such as {{ gt = 100 }}, not {}", node.kind());
        settings.invalid("len", problem);
        return None;
    }
    let mut bounds = Settings::new(node);
    let mut bound = |key| bounds.count(key, 0..=usize::MAX).and_then(|n| u64::try_from(n).ok());
    let (gt, ge, lt, le) = (bound("gt"), bound("ge"), bound("lt"), bound("le"));
    let least = gt.map(|gt| gt.saturating_add(1)).max(ge);
    let below = lt.map(|lt| lt.checked_sub(1));
    if bounds.entries().is_empty() {
        bounds.invalid("len", "it has no bound: add gt, ge, lt or le");
    }
    settings.absorb(bounds.finish());
    // No length is less than 0: bounds that exclude everything, which the table refuses.
    if below == Some(None) {
        return Some(Test::Length { least: 1, most: Some(0) });
    }
    let most = below.flatten().into_iter().chain(le).min();
    Some(Test::Length { least: least.unwrap_or_default(), most })
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
