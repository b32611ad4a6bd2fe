//! What the administrator of a machine says of trust. The managed config has one place on a machine, which no test
//! may write to; here it is another file of that layer.

use std::fs;
use std::path::Path;

use hookgate::{HookEngine as _, StepContext, ToolUse};
use tempfile::TempDir;

use super::*;
use crate::sources::Search;

const HOOK: &str =
    "[[hook]]\nid = 'theirs'\nevent = 'pre_tool_use'\ncommand = { argv = ['./guard.sh'] }\n";

/// A project, and a managed config beside it.
fn ground(managed: &str) -> (TempDir, Vec<Source>) {
    let folder = TempDir::new().expect("a folder");
    let root = folder.path().canonicalize().expect("the folder");
    fs::create_dir(root.join("work")).expect("a folder");
    fs::write(root.join("work/hooks.toml"), HOOK).expect("a file");
    let script = root.join("work/guard.sh");
    fs::write(&script, "#!/bin/sh\ntouch ran\n").expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&script, mode).expect("a program");
    let managed = managed.replace("ROOT", root.to_str().expect("UTF-8"));
    fs::write(
        root.join("managed.toml"),
        format!("{managed}\n[[hook]]\nid = 'log'\nevent = 'stop'\nbuiltin = 'audit'\n"),
    )
    .expect("a file");
    let mut sources = vec![Source::new(Layer::Managed, root.join("managed.toml"))];
    sources.extend(Search::projects(&root.join("work")));
    (folder, sources)
}

/// Dispatches a step. Returns whether the hook of the project has run, and why not.
fn call(folder: &Path, sources: &[Source], hashes: &[String]) -> Result<(bool, String), HookError> {
    let grants = Grants::read(&projects(sources), hashes);
    let in_force = load(sources, true, &grants, "pre_tool_use")?;
    let work = folder.join("work");
    let tool = ToolUse::propose("Bash", r#"{"command":"ls"}"#).expect("a step");
    let mut context = StepContext::new("s");
    context.cwd = work.to_str();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let gate = runtime.expect("a runtime").block_on(in_force.engine.dispatch(tool, &context));
    let reason = match gate {
        hookgate::Gate::Denied(denied) => denied.feedback().to_string(),
        _ => String::new(),
    };
    Ok((work.join("ran").exists(), reason))
}

#[test]
fn a_project_that_the_machine_names_is_trusted_without_a_question() {
    for (managed, runs) in [
        ("", false),
        ("[trust]\nusers = true", false),
        ("[trust]\npaths = ['ROOT']", true),
        ("[trust]\npaths = ['ROOT/work']\nusers = false", true),
        ("[trust]\npaths = ['ROOT/wor', 'ROOT/other']", false),
        (
            "[trust]\nhashes = ['sha256:0000000000000000000000000000000000000000000000000000000000000000']",
            false,
        ),
    ] {
        let (folder, sources) = ground(managed);
        let (has_run, reason) = call(folder.path(), &sources, &[]).expect(managed);
        assert_eq!(has_run, runs, "{managed}: {reason}");
        assert_eq!(reason.contains("is not run, since"), !runs, "{managed}: {reason}");
    }
}

#[test]
fn users_trust_nothing_where_the_machine_says_so() {
    let why = "only the administrator of this machine says";
    // The hash that a user names is that of the content.
    let (folder, sources) = ground("");
    let (_, reason) = call(folder.path(), &sources, &["sha256:0".to_owned()]).expect("a table");
    let hash = reason.split("which is ").nth(1).and_then(|rest| rest.split(':').nth(1));
    let hash = format!("sha256:{}", hash.expect("a hash"));
    let (has_run, reason) =
        call(folder.path(), &sources, std::slice::from_ref(&hash)).expect("a table");
    assert!(has_run, "{reason}");
    let (folder, sources) = ground("[trust]\nusers = false");
    let (has_run, reason) =
        call(folder.path(), &sources, std::slice::from_ref(&hash)).expect("a table");
    assert!(!has_run && reason.contains(why), "{reason}");
    // The machine can name it as well.
    let (folder, sources) = ground(&format!("[trust]\nusers = false\nhashes = '{hash}'"));
    let (has_run, reason) = call(folder.path(), &sources, &[]).expect("a table");
    assert!(has_run, "{reason}");
}

#[test]
fn what_others_can_change_is_not_trusted_wherever_it_is() {
    let (folder, sources) = ground("[trust]\npaths = 'ROOT'");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    fs::set_permissions(folder.path().join("work/guard.sh"), mode).expect("a file");
    let (has_run, reason) = call(folder.path(), &sources, &[]).expect("a table");
    assert!(!has_run && reason.contains("can be written by everybody"), "{reason}");
}

#[test]
fn nobody_but_the_machine_has_the_section() {
    for (layer, is_wrong) in [(Layer::User, true), (Layer::Managed, false)] {
        let (_folder, mut sources) = ground("[trust]\nusers = false");
        sources.truncate(1);
        sources[0].layer = layer;
        let loaded = load(&sources, true, &Grants::read(&[], &[]), "stop");
        match loaded {
            Ok(_) => assert!(!is_wrong),
            Err(error) => {
                let error = error.to_string();
                assert!(
                    is_wrong && error.contains("counts in the config of the machine only"),
                    "{error}"
                );
            }
        }
    }
    for wrong in ["users = 'no'", "paths = ['work']", "hashes = ['abc']", "path = '/x'"] {
        let (_folder, mut sources) = ground(&format!("[trust]\n{wrong}"));
        sources.truncate(1);
        let error = load(&sources, true, &Grants::read(&[], &[]), "stop").err();
        assert!(error.expect(wrong).to_string().contains("managed.toml:2:"), "{wrong}");
    }
}
