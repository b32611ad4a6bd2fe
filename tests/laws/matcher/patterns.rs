//! Promise: patterns of names (globs, regexes, alternatives) match as naive matchers do.

use hookgate::contract::payload::ToolCall;
use hookgate::matcher::MatchSpec;
use hookgate::{Engine, HandlerTable};
use proptest::prelude::*;
use regex::Regex;
use serde_json::json;

use super::naive_glob::{naive_glob, naive_names};
use super::support::{self, Log};
use super::{
    engine, glob, instance, invoked, letter, matches_tool, name, regex_source, run, runtime,
    tool_patterns, tools, watched,
};

#[test]
fn a_glob_means_what_the_naive_matcher_says() {
    let (runtime, log) = (runtime(), Log::default());
    let (met, missed) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let near = (prop::collection::vec(0..64_usize, 6), prop::bool::weighted(0.3));
    let names = (prop::collection::vec(near, 4), prop::collection::vec(name(), 2));
    run(500, &(glob(), names), |(glob, (near, other))| {
        let engine = engine(&[tools(|m| m.tool_glob.push(glob.clone()))], &log);
        let near = near.iter().map(|(numbers, wrong)| instance(&glob, numbers, *wrong));
        for name in near.chain(other) {
            let expected = naive_glob(&glob, &name);
            let call = ToolCall::new(name.clone(), json!({}));
            let got = !invoked(&runtime, &engine, &log, call, &support::context()).is_empty();
            prop_assert_eq!(got, expected, "{:?} on {:?}", glob, name);
            let count = if expected { &met } else { &missed };
            count.set(count.get() + 1);
        }
        Ok(())
    });
    assert!(met.get() > 500 && missed.get() > 500, "{} {}", met.get(), missed.get());
}

/// The control: obvious recipes differ from the naive matcher, so the comparison would tell.
#[test]
fn the_naive_matcher_tells_wrong_recipes_apart() {
    // A dot that does not match newlines; a star that stops at a slash; a byte for a character.
    assert!(
        naive_glob("git *", "git a\nb") && !Regex::new("^git .*$").unwrap().is_match("git a\nb")
    );
    assert!(naive_glob("a*c", "a/b/c") && naive_glob("?", "é") && !naive_glob("??", "é"));
    assert!(naive_glob("{a,b{c,d}}e", "bde") && !naive_glob("{a,b{c,d}}e", "be"));
    assert!(naive_glob("[!a-c]", "\n") && naive_glob("[]-]", "-") && !naive_glob("[!]]", "]"));
    assert!(naive_glob("\\{a,b\\}", "{a,b}") && !naive_glob("bash", "Bash"));
}

#[test]
fn a_tool_regex_means_the_whole_name() {
    let (runtime, log) = (runtime(), Log::default());
    let met = std::cell::Cell::new(0);
    run(400, &(regex_source(), prop::collection::vec(name(), 6)), |(source, names)| {
        let whole = Regex::new(&format!("(?s)^(?:{source})$"));
        let Ok(whole) = whole else { return Ok(()) };
        let parts = Regex::new(&format!("(?s){source}")).unwrap();
        let anchored = tools(|m| m.tool_regex.push(source.clone()));
        let searching = tools(|m| {
            m.tool_regex.push(source.clone());
            m.regex_search = true;
        });
        let engine = engine(&[anchored, searching], &log);
        for name in names {
            let mut expected = Vec::new();
            if whole.is_match(&name) {
                expected.push(0);
                met.set(met.get() + 1);
            }
            if parts.is_match(&name) {
                expected.push(1);
            }
            let call = ToolCall::new(name.clone(), json!({}));
            let got = invoked(&runtime, &engine, &log, call, &support::context());
            prop_assert_eq!(got, expected, "{:?} on {:?}", source, name);
        }
        Ok(())
    });
    assert!(met.get() > 60, "only {} matches", met.get());
}

#[test]
fn a_regex_does_not_leave_its_brackets() {
    assert!(!matches_tool(tools(|m| m.tool_regex.push("Bash".into())), "Bash\n"));
    assert!(!matches_tool(tools(|m| m.tool_regex.push("Read|Bash".into())), "xBash"));
    assert!(matches_tool(tools(|m| m.tool_regex.push("a.b".into())), "a\nb"));
    for source in ["a)|(b", "(?x) a # a comment\n)|(b", "a(?x) # "] {
        let log = Log::default();
        let hook = watched("h".into(), tools(|m| m.tool_regex.push(source.into())), &log);
        let built = HandlerTable::builder().insert(hook).build();
        assert!(built.is_err(), "{source:?}");
    }
}

/// Whatever is written under `tool`: it is refused, or means what it says.
fn tool_means_what_it_says(patterns: &[String], names: &[String]) -> Option<(usize, usize)> {
    let log = Log::default();
    let hook = watched("0".into(), tools(|m| m.tool = patterns.to_vec()), &log);
    let engine = Engine::new(HandlerTable::builder().insert(hook).build().ok()?);
    let runtime = runtime();
    let (mut met, mut missed) = (0, 0);
    for name in names {
        let expected = naive_names(patterns, name);
        let call = ToolCall::new(name.clone(), json!({}));
        let got = !invoked(&runtime, &engine, &log, call, &support::context()).is_empty();
        assert_eq!(got, expected, "{patterns:?} on {name:?}");
        if got { met += 1 } else { missed += 1 }
    }
    Some((met, missed))
}

#[test]
fn names_globs_alternatives_and_what_is_left_out_mean_what_the_naive_matcher_says() {
    let (met, missed) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let near = [
        "a",
        "b",
        "ab",
        "Bash",
        "Read",
        "Ead",
        "mcp__fs__",
        "_",
        "/",
        "x",
        "",
        "|",
        "Basha",
        "é",
        "a x",
    ];
    let names = prop::collection::vec(
        prop_oneof![1 => name(), 3 => prop::sample::select(near.to_vec()).prop_map(str::to_owned)],
        8,
    );
    run(1500, &(tool_patterns(), names), |(patterns, names)| {
        if let Some((hits, others)) = tool_means_what_it_says(&patterns, &names) {
            met.set(met.get() + hits);
            missed.set(missed.get() + others);
        }
        Ok(())
    });
    assert!(met.get() > 2000 && missed.get() > 1500, "{} {}", met.get(), missed.get());
}

/// The property test of the fuzz target `tool_pattern`.
#[test]
fn any_text_under_tool_is_refused_or_means_what_it_says() {
    let text = prop::collection::vec(letter(), 0..8).prop_map(String::from_iter);
    let names = prop::collection::vec(name(), 4);
    let taken = std::cell::Cell::new(0);
    run(1500, &(prop::collection::vec(text, 1..3), names), |(patterns, names)| {
        let meant = tool_means_what_it_says(&patterns, &names);
        taken.set(taken.get() + usize::from(meant.is_some()));
        Ok(())
    });
    assert!(taken.get() > 20, "only {} were taken", taken.get());
}

#[test]
fn a_name_that_can_never_match_does_not_load() {
    for text in [
        "",
        " ",
        "Bash ",
        " Bash",
        "Edit | Write",
        "Edit|",
        "mcp__.*",
        ".*",
        "^Bash",
        "Bash$",
        "(a|b)",
        r"\w+",
        "Bash(git push:*)",
        "“Bash”",
        "'Bash'",
        "Ba\u{8}sh",
        "Ba\u{0}sh",
        "Bash\u{200b}",
        "Edit, Write",
        "!",
        "!!Bash",
        "!*",
        "[ab",
        "a}",
        "/Bash/",
        "a+",
        "Bash;Edit",
        "Bash&Edit",
        "~Bash",
        "<Bash>",
        "Bash OR Edit",
        "not Bash",
    ] {
        for set in [(|m, text| m.tool.push(text)) as fn(&mut MatchSpec, String), |m, text| {
            m.agent.push(text)
        }] {
            let hook = watched("h".into(), tools(|m| set(m, text.into())), &Log::default());
            assert!(HandlerTable::builder().insert(hook).build().is_err(), "{text:?}");
        }
    }
    for text in ["", " ", "Bash ", "Edit|Write", "^Bash$", "mcp__.*", "!Bash", "a\u{8}"] {
        let hook = watched("h".into(), tools(|m| m.tool_glob.push(text.into())), &Log::default());
        assert!(HandlerTable::builder().insert(hook).build().is_err(), "{text:?}");
    }
    for text in ["", "\t", "Bash ", " Bash", "“Bash”", "\u{8}Bash\u{8}"] {
        let hook = watched("h".into(), tools(|m| m.tool_regex.push(text.into())), &Log::default());
        assert!(HandlerTable::builder().insert(hook).build().is_err(), "{text:?}");
    }
}

#[test]
fn a_star_under_tool_is_every_tool() {
    for name in ["Bash", "mcp__fs__read", "", "a\nb", &"x".repeat(100_000)] {
        assert!(matches_tool(tools(|m| m.tool.push("*".into())), name), "{name:.20}");
    }
    for (pattern, yes, no) in
        [("Bash|Edit", "Edit", "Write"), ("mcp__*", "mcp__git", "Bash"), ("!Bash", "Edit", "Bash")]
    {
        assert!(matches_tool(tools(|m| m.tool.push(pattern.into())), yes), "{pattern}");
        assert!(!matches_tool(tools(|m| m.tool.push(pattern.into())), no), "{pattern}");
    }
}
