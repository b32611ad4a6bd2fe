//! Promise: each row of what hookgate must do names a test that is there, or says that it is open.

#[path = "../../examples/rows/rows.rs"]
mod table;

use std::path::Path;

use hookgate_test_support::needs;

use table::{missing, parse, parts, problems, read, root};

#[test]
fn each_row_is_shown_by_tests_that_are_there_or_is_open() {
    let rows = read(&root()).unwrap();
    assert_eq!(problems(&root(), &rows), Vec::<String>::new());
    assert!(rows.len() > 100, "{}", rows.len());
    // What is said to be open names who does it.
    for row in rows.iter().filter_map(|row| row.open.as_ref()) {
        assert!(row.starts_with("issue ") || row.starts_with("later: "), "{row}");
    }
}

/// A control: each way in which a row can be wrong is found.
#[test]
fn a_row_without_a_test_or_with_one_that_is_gone_is_found() {
    let here = "cli/tests/behaviour/rows.rs::each_row_is_shown_by_tests_that_are_there_or_is_open";
    assert_eq!(missing(&root(), here), None);
    assert_eq!(parts(here).0, "cli/tests/behaviour/rows.rs");
    for gone in [
        "cli/tests/behaviour/rows.rs::each_row_is_shown",
        "cli/tests/behaviour/rows.rs::parse",
        "cli/tests/behaviour/no_such_file.rs::x",
        "handlers/prompt/src/tests/echo.rs::an_echo_is_never_believed_in_a_million",
        ".ci/no-such-script",
    ] {
        assert!(missing(&root(), gone).is_some(), "{gone}");
    }
    let rows = |text: &str| problems(&root(), &parse(text).unwrap()).join("\n");
    let row = |id: &str, shown_by: &str| {
        format!("[[row]]\nid = \"{id}\"\nfeature = \"x\"\nshown_by = [{shown_by}]\n")
    };
    let shown = format!("\"{here}\"");
    let all: String = ('A'..='J').map(|letter| row(&format!("{letter}1"), &shown)).collect();
    assert_eq!(rows(&all), "");
    assert!(rows(&all.replace(&shown, "")).contains("A1: nothing shows it"));
    assert!(rows(&all.replace("is_open", "is_gone")).contains("A1: `cli/tests"));
    assert!(rows(&all.replace("\"B1\"", "\"B2\"")).contains("B2: the next row is B1"));
    assert!(rows(&row("A1", &shown)).contains("and not of A to J"));
}

/// Where the list of features is at hand, no row of it is left out, and none says something else.
#[test]
fn the_rows_are_those_of_the_list_of_features() {
    let list = root().join("../shared/FEATURES.md");
    let list = if list.exists() { list } else { root().join("../../shared/FEATURES.md") };
    if !needs::path(Path::new(&list)) {
        return;
    }
    let rows = read(&root()).unwrap();
    let text = std::fs::read_to_string(list).unwrap();
    let cells = text.lines().filter_map(|line| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let id = cells.next().filter(|id| {
            id.starts_with(|c: char| ('A'..='J').contains(&c))
                && id.len() > 1
                && id[1..].chars().all(|c| c.is_ascii_digit())
        })?;
        Some((id, cells.next()?))
    });
    let listed: Vec<_> = cells.collect();
    let ours: Vec<_> = rows.iter().map(|row| (&*row.id, &*row.feature)).collect();
    assert_eq!(ours, listed);
}
