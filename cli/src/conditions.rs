//! The conditions of a hook in one line.

use hookgate::matcher::{InputSpec, InputTest, MatchSpec, Test};

/// Returns the conditions in short: `tool=Bash|Edit /command=~/push.*--force/`. The text is empty if
/// there are none.
///
/// Two texts are equal only if the conditions are: a value that contains a sign of this notation is
/// shown as JSON, and so is a list with such a value: `tool=["!Bash","mcp__*|x"]`.
pub(crate) fn to_short(spec: &MatchSpec) -> String {
    let mut parts = Vec::new();
    let mut list = |name: &str, values: Vec<&str>| {
        let plain = |value: &&str| !value.contains(['|', '!', ' ', '"']) && !value.is_empty();
        match values.as_slice() {
            [] => {}
            [one] if !one.contains([' ', '"', '[']) => parts.push(format!("{name}{one}")),
            all if all.len() > 1 && all.iter().all(plain) => {
                parts.push(format!("{name}{}", all.join("|")));
            }
            all => parts.push(format!("{name}{}", serde_json::json!(all))),
        }
    };
    list("tool=", spec.tool.iter().map(String::as_str).collect());
    list("tool_glob=", spec.tool_glob.iter().map(String::as_str).collect());
    let regex = if spec.regex_search { "tool_regex(search)=" } else { "tool_regex=" };
    list(regex, spec.tool_regex.iter().map(String::as_str).collect());
    list("safety=", spec.safety.iter().map(|safety| safety.name()).collect());
    list("agent=", spec.agent.iter().map(String::as_str).collect());
    list("cwd_glob=", spec.cwd_glob.iter().map(String::as_str).collect());
    if let Some(subagent) = spec.subagent {
        parts.push(format!("subagent={subagent}"));
    }
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
    let pointer = if spec.pointer.is_empty() { "\"\"" } else { spec.pointer.as_str() };
    let pointer = format!("{root}{pointer}");
    spec.tests.iter().map(move |test| test_text(&pointer, test))
}

fn test_text(pointer: &str, input: &InputTest) -> String {
    let not = if input.negated { "not " } else { "" };
    let case = if input.ignore_case { " (any case)" } else { "" };
    format!("{not}{pointer}{}{case}", relation(&input.test))
}

/// Returns what a value must be: `=5`, `~*.env`, ` contains "x"`.
fn relation(test: &Test) -> String {
    match test {
        Test::Exists(true) => " exists".to_owned(),
        Test::Exists(false) => " missing".to_owned(),
        Test::Equals(value) => format!("={value}"),
        Test::OneOf(values) => {
            let values: Vec<_> = values.iter().map(ToString::to_string).collect();
            format!("={}", values.join("|"))
        }
        Test::Glob(glob) => format!("~{}", pattern(glob)),
        Test::Regex(regex) => format!("=~/{regex}/"),
        Test::Contains(text) => format!(" contains {}", quoted(text)),
        Test::StartsWith(text) => format!(" starts with {}", quoted(text)),
        Test::EndsWith(text) => format!(" ends with {}", quoted(text)),
        Test::Gt(number) => format!(">{number}"),
        Test::Ge(number) => format!(">={number}"),
        Test::Lt(number) => format!("<{number}"),
        Test::Le(number) => format!("<={number}"),
        Test::Length { least, most: Some(most) } if least == most => format!(" len={least}"),
        Test::Length { least, most: Some(most) } => format!(" len={least}..{most}"),
        Test::Length { least, most: None } => format!(" len>={least}"),
        Test::Any(tests) => {
            let any: Vec<_> =
                tests.iter().map(|test| relation(test).trim_start().to_owned()).collect();
            format!(" ({})", any.join(" or "))
        }
        // A kind of test that this program does not know yet.
        other => format!(" {other:?}"),
    }
}

/// Returns a glob as it is, or as JSON if it contains a space or a quotation mark.
fn pattern(glob: &str) -> String {
    if glob.contains([' ', '"']) { quoted(glob) } else { glob.to_owned() }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
