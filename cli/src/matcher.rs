//! The conditions of a hook, in one line.

use hookgate::matcher::{InputSpec, InputTest, MatchSpec, Test};

/// The conditions in short: `tool=Bash|Edit /command=~/push.*--force/`. Empty where there are none.
/// A list with an entry that has signs of its own is shown as a list: `tool=["!Bash","mcp__*|x"]`.
pub(crate) fn short(spec: &MatchSpec) -> String {
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
    parts.extend(spec.input.iter().flat_map(|spec| pointer("", spec)));
    parts.extend(spec.payload.iter().flat_map(|spec| pointer("payload:", spec)));
    parts.join(" ")
}

fn pointer(root: &str, spec: &InputSpec) -> impl Iterator<Item = String> {
    let pointer = format!("{root}{}", spec.pointer);
    spec.tests.iter().map(move |test| self::test(&pointer, test))
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
