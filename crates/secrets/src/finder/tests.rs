use super::*;

fn redact(patterns: &[&str], text: &str) -> Option<String> {
    Finder::new(patterns, &["X-Session"]).unwrap().redact(text).map(|(text, _)| text)
}

#[test]
fn the_catalogue_compiles() {
    assert!(Finder::catalogue().suspects("AKIAIOSFODNN7EXAMPLE"));
}

#[test]
fn overlapping_secrets_are_both_covered() {
    assert_eq!(redact(&["bbcc", "aabb"], "-aabbcc-").unwrap(), "-[redacted:custom]-");
}

#[test]
fn a_greedy_pattern_takes_what_a_placeholder_leaves() {
    let redact = |text| redact(&["(?m)^.*internal.*$"], text).unwrap();
    assert_eq!(redact("the internal key AKIAIOSFODNN7EXAMPLE is here"), "[redacted:custom]");
    assert_eq!(
        redact("internal [redacted:aws_key] tail"),
        "[redacted:custom][redacted:aws_key][redacted:custom]"
    );
}

#[test]
fn a_long_credential_is_taken_out_whole() {
    for scheme in ["Bearer", "Digest"] {
        let text = format!("Authorization: {scheme} {} then", "0aB1".repeat(3000));
        let redacted = redact(&[], &text).unwrap();
        assert!(!redacted.contains("0aB1"), "{scheme}: {}", redacted.len());
    }
    let word = format!("token={}", "0aB1".repeat(3000));
    assert_eq!(redact(&[], &word).unwrap(), "token=[redacted:assignment]");
}

#[test]
fn an_empty_match_and_a_creeping_one_come_to_an_end() {
    assert_eq!(redact(&["x*"], "abc"), None);
    assert!(redact(&[r"^.|\].?"], &"a".repeat(100)).is_some());
}

#[test]
fn a_placeholder_of_an_unknown_kind_hides_nothing() {
    let hidden = redact(&["hunter2"], "[redacted:hunter2]").unwrap();
    assert_eq!(hidden, "[redacted:[redacted:custom]]");
}

#[test]
fn own_names_of_fields_are_compared_loosely() {
    let finder = Finder::new(&[], &["X-Pin"]).unwrap();
    for key in ["x-pin", "X_PIN", "password", "API-Key", "my_password"] {
        assert!(finder.is_secret_key(key), "{key}");
    }
    for key in ["pin", "", "toke", "x-pins"] {
        assert!(!finder.is_secret_key(key), "{key}");
    }
    assert_eq!(finder.redact("x_pin=correct7").unwrap().0, "x_pin=[redacted:assignment]");
}

#[test]
fn every_example_is_found_whole_and_by_its_name() {
    let finder = Finder::catalogue();
    for pattern in SECRET_PATTERNS {
        let (head, tail) = pattern.example;
        for around in [("", ""), ("before ", " after"), ("x\\n", "\\n"), ("\"", "\"")] {
            let text = format!("{}{head}{tail}{}", around.0, around.1);
            let (redacted, _) = finder.redact(&text).unwrap_or_default();
            assert!(
                redacted.contains(&format!("[redacted:{}]", pattern.name)),
                "{text} {redacted}"
            );
            assert!(!redacted.contains(tail), "{text} became {redacted}");
        }
    }
}

#[test]
fn no_pattern_asks_for_the_borders_of_words_of_all_languages() {
    // At a sign that is not ASCII the set would go on with another engine, which takes thirty times as long.
    let unicode = |source: &str| {
        let hir = regex_syntax::parse(source).unwrap();
        hir.properties().look_set().contains_word_unicode()
    };
    assert!(unicode(r"\bcookie"), "the control");
    for source in SECRET_PATTERNS.iter().filter_map(|pattern| pattern.regex) {
        assert!(!unicode(source), "write `(?-u:\\b)`: {source}");
    }
}
