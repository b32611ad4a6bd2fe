//! Promise: however many sessions there are and however often the files are loaded again, no step of any of them is
//! decided by the files before, once a reload has returned. A thousand sessions, a reload every 10 ms, for two seconds;
//! for twenty in `.ci/full`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hookgate::table::Layer;
use hookgate::{HookEngine, Reloader, Scope, Verdict};

use crate::support::{self, bash, sync};

const SCOPES: usize = 1_000;

/// The files say which version of them they are: in the reason of a denial.
fn write(path: &Path, version: u64) {
    let text = format!(
        "[[hook]]\nid = \"base\"\nevent = \"pre_tool_use\"\nbuiltin = {{ name = \"deny\", reason = \"{version}\" }}\n"
    );
    let next = path.with_extension("next");
    std::fs::write(&next, text).unwrap();
    std::fs::rename(&next, path).unwrap();
}

#[derive(Default)]
struct Counts {
    steps: AtomicUsize,
    outdated: AtomicUsize,
    versions: AtomicUsize,
}

/// Dispatches in each scope, in turns, and compares who has decided with what was in force when the step began.
fn dispatch(scopes: &[Scope], in_force: &AtomicU64, stop: &AtomicBool, counts: &Counts) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let mut last = 0;
    while !stop.load(Ordering::Relaxed) {
        for scope in scopes {
            let at_least = in_force.load(Ordering::SeqCst);
            let gate =
                runtime.block_on(async { scope.dispatch(bash("ls"), &scope.context()).await });
            let decision = gate.decision().unwrap();
            let by: u64 = decision.reason.as_deref().unwrap().parse().unwrap();
            counts.outdated.fetch_add(usize::from(by < at_least), Ordering::Relaxed);
            counts.versions.fetch_add(usize::from(by != last), Ordering::Relaxed);
            counts.steps.fetch_add(1, Ordering::Relaxed);
            last = by;
        }
        std::thread::yield_now();
    }
}

/// Reloads for a time. `told_early` is the control: it says that a version is in force before it is.
fn reload_for(time: Duration, told_early: bool) -> (Counts, u64) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.toml");
    write(&file, 1);
    let reloader = Reloader::of_files(support::registry(), [(Layer::User, file.clone())]).unwrap();
    let engine = Arc::clone(reloader.engine());
    let mine = || sync("mine", |_| Ok(Verdict::none()));
    let open = |n| engine.scope(format!("s{n}")).hook(mine()).open().unwrap();
    let scopes: Vec<Scope> = (0..SCOPES).map(open).collect();
    let (in_force, stop, counts) = (AtomicU64::new(1), AtomicBool::new(false), Counts::default());
    let mut version = 1;
    std::thread::scope(|threads| {
        for half in scopes.chunks(SCOPES / 2) {
            threads.spawn(|| dispatch(half, &in_force, &stop, &counts));
        }
        let begun = Instant::now();
        while begun.elapsed() < time {
            let turn = Instant::now();
            version += 1;
            write(&file, version);
            if told_early {
                in_force.store(version, Ordering::SeqCst);
            }
            reloader.blocking_reload().unwrap();
            in_force.store(version, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(10).saturating_sub(turn.elapsed()));
        }
        stop.store(true, Ordering::Relaxed);
    });
    (counts, version)
}

#[test]
fn no_step_is_decided_by_the_files_before_once_a_reload_has_returned() {
    let seconds = u64::from(support::cases(2, 20));
    let (counts, reloads) = reload_for(Duration::from_secs(seconds), false);
    let [steps, outdated, versions] =
        [&counts.steps, &counts.outdated, &counts.versions].map(|it| it.load(Ordering::Relaxed));
    eprintln!("{steps} steps of {SCOPES} sessions, {reloads} reloads, {versions} seen to change");
    assert_eq!(outdated, 0);
    assert!(steps >= SCOPES * seconds as usize && versions > 20, "{steps} {versions}");
}

/// The control: the same harness sees a step that is decided by the files before.
#[test]
fn a_version_that_is_told_too_early_is_seen() {
    let (counts, _) = reload_for(Duration::from_secs(1), true);
    assert!(counts.outdated.load(Ordering::Relaxed) > 0);
}
