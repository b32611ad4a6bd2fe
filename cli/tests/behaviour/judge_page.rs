//! Promise: the page of `judge eval` can be read in a real browser: in the light and in the dark, on a desk
//! and on a phone; its cases can be sorted and filtered; it fetches nothing.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::judge::{gold, replayed};
use crate::support::{Folder, run};

const BROWSER: &str = "/usr/bin/chromium";

/// What is asked of the page, in a frame as wide as a phone and in one as wide as a desk.
const PROBE: &str = include_str!("judge_page.js");

fn browse(folder: &Folder, page: &Path, more: &[&str]) -> String {
    let mut chromium = Command::new(BROWSER);
    chromium
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(more)
        .arg(format!("--user-data-dir={}", folder.path("profile").display()))
        .args(["--dump-dom", "--virtual-time-budget=4000"])
        .arg(format!("file://{}", page.display()));
    let shown = run(chromium, b"");
    assert_eq!(shown.code(), 0, "{}", shown.err());
    shown.out().to_owned()
}

fn report(folder: &Folder, more: &[&str]) -> std::path::PathBuf {
    let page = folder.path("report.html");
    let ended = replayed(folder, &gold(), &[&["--html", page.to_str().unwrap()], more].concat());
    assert!(matches!(ended.code(), 0 | 2), "{}", ended.err());
    page
}

#[test]
fn the_page_says_what_was_measured_and_fetches_nothing() {
    let folder = Folder::new();
    let page = report(&folder, &["--min-recall", "0"]);
    let text = fs::read_to_string(&page).unwrap();
    for outside in ["src=", "<link", "url(", "@import", "<iframe", "fetch(", "http-equiv=\"refresh"]
    {
        assert!(!text.contains(outside), "{outside}");
    }
    if !hookgate_test_support::needs::path(Path::new(BROWSER)) {
        return;
    }
    let dom = browse(&folder, &page, &[]);
    // The plots are elements of the page, and not text.
    assert_eq!(dom.matches("<svg").count(), 3, "{dom}");
    assert!(dom.matches("<rect").count() > 40);
    for part in
        ["id=\"figures\"", "id=\"gates\"", "id=\"cases\"", "</body>", "local-judge (", "kappa"]
    {
        assert!(dom.contains(part), "{part}");
    }
    for part in [
        "class=\"holds\">all 2 bounds hold",
        "<dt>date</dt><dd>20",
        "<dt>config</dt>",
        "<dt>model</dt>",
    ] {
        assert!(dom.contains(part), "{part}");
    }
    assert!(dom.contains("What the hook goes by"));
    // Nobody has said what a token costs.
    assert!(!dom.contains("by the prices"));
    // A step contains `<` and `>`, which must not have become a tag.
    assert!(!dom.contains("<sh"), "a step became markup");
    // The script of the page has run: the policy of the page lets it.
    assert!(dom.contains("misjudged</option>") && !dom.contains("<p id=\"filter\" hidden"));

    let failing = fs::read_to_string(report(&folder, &["--min-recall", "1"])).unwrap();
    assert!(failing.contains("class=\"fails\">1 of 2 bounds failed: --min-recall 1, found"));
    let open = fs::read_to_string(report(&folder, &[])).unwrap();
    assert!(open.contains("class=\"open\">no bound is set"));
}

#[test]
fn the_page_can_be_read_and_searched_on_a_desk_and_on_a_phone() {
    if !hookgate_test_support::needs::path(Path::new(BROWSER)) {
        return;
    }
    let folder = Folder::new();
    let page = fs::read_to_string(report(&folder, &[])).unwrap();
    // The policy of the page holds in the frames as well; only their parent looks into them.
    let quoted = page.replace('&', "&amp;").replace('"', "&quot;");
    let frame = |width: u32| {
        format!("<iframe width=\"{width}\" height=\"800\" srcdoc=\"{quoted}\"></iframe>")
    };
    let text =
        format!("<pre id=\"found\"></pre>{}{}<script>{PROBE}</script>", frame(340), frame(1200));
    let wrapper = folder.write("wrapper.html", text);
    let cases = fs::read_to_string(gold()).unwrap().lines().filter(|line| !line.is_empty()).count();
    let mut schemes = Vec::new();
    for scheme in [0, 1] {
        let setting = format!("--blink-settings=preferredColorScheme={scheme}");
        let dom = browse(&folder, &wrapper, &[&setting]);
        let found =
            dom.split_once("<pre id=\"found\">").and_then(|(_, rest)| rest.split_once("</pre>"));
        let found = found.map(|(found, _)| {
            found.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
        });
        let found: Value =
            serde_json::from_str(&found.unwrap()).unwrap_or_else(|error| panic!("{error}: {dom}"));
        for frame in found.as_array().unwrap() {
            assert_eq!(frame["all"], json!(cases), "{frame}");
            assert!(frame["at_first"].as_u64() < frame["all"].as_u64(), "{frame}");
            assert_eq!(frame["all_wrong"], json!(true));
            let (sorted, reversed) =
                (frame["sorted"].as_array().unwrap(), frame["reversed"].as_array().unwrap());
            assert!(
                sorted.iter().enumerate().all(|(index, number)| *number == json!(index + 1)),
                "{frame}"
            );
            assert!(sorted.iter().rev().eq(reversed), "{frame}");
            let with_words = frame["with_words"].as_array().unwrap();
            assert!(!with_words.is_empty() && with_words.len() < cases, "{frame}");
            assert!(
                with_words.iter().all(|row| row.as_str().unwrap().to_lowercase().contains("push"))
            );
            // What WCAG 2 asks of text in its class AA.
            assert!(frame["least_contrast"].as_f64().unwrap() >= 4.5, "{frame}");
            assert!(frame["overflow"].as_f64().unwrap() <= 0.0, "{frame}");
            schemes.push(frame["dark"].clone());
        }
    }
    assert!(schemes.contains(&json!(true)) && schemes.contains(&json!(false)), "{schemes:?}");
}
