//! The conditions of a hook, in one line.

use hookgate::matcher::{InputSpec, InputTest, MatchSpec, Test};

/// The conditions in short: `tool=Bash|Edit /command=~/push.*--force/`. Empty where there are none.
pub(crate) fn short(spec: &MatchSpec) -> String {
    let mut parts = Vec::new();
    let mut list = |name: &str, values: Vec<&str>| {
        if !values.is_empty() {
            parts.push(format!("{name}{}", values.join("|")));
        }
    };
    list("tool=", spec.tool.iter().map(String::as_str).collect());
    list("tool_glob=", spec.tool_glob.iter().map(String::as_str).collect());
    list("tool_regex=", spec.tool_regex.iter().map(String::as_str).collect());
    list("safety=", spec.safety.iter().map(|safety| safety.name()).collect());
    list("agent=", spec.agent.iter().map(String::as_str).collect());
    list("cwd_glob=", spec.cwd_glob.iter().map(String::as_str).collect());
    parts.extend(spec.input.iter().chain(&spec.payload).flat_map(pointer));
    parts.join(" ")
}

fn pointer(spec: &InputSpec) -> impl Iterator<Item = String> {
    spec.tests.iter().map(|test| self::test(&spec.pointer, test))
}

fn test(pointer: &str, test: &InputTest) -> String {
    let not = if test.negated { "not " } else { "" };
    match &test.test {
        Test::Exists(true) => format!("{not}{pointer} exists"),
        Test::Exists(false) => format!("{not}{pointer} missing"),
        Test::Equals(value) => format!("{not}{pointer}={value}"),
        Test::OneOf(values) => {
            let values: Vec<_> = values.iter().map(ToString::to_string).collect();
            format!("{not}{pointer}={}", values.join("|"))
        }
        Test::Glob(glob) => format!("{not}{pointer}~{glob}"),
        Test::Regex(regex) => format!("{not}{pointer}=~/{regex}/"),
        // A test that this program does not know is still there.
        other => format!("{not}{pointer} {other:?}"),
    }
}
