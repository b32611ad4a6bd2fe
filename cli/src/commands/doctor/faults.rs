//! What in a config lets steps pass unseen. Each agent has faults of its own: what one of them reports,
//! another takes without a word.

mod matchers;
mod ours;
mod shape;
mod switches;

use std::path::Path;

use hookgate::contract::dialect::Dialect;

use super::hooks::Content;
use super::report::Finding;
use super::trust::Trust;
use crate::agents::{Folders, Profile, Scope};

/// A file of an agent that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    /// The agent.
    pub(super) profile: &'a Profile,
    /// Its dialect.
    pub(super) dialect: &'a dyn Dialect,
    /// The file.
    pub(super) file: &'a Path,
    /// Whose it is.
    pub(super) scope: Scope,
    /// What it says.
    pub(super) content: &'a Content,
}

/// Finds the faults of a file.
pub(super) fn of_file(subject: Subject<'_>, folders: &Folders) -> Vec<Finding> {
    let mut findings = switches::check(subject);
    findings.extend(shape::check(subject));
    findings.extend(matchers::check(subject));
    findings.extend(ours::check(subject));
    findings.extend(trust(subject, folders));
    findings.into_iter().map(|finding| finding.of(subject.file)).collect()
}

/// Finds out what the agent asks its user about before it runs hooks.
fn trust(subject: Subject<'_>, folders: &Folders) -> Vec<Finding> {
    let Subject { profile, file, scope, content, .. } = subject;
    let mut findings = Vec::new();
    let ours: Vec<_> = content.hooks.iter().filter(|hook| hook.calls_hookgate()).collect();
    if ours.is_empty() {
        return findings;
    }
    if profile.name == "codex" {
        let trust = Trust::read(&folders.of_agent(profile));
        if trust.is_off() {
            findings.push(Finding::open(
                "hooks are switched off by `features.hooks` in config.toml: Codex runs none, without a word",
                "set it to true, or remove it",
            ));
        }
        if scope == Scope::Project && !trust.has_project(folders.project()) {
            findings.push(Finding::open(
                "the project is not trusted: Codex runs none of its hooks, without a word",
                "start codex here and trust the folder",
            ));
        }
        let unseen = ours.iter().filter(|hook| !trust.has_hook(file, hook)).count();
        if unseen > 0 {
            findings.push(Finding::open(
                format!("{unseen} of {} hooks of hookgate were not reviewed: Codex skips them, without a word", ours.len()),
                "start codex, type /hooks and trust them; `codex exec` where nobody can review takes \
                 --dangerously-bypass-hook-trust",
            ));
        }
    }
    if profile.name == "copilot" && scope == Scope::Project {
        findings.push(Finding::doubt(
            "Copilot skips the hooks of a folder that is not trusted, without a word",
            "trust the folder, and without a terminal start copilot with --trust-folder",
        ));
    }
    findings
}
