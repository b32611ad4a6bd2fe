//! Promise: `builtins` and `conditions` show every name that a config can use, with examples that are
//! right.

use crate::support::Folder;

#[test]
fn every_builtin_has_a_page() {
    let folder = Folder::new();
    let pages = folder.run(&["builtins", "--json"], "").lines();
    assert!(pages.len() >= 7, "{pages:?}");
    for page in pages {
        let name = page["name"].as_str().unwrap();
        let shown = folder.run(&["builtins", name, "--table"], "");
        assert_eq!(shown.code(), 0);
        for setting in page["settings"].as_array().unwrap() {
            assert!(shown.out().contains(setting["name"].as_str().unwrap()), "{}", shown.out());
            assert!(!setting["meaning"].as_str().unwrap().is_empty(), "{page}");
        }
        assert!(!page["events"].as_array().unwrap().is_empty(), "{page}");
        assert!(page["example"].as_str().unwrap().contains(name), "{page}");
    }
}

#[test]
fn every_condition_has_a_page_with_an_example_that_is_right() {
    let folder = Folder::new();
    let pages = folder.run(&["conditions", "--json"], "").lines();
    assert!(pages.len() >= 8, "{pages:?}");
    for page in pages {
        let example = page["example"].as_str().unwrap();
        assert!(!page["about"].as_str().unwrap().is_empty(), "{page}");
        assert!(example.contains(page["name"].as_str().unwrap()), "{page}");
        let events: Vec<&str> = page["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event.as_str().unwrap())
            .collect();
        let event = if events.contains(&"pre_tool_use") { "pre_tool_use" } else { events[0] };
        // Of a payload condition the field is of another event.
        let event = if example.contains("/prompt") { "user_prompt_submit" } else { event };
        let hook = format!(
            "[[hook]]\nid = \"h\"\nevent = \"{event}\"\n{example}\nbuiltin = {{ name = \"audit\" }}\n"
        );
        // `count` is about another hook, which must be there.
        let other =
            "[[hook]]\nid = \"reads-outside\"\nevent = \"pre_tool_use\"\nbuiltin = \"audit\"\n";
        folder.write("hooks.toml", format!("{hook}{other}"));
        let checked = folder.run(&["check"], "");
        assert_eq!(checked.code(), 0, "{hook}{}", checked.err());
    }
}

#[test]
fn an_unknown_name_is_an_error_that_names_the_nearest_and_all() {
    let folder = Folder::new();
    for (verb, name, near) in [("builtins", "dney", "deny"), ("conditions", "tol", "tool")] {
        let ended = folder.run(&[verb, name], "");
        assert_eq!((ended.code(), ended.out()), (64, ""));
        assert!(ended.err().contains(&format!("did you mean `{near}`?")), "{}", ended.err());
        assert!(ended.err().contains(", "), "all of them: {}", ended.err());
    }
}
