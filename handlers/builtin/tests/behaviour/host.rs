//! Promise: builtins that need a part of the host use it, and say so where it is missing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate_builtin::{ConfigFiles, Host, Marks};
use hookgate_contract::payload::ToolCall;
use hookgate_contract::{
    BuildContext, Envelope, FailureClass, Layer, ReasonCode, Truth, Verdict, VerdictDecision,
};
use serde_json::{Value, json};

use crate::support::{build_in, build_with, full_host, invoke};

fn push() -> ToolCall {
    ToolCall::new("Bash", json!({"command": "git push"}))
}

fn require(settings: Value) -> Result<Verdict, FailureClass> {
    let built = build_in("require", &settings, &[], Path::new("/srv"), &full_host()).unwrap();
    assert!(built.static_answer);
    invoke(&built, &push()).map_err(|failure| failure.class)
}

#[test]
fn what_is_marked_passes_and_what_is_not_is_denied() {
    assert_eq!(require(json!({"mark": "tested"})), Ok(Verdict::none()));
    assert_eq!(require(json!({"mark": "tested", "after": "edited"})), Ok(Verdict::none()));
    let missing = "`tested` must come first: this session has no such mark since `rebased`";
    assert_eq!(require(json!({"mark": "tested", "after": "rebased"})), Ok(Verdict::deny(missing)));
    let settings = json!({"mark": "read", "reason": "no {{ tool_name }} yet", "reason_code": "safety_violation"});
    let expected = Verdict::deny("no Bash yet").reason_code(ReasonCode::SafetyViolation);
    assert_eq!(require(settings), Ok(expected));
    let settings = json!({"mark": "read", "reason_code": "safety_violation"});
    let denied = require(settings).unwrap();
    assert_eq!(denied.parts().unwrap().reason_code, Some(ReasonCode::SafetyViolation));
    assert_eq!(require(json!({"mark": "unknown"})), Err(FailureClass::Unclear));
}

/// Only the administrator's hooks have set a mark.
struct OfManaged;

impl Marks for OfManaged {
    fn is_marked(&self, _: &Envelope<'_>, layer: Layer, _: &str, _: Option<&str>) -> Truth {
        (layer == Layer::Managed).into()
    }
}

#[test]
fn the_host_is_told_of_which_layer_the_hook_is() {
    let host = Host::new().marks(Arc::new(OfManaged));
    for layer in Layer::ALL {
        let context = BuildContext::new(Path::new("/srv"), 1024).in_layer(layer);
        let built = build_with("require", &json!({"mark": "tested"}), &context, &host).unwrap();
        let passes = invoke(&built, &push()) == Ok(Verdict::none());
        assert_eq!(passes, layer == Layer::Managed, "{layer}");
    }
}

#[test]
fn a_host_that_lacks_a_part_refuses_the_builtins_that_need_it() {
    let error = |name: &str, settings: Value| {
        build_in(name, &settings, &[], Path::new("/srv"), &Host::new()).unwrap_err()
    };
    assert!(error("require", json!({"mark": "tested"})).contains("keeps no marks"));
    assert!(error("protect_config", json!({})).contains("does not know what a call changes"));
    let wrong = json!({"mark": "tested", "after": "tested"});
    let same = build_in("require", &wrong, &[], Path::new("/srv"), &full_host()).unwrap_err();
    assert!(same.contains("never set later than itself"));
}

fn protect(base: &Path, host: &Host, input: Value) -> Result<Option<String>, FailureClass> {
    let settings = json!({"paths": ["policies", "../OWNERS"]});
    let built = build_in("protect_config", &settings, &[], base, host).unwrap();
    let verdict = invoke(&built, &ToolCall::new("any", input)).map_err(|failure| failure.class)?;
    Ok(verdict.into_parts().map(|parts| {
        assert_eq!(parts.decision, Some(VerdictDecision::Deny));
        parts.reason.unwrap()
    }))
}

#[test]
fn the_files_of_the_config_stay() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let base = root.join("ledger/.config");
    std::fs::create_dir_all(&base).unwrap();
    for (key, path, denied) in [
        ("path", "ledger/.config/hooks.toml", true),
        ("remove", "ledger/.config/hooks.toml", true),
        ("path", "ledger/.config/hooks.local.toml", true),
        ("path", "ledger/.config/hooks.d/10-mine.toml", true),
        ("path", "ledger/.config/policies/a.py", true),
        ("path", "ledger/OWNERS", true),
        ("path", "elsewhere/.hookgate/hooks.toml", true),
        ("remove", "ledger", true),
        ("remove", "ledger/.config", true),
        // To write to the folder that holds them does not change them.
        ("path", "ledger", false),
        ("path", "ledger/src/hooks.toml", false),
        ("path", "ledger/.config/policies.md", false),
        ("remove", "ledger/src", false),
    ] {
        let input = json!({key: root.join(path)});
        let refused = protect(&base, &full_host(), input).unwrap();
        assert_eq!(refused.is_some(), denied, "{key} {path}: {refused:?}");
        assert!(refused.is_none_or(|reason| reason.contains(path)), "{path}");
    }
    assert_eq!(protect(&base, &full_host(), json!({})), Ok(None));
}

#[cfg(unix)]
#[test]
fn a_link_to_the_config_is_seen_through() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("real")).unwrap();
    std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
    let real = json!({"path": root.join("real/hooks.toml")});
    assert!(protect(&root.join("link"), &full_host(), real).unwrap().is_some());
}

struct Scripts(PathBuf);

impl ConfigFiles for Scripts {
    fn files(&self) -> Vec<PathBuf> {
        vec![self.0.clone()]
    }

    fn names(&self) -> Vec<PathBuf> {
        vec!["hooks.toml".into(), ".claude/settings.json".into()]
    }
}

/// What is above a protected place may be written to, but neither be put out of reach nor be filled unseen.
#[test]
fn a_folder_above_the_hooks_stays_in_reach() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("project/.claude")).unwrap();
    std::fs::write(root.join("project/.claude/settings.json"), "{}").unwrap();
    let host = full_host().config_files(Arc::new(Scripts(root.join("home/.config/hookgate"))));
    let base = root.join("policy");
    let ask = |key: &str, path: &str| protect(&base, &host, json!({key: root.join(path)}));
    for (key, path) in [
        ("chmod", "home/.config/hookgate"),
        ("chmod", "home/.config"),
        ("chmod", "home"),
        ("chmod", "project/.claude"),
        ("chmod", "project"),
        ("remove", "project/.claude"),
        ("path", "elsewhere/.claude/settings.json"),
        ("path", "elsewhere/below/hooks.toml"),
        ("path", "home/.config/hookgate/hooks.d/new.toml"),
    ] {
        assert!(ask(key, path).unwrap().is_some(), "{key} {path}");
    }
    for (key, path) in
        [("unpack", "home"), ("unpack", "project"), ("name", "home/.config/hookgate")]
    {
        assert_eq!(ask(key, path), Err(FailureClass::Unclear), "{key} {path}");
    }
    // The controls.
    for (key, path) in [
        ("path", "home/.config"),
        ("chmod", "home/notes"),
        ("chmod", "elsewhere/.claude"),
        ("remove", "elsewhere/.claude"),
        ("path", "elsewhere/.claude/agents/a.md"),
        ("path", "project/hooks.toml.md"),
        ("unpack", "home/notes"),
        ("name", "home/notes"),
        ("name", "home"),
    ] {
        assert_eq!(ask(key, path), Ok(None), "{key} {path}");
    }
}

/// A path through a link is the path behind it; to delete the link is not to delete what it leads to.
#[cfg(unix)]
#[test]
fn a_call_that_goes_through_a_link_is_seen_through() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("config/hookgate")).unwrap();
    std::os::unix::fs::symlink(root.join("config"), root.join("link")).unwrap();
    let host = full_host().config_files(Arc::new(Scripts(root.join("config/hookgate"))));
    let ask = |key: &str, path: &str| protect(&root, &host, json!({key: root.join(path)})).unwrap();
    assert!(ask("chmod", "link/hookgate").is_some());
    assert!(ask("chmod", "link").is_some());
    assert!(ask("path", "link/hookgate/hooks.toml").is_some());
    assert!(ask("remove", "link/hookgate").is_some());
    assert!(ask("remove", "link").is_none());
}

#[test]
fn what_the_config_names_stays_too() {
    let host = full_host().config_files(Arc::new(Scripts("/opt/guards/guard.py".into())));
    let base = Path::new("/srv/ledger");
    let script = json!({"path": "/opt/guards/guard.py"});
    assert!(protect(base, &host, script).unwrap().is_some());
    assert!(protect(base, &host, json!({"remove": "/opt/guards"})).unwrap().is_some());
    assert_eq!(protect(base, &host, json!({"path": "/opt/guards/other.py"})), Ok(None));
}

#[test]
fn what_puts_other_hooks_in_force_is_denied() {
    let how = json!({"loosens": "`hookgate trust` is for the user", "unclear": "so is this"});
    let refused = protect(Path::new("/srv/ledger"), &full_host(), how).unwrap();
    assert_eq!(refused.as_deref(), Some("`hookgate trust` is for the user"));
}

#[test]
fn what_cannot_be_told_is_unclear_unless_it_is_denied_anyway() {
    let base = Path::new("/srv/ledger");
    let unclear = json!({"unclear": "$CMD is not known"});
    assert_eq!(protect(base, &full_host(), unclear), Err(FailureClass::Unclear));
    let both = json!({"unclear": "$CMD is not known", "path": "/srv/ledger/hooks.toml"});
    assert!(protect(base, &full_host(), both).unwrap().is_some());
}
