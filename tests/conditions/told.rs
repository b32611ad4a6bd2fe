//! What a condition is told: that its hook is about to be called, and that the hook which it watches is.

use hookgate::contract::{BuiltCondition, Condition, Envelope, Truth};
use hookgate::table::TableBuilder;
use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine, Mode, Role, Verdict};

use crate::says::load;
use crate::support::{self, Log};

fn hook(id: &str, lines: &str) -> String {
    format!("[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\n{lines}\nbuiltin = \"audit\"\n")
}

async fn told(text: &str) -> Vec<String> {
    let log = Log::default();
    let table = load(&log, text).unwrap_or_else(|errors| panic!("{errors}")).table;
    let engine = Engine::new(table);
    let _ = engine.dispatch(support::bash("ls"), &support::context()).await;
    log.take()
}

#[tokio::test]
async fn it_is_told_once_when_all_conditions_hold() {
    for (lines, expected) in [
        ("says = \"true\"", &["h held at pre_tool_use"][..]),
        ("says = \"unknown\"", &["h may hold at pre_tool_use"]),
        ("says = \"true\"\nmode = \"shadow\"", &["h held at pre_tool_use"]),
        ("says = \"true\"\nmode = \"off\"", &[]),
        ("says = \"true\"\ntool = \"Read\"", &[]),
        ("says = \"true\"\nnot = { tool = \"Bash\" }", &[]),
        ("says = \"false\"", &[]),
        ("any = [{ says = \"true\" }]", &[]),
    ] {
        assert_eq!(told(&hook("h", lines)).await, expected, "{lines}");
    }
}

#[tokio::test]
async fn one_that_comes_last_is_told_before_it_is_asked_if_the_others_hold() {
    for (others, asked) in [
        ("tool = \"Bash\"", true),
        ("any = [{ says = \"unknown\" }]", true),
        ("any = [{ tool = \"Read\" }]", false),
        ("input = { \"/command\" = { equals = \"cat\" } }", false),
    ] {
        for truth in ["true", "false"] {
            // It is written first, and evaluated last all the same.
            let last = format!("says = {{ truth = \"{truth}\", name = \"last\" }}");
            let log = told(&hook("h", &format!("{last}\n{others}"))).await;
            let expected: &[&str] = if asked { &["last noted", "last asked"] } else { &[] };
            let told: Vec<&str> = log.iter().map(String::as_str).take(2).collect();
            assert_eq!(told, expected, "{others}");
            assert_eq!(log.len() > 2, asked && truth == "true", "{log:?}");
        }
    }
}

#[tokio::test]
async fn the_final_round_does_not_tell_again() {
    let log = Log::default();
    let guard = crate::says::deny("says = \"true\"").replace("\"deny\"", "\"ask\"");
    let table = load(&log, &guard).unwrap().table;
    let rewriter = Hook::sync("rewriter", |call| {
        let done = call.envelope.is_rejudge();
        let patch = serde_json::json!({"command": "echo"});
        Ok(if done { Verdict::none() } else { Verdict::none().patch("tool_input", patch) })
    });
    let rewriter = rewriter.event(Event::PreToolUse).role(Role::Rewrite).priority(200);
    let table = TableBuilder::from_table(&table.into()).insert(rewriter).build().unwrap();
    let engine = Engine::new(table);
    let (_, report) = engine.dispatch_reported(support::bash("ls"), &support::context()).await;
    let rounds: Vec<_> = report.votes.iter().map(|vote| (vote.hook.as_str(), vote.round)).collect();
    assert_eq!(rounds, [("h", 1), ("rewriter", 1), ("h", 2)]);
    assert_eq!(log.take(), ["h held at pre_tool_use"]);
}

/// Notes the command of each call that it sees.
struct Sees(Log);

impl Condition for Sees {
    fn hold(&self, _: &Envelope<'_>) -> Truth {
        Truth::False
    }

    fn explain(&self, _: &Envelope<'_>) -> String {
        "it never holds".to_owned()
    }

    fn sees_calls(&self) -> bool {
        true
    }

    fn saw(&self, step: &Envelope<'_>) {
        let call = step.payload().tool().unwrap();
        self.0.push(call.tool_input["command"].as_str().unwrap());
    }
}

#[tokio::test]
async fn one_that_sees_all_calls_sees_them_as_they_were_and_as_they_run() {
    let to = |text: &'static str| {
        let patch = serde_json::json!({ "command": text });
        Hook::sync("rewriter", move |_| Ok(Verdict::none().patch("tool_input", patch.clone())))
            .event(Event::PreToolUse)
            .role(Role::Rewrite)
            .priority(0)
    };
    let waits = || Hook::async_fn("waits", |_| Box::pin(async { Ok(Verdict::none()) }));
    for (rewriter, others, expected) in [
        (None, &[1][..], &["one"][..]),
        (Some(to("one")), &[1], &["one"]),
        // Whether or not there is a hook before the one that rewrites, and whether or not one waits.
        (Some(to("two")), &[], &["one", "two"]),
        (Some(to("two")), &[1], &["one", "two"]),
        (Some(to("two")), &[-1], &["one", "two"]),
    ] {
        for waiting in [false, true] {
            let log = Log::default();
            let sees = BuiltCondition::new("sees", true, Sees(log.clone()));
            let other = |priority: &i64| {
                let hook = match waiting {
                    true => waits(),
                    false => Hook::sync("at-once", |_| Ok(Verdict::none())),
                };
                hook.event(Event::PreToolUse).priority(*priority)
            };
            // It is the hook of a condition that does not hold.
            let never = Hook::sync("never", |_| Ok(Verdict::deny("never")));
            let never = never.event(Event::PreToolUse).priority(2).condition(sees);
            let hooks = rewriter.clone().into_iter().chain(others.iter().map(other));
            let engine = support::engine(hooks.chain([never]));
            let gate = engine.dispatch(support::bash("one"), &support::context()).await;
            assert!(gate.is_cleared());
            assert_eq!(log.take(), expected, "{others:?} {waiting}");
        }
    }
}

fn watching(id: &str, of: &str, lines: &str) -> String {
    hook(id, &format!("says = {{ truth = \"true\", watched = \"{of}\" }}\n{lines}"))
}

#[tokio::test]
async fn a_condition_is_told_of_the_hook_that_it_watches() {
    let noted = |log: Vec<String>| log.iter().filter(|line| line.ends_with("noted")).count();
    let both = |watched: &str| format!("{}{watched}", watching("watching", "watched", ""));
    // Also of a hook that has no conditions, and of one that it cannot tell of.
    assert_eq!(noted(told(&both(&hook("watched", ""))).await), 1);
    assert_eq!(noted(told(&both(&hook("watched", "tool = \"Bash\""))).await), 1);
    assert_eq!(noted(told(&both(&hook("watched", "says = \"unknown\""))).await), 1);
    assert_eq!(noted(told(&both(&hook("watched", "says = \"false\""))).await), 0);
    assert_eq!(noted(told(&both(&hook("watched", "tool = \"Read\""))).await), 0);
    // From inside of `any` too, and at another event.
    let inside = hook("h", "any = [{ says = { truth = \"true\", watched = \"watched\" } }]");
    let elsewhere = inside.replace("pre_tool_use", "stop");
    assert_eq!(noted(told(&(inside + &hook("watched", ""))).await), 1);
    assert_eq!(noted(told(&(elsewhere + &hook("watched", ""))).await), 1);
    // A hook that is off watches nothing.
    let off = watching("watching", "watched", "mode = \"off\"") + &hook("watched", "");
    assert_eq!(noted(told(&off).await), 0);
}

#[test]
fn a_hook_that_cannot_be_watched_is_a_mistake() {
    let errors = |text: &str| load(&Log::default(), text).unwrap_err().to_string();
    let missing = errors(&(watching("watching", "redas", "") + &hook("reads", "")));
    assert_eq!(
        missing,
        "hooks.toml:4:8: hook `watching`: there is no hook `redas` to watch; did you mean `reads`?"
    );
    let off = errors(&(watching("watching", "reads", "") + &hook("reads", "mode = \"off\"")));
    assert!(off.ends_with("the hook `reads` is off, so there is nothing to watch"), "{off}");
}

/// A table that is edited keeps the buckets that did not change, but not whom they tell.
#[tokio::test]
async fn an_edit_changes_who_is_told_at_other_events_too() {
    let log = Log::default();
    let text =
        hook("watched", "") + &watching("watching", "watched", "").replace("pre_tool_use", "stop");
    let engine = Engine::new(load(&log, &text).unwrap().table);
    let dispatch = async || {
        let _ = engine.dispatch(support::bash("ls"), &support::context()).await;
        log.take().len()
    };
    assert_eq!(dispatch().await, 1);
    let watching = engine.table().specs().nth(1).unwrap().clone();
    engine
        .edit(|table| {
            table.remove("watching");
        })
        .unwrap();
    assert_eq!(dispatch().await, 0);
    engine
        .edit(|table| {
            table.insert(watching.clone().with_mode(Mode::Shadow));
        })
        .unwrap();
    assert_eq!(dispatch().await, 1);
    assert!(HandlerTable::builder().insert(watching).build().is_err());
}
