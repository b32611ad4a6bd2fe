//! Promise: a hook that an edit puts in the place of another one is called for the tools that it names now, and all
//! others for those that they have named.

use hookgate::{Gate, Hook, HookEngine as _, Mode, ToolUse, Verdict};

use crate::support::{Log, context, engine, sync};

const TOOLS: [&str; 4] = ["Bash", "Read", "mcp__a_x", "Other"];

/// A hook that writes down its id when it is called.
fn hook(id: &'static str, log: &Log) -> Hook {
    let log = log.clone();
    sync(id, move |_| {
        log.push(id);
        Ok(Verdict::none())
    })
}

#[tokio::test]
async fn an_edit_of_a_tool_pattern_is_in_force_with_the_next_step() {
    let log = Log::default();
    let engine = engine([
        hook("all", &log),
        hook("edited", &log).tool("Bash"),
        hook("kept", &log).tool("Read"),
    ]);
    let called = async || {
        let mut called = Vec::new();
        for tool in TOOLS {
            let step = ToolUse::propose(tool, "{}").unwrap();
            assert!(matches!(engine.dispatch(step, &context()).await, Gate::Cleared(_)));
            called.extend(log.take().contains(&"edited".to_owned()).then_some(tool));
        }
        called
    };
    assert_eq!(called().await, ["Bash"]);
    let edited = || hook("edited", &log);
    for (to, tools) in [
        (edited().tool("Read"), &["Read"][..]),
        (edited().tool("Read").mode(Mode::Shadow), &["Read"]),
        (edited().tool("mcp__*"), &["mcp__a_x"]),
        (edited(), &TOOLS),
        (edited().tool("Bash").tool("Other"), &["Bash", "Other"]),
    ] {
        engine.edit(|table| _ = table.replace(to.clone())).unwrap();
        assert_eq!(called().await, tools);
    }
}
