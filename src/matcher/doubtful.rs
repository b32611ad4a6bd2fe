//! Conditions that can be compiled, but were hardly meant as they are written.
//!
//! They are warnings: a hook that is never called is harmless by itself, but its author believes that
//! it guards something. Reported are a glob where a regular expression is expected, names of tools and
//! keys that look mistyped, numbers in quotes, and globs that miss paths.

use hookgate_contract::glob::NameGlob;

use super::advice::Advice;
use super::characters::shown;
use super::glob::anchored;
use super::impossible_tools::included;
use super::key_advice::{field_advice, kind_advice, pointer_advice, tool_name_advice};
use super::name::{self, Pattern};
use super::pattern::regex;
use super::pointer::names_path;
use super::spec::{InputSpec, MatchSpec};
use super::test::Test;
use super::text_advice::text_advice;
use super::well_known::{Meant, known_tools, meant_tool};

/// Returns warnings about the conditions of a hook.
pub(crate) fn advice(spec: &MatchSpec) -> Vec<Advice> {
    let mut out = Vec::new();
    for text in &spec.tool_regex {
        if let Some(advice) = regex_advice(text, spec.regex_search) {
            out.push(Advice::new("tool_regex", text, advice));
        }
    }
    out.extend(tool_names(spec));
    let patterns = included(spec);
    let only_names = patterns.iter().all(|pattern| pattern.globs().next().is_none());
    let names = patterns.iter().flat_map(Pattern::exact);
    let tools: Vec<&str> = if only_names { names.collect() } else { vec!["*"] };
    for spec in &spec.input {
        out.extend(pointer_advice("input", &spec.pointer, &spec.pointer, &tools));
        out.extend(kind_advice("input", spec, &spec.pointer, &tools));
        out.extend(test_advice("input", spec));
        out.extend(text_advice("input", spec));
    }
    for spec in &spec.payload {
        if let Some(inside) = spec.pointer.strip_prefix("/tool_input/") {
            let inside = format!("/{inside}");
            out.extend(pointer_advice("payload", &spec.pointer, &inside, &tools));
            out.extend(kind_advice("payload", spec, &inside, &tools));
        } else if spec.pointer == "/tool_name" {
            out.extend(tool_name_advice(spec));
        }
        out.extend(field_advice(spec));
        out.extend(test_advice("payload", spec));
        out.extend(text_advice("payload", spec));
    }
    out
}

/// Returns what is doubtful about the conditions of a hook and too dear to be found at every load.
pub(crate) fn doubts(spec: &MatchSpec) -> Vec<Advice> {
    let regexes = spec.tool_regex.iter().filter_map(|text| {
        let advice = in_other_letters(text, spec.regex_search)?;
        Some(Advice::new("tool_regex", text, advice))
    });
    let lists = [("tool", &spec.tool), ("agent", &spec.agent)];
    let taken_out = lists.into_iter().filter_map(|(key, list)| all_taken_out(key, list));
    regexes.chain(taken_out).chain(spec.tables().flat_map(doubts)).collect()
}

/// Tells of a list of which the entries with `!` leave nothing, as far as a name can be made up for each other
/// entry.
fn all_taken_out(key: &'static str, list: &[String]) -> Option<Advice> {
    let patterns: Vec<Pattern<'_>> =
        list.iter().filter_map(|text| name::names(text).ok()).collect();
    let globs = |negated: bool| {
        let meant = patterns.iter().filter(move |pattern| pattern.negated == negated);
        let parts = meant.flat_map(|pattern| pattern.exact().chain(pattern.globs()));
        parts.filter_map(|part| NameGlob::parse(part).ok()).collect::<Vec<_>>()
    };
    let (wanted, unwanted) = (globs(false), globs(true));
    let is_left = |glob: &NameGlob| {
        let mut samples = ["w", "x_y", "1"].into_iter().map(|star| glob.sample(star));
        samples.any(|name| name.is_none_or(|name| !unwanted.iter().any(|out| out.matches(&name))))
    };
    let nothing = !wanted.is_empty() && !unwanted.is_empty() && !wanted.iter().any(is_left);
    let text = "the entries with `!` take out all that the others name".to_owned();
    nothing.then(|| Advice::new(key, list.first().map_or("", String::as_str), text))
}

/// Returns a warning about a regular expression for the name of the tool.
fn regex_advice(text: &str, search: bool) -> Option<String> {
    let shown = shown(text);
    if is_glob(text) {
        return Some(format!(
            "`{shown}` looks like a glob: in a regular expression `*` repeats the character before it; write `tool = \"{shown}\"`"
        ));
    }
    let plain = |c: char| c.is_alphanumeric() || "_-".contains(c);
    let begins = text.strip_prefix('^').filter(|rest| !rest.is_empty() && rest.chars().all(plain));
    match begins {
        Some(rest) if !search => Some(format!(
            "`tool_regex` must match the whole name, and `{shown}` matches `{rest}` alone: write `tool = \"{rest}*\"` for all names that begin so"
        )),
        _ => None,
    }
}

/// Returns a warning about a regular expression that fits no tool that is known, but would if the letters were
/// large or small.
fn in_other_letters(text: &str, search: bool) -> Option<String> {
    let source = if search { format!("(?:{text})") } else { anchored(text) };
    let exact = regex(&source, text).ok()?;
    let any_case = regex(&format!("(?i){source}"), text).ok()?;
    if known_tools().any(|tool| exact.is_match(tool)) {
        return None;
    }
    let tool = known_tools().find(|tool| any_case.is_match(tool))?;
    Some(format!(
        "names of tools are compared letter by letter: `{}` fits `{tool}` of Claude Code in other letters only",
        shown(text)
    ))
}

/// Returns warnings about names of tools that look mistyped.
fn tool_names(spec: &MatchSpec) -> Vec<Advice> {
    let patterns: Vec<(&String, Pattern<'_>)> =
        spec.tool.iter().filter_map(|text| Some((text, name::names(text).ok()?))).collect();
    let named =
        |tool: &str| patterns.iter().any(|(_, pattern)| pattern.exact().any(|name| name == tool));
    let mut out = Vec::new();
    for (text, pattern) in &patterns {
        for name in pattern.exact() {
            let advice = match meant_tool(name) {
                Some(Meant::Case(tool)) if !named(tool) => format!(
                    "names of tools are compared letter by letter: Claude Code's tool is `{tool}`, and `{name}` is another; write `{tool}`, or `{name}|{tool}` for both"
                ),
                Some(Meant::Near(tool)) if !named(tool) => {
                    format!("no well-known tool is called `{name}`; did you mean `{tool}`?")
                }
                _ => continue,
            };
            out.push(Advice::new("tool", text, advice));
        }
    }
    out
}

/// Returns warnings about the tests of one pointer.
fn test_advice(key: &'static str, spec: &InputSpec) -> Vec<Advice> {
    let mut out = Vec::new();
    let of_path = names_path(&spec.pointer);
    let mut open: Vec<&Test> = spec.tests.iter().map(|input| &input.test).collect();
    while let Some(test) = open.pop() {
        match test {
            Test::Any(tests) => open.extend(tests),
            Test::Equals(serde_json::Value::String(text)) if is_quoted_value(text) => {
                out.push(Advice::new(key, text, quoted_value(text)));
            }
            Test::OneOf(values) => {
                let texts = values.iter().filter_map(|value| value.as_str());
                for text in texts.filter(|text| is_quoted_value(text)) {
                    let bare = |value: &serde_json::Value| {
                        serde_json::from_str::<serde_json::Value>(text)
                            .is_ok_and(|bare| bare == *value)
                    };
                    if !values.iter().any(bare) {
                        out.push(Advice::new(key, text, quoted_value(text)));
                    }
                }
            }
            Test::Regex(regex) if of_path && is_path_glob(regex) => {
                out.push(Advice::new(key, regex, regex_for_path(regex)));
            }
            Test::Glob(glob) if of_path => {
                out.extend(path_glob_advice(glob).map(|text| Advice::new(key, glob, text)));
            }
            _ => {}
        }
    }
    out
}

/// Returns whether a text in quotes is written as a number or a truth value is.
fn is_quoted_value(text: &str) -> bool {
    let begins = text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    matches!(text, "true" | "false")
        || (begins && serde_json::from_str::<serde_json::Number>(text).is_ok())
}

fn quoted_value(text: &str) -> String {
    format!(
        "it is compared with the text \"{text}\", and whether {text} without quotes is equal to it cannot be told: write {text} without quotes, or `one_of = [{text}, \"{text}\"]`"
    )
}

/// Returns a warning about a glob for a text that holds a path: it must match all of it.
fn path_glob_advice(glob: &str) -> Option<String> {
    let drive = glob.as_bytes().get(1) == Some(&b':');
    if let Some(rest) = glob.strip_prefix("**/") {
        return (!rest.is_empty()).then(|| {
            format!(
                "`{}` misses a path that begins with `{}`, since the glob wants a `/` before it: write `{{**/,}}{}`",
                shown(glob),
                shown(rest),
                shown(rest)
            )
        });
    }
    if glob.starts_with('~') || glob.starts_with('$') {
        return Some(format!(
            "`{}` is compared letter by letter: neither `~` nor variables are replaced here; write `*` for what comes before",
            shown(glob)
        ));
    }
    if drive || glob.starts_with(['/', '*', '?', '[', '{', '\\']) {
        return None;
    }
    let bare = glob.strip_prefix("./").unwrap_or(glob);
    Some(format!(
        "`{}` must match the whole path, and tools give absolute ones as well: write `{{*/,}}{}`",
        shown(glob),
        shown(bare)
    ))
}

/// Returns whether a regular expression for a path is rather a glob: in `src/*` the star repeats the slash, and
/// `*.env` is none.
fn is_path_glob(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_-./*{},?~$ ".contains(c);
    let star = ["/*", "**"].iter().any(|sign| text.contains(sign)) || text.starts_with('*');
    star && text.chars().all(plain) && !text.contains(".*") && !text.contains(".+")
}

fn regex_for_path(text: &str) -> String {
    let glob = if text.starts_with(['/', '*', '~', '$']) {
        text.to_owned()
    } else {
        format!("{{*/,}}{text}")
    };
    format!(
        "`{}` looks like a glob: in a regular expression `*` repeats the character before it; write `glob = \"{}\"`",
        shown(text),
        shown(&glob)
    )
}

/// Returns whether a regular expression consists of letters and stars only, as globs do.
fn is_glob(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_-*".contains(c);
    text.contains('*') && text.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_hardly_meant_is_told() {
        let about = |pointer: &str, test: Test| {
            let spec = MatchSpec::new().input(pointer, test);
            advice(&spec).into_iter().map(|advice| advice.about).collect::<Vec<_>>()
        };
        assert_eq!(about("/timeout", Test::equals("5")), ["5"]);
        assert_eq!(about("/timeout", Test::equals(5)), [""; 0]);
        assert_eq!(about("/timeout", Test::one_of(["5", "main"])), ["5"]);
        assert_eq!(about("/timeout", Test::OneOf(vec![5.into(), "5".into()])), [""; 0]);
        assert_eq!(about("/version", Test::equals("1.2.3")), [""; 0]);
        assert_eq!(about("/commnad", Test::regex("x")), ["/commnad"]);
        assert_eq!(about("/args.path", Test::regex("x")), ["/args.path"]);
        for glob in ["migrations/**", "Cargo.lock", "**/*.lock", "~/.ssh/*", "./src/*"] {
            assert_eq!(about("/file_path", Test::glob(glob)), [glob], "{glob}");
            assert_eq!(about("/command", Test::glob(glob)), [""; 0], "{glob}");
        }
        for regex in ["src/*", "**/.env", "*.env", "/etc/**", "src/*.rs"] {
            assert_eq!(about("/file_path", Test::regex(regex)), [regex], "{regex}");
            assert_eq!(about("/command", Test::regex(regex)), [""; 0], "{regex}");
        }
        for regex in ["src/.*", "^/etc/", r"src/[^/]*\.rs", r"/+x", "secret"] {
            assert_eq!(about("/file_path", Test::regex(regex)), [""; 0], "{regex}");
        }
        for glob in ["/srv/**", "*.lock", "{*/,}Cargo.lock", "C:/x/*", "*"] {
            assert_eq!(about("/file_path", Test::glob(glob)), [""; 0], "{glob}");
        }
    }

    #[test]
    fn names_that_look_mistyped_are_told() {
        for (tool, about) in
            [("bash", "bash"), ("Edit|wirte|Raed", "Edit|wirte|Raed"), ("!bash", "!bash")]
        {
            let found = advice(&MatchSpec::new().tool(tool));
            assert!(found.iter().all(|advice| advice.about == about), "{found:?}");
            assert!(!found.is_empty(), "{tool}");
        }
        assert_eq!(advice(&MatchSpec::new().tool("bash|Bash").tool("deploy")), []);
        for (regex, told) in
            [("^mcp__", true), ("mcp__*", true), ("^mcp__.*", false), ("mcp__.*", false)]
        {
            let found = advice(&MatchSpec::new().tool_regex(regex));
            assert_eq!(found.iter().any(|advice| advice.key == "tool_regex"), told, "{regex}");
        }
        for (regex, told) in
            [("write|edit", 1), ("Write|x.*", 0), ("(?i)write", 0), ("bash.*", 1), ("x", 0)]
        {
            assert_eq!(doubts(&MatchSpec::new().tool_regex(regex)).len(), told, "{regex}");
        }
        let tools = |list: [&str; 2]| doubts(&MatchSpec::new().tool(list[0]).tool(list[1])).len();
        assert_eq!((tools(["mcp__*", "!mcp__*"]), tools(["mcp__fs*", "!mcp__*"])), (1, 1));
        assert_eq!((tools(["mcp__*", "!mcp__fs*"]), tools(["a|b", "!a"])), (0, 0));
    }
}
