//! The conditions of a hook in one line.

use hookgate::matcher::{InputSpec, InputTest, MatchSpec, Test};

/// Returns the conditions in short: `tool=Bash|Edit /command=~/push.*--force/`. The text is empty if
/// there are none. A list whose entries contain signs of this notation is shown as JSON:
/// `tool=["!Bash","mcp__*|x"]`.
pub(crate) fn to_short(spec: &MatchSpec) -> String {
    let mut parts = Vec::new();
    let mut list = |name: &str, values: Vec<&str>| {
        let plain = |value: &&str| !value.contains(['|', '!', ' ', '"']) && !value.is_empty();
        match values.as_slice() {
            [] => {}
            [one] => parts.push(format!("{name}{one}")),
            all if all.iter().all(plain) => parts.push(format!("{name}{}", all.join("|"))),
            all => parts.push(format!("{name}{}", serde_json::json!(all))),
        }
    };
    list("tool=", spec.tool.iter().map(String::as_str).collect());
    list("tool_glob=", spec.tool_glob.iter().map(String::as_str).collect());
    list("tool_regex=", spec.tool_regex.iter().map(String::as_str).collect());
    list("safety=", spec.safety.iter().map(|safety| safety.name()).collect());
    list("agent=", spec.agent.iter().map(String::as_str).collect());
    list("cwd_glob=", spec.cwd_glob.iter().map(String::as_str).collect());
    parts.extend(spec.input.iter().flat_map(|spec| input_tests("", spec)));
    parts.extend(spec.payload.iter().flat_map(|spec| input_tests("payload:", spec)));
    // What is beside these is written as in hooks.toml.
    let mut rest = MatchSpec::new();
    rest.registered.clone_from(&spec.registered);
    rest.any.clone_from(&spec.any);
    rest.not.clone_from(&spec.not);
    parts.extend(Some(rest.to_string()).filter(|text| !text.is_empty()));
    parts.join(" ")
}

fn input_tests(root: &str, spec: &InputSpec) -> impl Iterator<Item = String> {
    let pointer = format!("{root}{}", spec.pointer);
    spec.tests.iter().map(move |test| test_text(&pointer, test))
}

fn test_text(pointer: &str, test: &InputTest) -> String {
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
        // A kind of test that this program does not know yet.
        other => format!("{not}{pointer} {other:?}"),
    }
}
