use std::fmt::Write;

use proptest::prelude::*;

use crate::catalogue::SECRET_PATTERNS;
use crate::finder::Finder;

/// Returns all places at which a text is cut when it comes in pieces of some bytes.
fn cuts(text: &str, step: usize) -> Vec<usize> {
    let (mut from, mut all) = (0, Vec::new());
    for end in (1..=text.len()).step_by(step).filter(|end| text.is_char_boundary(*end)) {
        let held = text.get(from..end).unwrap();
        let cut = Finder::catalogue().last_cut(held, held.len());
        if cut > 0 {
            from += cut;
            all.push(from);
        }
    }
    all
}

/// Returns the text that is shown when a text comes so.
fn shown(text: &str, step: usize) -> String {
    let redact = |piece: &str| match Finder::catalogue().redact(piece) {
        Some((redacted, _)) => redacted,
        None => piece.to_owned(),
    };
    let (mut from, mut out) = (0, String::new());
    for cut in cuts(text, step) {
        out.push_str(&redact(text.get(from..cut).unwrap()));
        from = cut;
    }
    out + &redact(text.get(from..).unwrap())
}

fn redacted(text: &str) -> String {
    Finder::catalogue().redact(text).map_or_else(|| text.to_owned(), |(text, _)| text)
}

/// What secrets are made of, and what is written around them.
fn parts() -> Vec<String> {
    let mut parts: Vec<String> = SECRET_PATTERNS
        .iter()
        .flat_map(|pattern| {
            let (head, tail) = pattern.example;
            [head.to_owned(), tail.to_owned(), format!("{head}{tail}")]
        })
        .collect();
    let more = [
        "password",
        "password=",
        "token: ",
        "token:\n",
        "\"secret\":\"",
        "\"",
        "'",
        " ",
        " ",
        "\n",
        "\n",
        "\n\n",
        "@",
        "://",
        ":",
        "=",
        ", ",
        ". ",
        ".\n",
        ",\n",
        "; ",
        "! ",
        ") ",
        "ghp_",
        "ghp_0aB1cD2e",
        "F3gH4iJ5kL6mN7oP8qR9sT0uV1wX",
        "--password ",
        "\"--password\",\n",
        "\"--token\", ",
        "Authorization: Bearer ",
        "ü",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----END PRIVATE KEY-----",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n",
        "https://user:",
        "<token>",
        "<key>apiToken</key>\n",
        "<string>",
        "</string>",
        "</token>",
        "name: DB_PASSWORD",
        "value: ",
        "- name: ",
        "{\"name\": \"api key\",\n",
        "\"value\": \"",
        "curl -u a:",
        "curl ",
        "-u",
        " user:hunter22",
        "user,password\n",
        "me,correct7horse\n",
        "| token |\n",
        "machine x.org",
        " login me ",
        "\npassword hunter2\n",
        "default",
        "Private-Lines: 2\n",
        "AAAAgQC0aB1cD2eF3gH4iJ5kL6m\n",
        "ENV DB_PASSWORD ",
        "0aB1cD2eF3gH4iJ5kL6m",
        "hunter2-and-more",
        "IDENTIFIED BY '",
        "Here is the list",
        "It works",
        "- one",
        "# Title",
        "> quote",
        "the key is",
        "filename",
        "pgpass:5432:db:me:secret99",
        "  ",
        "\t",
        "\\n",
        "TRUE",
        "secret:\n  ",
    ];
    parts.extend(more.map(str::to_owned));
    parts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_say_what_the_whole_says(
        picks in prop::collection::vec(prop::sample::select(parts()), 0..14), step in 1_usize..40
    ) {
        let text = picks.concat();
        prop_assert_eq!(shown(&text, step), redacted(&text), "{:?} at {:?}", text, cuts(&text, step));
    }
}

#[test]
fn everyday_texts_are_not_held_for_long() {
    let text = "To run it, install the tools first. Then open the folder, and type `cargo test`:\n\n\
                - the first test takes a while,\n- the second one is quick.\n\n\
                ```rust\nfn main() {\n    println!(\"hello\");\n}\n```\n\nThat is all, have fun. Bye";
    let (mut from, mut longest) = (0, 0);
    for cut in cuts(text, 1) {
        longest = longest.max(cut - from);
        from = cut;
    }
    assert!(longest.max(text.len() - from) <= 64, "{longest}: {:?}", cuts(text, 1));
    assert_eq!(shown(text, 1), text);
}

#[test]
fn no_patterns_of_the_callers_own_are_cut() {
    let own = Finder::new(&["ACME-[0-9]+"], &[]).unwrap();
    assert_eq!(own.last_cut("All is well.\nAll is.", 12), 0);
    let keys = Finder::new(&[], &["pin"]).unwrap();
    assert_eq!(keys.last_cut("All is well.\npin: ", 18), 13);
}

#[test]
fn what_few_texts_have_is_held_as_well() {
    for text in [
        "name: \"the db, PASSWORD\", value: correct7horse and more",
        "name? : DB_PASSWORD, value: correct7horse and more",
        "machine x, login me password hunter2 and more",
        "machine x.org\nlogin me,\npassword hunter2\n",
        "Private-Lines: 2\nAAAAgQC0aB1cD2eF3gH4iJ5kL6m=\nAAAAgQC0aB1cD2eF3gH4iJ5kL6m=\nbye.\n",
        "user,password.\nuser,password\n-,x.y.\nme,correct7horse.\n",
        "[\"curl\",\n\"--token\",\n\"correct7horse\"]",
        "<key>apiToken</key>\n\n<string>correct7horse</string>\n",
        "<password>\ncorrect7horse.\n</password>\n",
        "- name: DB_PASSWORD,\n  value: correct7horse\n",
        "token: |\n  correct7horse\n",
        "key-0a1b2c3d4e5f60718293a4b5c6d7e8f9hvs.\nAA0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV",
        "<password>correct>horse7\n</password>\n",
        "AKIAIOSFODNN7EXAMPLEauthorization:\n hunter2hunter2 \n",
    ] {
        for step in 1..9 {
            assert_eq!(shown(text, step), redacted(text), "{text:?} at {:?}", cuts(text, step));
        }
        assert_ne!(redacted(text), text);
    }
}

#[test]
fn the_work_grows_with_the_text() {
    // A text that is held to its end is looked at as a whole: that one look is linear.
    let look = |lines: usize| {
        let mut text = String::from("-----BEGIN PRIVATE KEY-----\n");
        for line in 0..lines {
            writeln!(text, "words of a line {line} and no more of it").unwrap();
        }
        let times = (0..20).map(|_| {
            let begin = std::time::Instant::now();
            assert_eq!(Finder::catalogue().last_cut(&text, 16 << 10), 0);
            begin.elapsed()
        });
        // The shortest, since other programs of the machine make the others longer.
        times.min().unwrap()
    };
    look(10);
    let (one, ten) = (look(200), look(2_000));
    assert!(ten < one * 60, "{one:?} {ten:?}");
}
