use super::*;

fn secrets(values: &[(&str, &str)]) -> Secrets {
    Secrets::new(values.iter().map(|(name, value)| ((*name).into(), (*value).into())))
}

#[test]
fn the_longer_value_goes_first() {
    let secrets = secrets(&[("A", "secret"), ("B", "secret-and-more\n"), ("C", "dev")]);
    assert_eq!(secrets.hide("secret-and-more, secret, dev"), "[B], [A], dev");
}

#[test]
fn values_that_overlap_are_both_hidden() {
    let secrets = secrets(&[("A", "abcdefgh"), ("B", "efghijkl")]);
    assert_eq!(secrets.hide("-abcdefghijkl-"), "-[A]-");
}

#[test]
fn a_value_is_found_line_by_line_and_escaped() {
    let secrets = secrets(&[("KEY", "first-line\nsecond-line"), ("QUOTED", "say \"please\"")]);
    assert_eq!(secrets.hide("at second-line of it"), "at [KEY] of it");
    assert_eq!(secrets.hide(r#"in "say \"please\" now""#), r#"in "[QUOTED] now""#);
}

#[test]
fn a_value_is_found_in_every_encoding() {
    let secrets = secrets(&[("KEY", "pa/ss wörd:42!")]);
    for text in [
        "pa/ss wörd:42!",
        "pa%2Fss%20w%C3%B6rd%3A42%21",
        "pa%2fss+w%c3%b6rd%3a42%21",
        "70612f73732077c3b672643a343221",
        r"pa\/ss wörd:42!",
        // `user:` before it, then one and two bytes more.
        "dXNlcjpwYS9zcyB3w7ZyZDo0MiE=",
        "dXNlcjE6cGEvc3Mgd8O2cmQ6NDIh",
        "dXNlcjEyOnBhL3NzIHfDtnJkOjQyIQ==",
    ] {
        let hidden = secrets.hide(text);
        assert!(hidden.contains("[KEY]"), "{text}: {hidden}");
    }
}

#[test]
fn a_cut_hides_what_is_left_of_a_value() {
    let secrets = secrets(&[("KEY", "hunter2-and-more")]);
    assert_eq!(secrets.hide_and_cut("it is hunter2-and-more", 10), "it is [KEY…");
    assert_eq!(secrets.hide_cut("and-more then", true, false), "[KEY] then");
    assert_eq!(secrets.hide_cut("it is hunter2-and-mo", false, true), "it is [KEY]");
    assert_eq!(
        secrets.hide_cut("ter2-and-", false, true),
        "ter2-and-",
        "it is not the end of the text"
    );
    assert_eq!(secrets.hide_cut("more or less", true, true), "[KEY] or less");
    assert_eq!(secrets.hide_cut("ore or hun", true, true), "ore or hun");
}

#[test]
fn shapes_are_hidden_and_the_scheme_before_them_is_not() {
    let hide = |text: &str| Secrets::default().hide(text);
    let key = format!("sk-{}", "a1B2".repeat(8));
    assert_eq!(hide(&format!("it was {key}, no")), "it was [secret], no");
    assert_eq!(hide("Authorization: Bearer abcdef0123456789"), "Authorization: Bearer [secret]");
    assert_eq!(hide("postgres://me:hunter2@db/x"), "postgres://me:[secret]@db/x");
    for text in ["Basic knowledge", "-----BEGIN CERTIFICATE-----", "the task-list and risk-free"] {
        assert_eq!(hide(text), text);
    }
}

#[test]
fn a_name_in_the_place_of_a_value_stays() {
    let secrets = secrets(&[("DB_PASSWORD", "hunter2-x")]);
    for text in ["password=hunter2-x", "postgres://me:hunter2-x@db", "password: \"hunter2-x\""] {
        let hidden = secrets.hide(text);
        assert_eq!(hidden, text.replace("hunter2-x", "[DB_PASSWORD]"));
        assert_eq!(secrets.hide(&hidden), hidden);
    }
}
