//! A project is trusted where it is: not its copy, and not what comes to be in its place.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::ground::{Ground, OTHER};

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-r").args([from, to]).status().unwrap().success());
}

#[test]
fn a_folder_below_belongs_to_the_project() {
    let ground = Ground::with_script();
    ground.trust("below");
    fs::create_dir_all(ground.path("src/deep")).unwrap();
    ground.runs_in(&ground.path("src/deep"), "below");
}

#[test]
fn a_link_to_the_project_leads_to_it() {
    let ground = Ground::with_script();
    symlink("work", ground.outside("link")).unwrap();
    ground.trust("link");
    ground.runs_in(&ground.outside("link"), "link");
}

#[test]
fn a_project_that_was_moved_or_copied_is_another_one() {
    const NEVER: &str = "nobody has said that the project is trusted";
    let ground = Ground::with_script();
    ground.trust("first");
    copy(&ground.work(), &ground.outside("copy"));
    ground.refuses_in(&ground.outside("copy"), NEVER, "copied");
    ground.runs("the first one still is");
    fs::rename(ground.work(), ground.outside("moved")).unwrap();
    ground.refuses_in(&ground.outside("moved"), NEVER, "moved");
    // What takes its place is what was trusted, or nothing.
    fs::rename(ground.outside("copy"), ground.work()).unwrap();
    ground.runs("the same content at the same place");
    ground.script("guard.sh", OTHER);
    ground.refuses("guard.sh", "another one at the same place");
}

#[test]
fn a_folder_above_that_has_another_name_is_another_place() {
    let ground = Ground::with_script();
    let (before, after) = (ground.outside("a"), ground.outside("b"));
    fs::create_dir(&before).unwrap();
    fs::rename(ground.work(), before.join("work")).unwrap();
    fs::create_dir(ground.work()).unwrap();
    let done = ground.verb(&["--yes", before.join("work").to_str().unwrap()]);
    assert_eq!(done.exit, Some(0), "{done:?}");
    ground.runs_in(&before.join("work"), "before");
    fs::rename(&before, &after).unwrap();
    ground.refuses_in(&after.join("work"), "nobody has said", "after");
}

#[test]
fn a_project_in_a_project_is_trusted_by_itself() {
    let ground = Ground::with_script();
    ground.trust("outer");
    ground.write("inner/.hookgate/hooks.toml", super::ground::BY_SCRIPT);
    ground.script("inner/guard.sh", OTHER);
    ground.refuses_in(&ground.path("inner"), "nobody has said", "inner");
    ground.runs("outer");
}

/// The cure in a refusal is pasted into a terminal: a folder that somebody else has named stays one word of it.
#[test]
fn the_name_of_a_folder_is_quoted() {
    let ground = Ground::with_script();
    let odd = ground.outside("a; touch 'ran'");
    fs::rename(ground.work(), &odd).unwrap();
    let parent = ground.session.folder.path().display().to_string();
    let cure = format!("`hookgate trust '{parent}/a; touch '\\''ran'\\'''`");
    let (has_run, answer) = ground.call_in(&odd, &[], &[]);
    let said: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let reason = said["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert!(!has_run && reason.contains(&cure), "{reason}");
}
