//! Promise: the model learns which skills there are where work begins, and which of them a prompt is about.

use std::fs;
use std::path::Path;

use hookgate_contract::payload::{SessionSource, SessionStart, ToolCall, UserPromptSubmit};
use hookgate_contract::{BuiltHandler, Verdict};
use serde_json::{Value, json};

use crate::support::{build, invoke_at};

fn write(folder: &Path, name: &str, text: &str) {
    let place = folder.join("skills").join(name);
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("SKILL.md"), text).unwrap();
}

/// Three skills: one that is looked for, one that always holds, one with paths.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "deploy",
        "---\nname: deploy\ndescription: How we deploy\ntriggers: [roll out, release]\n---\nAsk first.\n",
    );
    write(folder.path(), "style", "---\nalways: true\n---\nShort words.\n");
    write(
        folder.path(),
        "infra",
        "---\ndescription: Terraform\npaths: ['**/*.tf']\n---\nPlan it.\n",
    );
    folder
}

fn manifest(more: Value) -> BuiltHandler {
    let mut settings = json!({"folders": ["skills", "more"]});
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    build("skill_manifest", &settings).unwrap()
}

fn context(verdict: Verdict) -> Vec<String> {
    verdict.into_parts().map(|parts| parts.context.into_iter().collect()).unwrap_or_default()
}

fn about(handler: &BuiltHandler, folder: &Path, prompt: &str) -> Vec<String> {
    context(invoke_at(handler, &UserPromptSubmit::new(prompt), folder, 1).unwrap())
}

fn at_start(handler: &BuiltHandler, folder: &Path) -> Verdict {
    invoke_at(handler, &SessionStart::new(SessionSource::Startup), folder, 0).unwrap()
}

/// Row D5.
#[test]
fn where_a_session_begins_all_skills_are_listed() {
    let folder = folder();
    let told = context(at_start(&manifest(json!({})), folder.path()));
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("- deploy: How we deploy (") && told[0].contains("deploy/SKILL.md)"));
    assert!(told[0].contains("- infra: Terraform (") && !told[0].contains("style"), "{told:?}");
    assert_eq!(told[1], "The skill `style`, which always holds:\nShort words.");
    let cut = context(at_start(&manifest(json!({"max_bytes": 5})), folder.path()));
    assert!(cut[1].ends_with("Short\n[the rest of the skill is left out]"), "{cut:?}");
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(at_start(&manifest(json!({})), empty.path()), Verdict::none());
}

/// Row D5.
#[test]
fn a_prompt_that_mentions_a_skill_brings_it() {
    let folder = folder();
    let handler = manifest(json!({}));
    for (prompt, skills) in [
        ("please roll out the fix", &["deploy"][..]),
        ("DEPLOY it now", &["deploy"]),
        ("a rollout of the released", &[]),
        ("look at `infra/main.tf`, please", &["infra"]),
        ("look at main.tf.", &["infra"]),
        ("what is infra?", &["infra"]),
        ("the style of it", &[]),
        ("make a release of ./net/a.tf", &["deploy", "infra"]),
    ] {
        let told = about(&handler, folder.path(), prompt);
        assert_eq!(told.len(), skills.len(), "{prompt}: {told:?}");
        for (told, skill) in told.iter().zip(skills) {
            assert!(
                told.starts_with(&format!("The skill `{skill}` is for this prompt: read ")),
                "{told}"
            );
        }
    }
    let told = about(&manifest(json!({"bodies": true})), folder.path(), "deploy");
    assert!(told[0].ends_with("Ask first."), "{told:?}");
}

#[test]
fn what_cannot_be_read_is_told_and_the_first_of_two_names_counts() {
    let folder = folder();
    write(folder.path(), "broken", "---\ntriggers: [a\n---\nx");
    let place = folder.path().join("more/deploy");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("SKILL.md"), "---\ndescription: another\n---\n").unwrap();
    let parts = at_start(&manifest(json!({})), folder.path()).into_parts().unwrap();
    let message = parts.message.unwrap();
    assert!(message.contains("broken/SKILL.md: `triggers` has no `]`"), "{message}");
    let all: String = parts.context.into_iter().collect();
    assert!(all.contains("How we deploy") && !all.contains("another"), "{all}");
}

#[test]
fn a_skill_that_is_a_link_to_another_file_and_one_that_is_too_long_are_not_read() {
    let folder = folder();
    let secret = folder.path().join("id_rsa");
    fs::write(&secret, "PRIVATE").unwrap();
    let place = folder.path().join("skills/stolen");
    fs::create_dir_all(&place).unwrap();
    std::os::unix::fs::symlink(&secret, place.join("SKILL.md")).unwrap();
    write(folder.path(), "long", &format!("---\nalways: true\n---\n{}", "é".repeat(200_000)));
    let handler = manifest(json!({"bodies": true}));
    let told = about(&handler, folder.path(), "stolen and long");
    assert!(told.is_empty(), "{told:?}");
    let message = at_start(&handler, folder.path()).into_parts().unwrap().message.unwrap();
    assert!(message.contains("stolen/SKILL.md: it is a link to a file that is not"), "{message}");
    assert!(message.contains("long/SKILL.md: it has more than 262144 bytes"), "{message}");
}

#[test]
fn a_skill_that_lies_elsewhere_under_its_own_name_is_read() {
    let (folder, elsewhere) = (folder(), tempfile::tempdir().unwrap());
    write(elsewhere.path(), "shared", "---\ndescription: of the whole team\n---\nAsk first.");
    let place = folder.path().join("skills/shared");
    fs::create_dir_all(&place).unwrap();
    let target = elsewhere.path().join("skills/shared/SKILL.md");
    std::os::unix::fs::symlink(target, place.join("SKILL.md")).unwrap();
    let parts = at_start(&manifest(json!({})), folder.path()).into_parts().unwrap();
    let all: String = parts.context.into_iter().collect();
    assert!(all.contains("of the whole team"), "{all}");
}

#[test]
fn it_is_refused_where_nobody_begins_anything() {
    let built = manifest(json!({}));
    let contract = |event: hookgate_contract::Event| event.contract();
    assert!(crate::support::supports(&built, contract(hookgate_contract::Event::PostCompact)));
    assert!(!crate::support::supports(&built, contract(hookgate_contract::Event::PreToolUse)));
    let call = ToolCall::new("Bash", json!({"command": "ls"}));
    let nowhere = invoke_at(&built, &call, Path::new("relative"), 1).unwrap();
    assert_eq!(nowhere, Verdict::none());
}
