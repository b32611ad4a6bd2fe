//! Promise: what the table in force is made of is followed, whichever files those are, and so are places where others
//! may appear.

use std::fs;
use std::path::{Path, PathBuf};

use hookgate::config::{Pack, PackProblem, PackReference, Packs};
use hookgate::table::Layer;
use hookgate::watch::Builder;

// Each hook has a text of its own: of two that are the same one stays.
use super::{Folder, failed, guard, ids, next, reason, reloaded, started};
use crate::support;

#[tokio::test]
async fn a_file_of_another_layer_counts_as_soon_as_it_appears_and_may_not_go() {
    let folder = Folder::with(&guard("plain", "plain 1"));
    let builder = folder.builder().optional_file(Layer::User, folder.path("of/user.toml"));
    let (watching, mut events) = started(builder).await;
    assert_eq!(ids(watching.engine()), ["plain"]);
    fs::create_dir(folder.path("of")).unwrap();
    folder.write("of/user.toml", guard("users", "users 1"));
    assert_eq!(reloaded(&mut events).await.to_string(), "generation 2, 2 hooks (added users)");
    // Its guards are not lost because it is.
    folder.remove("of/user.toml").unwrap();
    let gone = failed(&mut events).await;
    assert!(gone.contains("user.toml:1:1: cannot be read"), "{gone}");
    assert_eq!(ids(watching.engine()), ["users", "plain"]);
    folder.write("of/user.toml", guard("users", "users 2"));
    assert_eq!(reloaded(&mut events).await.to_string(), "generation 3, 2 hooks (changed users)");
}

/// A folder of drop-ins, whose files are found by the host.
#[tokio::test]
async fn files_that_the_host_finds_come_and_go() {
    let folder = Folder::with(&guard("plain", "plain 1"));
    fs::create_dir(folder.path("hooks.d")).unwrap();
    let drop_ins = folder.path("hooks.d");
    let builder = folder.builder().layers(move || {
        let entries = fs::read_dir(&drop_ins).unwrap();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.into_iter().map(|file| (Layer::Project, file)).collect()
    });
    let (watching, mut events) = started(builder).await;
    folder.write("hooks.d/a.toml", guard("a", "a 1"));
    assert_eq!(reloaded(&mut events).await.to_string(), "generation 2, 2 hooks (added a)");
    folder.write("hooks.d/b.toml", guard("b", "b 1"));
    assert_eq!(reloaded(&mut events).await.to_string(), "generation 3, 3 hooks (added b)");
    folder.remove("hooks.d/a.toml").unwrap();
    let removed = reloaded(&mut events).await;
    assert_eq!(removed.to_string(), "generation 4, 2 hooks, 1 fewer (removed a)");
    assert_eq!(ids(watching.engine()), ["plain", "b"]);
}

#[tokio::test]
async fn files_that_are_included_are_followed_and_a_pattern_finds_new_ones() {
    let include = "include = [\"more.toml\", \"policies/*.toml\"]\n";
    let folder = Folder::new();
    fs::create_dir(folder.path("policies")).unwrap();
    folder.write("more.toml", guard("more", "more 1"));
    folder.write("policies/a.toml", guard("a", "a 1"));
    folder.write("hooks.toml", include.to_owned() + &guard("own", "own 1"));
    let (watching, mut events) = folder.follow().await;
    folder.write("more.toml", guard("more", "more 2"));
    assert_eq!(reloaded(&mut events).await.to_string(), "generation 2, 3 hooks (changed more)");
    folder.write("policies/b.toml", guard("b", "b 1"));
    assert_eq!(reloaded(&mut events).await.to_string(), "generation 3, 4 hooks (added b)");
    // One of the list may not go, one of a pattern may.
    folder.remove("more.toml").unwrap();
    assert!(failed(&mut events).await.contains("the file `more.toml` is not there"));
    assert_eq!(watching.engine().table().len(), 4);
    folder.remove("policies/b.toml").unwrap();
    folder.write("more.toml", guard("more", "more 2"));
    while watching.engine().table().len() != 3 {
        next(&mut events).await;
    }
}

/// A script that a hook runs is a part of it, as a worker keeps it.
#[tokio::test]
async fn a_script_is_followed_in_a_folder_of_its_own() {
    let folder = Folder::new();
    fs::create_dir(folder.path("scripts")).unwrap();
    let worker = |decision: &str| {
        format!(
            "echo '{{\"ready\":1}}'\nwhile read -r line; do\n    id=${{line#*\\\"id\\\":}}\n    \
             echo \"{{\\\"id\\\":${{id%%,*}},\\\"verdict\\\":{{\\\"decision\\\":\\\"{decision}\\\",\\\"reason\\\":\\\"{decision}\\\"}}}}\"\ndone\n"
        )
    };
    folder.write("scripts/worker.sh", worker("deny"));
    let config = "[[hook]]\nid = \"w\"\nevent = \"pre_tool_use\"\n\
                  command = { argv = [\"sh\", \"scripts/worker.sh\"], mode = \"worker\" }\n";
    folder.write("hooks.toml", config);
    let (watching, mut events) = folder.follow().await;
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("deny"));
    folder.write("scripts/worker.sh", worker("ask"));
    assert_eq!(reloaded(&mut events).await.to_string(), "generation 2, 1 hook (changed w)");
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("ask"));
    // A missing one is noticed when it is there, although no file of the table names it yet.
    folder.write("hooks.toml", config.replace("worker.sh", "other.sh"));
    let missing = failed(&mut events).await;
    assert!(missing.contains("other.sh"), "{missing}");
    folder.write("scripts/other.sh", worker("deny"));
    assert!(reloaded(&mut events).await.recovered);
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("deny"));
}

/// Opens packs that are one file, whose first line is `# sha256:` and its hash.
#[derive(Debug)]
struct OneFile;

impl Packs for OneFile {
    fn open(&self, pack: &PackReference, folder: &Path) -> Result<Pack, PackProblem> {
        let file = folder.join(pack.place());
        let text = fs::read_to_string(&file).unwrap_or_default();
        if !text.starts_with(&format!("# sha256:{}\n", pack.hash())) {
            let why = format!("the pack `{}` is another one", pack.place());
            return Err(PackProblem::Unopened { why, help: None });
        }
        let folder = file.parent().unwrap().to_owned();
        Ok(Pack { folder, config: file.clone(), text, file: Some(file) })
    }
}

#[tokio::test]
async fn a_pack_is_followed() {
    let folder = Folder::new();
    let hash = |digit: &str| digit.repeat(64);
    let pack = |digit: &str| format!("# sha256:{}\n{}", hash(digit), guard("packed", digit));
    let config = |digit: &str| format!("extends = \"guards.pack@sha256:{}\"\n", hash(digit));
    folder.write("guards.pack", pack("1"));
    folder.write("hooks.toml", config("1"));
    let (watching, mut events) = started(folder.builder().packs(OneFile)).await;
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("1"));
    // It is not the one that is meant any more.
    folder.replace("guards.pack", &pack("2"));
    let refused = failed(&mut events).await;
    assert!(refused.contains("the pack `guards.pack` is another one"), "{refused}");
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("1"));
    folder.replace("hooks.toml", &config("2"));
    assert!(reloaded(&mut events).await.recovered);
    assert_eq!(reason(watching.engine()).await.as_deref(), Some("2"));
    // The control: without what opens packs there is no table.
    let builder = Builder::new(support::registry()).file(Layer::Project, folder.path("hooks.toml"));
    assert!(builder.start().await.unwrap_err().to_string().contains("opens no packs"));
}
