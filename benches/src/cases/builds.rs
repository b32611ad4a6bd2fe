//! Tables that are built and put in force.

use std::hint::black_box;

use hookgate::contract::{BuiltHandler, Invocation};
use hookgate::table::TableBuilder;
use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine, Verdict};

use super::Loop;

/// How the hooks of a table name their tools.
#[derive(Clone, Copy)]
pub(crate) enum Pattern {
    /// `tool_7`.
    Exact,
    /// `mcp__server_7__*`.
    Glob,
}

/// An engine without hooks is made, and dropped.
pub(crate) fn empty_engine() -> Loop {
    Box::new(|times| {
        for _ in 0..times {
            black_box(&Engine::without_hooks());
        }
    })
}

/// A table of so many hooks is made of nothing, and put in force in place of the one before.
pub(crate) fn swapped(hooks: usize, pattern: Pattern) -> Loop {
    let engine = Engine::without_hooks();
    Box::new(move |times| {
        for _ in 0..times {
            let table: TableBuilder = (0..hooks).map(|index| hook(index, index, pattern)).collect();
            engine.swap(built(&table));
        }
    })
}

/// One hook of so many is replaced by one with another pattern, round about.
pub(crate) fn replaced(hooks: usize, pattern: Pattern) -> Loop {
    let engine = engine(hooks, pattern);
    let mut next = 0;
    Box::new(move |times| {
        for _ in 0..times {
            next += 1;
            edit(&engine, |table| {
                table.replace(hook(next % hooks, next, pattern));
            });
        }
    })
}

/// One hook is added to so many, and removed again.
pub(crate) fn added_and_removed(hooks: usize) -> Loop {
    let engine = engine(hooks, Pattern::Exact);
    Box::new(move |times| {
        for _ in 0..times {
            edit(&engine, |table| {
                table.insert(hook(hooks, hooks, Pattern::Exact));
            });
            edit(&engine, |table| {
                table.remove(&id(hooks));
            });
        }
    })
}

fn edit(engine: &Engine, change: impl FnMut(&mut TableBuilder)) {
    let before = engine.generation();
    let after = engine.edit(change);
    assert!(after.is_ok_and(|after| after > before), "the case does not do what it says");
}

fn engine(hooks: usize, pattern: Pattern) -> Engine {
    let table: TableBuilder = (0..hooks).map(|index| hook(index, index, pattern)).collect();
    Engine::new(built(&table))
}

fn built(table: &TableBuilder) -> HandlerTable {
    match table.build() {
        Ok(table) => table,
        Err(errors) => panic!("the hooks of a case do not compile: {errors}"),
    }
}

fn id(index: usize) -> String {
    format!("hook-{index}")
}

fn hook(index: usize, tool: usize, pattern: Pattern) -> Hook {
    let handler = BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::none()));
    let hook = Hook::new(id(index), "bench", handler).event(Event::PreToolUse);
    match pattern {
        Pattern::Exact => hook.tool(format!("tool_{tool}")),
        Pattern::Glob => hook.tool(format!("mcp__server_{tool}__*")),
    }
}
