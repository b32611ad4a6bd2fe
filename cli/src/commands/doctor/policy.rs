//! What of the policy that is in force enforces nothing: hooks that are never called, that count from a later day on, or
//! that cannot refuse; files that others can change; what `hookgate check` warns about.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookgate::config::Loaded;
use hookgate::contract::dialect::{Dialect, HostEffect};
use hookgate::effects::Manifests;
use hookgate::table::Listed;
use hookgate::{HandlerTable, HookSpec, Mode, Role};

use super::report::Finding;
use crate::commands::check::doubts::{Doubts, Subject};
use crate::commands::check::texts::Texts;
use crate::config::{ConfigArgs, registry};
use crate::kinds::manifests;
use crate::shell_word::quoted;
use crate::terminal::phrase::count;
use crate::trust::other_writer_of;
use crate::unreached::{Reach, begins_later};

/// What the id of the copy of a hook ends with that is called before its day.
const TRIAL: &str = "-trial";

/// The sorts of warnings of `check` that doctor tells one by one.
const TOLD_APART: [&str; 3] = ["passed_over", "never_called", "unmeasured"];

/// An agent, and the events of it at which it calls hookgate.
#[derive(Clone, Copy)]
pub(super) struct Agent<'a> {
    /// Its name on the command line.
    pub(super) name: &'a str,
    /// Its dialect.
    pub(super) dialect: &'a dyn Dialect,
    /// The events.
    pub(super) called_at: &'a BTreeSet<String>,
    /// Whether it must be guarded.
    pub(super) must_be_guarded: bool,
}

/// Looks at the configs: those that are named, or else those that are found. What keeps them from being read is told by
/// whoever needs them.
pub(super) fn check(files: &[PathBuf], agent: Option<Agent<'_>>) -> Vec<Finding> {
    let args = ConfigArgs { files: files.to_vec(), strict: false };
    let Ok(configs) = args.find() else { return Vec::new() };
    let Ok(loaded) = configs.load(&registry()) else { return Vec::new() };
    let all_files = configs.all_files(&loaded);
    let Loaded { table, warnings, .. } = loaded;
    let manifests = manifests(&table);
    let mut findings: Vec<Finding> = Vec::new();
    if let Some(agent) = agent {
        findings.extend(never_called(&table, &manifests, agent));
    }
    let of_all = no_refusal(&table, &manifests, None);
    // What is so without an agent is told of the machine, unless doctor was asked about one agent, or it has a policy
    // of its own.
    let is_told = agent.is_some_and(|agent| !agent.must_be_guarded) && files.is_empty();
    if is_told {
        let of_agent = no_refusal(&table, &manifests, agent).filter(|_| of_all.is_none());
        findings.extend(of_agent);
        return findings;
    }
    findings.extend(table.specs().filter_map(later));
    findings.extend(no_refusal(&table, &manifests, agent));
    let name = configs.name();
    let subject = Subject {
        name: name.plain(),
        files: &all_files,
        table: &table,
        manifests: &manifests,
        passed_over: &[],
        agent: None,
    };
    let warned = Doubts::find(&mut Texts::default(), &subject, warnings).messages_but(&TOLD_APART);
    findings.extend(of_check(&warned, files, agent));
    findings
}

/// Finds the files of configs that somebody else can change. Whether a project is safe to trust is told where that is
/// asked.
pub(super) fn changeable(files: &[PathBuf]) -> Vec<Finding> {
    let args = ConfigArgs { files: files.to_vec(), strict: false };
    let Ok(configs) = args.find() else { return Vec::new() };
    let own = configs.sources().iter().filter(|source| !source.is_of_project());
    own.filter_map(|source| changeable_file(&source.file)).collect()
}

/// Finds out whether somebody else can change a config.
fn changeable_file(file: &Path) -> Option<Finding> {
    let why = other_writer_of(file)?;
    let about = format!("somebody else can change this policy: {why}");
    Some(Finding::open(about, "keep it to yourself").of(file))
}

fn reach<'a>(manifests: &'a Manifests, agent: &Agent<'a>) -> Reach<'a> {
    Reach { dialect: agent.dialect, manifests, called_at: Some(agent.called_at) }
}

fn never_called(table: &HandlerTable, manifests: &Manifests, agent: Agent<'_>) -> Vec<Finding> {
    let reach = reach(manifests, &agent);
    let title = agent.dialect.title();
    let finding = |hook: &HookSpec| {
        let why = reach.why_never(hook)?;
        let about = format!("the hook `{}` never runs with {title}: {why}", hook.id());
        let cure = match why.contains("does not call hookgate at") {
            true => format!("install hookgate there, with `--event`: {}", agent.install()),
            false => "write it for an event and a tool that the agent has".to_owned(),
        };
        Some(of_origin(Finding::idle(about, cure), hook))
    };
    table.specs().filter_map(finding).collect()
}

impl Agent<'_> {
    fn install(&self) -> String {
        format!("`hookgate install --agent {} --help`", self.name)
    }
}

fn of_origin(finding: Finding, hook: &HookSpec) -> Finding {
    match hook.origin().file_name() {
        Some(file) => finding.of(Path::new(file)),
        None => finding,
    }
}

/// Says from when a hook counts, if that is later.
fn later(hook: &HookSpec) -> Option<Finding> {
    let from = begins_later(hook)?;
    // Its trial is told with the hook itself.
    let about = format!("the hook `{}` enforces nothing before {from}", hook.id());
    let cure = "set an earlier day, or take `enforce_after` or `when` out, if it has to count now";
    Some(of_origin(Finding::idle(about, cure), hook))
}

/// Says why no hook can refuse anything, if none can.
fn no_refusal(
    table: &HandlerTable,
    manifests: &Manifests,
    agent: Option<Agent<'_>>,
) -> Option<Finding> {
    let can_refuse = |listed: &Listed<'_>| {
        let is_called = agent.is_none_or(|agent| {
            reach(manifests, &agent).why_never(listed.spec()).is_none()
                && (agent.dialect.events().iter())
                    .any(|event| event.ours == listed.event && event.effects.iter().any(binds))
        });
        listed.mode() == Mode::Enforce
            && listed.role() != Role::Observe
            && listed.contract.deny()
            && begins_later(listed.spec()).is_none()
            && is_called
    };
    if table.listing().any(|listed| can_refuse(&listed)) {
        return None;
    }
    let modes: BTreeSet<&str> = table
        .specs()
        .filter(|hook| hook.mode() != Mode::Enforce && !is_trial(hook, table))
        .map(|hook| hook.mode().name())
        .collect();
    let of_mode = match modes.is_empty() {
        true => String::new(),
        false => format!(" (mode {})", modes.into_iter().collect::<Vec<_>>().join(", ")),
    };
    let with = agent.map(|agent| format!(" in {}", agent.dialect.title())).unwrap_or_default();
    let about = format!(
        "no hook can refuse anything{with} now: {} in force{of_mode}",
        count(table.specs().filter(|hook| !is_trial(hook, table)).count(), "hook"),
    );
    let cure = "`hookgate list` shows the hooks; one that has to refuse has the mode `enforce`";
    let must = agent.is_some_and(|agent| agent.must_be_guarded);
    Some(if must { Finding::open(about, cure) } else { Finding::idle(about, cure) })
}

/// Tells whether the agent does something about such an answer.
fn binds(effect: &HostEffect) -> bool {
    use HostEffect::{Ask, Deny, Halt, KeepGoing, Rewrite, RewriteResult};
    matches!(effect, Deny | Ask | Halt | KeepGoing | Rewrite | RewriteResult)
}

/// Tells whether a hook is the copy of another one that is called before its day.
fn is_trial(hook: &HookSpec, table: &HandlerTable) -> bool {
    let id = hook.id().as_str();
    let of = id.strip_suffix(TRIAL).filter(|_| hook.mode() == Mode::Shadow);
    of.is_some_and(|of| table.specs().any(|other| other.id().as_str() == of))
}

/// Says that `check` has warnings, and how to see them.
fn of_check(warned: &[String], files: &[PathBuf], agent: Option<Agent<'_>>) -> Option<Finding> {
    let first = warned.first()?;
    let mut command = "hookgate check".to_owned();
    for file in files {
        command.push_str(&format!(" -c {}", quoted(&file.to_string_lossy())));
    }
    if let Some(agent) = agent {
        command.push_str(&format!(" --agent {}", agent.name));
    }
    let about = format!("`hookgate check` has {}: {first}", count(warned.len(), "warning"));
    Some(Finding::doubt(about, format!("run `{command}`, which shows all of them")))
}
