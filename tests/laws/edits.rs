//! Promise: a table that was edited is the table that is built anew of the same hooks: an edit shares what
//! it can, and no one can tell.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

use std::cell::Cell;
use std::sync::{Arc, Mutex};

use hookgate::contract::{BuiltCondition, Condition, Envelope, Truth};
use hookgate::matcher::MatchSpec;
use hookgate::require::Require;
use hookgate::table::TableBuilder;
use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine, Mode, Role};
use hookgate::{StepContext, ToolUse, Verdict};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tokio::runtime::Builder;

/// The ids of the hooks that were called, and what conditions were told.
type Log = Arc<Mutex<Vec<String>>>;

/// Is told of another hook's steps, and logs it.
struct Watching {
    owner: String,
    watched: String,
    log: Log,
}

impl Condition for Watching {
    fn hold(&self, _: &Envelope<'_>) -> Truth {
        Truth::True
    }

    fn explain(&self, _: &Envelope<'_>) -> String {
        format!("it watches `{}`", self.watched)
    }

    fn watches(&self) -> Option<&str> {
        Some(&self.watched)
    }

    fn noted(&self, _: &Envelope<'_>) {
        self.log.lock().unwrap().push(format!("{} was told of {}", self.owner, self.watched));
    }
}

/// What can differ between two hooks of one id.
#[derive(Debug, Clone)]
struct Variant {
    pattern: &'static str,
    regex: bool,
    priority: i64,
    mode: Mode,
    role: Role,
    after: Option<usize>,
    watches: Option<usize>,
    second_event: bool,
}

#[derive(Debug, Clone)]
enum Edit {
    Replace(usize, Variant),
    Insert(usize, Variant),
    Remove(usize),
}

const IDS: usize = 8;

fn variant() -> impl Strategy<Value = Variant> {
    let patterns =
        ["Bash", "Read|Bash", "B*", "*h", "!Read", "{Bash,Read}", "R?ad", "*", "mcp__*_x"];
    (
        prop::sample::select(patterns.to_vec()),
        prop::bool::weighted(0.1),
        prop_oneof![4 => Just(100), 1 => Just(50)],
        prop_oneof![6 => Just(Mode::Enforce), 1 => Just(Mode::Off), 1 => Just(Mode::Shadow)],
        prop_oneof![4 => Just(Role::Guard), 1 => Just(Role::Observe), 1 => Just(Role::Rewrite)],
        prop_oneof![9 => Just(None), 1 => (0..IDS).prop_map(Some)],
        prop_oneof![9 => Just(None), 1 => (0..IDS).prop_map(Some)],
        prop::bool::weighted(0.2),
    )
        .prop_map(|(pattern, regex, priority, mode, role, after, watches, second_event)| {
            Variant { pattern, regex, priority, mode, role, after, watches, second_event }
        })
}

fn edit() -> impl Strategy<Value = Edit> {
    let index = 0..IDS;
    prop_oneof![
        6 => (index.clone(), variant()).prop_map(|(i, v)| Edit::Replace(i, v)),
        2 => (index.clone(), variant()).prop_map(|(i, v)| Edit::Insert(i, v)),
        1 => index.prop_map(Edit::Remove),
    ]
}

fn hook(index: usize, variant: &Variant, log: &Log) -> Hook {
    let id = format!("h{index}");
    let (called, calls) = (id.clone(), Arc::clone(log));
    let hook = Hook::sync(id, move |_| {
        calls.lock().unwrap().push(called.clone());
        Ok(Verdict::none())
    });
    let mut when = MatchSpec::new().tool(variant.pattern);
    if variant.regex {
        when.tool_regex.push("[BR].*".to_owned());
    }
    let mut hook = hook.event(Event::PreToolUse).matching(when).priority(variant.priority);
    hook = hook.mode(variant.mode).role(variant.role);
    if let Some(first) = variant.after {
        hook = hook.after(format!("h{first}"));
    }
    if let Some(watched) = variant.watches {
        let (owner, watched) = (format!("h{index}"), format!("h{watched}"));
        let condition = Watching { owner, watched: watched.clone(), log: Arc::clone(log) };
        hook = hook.condition(BuiltCondition::new("watching", watched, condition));
    }
    if variant.second_event && variant.role != Role::Rewrite {
        hook = hook.event(Event::PermissionRequest);
    }
    hook
}

/// Does to the naive list of hooks what an edit does to a table.
fn apply(hooks: &mut Vec<(usize, Variant)>, edit: &Edit) {
    let position = |hooks: &[(usize, Variant)], index| hooks.iter().position(|(i, _)| *i == index);
    match edit {
        Edit::Insert(index, variant) => hooks.push((*index, variant.clone())),
        Edit::Replace(index, variant) => match position(hooks, *index) {
            Some(at) => hooks[at].1 = variant.clone(),
            None => hooks.push((*index, variant.clone())),
        },
        Edit::Remove(index) => {
            if let Some(at) = position(hooks, *index) {
                hooks.remove(at);
            }
        }
    }
}

/// Returns which hooks a table calls for some tools, in order, what conditions are told, and what came out.
fn called(engine: &Engine, log: &Log) -> Vec<Vec<String>> {
    let runtime = Builder::new_current_thread().build().unwrap();
    let tools = ["Bash", "Read", "mcp__a_x", "Other"];
    let calls = tools.map(|tool| {
        log.lock().unwrap().clear();
        let step = ToolUse::propose(tool, "{}").unwrap();
        let gate = runtime.block_on(engine.dispatch(step, &StepContext::new("session-1")));
        let mut calls = log.lock().unwrap().clone();
        calls.push(format!("{:?}", gate.outcome()));
        calls
    });
    calls.to_vec()
}

fn listed(table: &HandlerTable) -> Vec<String> {
    let rows = table.listing();
    rows.map(|row| format!("{} {} {:?} {:?}", row.event, row.id(), row.role(), row.mode()))
        .collect()
}

fn sorted_errors(built: Result<HandlerTable, hookgate::table::BuildErrors>) -> Vec<String> {
    let mut errors: Vec<_> = built
        .err()
        .map(|errors| errors.to_string())
        .unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect();
    errors.sort();
    errors
}

#[test]
fn a_table_that_was_edited_is_the_one_that_is_built_anew() {
    let mut runner = TestRunner::new(Config { cases: 200, ..Config::default() });
    let edits = prop::collection::vec(prop::collection::vec(edit(), 1..4), 1..12);
    let (kept, refused) = (Cell::new(0), Cell::new(0));
    let outcome = runner.run(&edits, |steps| {
        let log = Log::default();
        let engine = Engine::without_hooks();
        let mut hooks: Vec<(usize, Variant)> = Vec::new();
        for edits in &steps {
            let mut next = hooks.clone();
            edits.iter().for_each(|edit| apply(&mut next, edit));
            // What must be guarded is not, unless one of the hooks there enforces.
            let require = || Require::default().event(Event::PermissionRequest);
            let mut anew: TableBuilder = next.iter().map(|(i, v)| hook(*i, v, &log)).collect();
            anew.require(require());
            let edited = {
                let mut builder = TableBuilder::from_table(&engine.table());
                builder.require(require());
                for edit in edits {
                    match edit {
                        Edit::Replace(i, v) => builder.replace(hook(*i, v, &log)),
                        Edit::Insert(i, v) => builder.insert(hook(*i, v, &log)),
                        Edit::Remove(i) => {
                            builder.remove(&format!("h{i}"));
                            &mut builder
                        }
                    };
                }
                let ids = |specs: &TableBuilder| {
                    specs.specs().map(|spec| spec.id().to_string()).collect::<Vec<_>>()
                };
                prop_assert_eq!(ids(&builder), ids(&anew));
                builder.build()
            };
            let (edited, anew) = match (edited, anew.build()) {
                (Ok(edited), Ok(anew)) => (edited, anew),
                (edited, anew) => {
                    prop_assert_eq!(sorted_errors(edited), sorted_errors(anew));
                    refused.set(refused.get() + 1);
                    continue;
                }
            };
            hooks = next;
            kept.set(kept.get() + 1);
            prop_assert_eq!(edited.config_hash(), anew.config_hash());
            prop_assert_eq!(listed(&edited), listed(&anew));
            prop_assert_eq!(edited.unguarded(), anew.unguarded());
            engine.swap(edited);
            prop_assert_eq!(called(&engine, &log), called(&Engine::new(anew), &log));
        }
        Ok(())
    });
    outcome.unwrap();
    // Without either of them nothing would be shown.
    assert!(kept.get() > 100 && refused.get() > 100, "{kept:?} {refused:?}");
}
