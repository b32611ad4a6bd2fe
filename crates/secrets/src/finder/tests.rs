use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::field_name::name_hint;

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

/// Names of fields, programs, and what stands around them, in spellings that hide them more or less.
const AROUND: &[&str] = &[
    "password",
    "PASSWD",
    "dbPass",
    "pass",
    "secret",
    "api_key",
    "stripe_key",
    "apiToken",
    "PGPASSWORD",
    "connectionString",
    "conn_string",
    "secret_key_base",
    "credentials",
    "Authorization",
    "psk",
    "Set-Cookie",
    "next_token",
    "X-Session",
    "tok\u{212a}en",
    "pa\u{17f}s",
    "p\\u0061ssword",
    "pass%77ord",
    "cGFzc3dvcmQ=",
    "curl -u ",
    "wget --user=",
    "http --auth ",
    "mysql -p",
    "7z -p",
    "sshpass -p ",
    "docker login -p ",
    "redis-cli -a ",
    "smbclient -U ",
    "net use -U ",
    "openssl -passin pass:",
    "ENV ",
    "setenv ",
    "set -x ",
    "name",
    "key",
    "value",
    "<key>",
    "</key>",
    "<string>",
    "</string>",
    "machine h login me ",
    "://",
    "https://",
    "-----BEGIN ",
    "-----END ",
    "PRIVATE KEY-----",
    "-",
    "--",
    "=",
    ": ",
    ":",
    ":=",
    "=>",
    ">",
    "<",
    "/",
    "@",
    "|",
    ",",
    ";",
    "\t",
    "\n",
    "\r\n",
    "\\n",
    " ",
    "\"",
    "'",
    "\\\"",
    "`",
    "[redacted:",
    "[redacted:assignment]",
    "]",
    "{",
    "}",
    "$",
    "${X}",
    "user:",
    "a%b",
    "correct7horse",
    "hunter2",
    "x",
    "ab12cd34ef56",
    "gh",
    "sk",
    "k_l",
    "Q",
    "~",
    "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u",
    "0123456789abcdef0123456789abcdef",
    "eyJ",
    "xo",
    "db:5432:app:me:",
    "*:*:*:me:",
    "\u{fc}",
    "\u{2028}",
    "\u{0}",
];

/// A text of such pieces, of examples of the catalogue and of halves of them.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => select(AROUND).prop_map(str::to_owned),
        2 => select(SECRET_PATTERNS).prop_map(|pattern| [pattern.example.0, pattern.example.1].concat()),
        1 => select(SECRET_PATTERNS).prop_map(|pattern| pattern.example.0.to_owned()),
        1 => select(SECRET_PATTERNS).prop_map(|pattern| pattern.example.1.to_owned()),
        1 => "[a-zA-Z0-9_.:/@=-]{0,12}",
    ];
    let case = |text: String, upper: Option<bool>| match upper {
        None => text,
        Some(true) => text.to_ascii_uppercase(),
        Some(false) => text.to_ascii_lowercase(),
    };
    let piece = (piece, prop_oneof![4 => Just(None), 1 => any::<bool>().prop_map(Some)])
        .prop_map(move |(text, upper)| case(text, upper));
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn a_look_at_the_bytes_takes_nothing_from_what_is_found(text in text(), is_own in any::<bool>()) {
        let own = Finder::new(&["ACME-[0-9]+"], &["X-Session"]).unwrap();
        let finder = if is_own { &own } else { Finder::catalogue() };
        let ranges = |pieces: Vec<Piece>| {
            pieces.into_iter().map(|piece| (piece.range, piece.kind)).collect::<Vec<_>>()
        };
        let (looked, all) = (finder.signs(&text), Signs::ALL);
        prop_assert_eq!(ranges(finder.pieces(&text, looked)), ranges(finder.pieces(&text, all)));
        prop_assert_eq!(finder.suspects_by(&text, looked), finder.suspects_by(&text, all));
    }

    #[test]
    fn a_name_that_says_something_has_a_sign(text in text()) {
        prop_assert!(name_hint(&text) == NameHint::Nothing || Signs::of(&text).has(Signs::NAME));
    }
}
