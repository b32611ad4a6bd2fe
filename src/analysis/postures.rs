//! Postures that never count: for a failure that the handler does not have, or of a hook that nobody
//! waits for.
//!
//! What an event does not take is refused when the table is built, and so is what a builtin never is.

use std::collections::HashSet;

use hookgate_contract::{FailureClass, Mode, Posture};

use super::finding::{Finding, FindingCode};
use crate::table::{HookSpec, Listed, override_key};

pub(super) fn find(listed: &[Listed<'_>]) -> Vec<Finding> {
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for hook in listed.iter().filter(|hook| hook.mode() == Mode::Enforce) {
        if !seen.insert(hook.id()) {
            continue;
        }
        let spec = hook.spec();
        if spec.is_background() {
            out.extend(of_background(spec));
            continue;
        }
        for (class, _) in spec.on_failure_of() {
            let why = match class {
                FailureClass::Unclear => why_never_unclear(hook),
                FailureClass::Skipped => why_never_skipped(hook),
                _ => never_of_kind(spec.kind(), class).map(str::to_owned),
            };
            out.extend(why.map(|why| without_effect(spec, override_key(class), &why)));
        }
    }
    out
}

fn of_background(spec: &HookSpec) -> Option<Finding> {
    let strict = |posture: Posture| posture != Posture::Allow;
    let of_class = spec.on_failure_of().find(|(_, posture)| strict(*posture));
    let key = match spec.on_failure().filter(|posture| strict(*posture)) {
        Some(_) => "on_failure",
        None => override_key(of_class?.0),
    };
    let why = "it runs in the background, and when it fails the step has gone on";
    Some(without_effect(spec, key, why))
}

/// Returns why a hook is never unclear.
fn why_never_unclear(hook: &Listed<'_>) -> Option<String> {
    let spec = hook.spec();
    // Builtins may say so of themselves.
    if spec.kind() == "builtin" || hook.can_be_unclear() {
        return None;
    }
    Some(match hook.matcher().all_registered().first() {
        None => "it has no condition that can be unclear".to_owned(),
        Some((built, _)) => format!(
            "a `{}` handler is called where `{}` cannot be told, and looks for itself",
            spec.kind(),
            built.key()
        ),
    })
}

/// Returns why a hook is never skipped.
fn why_never_skipped(hook: &Listed<'_>) -> Option<String> {
    (!hook.can_be_skipped()).then(|| "it depends on no other hook (`needs`)".to_owned())
}

/// Returns why a handler of a kind never fails in a way.
const fn never_of_kind(kind: &str, class: FailureClass) -> Option<&'static str> {
    let service = matches!(
        class,
        FailureClass::HttpStatus | FailureClass::Auth | FailureClass::Budget | FailureClass::Unsure
    );
    let process = matches!(class, FailureClass::Exit | FailureClass::Signal);
    let judge = matches!(class, FailureClass::Budget | FailureClass::Unsure);
    let state = matches!(class, FailureClass::State);
    match kind.as_bytes() {
        b"command" | b"http" | b"mcp" | b"rego" | b"cedar" if state => {
            Some("hookgate keeps nothing of a session for it")
        }
        b"command" if service => {
            Some("a program has no such failure; what it exits with is `on_exit`")
        }
        b"http" if process => Some("no program is started for it"),
        b"http" if judge => Some("no model is asked for it"),
        b"prompt" if process => Some("no program is started for it"),
        b"rego" | b"cedar" if service || process => {
            Some("a policy is evaluated in this process, without a program, a service or a model")
        }
        _ => None,
    }
}

fn without_effect(spec: &HookSpec, key: &str, why: &str) -> Finding {
    let message = format!("`{key}` of `{}` never counts: {why}", spec.id());
    let help = format!("delete `{key}`, or set it at the hook that it is meant for");
    Finding::new(FindingCode::PostureWithoutEffect, spec, key, message, help)
}
