//! Promise: an order that cannot be kept is refused, so is a limit without effect, and a table of
//! many hooks is built in linear time.

use std::sync::Arc;
use std::time::Duration;

use hookgate::contract::BuiltHandler;
use hookgate::table::{BuildProblem, Limits, TableBuilder};
use hookgate::{Event, HandlerTable, Hook, Role, Verdict};

use crate::support::sync;

fn silent(id: &str) -> Hook {
    sync(id, |_| Ok(Verdict::none()))
}

fn problems(hooks: impl IntoIterator<Item = Hook>) -> Vec<(String, &'static str, BuildProblem)> {
    let builder = hooks.into_iter().collect::<TableBuilder>();
    let errors = builder.build().err().map(|errors| errors.errors().to_vec()).unwrap_or_default();
    errors.into_iter().map(|error| (error.hook, error.key, error.problem)).collect()
}

#[test]
fn no_decider_waits_for_an_observer() {
    let observer = |id| silent(id).role(Role::Observe);
    let after = BuildProblem::AfterObserver("audit".into());
    assert_eq!(
        problems([observer("audit"), silent("guard").after("audit")]),
        [("guard".into(), "after", after.clone())]
    );
    assert_eq!(
        problems([observer("audit").before("guard"), silent("guard")]),
        [("audit".into(), "before", after)]
    );
    // Nobody waits for the background, observers included.
    let background = BuildProblem::AfterBackground("audit".into());
    assert_eq!(
        problems([observer("audit").background(true), observer("later").after("audit")]),
        [("later".into(), "after", background)]
    );
    // The controls: what can be kept.
    assert_eq!(problems([silent("guard"), observer("audit").after("guard")]), []);
    assert_eq!(problems([observer("a").after("b"), observer("b")]), []);
    assert_eq!(problems([silent("guard"), observer("a").background(true).after("guard")]), []);
}

#[test]
fn a_bound_that_bounds_nothing_is_refused_when_the_table_is_built() {
    let with = |change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        let built = HandlerTable::builder().insert(silent("h")).limits(limits).build();
        built.err().map(|errors| errors.to_string()).unwrap_or_default()
    };
    for (change, what) in [
        ((|l| l.dispatch_deadline = Duration::MAX) as fn(&mut Limits), "limits.dispatch_deadline"),
        (|l| l.timeout = [("builtin".to_owned(), Duration::MAX)].into(), "limits.timeout"),
        (|l| l.background_queue = usize::MAX, "limits.background_queue"),
        (|l| l.concurrency = usize::MAX / 2, "limits.concurrency"),
        (|l| l.output = usize::MAX / 2, "limits.output"),
        (|l| l.payload = usize::MAX, "limits.payload"),
    ] {
        let error = with(change);
        assert!(error.starts_with("limits: ") && error.contains(what), "{what}: {error}");
    }
    assert_eq!(with(|l| l.dispatch_deadline = Duration::from_secs(365 * 86400)), "", "a year");
    let hook = silent("h").timeout(Duration::MAX);
    assert_eq!(problems([hook]), [("h".into(), "timeout", BuildProblem::TooLong("timeout"))]);
}

#[cfg(feature = "builtin")]
#[test]
fn a_duration_that_overflows_is_a_load_error() {
    let registry = crate::support::registry();
    let hook = "[[hook]]\nid = 'h'\nevent = 'stop'\nbuiltin = { name = 'add_date' }\n";
    let year = 18_446_744_073_709_551_615_u64;
    for (text, at) in [
        (format!("{hook}timeout = '{year}s'\n"), "5:"),
        (format!("[limits]\ndispatch_deadline = '{year}s'\n{hook}"), "2:"),
        (format!("[limits]\ntimeout = {{ command = '{year}s' }}\n{hook}"), "2:"),
        (format!("[limits]\nbackground_queue = {}\n{hook}", i64::MAX), "2:"),
        (format!("[limits]\nconcurrency = {}\n{hook}", i64::MAX), "2:"),
    ] {
        let loaded = hookgate::config::Loader::new(&registry).parse("t", &text, ".".as_ref());
        let errors = loaded.unwrap_err().to_string();
        assert!(errors.starts_with(&format!("t:{at}")), "{errors}");
    }
}

/// The time that this thread has been computing.
fn computed() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split(' ').next().unwrap().parse().unwrap())
}

/// How much longer it takes with four times the hooks; the best of three, since others compute too.
fn growth(hooks: usize, work: impl Fn(usize)) -> f64 {
    let time = |hooks| {
        let before = computed();
        work(hooks);
        computed() - before
    };
    (0..3)
        .map(|_| time(hooks * 4).as_secs_f64() / time(hooks).as_secs_f64())
        .fold(f64::INFINITY, f64::min)
}

fn table(hooks: usize) -> HandlerTable {
    let hook = |i: usize| {
        Hook::new(
            format!("h{i}"),
            "test",
            BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| Ok(Verdict::none())),
        )
        .event(Event::PreToolUse)
        .tool(format!("tool-{i}"))
    };
    (0..hooks).map(hook).collect::<TableBuilder>().build().unwrap()
}

/// Quadratic work would take sixteen times as long.
#[test]
fn to_build_or_edit_a_table_takes_as_long_as_it_has_hooks() {
    let built = growth(5_000, |hooks| drop(table(hooks)));
    assert!(built < 8.0, "to build four times the hooks takes {built:.1} times as long");
    let tables = [5_000, 20_000].map(|hooks| Arc::new(table(hooks)));
    let edited = growth(5_000, |hooks| {
        let table = tables.iter().find(|table| table.len() == hooks).unwrap();
        let mut builder = TableBuilder::from_table(table);
        for i in 0..hooks {
            let id = format!("h{i}");
            if i % 2 == 0 {
                builder.replace(silent(&id).tool("other"));
            } else {
                assert!(builder.remove(&id));
            }
        }
        assert_eq!(builder.build().unwrap().len(), hooks.div_ceil(2));
    });
    assert!(edited < 8.0, "to edit four times the hooks takes {edited:.1} times as long");
}

#[test]
fn a_long_circle_is_found_in_time() {
    let hooks = |count: usize| {
        (0..count).map(move |i| silent(&format!("h{i}")).after(format!("h{}", (i + 1) % count)))
    };
    let grown = growth(2_000, |count| {
        let problems = problems(hooks(count));
        assert!(matches!(&problems[..], [(_, _, BuildProblem::Cycle(ids))] if ids.len() > count));
    });
    assert!(grown < 8.0, "a circle of four times the hooks takes {grown:.1} times as long");
}
