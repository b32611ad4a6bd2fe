//! Promise: what the host adds to its files is there from the first table on, and stays: hooks, a recorder, all that
//! an engine can have.

use hookgate::recorder::{Channel, Entry, ReloadEvent};
use hookgate::reload::ReloadError;
use hookgate::table::Layer;
use hookgate::{Engine, HookEngine as _, Reloader};
use tokio::time::timeout;

use super::{Folder, PATIENCE, failed, freeze, guard, ids, reason, reloaded, started};
use crate::support;

#[tokio::test]
async fn hooks_of_the_host_are_in_every_table() {
    let observer =
        |n: u32| format!("[[hook]]\nid = \"log-{n}\"\nevent = \"stop\"\nbuiltin = \"audit\"\n");
    let folder = Folder::with(&observer(0));
    let builder = folder.builder().hooks_of_host([freeze("freeze")]);
    let (watching, mut events) = started(builder).await;
    let engine = watching.engine();
    assert_eq!((ids(engine).len(), engine.generation().get()), (2, 1));
    assert_eq!(reason(engine).await.as_deref(), Some("frozen"));
    for n in 1..=20 {
        folder.replace("hooks.toml", &observer(n));
        let reloaded = reloaded(&mut events).await;
        assert_eq!((reloaded.hooks, reloaded.changes.removed.len()), (2, 1), "{reloaded}");
        assert_eq!(reason(engine).await.as_deref(), Some("frozen"));
    }
    // A file cannot take its place.
    folder.replace("hooks.toml", &guard("freeze", "of the file"));
    let refused = failed(&mut events).await;
    assert!(refused.contains("the id is used twice"), "{refused}");
    assert_eq!(reason(engine).await.as_deref(), Some("frozen"));
    // It is the host's to take out.
    engine.edit(|table| assert!(table.remove("freeze"))).unwrap();
    watching.reload_now();
    assert!(reloaded(&mut events).await.recovered);
    assert_eq!(reason(engine).await.as_deref(), Some("of the file"));
    // Not at the start, either.
    let both = folder.builder().hooks_of_host([freeze("freeze")]).start().await;
    assert!(matches!(both, Err(ReloadError::Build(_))));
}

#[tokio::test]
async fn a_recorder_is_told_of_each_dispatch_and_each_reload() {
    let folder = Folder::with(&guard("g", "v1"));
    let (channel, mut records) = Channel::waiting(16);
    let (watching, mut events) = started(folder.builder().recorder(channel)).await;
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("v1"));
    folder.replace("hooks.toml", &guard("g", "v2"));
    reloaded(&mut events).await;
    folder.replace("hooks.toml", "[[hook]]\n");
    failed(&mut events).await;
    folder.replace("hooks.toml", &guard("g", "v3"));
    reloaded(&mut events).await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        match timeout(PATIENCE, records.next_entry()).await.unwrap().unwrap() {
            Entry::Dispatch(record) => seen.push(record.report.decision.name().to_owned()),
            Entry::Reload(record) if record.event == ReloadEvent::Reload => {
                seen.push(format!("reload {}", record.generation));
            }
            Entry::Reload(record) => seen.push(record.error.unwrap()),
            _ => seen.push("something else".to_owned()),
        }
    }
    let error = seen.remove(2);
    assert!(error.contains("hooks.toml:1:1: "), "{error}");
    assert_eq!(seen, ["deny", "reload 2", "reload 3"]);
}

/// A host that reloads by itself can have one, too.
#[tokio::test]
async fn a_reloader_of_files_can_have_a_recorder() {
    let folder = Folder::with(&guard("g", "v1"));
    let (channel, mut records) = Channel::waiting(16);
    let files = [(Layer::Project, folder.path("hooks.toml"))];
    let reloader = Reloader::of_files_with(support::registry(), files, |table| {
        Engine::new(table).with_recorder(channel)
    });
    let reloader = reloader.unwrap();
    folder.write("hooks.toml", guard("g", "v2"));
    reloader.reload().await.unwrap();
    let entry = timeout(PATIENCE, records.next_entry()).await.unwrap().unwrap();
    assert!(matches!(entry, Entry::Reload(record) if record.generation == 2));
}
