//! What holds for any text: the bounded form of the fuzz target.

use hookgate_secrets::{Finder, Secrets};
use proptest::prelude::*;

use crate::patterns::secrets;

/// By how much a placeholder is longer than the shortest secret, at most.
const LONGER: usize = 40;

/// Text that is full of secrets, of halves of them, and of what surrounds them.
fn any_text() -> impl Strategy<Value = String> {
    let mut parts: Vec<String> = secrets().into_iter().map(|(text, _)| text).collect();
    let more = [
        "password=",
        "token: ",
        "\"secret\":\"",
        "\"",
        "'",
        "\\n",
        " ",
        "\n",
        "@",
        "://",
        ":",
        "=",
        "[",
        "]",
        "redacted:",
        "[redacted:jwt]",
        "[KEY]",
        "ghp_",
        "--password ",
        "Authorization: Bearer ",
        "ü",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "https://user:",
        "<token>",
        "</",
        "\\",
        "name: DB_PASSWORD, value: ",
        "curl -u a:",
        ",",
        ";",
        "&",
        "0aB1cD2eF3gH4iJ5kL6m",
        "hunter2-and-more",
    ];
    parts.extend(more.map(str::to_owned));
    prop::collection::vec(prop_oneof![5 => prop::sample::select(parts), 1 => ".{0,12}"], 0..10)
        .prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn to_redact_twice_is_to_redact_once(text in any_text()) {
        let finder = Finder::catalogue();
        let Some((once, count)) = finder.redact(&text) else { return Ok(()) };
        prop_assert!(finder.suspects(&text));
        prop_assert_eq!(finder.redact(&once), None, "{}", once);
        prop_assert!(once.len() <= text.len() + LONGER * usize::try_from(count).unwrap());
    }

    #[test]
    fn a_planted_secret_never_survives(
        before in any_text(), after in any_text(), pick in any::<prop::sample::Index>()
    ) {
        let all = secrets();
        let (planted, secret) = pick.get(&all);
        let text = format!("{before}\n{planted}\n{after}");
        let (redacted, _) = Finder::catalogue().redact(&text).unwrap_or_default();
        // The same characters may be in the surroundings without what makes them a secret.
        let elsewhere = before.matches(secret.as_str()).count() + after.matches(secret.as_str()).count();
        prop_assert!(
            redacted.matches(secret.as_str()).count() <= elsewhere, "{}\nbecame\n{}", text, redacted
        );
    }

    #[test]
    fn a_known_value_never_survives_and_hiding_twice_is_hiding_once(
        before in any_text(), after in any_text()
    ) {
        let value = "hunter2-and-more";
        let secrets = Secrets::new([("KEY".to_owned(), value.to_owned())]);
        let hidden = secrets.hide(&format!("{before}{value}{after}"));
        prop_assert!(!hidden.contains(value), "{}", hidden);
        prop_assert_eq!(secrets.hide(&hidden), hidden);
    }

    #[test]
    fn no_more_than_a_few_letters_of_a_cut_value_survive(
        before in "[a-z ]{0,20}", after in "[a-z ]{0,20}", cut in 0_usize..60, from_end: bool
    ) {
        let value = "0aB1cD2eF3gH4iJ5kL6mN7oP";
        let secrets = Secrets::new([("KEY".to_owned(), value.to_owned())]);
        let text = format!("{before}{value}{after}");
        let cut = cut.min(text.len());
        let hidden = if from_end {
            secrets.hide_cut(text.get(cut..).unwrap(), true, false)
        } else {
            secrets.hide_cut(text.get(..cut).unwrap(), false, true)
        };
        for window in value.as_bytes().windows(4) {
            let window = std::str::from_utf8(window).unwrap();
            prop_assert!(!hidden.contains(window), "{}", hidden);
        }
    }
}
