//! Promise: a filter finds the records for which it holds, and no others.

use hookgate::Outcome;
use hookgate_store::{Entry, Filter};

use crate::support::{Place, record, table};

fn ids(entries: &[Entry]) -> Vec<&str> {
    entries.iter().filter_map(|entry| entry.record()?.report.step_id.as_deref()).collect()
}

#[tokio::test]
async fn each_filter_finds_its_own() {
    let place = Place::new();
    let steps = [
        ("a", "1", "ls"),
        ("a", "2", "rm -rf build"),
        ("b", "3", "cat 100%_sure.txt"),
        ("b", "4", "rm other"),
        ("b", "5", "cat 100 sure"),
    ];
    record(place.settings(), &steps).await;
    let reader = place.reader();
    let found = |filter: Filter| -> Vec<String> {
        ids(&reader.entries(&filter).unwrap()).into_iter().map(str::to_owned).collect()
    };
    let all = Filter::default;
    assert_eq!(found(all()), ["1", "2", "3", "4", "5"]);
    assert_eq!(found(all().session("b")), ["3", "4", "5"]);
    assert_eq!(found(all().hook("no-rm")), ["2", "4"]);
    assert_eq!(found(all().decisions([Outcome::Deny, Outcome::Ask])), ["2", "4"]);
    assert_eq!(found(all().decisions([Outcome::Allow])), ["1", "3", "5"]);
    assert_eq!(found(all().tool("Bash")).len(), 5);
    assert!(found(all().tool("Read")).is_empty());
    assert!(found(all().event("stop")).is_empty());
    assert_eq!(found(all().text("100%_sure")), ["3"], "no sign stands for another");
    assert_eq!(found(all().text("BUILD")), ["2"]);
    assert_eq!(found(all().newest(2)), ["4", "5"]);
    assert_eq!(found(all().session("b").hook("no-rm")), ["4"]);
    let whole = || all().text("build").whole_sessions();
    assert_eq!(found(whole()), ["1", "2"], "what was before is of the session");
    assert_eq!(found(all().newest(1).whole_sessions()), ["3", "4", "5"]);
    assert_eq!(reader.numbers(&all().session("b")).unwrap(), [3, 4, 5]);
    for entry in reader.entries(&all()).unwrap() {
        let line = serde_json::to_value(&entry).unwrap();
        assert_eq!(Entry::from_object(line.as_object().unwrap().clone()).unwrap(), entry);
    }
    assert_eq!(found(all().after(3)), ["4", "5"]);
    let hash = table().config_hash().to_string();
    assert_eq!(found(all().config(&hash)).len(), 5);
    assert_eq!(found(all().config(&hash[7..15])).len(), 5, "the first digits are enough");
    assert!(found(all().config("sha256:00000000")).is_empty());
    let time = reader.entry(1).unwrap().unwrap().time();
    assert_eq!(found(all().since(time)).len(), 5);
    assert!(found(all().until(time)).is_empty());
    assert_eq!(reader.count(&all().session("b")).unwrap(), 3);
    assert_eq!(reader.entry(6).unwrap(), None);
}

/// Entries are looked for in blocks of 64: those at the ends of a block are found, and none is found twice.
#[tokio::test]
async fn filters_find_their_own_among_many() {
    let place = Place::new();
    let ids: Vec<String> = (1..=200).map(|number| number.to_string()).collect();
    let steps: Vec<_> = ids.iter().map(|id| ("s", id.as_str(), "ls")).collect();
    // Two groups, so that a block is written twice.
    record(place.settings(), &steps[..90]).await;
    record(place.settings(), &steps[90..]).await;
    let reader = place.reader();
    let bash = || Filter::default().tool("Bash");
    let all: Vec<u64> = (1..=200).collect();
    let hash = table().config_hash().to_string();
    for filter in [
        bash(),
        bash().event("pre_tool_use"),
        bash().config(&hash[..12]),
        Filter::default().config(&hash).event("pre_tool_use").tool("Bash"),
        bash().decisions([Outcome::Allow, Outcome::Deny]),
        bash().session("s"),
        bash().since(1),
        bash().newest(1000),
        bash().newest(1).whole_sessions(),
    ] {
        assert_eq!(reader.numbers(&filter).unwrap(), all, "{filter:?}");
        assert_eq!(reader.count(&filter).unwrap(), 200, "{filter:?}");
    }
    for after in [0, 62, 63, 64, 127, 128, 199, 200] {
        assert_eq!(reader.numbers(&bash().after(after)).unwrap(), all[after as usize..]);
    }
    assert_eq!(reader.numbers(&bash().newest(9)).unwrap(), all[191..]);
    let times: Vec<u64> = place.entries().iter().map(Entry::time).collect();
    for number in [1, 64, 100, 200] {
        let time = times[number - 1];
        let since: Vec<u64> =
            all.iter().copied().filter(|seq| times[*seq as usize - 1] >= time).collect();
        assert_eq!(reader.numbers(&bash().since(time)).unwrap(), since);
    }
    assert_eq!(reader.count(&bash().since(times[199] + 1)).unwrap(), 0);
    assert_eq!(reader.count(&bash().event("stop")).unwrap(), 0);
    place.assert_whole();
}

#[tokio::test]
async fn a_text_is_found_whatever_signs_it_has() {
    let place = Place::new();
    let texts = ["say \"hello\"", r"C:\new\table", "first\nsecond", "größer", "100%_\"x\""];
    let steps: Vec<(&str, &str, &str)> = ["1", "2", "3", "4", "5"]
        .into_iter()
        .zip(texts)
        .map(|(id, text)| ("s", id, text))
        .collect();
    record(place.settings(), &steps).await;
    let reader = place.reader();
    for (_, id, text) in steps {
        let found = reader.entries(&Filter::default().text(text)).unwrap();
        assert_eq!(ids(&found), [id], "{text}");
    }
    for other in ["say \"hallo\"", r"C:\\new", r"first\nsecond", "\"x\"y", "größter"] {
        let found = reader.entries(&Filter::default().text(other)).unwrap();
        assert!(found.is_empty(), "{other}");
    }
}

#[tokio::test]
async fn a_text_is_found_in_what_is_said_and_not_in_the_names_of_fields() {
    let place = Place::new();
    record(place.settings(), &[("s", "1", "ls"), ("s", "2", "echo command"), ("s", "3", "rm x")])
        .await;
    let reader = place.reader();
    let found = |text: &str| -> Vec<String> {
        let entries = reader.entries(&Filter::default().text(text)).unwrap();
        ids(&entries).into_iter().map(str::to_owned).collect()
    };
    assert_eq!(found("command"), ["2"], "all three have a field of this name");
    assert!(found("tool_input").is_empty());
    assert!(found("\":\"").is_empty());
    assert_eq!(found("not allowed here"), ["3"], "a reason is said");
    assert_eq!(found("Bash"), ["1", "2", "3"]);
    // A body that somebody has damaged is not left out in silence.
    let database = rusqlite::Connection::open(&place.file).unwrap();
    let damage = "UPDATE body SET text = replace(text, '}', '') WHERE text LIKE '%rm x%'";
    assert_eq!(database.execute(damage, ()).unwrap(), 1);
    assert!(reader.entries(&Filter::default().text("rm x")).is_err());
}

#[tokio::test]
async fn statistics_count_what_the_records_say() {
    let place = Place::new();
    record(place.settings(), &[("a", "1", "ls"), ("a", "2", "rm x"), ("a", "3", "rm y")]).await;
    let found = place.reader().statistics(&Filter::default()).unwrap();
    assert_eq!((found.steps, found.outcomes["deny"], found.outcomes["allow"]), (3, 2, 1));
    let hook = &found.hooks["no-rm"];
    assert_eq!((hook.asked, hook.decided, hook.failed), (3, 2, 0));
    assert!(hook.p50_us <= hook.p95_us);
    assert_eq!(found.trend.iter().sum::<u64>(), 2);
    let denied = place.reader().statistics(&Filter::default().decisions([Outcome::Deny])).unwrap();
    assert_eq!(denied.steps, 2);
}
