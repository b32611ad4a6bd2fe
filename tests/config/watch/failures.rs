//! Promise: what is on disk and not in force is told, at once and again, and shown by the status; the last good table
//! stays.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hookgate::config::Loaded;
use hookgate::config::Loader;
use hookgate::reload::ReloadError;
use hookgate::table::Layer;
use hookgate::watch::{self, Builder, Places, Source, WatchEvent};
use hookgate::{Engine, HandlerTable, Registry};

use super::{Folder, failed, guard, ids, next, reason, reloaded};
use crate::support;

#[tokio::test]
async fn a_broken_file_is_told_and_so_is_its_mending() {
    let folder = Folder::with(&guard("g", "v1"));
    let (watching, mut events) = folder.follow().await;
    let broken = ["", "version = 1\n", "[[hook]]\nid = 1\n", "[[hook\n"];
    for (attempt, text) in broken.iter().enumerate() {
        folder.replace("hooks.toml", text);
        let told = failed(&mut events).await;
        let status = watching.status();
        let failure = status.failure.expect("the status shows it as well");
        assert_eq!(failure.error.to_string(), told, "{text:?}");
        assert!(failure.attempts > attempt as u64, "{failure}");
        assert_eq!(reason(watching.engine()).await.as_deref(), Some("v1"), "{text:?}");
    }
    // To what is in force: nothing is swapped, and it is told all the same.
    folder.replace("hooks.toml", &guard("g", "v1"));
    let mended = reloaded(&mut events).await;
    assert!(mended.recovered && !mended.swapped, "{mended}");
    assert!(watching.status().failure.is_none());
    // It may go no more than it may be broken, and it may be meant so.
    folder.remove("hooks.toml").unwrap();
    assert!(failed(&mut events).await.contains("cannot be read"));
    folder.replace("hooks.toml", "allow_empty = true\n");
    assert_eq!(
        reloaded(&mut events).await.to_string(),
        "generation 2, 0 hooks, 1 fewer (removed g)"
    );
    assert_eq!(watching.warnings().len(), 1);
}

#[tokio::test]
async fn a_request_is_always_answered() {
    let folder = Folder::with(&guard("g", "v1"));
    let (watching, mut events) = folder.follow().await;
    watching.reload_now();
    assert_eq!(reloaded(&mut events).await.to_string(), "generation 1, 1 hook, as before");
    folder.replace("hooks.toml", "[[hook]]\n");
    let told = failed(&mut events).await;
    for _ in 0..3 {
        watching.reload_now();
        assert_eq!(failed(&mut events).await, told);
    }
}

/// The clock of this runtime jumps whenever nothing is to be done.
#[tokio::test(start_paused = true)]
async fn what_stays_broken_is_told_again() {
    let folder = Folder::with(&guard("g", "v1"));
    let (watching, mut events) = folder.follow().await;
    folder.replace("hooks.toml", "[[hook]]\nid = 1\n");
    let told = failed(&mut events).await;
    for _ in 0..3 {
        let WatchEvent::StillBroken(failure) = next(&mut events).await else { panic!() };
        assert_eq!(failure.error.to_string(), told);
    }
    folder.replace("hooks.toml", &guard("g", "v2"));
    loop {
        match next(&mut events).await {
            WatchEvent::StillBroken(_) => {}
            WatchEvent::Reloaded(reloaded) => break assert!(reloaded.recovered),
            other => panic!("{other}"),
        }
    }
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("v2"));
}

#[tokio::test]
async fn nothing_begins_without_a_table() {
    let folder = Folder::with("[[hook]]\nid = 1\n");
    let wrong = folder.builder().start().await.unwrap_err();
    assert!(wrong.to_string().contains("hooks.toml:2:6: "), "{wrong}");
    folder.remove("hooks.toml").unwrap();
    let gone = folder.builder().start().await.unwrap_err();
    assert!(gone.to_string().contains("cannot be read"), "{gone}");
    let none = Builder::new(support::registry())
        .optional_file(Layer::User, folder.path("hooks.toml"))
        .start();
    assert!(matches!(none.await, Err(ReloadError::Config(_))));
}

/// Loads one file, and panics on request.
struct OnFire {
    file: std::path::PathBuf,
    loading: Arc<AtomicBool>,
    looking: Arc<AtomicBool>,
}

impl Source for OnFire {
    fn load(&self, in_force: &HandlerTable) -> Result<Loaded, ReloadError> {
        assert!(!self.loading.load(Ordering::Relaxed), "the disk is on fire");
        let registry = Registry::from_iter([hookgate::builtin::kind()]);
        Ok(Loader::new(&registry).keeping(in_force).load(&self.file)?)
    }

    fn places(&self) -> Places {
        assert!(!self.looking.load(Ordering::Relaxed), "the folder is on fire");
        Places { listened: [self.file.clone()].into(), ..Places::default() }
    }
}

#[tokio::test]
async fn a_panic_of_the_loader_is_told_and_ends_nothing() {
    let folder = Folder::with(&guard("g", "v1"));
    let (loading, looking) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
    let source = OnFire {
        file: folder.path("hooks.toml"),
        loading: Arc::clone(&loading),
        looking: Arc::clone(&looking),
    };
    // What a host has loaded in its own way is found in force, or put there.
    let watching = watch::follow(Arc::new(Engine::without_hooks()), source).unwrap();
    let mut events = watching.events();
    assert_eq!(reloaded(&mut events).await.to_string(), "generation 2, 1 hook (added g)");
    loading.store(true, Ordering::Relaxed);
    folder.replace("hooks.toml", &guard("g", "v2"));
    assert_eq!(failed(&mut events).await, "the loader panicked: the disk is on fire");
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("v1"));
    loading.store(false, Ordering::Relaxed);
    assert!(reloaded(&mut events).await.recovered);
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("v2"));
    // So is one of what says where it is: until that is mended nobody knows all that is to be in force.
    looking.store(true, Ordering::Relaxed);
    assert_eq!(failed(&mut events).await, "the source panicked: the folder is on fire");
    assert!(watching.status().failure.is_some());
    assert_eq!(ids(watching.engine()), ["g"]);
    looking.store(false, Ordering::Relaxed);
    while watching.status().failure.is_some() {
        next(&mut events).await;
    }
}
