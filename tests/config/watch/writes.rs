//! Promise: what is written is in force soon afterwards, however it is written, and never half of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant, SystemTime};

use super::{Folder, guard, ids, next, reason, reloaded};

/// How long a writer takes here at most, unless the machine is busy.
const BUSY: Duration = Duration::from_millis(600);

#[tokio::test]
async fn a_file_is_written_in_place_or_renamed_over_the_old_one() {
    let folder = Folder::with(&guard("g", "v1"));
    let (watching, mut events) = folder.follow().await;
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("v1"));
    folder.write("hooks.toml", guard("g", "v2"));
    assert_eq!(reloaded(&mut events).await.to_string(), "generation 2, 1 hook (changed g)");
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("v2"));
    for version in ["v3", "v4", "v5"] {
        folder.replace("hooks.toml", &guard("g", version));
        assert!(reloaded(&mut events).await.swapped);
        assert_eq!(reason(watching.engine()).await.as_deref(), Some(version));
    }
    assert_eq!(watching.status().generation, 5);
}

#[tokio::test]
async fn a_writer_that_takes_a_break_is_waited_for() {
    let three = |version: &str| ["a", "b", "c"].map(|id| guard(id, version)).concat();
    let folder = Folder::with(&three("v1"));
    let (watching, mut events) = folder.follow().await;
    // So that it is known how long the file was.
    folder.replace("hooks.toml", &three("v2"));
    assert_eq!(reloaded(&mut events).await.hooks, 3);
    for round in 3..=6 {
        let version = format!("v{round}");
        let text = three(&version);
        let began = Instant::now();
        // Each part is right by itself.
        for hooks in 1..=2 {
            folder.write("hooks.toml", &text[..text.len() / 3 * hooks]);
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
        folder.write("hooks.toml", &text);
        let took = began.elapsed();
        let first = reloaded(&mut events).await;
        // Nobody is waited for longer than a second; on a busy machine a writer may take that.
        assert!(first.hooks == 3 || took > BUSY, "a part was in force after {took:?}: {first}");
        until(&mut events, &watching, &version).await;
        // The length is known again once the file has rested.
        folder.replace("hooks.toml", &three("at rest"));
        until(&mut events, &watching, "at rest").await;
    }
}

#[tokio::test]
async fn a_touch_changes_nothing() {
    let folder = Folder::with(&guard("g", "v1"));
    let (watching, mut events) = folder.follow().await;
    for _ in 0..3 {
        // Another file with the same text, and another time.
        folder.replace("hooks.toml", &guard("g", "v1"));
        let file = fs::File::options().append(true).open(folder.path("hooks.toml")).unwrap();
        file.set_modified(SystemTime::now()).unwrap();
        watching.reload_now();
        let reloaded = reloaded(&mut events).await;
        assert_eq!((reloaded.swapped, reloaded.generation.get()), (false, 1));
        assert_eq!(reloaded.to_string(), "generation 1, 1 hook, as before");
    }
    // Nothing else was told of them.
    folder.write("hooks.toml", guard("g", "v2"));
    assert_eq!(reloaded(&mut events).await.generation, 2);
    assert!(events.try_next().is_none());
}

/// A reload that is asked for may come between two writes that the clock of the file system does not tell apart.
#[tokio::test]
async fn of_two_writes_within_a_tick_the_second_is_in_force() {
    let folder = Folder::with(&guard("g", "v0"));
    let (watching, mut events) = folder.follow().await;
    for round in 0..10 {
        folder.write("hooks.toml", guard("g", &format!("a{round}")));
        watching.reload_now();
        tokio::task::yield_now().await;
        let last = format!("b{round}");
        folder.write("hooks.toml", guard("g", &last));
        while reason(watching.engine()).await.as_deref() != Some(&last) {
            next(&mut events).await;
        }
        while events.try_next().is_some() {}
    }
}

#[tokio::test]
async fn a_folder_that_was_removed_and_made_again_is_followed() {
    let folder = Folder::new();
    fs::create_dir(folder.path("conf")).unwrap();
    folder.write("conf/hooks.toml", guard("g", "v1"));
    let builder = hookgate::watch::Builder::new(crate::support::registry())
        .file(hookgate::table::Layer::Project, folder.path("conf/hooks.toml"));
    let (watching, mut events) = super::started(builder).await;
    fs::remove_dir_all(folder.path("conf")).unwrap();
    let gone = super::failed(&mut events).await;
    assert!(gone.contains("hooks.toml:1:1: cannot be read"), "{gone}");
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("v1"));
    fs::create_dir(folder.path("conf")).unwrap();
    folder.write("conf/hooks.toml", guard("g", "v2"));
    until(&mut events, &watching, "v2").await;
    // Moved away, with another one in its place.
    fs::rename(folder.path("conf"), folder.path("old")).unwrap();
    fs::create_dir(folder.path("conf")).unwrap();
    folder.write("conf/hooks.toml", guard("g", "v3"));
    until(&mut events, &watching, "v3").await;
    // What is written into the new one is found as well, in place.
    folder.write("conf/hooks.toml", guard("g", "v4"));
    until(&mut events, &watching, "v4").await;
}

#[tokio::test]
async fn a_link_is_followed_to_where_it_leads_now() {
    let folder = Folder::new();
    for (name, version) in [("a", "v1"), ("b", "v2")] {
        fs::create_dir(folder.path(name)).unwrap();
        folder.write(&format!("{name}/hooks.toml"), guard("g", version));
    }
    // A link to a file below a link to a folder, as config maps are mounted.
    symlink("a", folder.path("data")).unwrap();
    symlink("data/hooks.toml", folder.path("hooks.toml")).unwrap();
    let (watching, mut events) = folder.follow().await;
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("v1"));
    symlink("b", folder.path("new")).unwrap();
    fs::rename(folder.path("new"), folder.path("data")).unwrap();
    until(&mut events, &watching, "v2").await;
    folder.write("b/hooks.toml", guard("g", "v3"));
    until(&mut events, &watching, "v3").await;
    assert_eq!(ids(watching.engine()), ["g"]);
}

/// Waits until a version is in force; on the way it may have been told that the file was not there.
async fn until(
    events: &mut hookgate::watch::Events,
    watching: &hookgate::watch::Watching,
    version: &str,
) {
    while reason(watching.engine()).await.as_deref() != Some(version) {
        next(events).await;
    }
}
