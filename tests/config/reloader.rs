//! Promise: a reload puts what is right in force; whatever else is on disk, the last good table stays and the
//! status says why.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use hookgate::config::Loader;
use hookgate::recorder::{Channel, Entry, Record, RecordLost, Recorder, ReloadEvent, ReloadRecord};
use hookgate::reload::{ReloadError, Reloader};
use hookgate::table::{Layer, TableBuilder};
use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine, Outcome, Registry, Verdict};
use tempfile::TempDir;

use crate::support::{self, bash, context};

/// A hooks.toml in a folder of its own.
pub(crate) struct Config {
    _folder: TempDir,
    path: PathBuf,
}

impl Config {
    pub(crate) fn new(text: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("hooks.toml");
        fs::write(&path, text).unwrap();
        Self { _folder: folder, path }
    }

    pub(crate) fn write(&self, text: impl AsRef<[u8]>) {
        fs::write(&self.path, text).unwrap();
    }

    pub(crate) fn reloader(&self) -> Reloader {
        Reloader::of_files(support::registry(), [(Layer::Project, self.path.clone())]).unwrap()
    }

    /// A reloader whose loader adds hooks of the host to those of the file.
    pub(crate) fn reloader_with(
        &self,
        add: impl Fn(&mut TableBuilder) + Send + Sync + 'static,
    ) -> Reloader {
        let (path, registry) = (self.path.clone(), support::registry());
        Reloader::new(Arc::new(Engine::without_hooks()), move |in_force| {
            let mut loaded = Loader::new(&registry).keeping(in_force).load(&path)?;
            let mut builder = TableBuilder::from_table(&Arc::new(loaded.table));
            add(&mut builder);
            loaded.table = builder.build()?;
            Ok(loaded)
        })
    }

    /// A reloader of an engine that is there already.
    fn reloader_of(&self, engine: Engine) -> Reloader {
        let (path, registry) = (self.path.clone(), support::registry());
        Reloader::new(Arc::new(engine), move |in_force| {
            Ok(Loader::new(&registry).keeping(in_force).load(&path)?)
        })
    }
}

/// A config of one hook, which denies every call.
pub(crate) fn guard(reason: &str) -> String {
    format!(
        "[[hook]]\nid = \"g\"\nevent = \"pre_tool_use\"\n\
         builtin = {{ name = \"deny\", reason = \"{reason}\" }}\n"
    )
}

/// What is decided about a call, and why.
pub(crate) fn decide(engine: &Engine) -> (Outcome, Option<String>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let report = runtime.block_on(engine.dispatch_reported(bash("ls"), &context())).1;
    (report.decision, report.reason)
}

#[test]
fn what_is_right_is_put_in_force_and_reported() {
    let config = Config::new(&guard("one"));
    let reloader = config.reloader();
    let first = reloader.status();
    assert_eq!((first.generation.get(), first.hooks, first.failed), (1, 1, 0));
    config.write(guard("two") + "[[hook]]\nid = \"log\"\nevent = \"stop\"\nbuiltin = \"audit\"\n");
    let reloaded = reloader.blocking_reload().unwrap();
    assert_eq!(reloaded.to_string(), "generation 2, 2 hooks (added log; changed g)");
    assert_eq!(decide(reloader.engine()), (Outcome::Deny, Some("two".to_owned())));
    let status = reloader.status();
    assert_eq!(
        (status.generation, status.config_hash),
        (reloaded.generation, reloaded.config_hash)
    );
    assert_eq!(reloader.engine().table().config_hash(), status.config_hash);
    assert!(status.loaded >= first.loaded && status.checked >= status.loaded);
    // What is in force already is not put in force again.
    let again = reloader.blocking_reload().unwrap();
    assert_eq!(
        (again.swapped, again.to_string().as_str()),
        (false, "generation 2, 2 hooks, as before")
    );
    assert_eq!(reloader.engine().generation(), 2);
}

#[test]
fn what_is_broken_empty_or_gone_leaves_the_last_good_table() {
    let config = Config::new(&guard("one"));
    let reloader = config.reloader();
    let hash = reloader.status().config_hash;
    let broken: [&[u8]; 6] = [
        b"",
        b"# nothing\n",
        b"[[hook]\nid =",
        b"[[hook]]\nid = 1\n",
        b"\xff\xfe",
        b"version = 1\n",
    ];
    for (number, bytes) in broken.iter().enumerate() {
        config.write(bytes);
        reloader.blocking_reload().unwrap_err();
        assert_eq!(decide(reloader.engine()), (Outcome::Deny, Some("one".to_owned())));
        let status = reloader.status();
        let failure = status.failure.expect("it says so");
        assert_eq!((status.config_hash, status.generation.get()), (hash, 1));
        assert_eq!((failure.attempts, status.failed), (number as u64 + 1, number as u64 + 1));
    }
    fs::remove_file(&config.path).unwrap();
    let gone = reloader.blocking_reload().unwrap_err();
    assert!(gone.to_string().contains("hooks.toml:1:1: cannot be read"), "{gone}");
    assert_eq!(decide(reloader.engine()).0, Outcome::Deny);
    // Mended to what is in force: nothing is swapped, and the failure is over.
    config.write(guard("one"));
    let reloaded = reloader.blocking_reload().unwrap();
    assert!(reloaded.recovered && !reloaded.swapped);
    let status = reloader.status();
    assert_eq!((status.failure, status.failed, status.generation.get()), (None, 7, 1));
    // Where it is meant so, the file says it.
    config.write("allow_empty = true\n");
    assert_eq!(
        reloader.blocking_reload().unwrap().to_string(),
        "generation 2, 0 hooks, 1 fewer (removed g)"
    );
    assert_eq!(decide(reloader.engine()).0, Outcome::Allow);
}

#[test]
fn a_host_that_loads_by_itself_cannot_lose_all_hooks_by_mistake() {
    let registry = support::registry();
    let reloader = Reloader::new(Arc::new(Engine::without_hooks()), move |_| {
        let mut loaded = Loader::new(&registry).parse("hooks.toml", &guard("one"), ".".as_ref())?;
        loaded.table = HandlerTable::empty();
        Ok(loaded)
    });
    assert_eq!(reloader.blocking_reload().unwrap_err(), ReloadError::Empty);
    assert_eq!(reloader.engine().generation(), 1);
}

#[test]
fn hooks_of_the_host_that_do_not_fit_are_a_failure_like_any_other() {
    let config = Config::new(&guard("one"));
    let reloader = config.reloader_with(|table| {
        table.insert(Hook::sync("own", |_| Ok(Verdict::none())).event(Event::PreToolUse));
    });
    assert_eq!(reloader.blocking_reload().unwrap().hooks, 2);
    config.write(guard("one").replace("\"g\"", "\"own\""));
    assert!(matches!(reloader.blocking_reload(), Err(ReloadError::Build(_))));
    assert_eq!(reloader.engine().table().len(), 2);
}

#[test]
fn a_loader_that_panics_takes_nothing_out_of_force() {
    let config = Config::new(&guard("one"));
    let panics = Arc::new(AtomicBool::new(false));
    let (path, registry, flag) = (config.path.clone(), support::registry(), Arc::clone(&panics));
    let reloader = Reloader::new(Arc::new(Engine::without_hooks()), move |_| {
        assert!(!flag.load(Ordering::Relaxed), "the disk is on fire");
        Ok(Loader::new(&registry).load(&path)?)
    });
    reloader.blocking_reload().unwrap();
    panics.store(true, Ordering::Relaxed);
    let refused = reloader.blocking_reload().unwrap_err();
    assert_eq!(refused.to_string(), "the loader panicked: the disk is on fire");
    assert_eq!(decide(reloader.engine()).0, Outcome::Deny);
    panics.store(false, Ordering::Relaxed);
    assert!(reloader.blocking_reload().unwrap().recovered);
}

#[test]
fn a_journal_has_each_reload_and_each_failure_once() {
    let config = Config::new(&guard("one"));
    let (channel, mut records) = Channel::waiting(1);
    let reloader = config.reloader_of(Engine::without_hooks().with_recorder(channel));
    reloader.blocking_reload().unwrap();
    reloader.blocking_reload().unwrap();
    config.write("[[hook]]\n");
    for _ in 0..3 {
        reloader.blocking_reload().unwrap_err();
    }
    config.write("");
    reloader.blocking_reload().unwrap_err();
    // A queue that is full of dispatches takes them all the same.
    decide(reloader.engine());
    config.write(guard("two"));
    reloader.blocking_reload().unwrap();
    let mut lines = Vec::new();
    while let Ok(Some(entry)) = catch_empty(&mut records) {
        lines.push(entry);
    }
    let seen: Vec<String> = lines
        .iter()
        .map(|entry| match entry {
            Entry::Dispatch(record) => {
                format!("{} {}", record.report.decision.name(), record.report.generation)
            }
            Entry::Reload(record) => {
                assert_eq!(record.error.is_some(), record.event == ReloadEvent::ReloadFailed);
                assert_eq!(record.failing_since.is_some(), record.error.is_some());
                let line = serde_json::to_vec(entry).unwrap();
                assert_eq!(&ReloadRecord::from_json(&line).unwrap(), record);
                let event = serde_json::to_value(record.event).unwrap();
                format!("{} {}", event.as_str().unwrap(), record.generation)
            }
            _ => "something else".to_owned(),
        })
        .collect();
    assert_eq!(seen, ["reload 2", "reload_failed 2", "reload_failed 2", "deny 2", "reload 3"]);
    let Entry::Reload(last) = &lines[4] else { panic!() };
    assert_eq!((last.changed.len(), last.config_hash), (1, reloader.status().config_hash));
}

/// Returns the next entry that is there already.
fn catch_empty(records: &mut hookgate::recorder::Records) -> Result<Option<Entry>, ()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let waiting = std::time::Duration::from_millis(50);
    runtime.block_on(async {
        tokio::time::timeout(waiting, records.next_entry()).await.map_err(|_| ())
    })
}

/// A recorder that fails must not fail a reload.
struct Broken;

impl Recorder for Broken {
    fn record(&self, _: Record) -> Result<(), RecordLost> {
        Ok(())
    }

    fn reload(&self, _: ReloadRecord) {
        panic!("the journal is on fire");
    }
}

#[test]
fn a_recorder_that_panics_stops_no_reload() {
    let config = Config::new(&guard("one"));
    let reloader = config.reloader_of(Engine::without_hooks().with_recorder(Broken));
    assert_eq!(reloader.blocking_reload().unwrap().generation, 2);
    config.write("");
    reloader.blocking_reload().unwrap_err();
    assert_eq!(decide(reloader.engine()).0, Outcome::Deny);
}

#[test]
fn the_status_is_a_line_and_an_object() {
    let config = Config::new(&guard("one"));
    let reloader = config.reloader();
    let line = reloader.status().to_string();
    assert!(
        line.starts_with("generation 1, 1 hook, sha256:") && !line.contains("failed"),
        "{line}"
    );
    config.write("[[hook]]\nid = \"a\"\nevent = \"stpo\"\nbuiltin = 'audit'\n[[hook]]\n");
    reloader.blocking_reload().unwrap_err();
    reloader.blocking_reload().unwrap_err();
    let status = reloader.status();
    let line = status.to_string();
    assert!(line.contains("; the config is not in force: it failed 2 times since 20"), "{line}");
    assert!(
        line.contains("hooks.toml:3:9: unknown event `stpo`") && !line.contains('\n'),
        "{line}"
    );
    let object = serde_json::to_value(&status).unwrap();
    assert_eq!((&object["generation"], &object["failure"]["attempts"]), (&1.into(), &2.into()));
    assert!(object["failure"]["error"].as_str().unwrap().contains("unknown event"), "{object}");
    assert_eq!(object["config_hash"], status.config_hash.to_string());
}

/// Of reloads at the same time none ends with an older config in force than another one has read.
#[test]
fn reloads_at_the_same_time_end_with_what_is_on_disk() {
    let config = Config::new(&guard("v0"));
    let reloader = config.reloader();
    let swaps = AtomicUsize::new(0);
    for round in 1..=20 {
        config.write(guard(&format!("v{round}")));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let reloaded = reloader.blocking_reload().unwrap();
                    swaps.fetch_add(usize::from(reloaded.swapped), Ordering::Relaxed);
                });
            }
        });
        assert_eq!(decide(reloader.engine()).1, Some(format!("v{round}")));
    }
    assert_eq!(swaps.into_inner(), 20, "each version is put in force once");
}

#[tokio::test]
async fn a_reload_does_not_hold_up_the_task_that_asks_for_it() {
    let config = Config::new(&guard("one"));
    let (path, registry) = (config.path.clone(), support::registry());
    let (go_on, waits) = channel();
    let waits = Mutex::new(waits);
    let reloader = Reloader::new(Arc::new(Engine::without_hooks()), move |_| {
        waits.lock().unwrap().recv().unwrap();
        Ok(Loader::new(&registry).load(&path)?)
    });
    let reload = reloader.clone();
    let reload = tokio::spawn(async move { reload.reload().await });
    tokio::task::yield_now().await;
    // This thread goes on, and so do dispatches and the status.
    assert!(reloader.engine().dispatch(bash("ls"), &context()).await.is_cleared());
    assert_eq!(reloader.status().hooks, 0);
    go_on.send(()).unwrap();
    assert_eq!(reload.await.unwrap().unwrap().hooks, 1);
}

/// How a config is put in force: by its text, into an engine.
type PutInForce = fn(&Registry, &Engine, &str);

/// Damages a config in every place, and returns the first damage that changed a decision although no one would
/// load such a config.
fn first_damage_in_force(put: PutInForce) -> Option<String> {
    let registry = support::registry();
    let good = guard("one");
    let load = |text: &str| Loader::new(&registry).parse("hooks.toml", text, ".".as_ref());
    for at in 0..good.len() {
        let mut flipped = good.clone().into_bytes();
        flipped[at] ^= 2;
        for damaged in [good[..at].to_owned(), String::from_utf8(flipped).unwrap()] {
            let engine = Engine::new(load(&good).unwrap().table);
            put(&registry, &engine, &damaged);
            let is_right = load(&damaged).is_ok();
            if !is_right && decide(&engine) != (Outcome::Deny, Some("one".to_owned())) {
                return Some(damaged);
            }
        }
    }
    None
}

#[test]
fn no_damage_at_any_byte_is_ever_in_force() {
    let by_reloader: PutInForce = |_, engine, text| {
        // A copy of the engine's table: what is put in force is compared by it.
        let (registry, text) = (support::registry(), text.to_owned());
        let reloader =
            Reloader::new(Arc::new(Engine::new(HandlerTable::clone(&engine.table()))), move |_| {
                Ok(Loader::new(&registry).parse("hooks.toml", &text, ".".as_ref())?)
            });
        let _ = reloader.blocking_reload();
        engine.swap(HandlerTable::clone(&reloader.engine().table()));
    };
    assert_eq!(first_damage_in_force(by_reloader), None);
    // The control: whoever puts in force what is left of a config is found out.
    let without_the_rule: PutInForce = |registry, engine, text| {
        let loaded = Loader::new(registry).parse("hooks.toml", text, ".".as_ref());
        engine.swap(loaded.map(|loaded| loaded.table).unwrap_or_else(|_| HandlerTable::empty()));
    };
    assert!(first_damage_in_force(without_the_rule).is_some());
}
