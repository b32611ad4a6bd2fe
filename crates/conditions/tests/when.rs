//! Windows of time: zones, clock changes, midnight, and what is refused.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod common;

use std::time::SystemTime;

use common::{ask_any, build, kinds_at, refused};
use hookgate_contract::Truth;
use serde_json::{Value, json};

fn moment(text: &str) -> SystemTime {
    text.parse::<jiff::Timestamp>().unwrap().into()
}

/// Returns whether a window holds at a moment, and the explanation.
fn holds(window: &Value, at: &str) -> (bool, String) {
    let condition = build(&kinds_at(moment(at)), "when", window).unwrap();
    let (truth, why) = ask_any(&condition);
    assert_ne!(truth, Truth::Unknown, "{why}");
    (truth == Truth::True, why)
}

fn check(window: &Value, inside: &[&str], outside: &[&str]) {
    for at in inside {
        let (truth, why) = holds(window, at);
        assert!(truth, "{at} {window}: {why}");
    }
    for at in outside {
        let (truth, why) = holds(window, at);
        assert!(!truth, "{at} {window}: {why}");
    }
}

#[test]
fn working_hours_follow_the_zone_in_summer_and_winter() {
    let window = json!({"days": ["mon-fri"], "hours": "09:00-17:00", "zone": "Europe/Berlin"});
    // Winter: UTC+1; summer: UTC+2. 2026-11-23 and 2026-07-20 are Mondays.
    let inside = ["2026-11-23T08:00:00Z", "2026-11-23T15:59:59Z", "2026-07-20T07:00:00Z"];
    let outside = [
        "2026-11-23T07:59:59Z",
        "2026-11-23T16:00:00Z",
        "2026-07-20T06:59:59Z",
        "2026-11-22T12:00:00Z",
    ];
    check(&window, &inside, &outside);
    let tokyo = json!({"hours": "09:00-17:00", "zone": "Asia/Tokyo"});
    check(&tokyo, &["2026-11-23T00:00:00Z"], &["2026-11-23T08:00:00Z"]);
}

#[test]
fn a_window_in_the_hour_that_is_skipped_lasts_until_it_ends() {
    // In Berlin the clock goes from 02:00 to 03:00 at 01:00 UTC on 2026-03-29.
    let window = json!({"hours": "02:30-03:30", "zone": "Europe/Berlin"});
    let inside = ["2026-03-29T01:00:00Z", "2026-03-29T01:29:59Z"];
    check(&window, &inside, &["2026-03-29T00:59:59Z", "2026-03-29T01:30:00Z"]);
    let skipped = json!({"hours": "02:00-03:00", "zone": "Europe/Berlin"});
    check(&skipped, &[], &["2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"]);
}

#[test]
fn a_window_in_the_hour_that_comes_twice_holds_twice() {
    // In Berlin the clock goes from 03:00 back to 02:00 at 01:00 UTC on 2026-10-25.
    let window = json!({"hours": "02:00-02:30", "zone": "Europe/Berlin"});
    let inside = ["2026-10-25T00:15:00Z", "2026-10-25T01:15:00Z"];
    check(&window, &inside, &["2026-10-25T00:45:00Z", "2026-10-25T01:45:00Z"]);
}

#[test]
fn a_window_over_midnight_belongs_to_the_day_on_which_it_starts() {
    let window = json!({"days": "fri", "hours": "22:00-06:00", "zone": "UTC"});
    // 2026-11-20 is a Friday.
    let inside = ["2026-11-20T22:00:00Z", "2026-11-21T05:59:59Z"];
    check(
        &window,
        &inside,
        &["2026-11-20T05:00:00Z", "2026-11-21T06:00:00Z", "2026-11-21T22:00:00Z"],
    );
}

#[test]
fn several_windows_and_days_are_alternatives() {
    let window =
        json!({"days": ["sat", "mon-tue"], "hours": ["08:00-09:00", "20:00-24:00"], "zone": "UTC"});
    let inside = ["2026-11-21T08:30:00Z", "2026-11-23T23:59:00Z", "2026-11-24T20:00:00Z"];
    check(&window, &inside, &["2026-11-22T08:30:00Z", "2026-11-23T12:00:00Z"]);
}

#[test]
fn a_freeze_has_a_first_and_a_last_day() {
    let window = json!({"from": "2026-12-20", "until": "2027-01-02", "zone": "America/New_York"});
    let inside = ["2026-12-20T05:00:00Z", "2027-01-03T04:59:59Z"];
    check(&window, &inside, &["2026-12-20T04:59:59Z", "2027-01-03T05:00:00Z"]);
    let moments = json!({"from": "2026-12-20T18:00", "until": "2026-12-21T06:00", "zone": "UTC"});
    check(&moments, &["2026-12-20T18:00:00Z"], &["2026-12-20T17:59:59Z", "2026-12-21T06:00:00Z"]);
    check(
        &json!({"until": "2026-12-20", "zone": "UTC"}),
        &["1999-01-01T00:00:00Z"],
        &["2027-01-01T00:00:00Z"],
    );
}

#[test]
fn the_explanation_says_what_time_it_is_and_where() {
    let window = json!({"days": "mon-fri", "hours": "09:00-17:00", "zone": "Europe/Berlin"});
    let (_, why) = holds(&window, "2026-11-22T12:15:00Z");
    assert_eq!(
        why,
        "now is sun 2026-11-22 13:15 (Europe/Berlin), outside of mon, tue, wed, thu, fri 09:00-17:00"
    );
    let (_, why) = holds(&json!({"hours": "09:00-17:00"}), "2026-11-22T12:15:00Z");
    assert!(why.contains("machine"), "the default zone is named: {why}");
}

#[test]
fn a_time_beyond_the_calendar_is_unknown() {
    let far = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1 << 40);
    let condition = build(&kinds_at(far), "when", &json!({"days": "mon"})).unwrap();
    assert_eq!(ask_any(&condition).0, Truth::Unknown);
}

#[test]
fn what_cannot_be_meant_is_refused_with_what_to_write() {
    for (window, part) in [
        (json!({"days": ["mon-fry"]}), "did you mean `fri`?"),
        (json!({"days": []}), "it is empty"),
        (json!({"days": 1}), "must be a string or an array of strings, not"),
        (json!({"hours": "9-17"}), "hours are written as \"09:00-17:00\""),
        (json!({"hours": "17:00"}), "has no end"),
        (json!({"hours": "09:00-09:00"}), "starts when it ends"),
        (json!({"hours": "09:00-17:00", "zone": "Europe/Berln"}), "did you mean `Europe/Berlin`?"),
        (json!({"zone": "UTC"}), "a zone alone is no window"),
        (json!({"from": "2026-13-01"}), "is not a date"),
        (json!({"from": "2027-01-02", "until": "2026-12-20"}), "it is not after `from`"),
        (json!({"day": "mon"}), "unknown key `day`; did you mean `days`?"),
        (json!({}), "it is empty"),
        (json!("mon-fri"), "must be a table"),
    ] {
        let why = refused("when", &window);
        assert!(why.contains(part), "{window}: {why}");
    }
    build(
        &kinds_at(SystemTime::now()),
        "when",
        &json!({"from": "2026-12-20", "until": "2026-12-20"}),
    )
    .unwrap();
}

/// What never holds again is told, and nothing else is.
#[test]
fn a_window_whose_time_is_over_is_doubtful() {
    let doubts = |window: &Value| {
        let condition = build(&kinds_at(moment("2026-11-23T12:00:00Z")), "when", window).unwrap();
        condition.condition().doubts()
    };
    for (window, part) in [
        (json!({"until": "2026-11-22", "zone": "UTC"}), "over since 2026-11-22"),
        (json!({"from": "2020-01-01", "until": "2020-01-02"}), "over since"),
        // 2026-12-24 is a Thursday.
        (
            json!({"days": "sat", "from": "2026-12-24", "until": "2026-12-25"}),
            "no moment until 2026-12-25",
        ),
        (
            json!({"hours": "09:00-10:00", "from": "2026-12-24T12:00", "until": "2026-12-24T18:00"}),
            "no moment until",
        ),
        (json!({"from": "2206-01-01"}), "more than 5 years from now"),
    ] {
        let all = doubts(&window).join("\n");
        assert!(all.contains(part), "{window}: {all}");
    }
    for window in [
        json!({"until": "2026-11-23", "zone": "UTC"}),
        json!({"days": "thu", "from": "2026-12-24", "until": "2026-12-25"}),
        json!({"from": "2031-11-01"}),
        json!({"until": "2099-01-01"}),
        json!({"days": "sun", "hours": "22:00-06:00", "until": "2026-11-30T05:00"}),
    ] {
        assert_eq!(doubts(&window), [""; 0], "{window}");
    }
}
