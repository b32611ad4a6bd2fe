//! The pack of a project is a part of the project: its code runs only if the project is trusted.

use std::fs;

use super::Ground;
use crate::support::{Stdin, run};

/// A project that extends the pack, which stands beside its config.
fn project() -> Ground {
    let ground = Ground::new();
    let made = ground.make();
    let folder = ground.session.folder.path();
    fs::copy(ground.path("guards.pack"), folder.join("guards.pack")).unwrap();
    let hash = made["hash"].as_str().unwrap();
    ground.session.write("hooks.toml", &format!("extends = 'guards.pack@{hash}'\n"));
    ground
}

fn trust(ground: &Ground, arguments: &[&str]) -> crate::support::Answer {
    let mut command = ground.session.command(&[&["trust"], arguments].concat());
    run(command.current_dir(ground.session.folder.path()), &Stdin::Closed)
}

#[test]
fn a_program_of_a_pack_runs_only_in_a_trusted_project() {
    let ground = project();
    ground.refuses("nobody has said that the project is trusted", "cloned");
    let shown = trust(&ground, &["--show", "--table"]).stdout;
    for part in ["shared", "./guard.sh", "guards.pack"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let trusted = trust(&ground, &["--yes"]);
    assert_eq!(trusted.exit, Some(0), "{trusted:?}");
    ground.is_in_force("trusted");
    // The hash stands in the config: another pack is another config.
    let other = ground.path("shared/guard.sh");
    super::replace_in(&other, "the pack says no", "the pack says nothing");
    let hash = ground.make()["hash"].as_str().unwrap().to_owned();
    let folder = ground.session.folder.path();
    fs::copy(ground.path("guards.pack"), folder.join("guards.pack")).unwrap();
    ground.refuses("is another one", "not pinned");
    ground.session.write("hooks.toml", &format!("extends = 'guards.pack@{hash}'\n"));
    ground.refuses("has changed after it was trusted", "pinned anew");
}

/// The hash of a trusted content does not depend on whose cache the pack is in.
#[test]
fn the_hash_of_a_project_is_the_same_for_every_user() {
    let (one, other) = (project(), project());
    let hash = |ground: &Ground| {
        let shown = trust(ground, &["--show", "--json"]).stdout;
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        shown["hash"].as_str().unwrap().to_owned()
    };
    assert_eq!(hash(&one), hash(&other));
}
