//! Promise: hooks are invoked in the order of their dependencies, their priorities and the file; those
//! that are off are not invoked.

use hookgate::{Event, HookEngine};

use crate::envelopes;
use crate::loading::{engine, evaluate, hook, wrong};
use crate::support::Log;

fn invocation_order(text: &str) -> Vec<String> {
    let log = Log::default();
    let engine = engine(&log, text);
    let fields =
        envelopes::event_fields().into_iter().find(|fields| fields.event == Event::PreToolUse);
    let report = evaluate(&engine, fields.unwrap().least());
    let invoked = log.take();
    let votes: Vec<_> = report.votes.into_iter().map(|vote| vote.hook).collect();
    assert_eq!(votes, invoked);
    let table = engine.table();
    let listed: Vec<_> = table.listing().map(|hook| hook.id().as_str()).collect();
    assert_eq!(listed, invoked, "hooks are listed in the order of their invocation");
    invoked
}

#[test]
fn hooks_are_invoked_in_the_order_of_the_file() {
    let on = |id: &str, more: &str| hook(id, "pre_tool_use", more);
    for (hooks, expected) in [
        (vec![on("b", ""), on("a", ""), on("c", "")], "b a c"),
        (
            vec![
                on("a", ""),
                on("b", "priority = 99"),
                on("c", "priority = 101"),
                on("d", "priority = -1"),
            ],
            "d b a c",
        ),
        (vec![on("a", "after = \"c\""), on("b", ""), on("c", "")], "b c a"),
        (vec![on("a", ""), on("b", ""), on("c", "before = [\"a\", \"b\"]")], "c a b"),
        // A dependency goes before a priority.
        (
            vec![
                on("a", "priority = 1\nafter = \"c\""),
                on("b", "priority = 2"),
                on("c", "priority = 3"),
            ],
            "b c a",
        ),
        (
            vec![
                on("a", "before = \"b\""),
                on("b", "priority = 1\nbefore = \"c\""),
                on("c", "priority = 0"),
            ],
            "a b c",
        ),
    ] {
        let expected: Vec<_> = expected.split(' ').collect();
        assert_eq!(invocation_order(&hooks.concat()), expected);
    }
}

#[test]
fn a_hook_that_is_off_is_not_invoked() {
    let off = hook("off", "pre_tool_use", "mode = \"off\"");
    assert_eq!(invocation_order(&(off.clone() + &hook("on", "pre_tool_use", ""))), ["on"]);
    let log = Log::default();
    let engine = engine(&log, &off);
    assert!(!engine.armed(Event::PreToolUse));
    assert_eq!(engine.table().len(), 1);
    // Its mistakes are reported all the same.
    let bad = off.replace("mode", "tool_glob = \"[\"\nmode");
    assert!(wrong(&bad).to_string().starts_with("hooks.toml:5:13: hook `off`: the glob"));
}
