//! Looks at one agent.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookgate::contract::dialect::{Dialect, HostEvent};
use hookgate::contract::file;

use super::faults::{self, Subject};
use super::hooks::{self, Content, FoundHook};
use super::report::{AgentReport, Finding, Guard, GuardState, HookFile};
use super::settings::{self, Settings, Variable};
use super::{canary, find, machine, policy, project};
use crate::abort::Abort;
use crate::agents::{Folders, Form, Profile, Scope, script};
use crate::sources::Search;

/// How long an agent waits for a hook whose time limit is not known here.
const PATIENCE: Duration = Duration::from_secs(30);

/// A file that was read.
struct File {
    path: PathBuf,
    scope: Scope,
    content: Content,
}

/// Looks at an agent. `asked` tells that it must be guarded.
pub(super) fn agent(
    profile: &Profile,
    folders: &Folders,
    asked: bool,
) -> Result<AgentReport, Abort> {
    let dialect = profile.dialect()?;
    let program = find::program(profile);
    let version = program.as_deref().and_then(find::version);
    let mut report = AgentReport {
        agent: profile.name,
        title: dialect.title(),
        program,
        not_tried: profile.not_tried(version.as_deref()),
        version,
        files: Vec::new(),
        guards: Vec::new(),
        findings: Vec::new(),
    };
    let settings = Settings::read(profile, dialect.title(), folders);
    let mut files = Vec::new();
    for (path, scope) in places(profile, &*dialect, folders) {
        match file::read_text(&path, file::LIMIT) {
            Ok(text) => match hooks::read(&text, profile, dialect.events()) {
                Ok(content) => {
                    report.findings.extend(edited(profile, &path, &text));
                    files.push(File { path, scope, content });
                }
                Err(refusal) => {
                    report.findings.push(unreadable(profile, &*dialect, &refusal).of(&path))
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let about = format!(
                    "it cannot be told which hooks {} finds here: {error}",
                    dialect.title()
                );
                let cure = "make it a regular file that this user can read";
                report.findings.push(Finding::open(about, cure).of(&path));
            }
        }
    }
    for file in &files {
        let ours = file.content.hooks.iter().filter(|hook| hook.calls_hookgate()).count();
        report.files.push(HookFile {
            path: file.path.clone(),
            scope: file.scope.name(),
            hookgate: ours,
            others: file.content.hooks.len() - ours,
        });
        let subject = Subject {
            profile,
            dialect: &*dialect,
            file: &file.path,
            scope: file.scope,
            content: &file.content,
        };
        report.findings.extend(faults::of_file(subject, folders));
    }
    let hooks = files.iter().flat_map(|file| &file.content.hooks);
    let ours: Vec<&FoundHook> = hooks.filter(|hook| hook.calls_hookgate()).collect();
    report.findings.extend(settings.switches(profile, dialect.title(), &ours));
    let variables = settings.variables(profile);
    let title = dialect.title();
    report.findings.extend(variables.iter().filter_map(|one| one.finding(profile, title)));
    report.findings.extend(settings::of_shell(profile, title));
    if report.installed() == 0 {
        report.findings.push(not_installed(profile, &*dialect, asked));
        return Ok(report);
    }
    for event in dialect.events().iter().filter(|event| event.fails_closed()) {
        if profile.why_left_out(event.name).is_some() || profile.has_other_name(event.name) {
            continue;
        }
        let agent = (profile, &*dialect, variables.as_slice());
        report.guards.push(guard(agent, event, &files, folders.project()));
    }
    report.findings.extend(relative_path());
    set_moot(&mut report.guards, &*dialect);
    let findings = findings(&report.guards, profile);
    report.findings.extend(findings);
    report.findings.extend(of_policy(profile, &*dialect, &files, asked, folders.project()));
    Ok(report)
}

/// Looks at the policy that judges the steps of an agent.
fn of_policy(
    profile: &Profile,
    dialect: &dyn Dialect,
    files: &[File],
    must_be_guarded: bool,
    project: &Path,
) -> Vec<Finding> {
    let hooks = files.iter().flat_map(|file| &file.content.hooks);
    let ours: Vec<&FoundHook> = hooks.filter(|hook| hook.calls_hookgate()).collect();
    let called_at = ours.iter().map(|hook| hook.event.clone()).collect();
    let named = ours.iter().filter_map(|hook| hook.line.as_ref()?.config.as_ref());
    let mut configs: Vec<PathBuf> = named.map(PathBuf::from).collect();
    configs.dedup();
    let agent =
        policy::Agent { name: profile.name, dialect, called_at: &called_at, must_be_guarded };
    let mut findings = policy::check(&configs, Some(agent));
    // Without a name these are told of the machine.
    if must_be_guarded {
        findings.extend(machine::passed_over(&Search::new(&configs, project)));
        findings.extend(policy::changeable(&configs));
        findings.extend(project::check(project));
    }
    findings
}

/// In a folder of the `PATH` that depends on the session, anybody may put a program of this name.
fn relative_path() -> Option<Finding> {
    let path = std::env::var_os("PATH")?;
    let folder = std::env::split_paths(&path).find(|folder| folder.is_relative())?;
    let about = format!(
        "the PATH has `{}`: a folder that an agent works in can hold a `hookgate` or `timeout` of its own",
        folder.display()
    );
    Some(Finding::open(about, "take it out of the PATH"))
}

/// Returns the files that an agent reads hooks from.
fn places(profile: &Profile, dialect: &dyn Dialect, folders: &Folders) -> Vec<(PathBuf, Scope)> {
    let mut places: Vec<(PathBuf, Scope)> = Vec::new();
    for scope in [Scope::User, Scope::Project] {
        let Some(place) = folders.hooks(profile, scope) else { continue };
        let paths = if profile.form == Form::Scripts {
            dialect.events().iter().map(|event| place.join(event.name)).collect()
        } else {
            vec![place]
        };
        for path in paths {
            // The project may be the home folder.
            if places.iter().all(|(known, _)| *known != path) {
                places.push((path, scope));
            }
        }
    }
    places
}

fn unreadable(
    profile: &Profile,
    dialect: &dyn Dialect,
    refusal: &crate::agents::Refusal,
) -> Finding {
    let title = dialect.title();
    let cure = "mend the file";
    if ["gemini", "qwen"].contains(&profile.name) {
        return Finding::doubt(format!("{title} does not start with this file: {refusal}"), cure);
    }
    Finding::open(format!("{title} runs no hook of this file: {refusal}"), cure)
}

/// A plugin that was edited may not load any more, and a script may not say no any more: then everything runs.
fn edited(profile: &Profile, path: &Path, text: &str) -> Option<Finding> {
    let about = match profile.form {
        Form::Plugin => {
            "the plugin is not what `hookgate install` wrote: if it does not load, opencode drops it \
             without a word"
        }
        Form::Scripts => {
            "the script is not what `hookgate install` wrote: if hookgate is missing, is killed or hangs, Cline \
             may go on"
        }
        Form::Grouped { .. } | Form::Listed { .. } | Form::Tables => return None,
    };
    script::is_edited(text).then(|| {
        Finding::open(about, format!("run `hookgate install --agent {}` again", profile.name))
            .of(path)
    })
}

fn not_installed(profile: &Profile, dialect: &dyn Dialect, asked: bool) -> Finding {
    let about =
        format!("hookgate is not installed in {}: nothing is guarded there", dialect.title());
    let cure = format!("run `hookgate install --agent {}`", profile.name);
    if asked { Finding::open(about, cure) } else { Finding::doubt(about, cure) }
}

/// Sends a canary to every hook of hookgate at an event.
fn guard(
    (profile, dialect, variables): (&Profile, &dyn Dialect, &[Variable]),
    event: &'static HostEvent,
    files: &[File],
    project: &Path,
) -> Guard {
    let mut guard = Guard { event: event.name, state: GuardState::Missing, detail: String::new() };
    for file in files {
        let is_meant = |hook: &&FoundHook| hook.event == event.name && hook.calls_hookgate();
        for hook in file.content.hooks.iter().filter(is_meant) {
            let script = file.path.display().to_string();
            let command = match profile.form {
                Form::Scripts => &script,
                _ => hook.command().unwrap_or_default(),
            };
            let patience = patience(profile, hook);
            let start = canary::Start {
                command,
                project,
                variables: variables
                    .iter()
                    .map(|one| (one.name.clone(), one.value.clone()))
                    .collect(),
                patience,
            };
            let tried = canary::send(profile, dialect, event, &start.of_hook(&hook.keys));
            // Any deny counts, and so does a deny of everything.
            let says_more = matches!(
                (guard.state, tried.state),
                (GuardState::Missing, _)
                    | (_, GuardState::Broken)
                    | (
                        GuardState::Open | GuardState::Untried,
                        GuardState::Enforced | GuardState::Empty
                    )
                    | (GuardState::Empty, GuardState::Enforced)
            );
            if says_more {
                (guard.state, guard.detail) = (tried.state, tried.detail);
            }
        }
    }
    guard
}

/// If no tool runs at all, nothing gets to the events of a tool that come later.
fn set_moot(guards: &mut [Guard], dialect: &dyn Dialect) {
    let ours = |name: &str| dialect.event(name).map_or("", |event| event.ours);
    let is_closed =
        |guard: &Guard| ours(guard.event) == "pre_tool_use" && guard.state == GuardState::Broken;
    if !guards.iter().any(is_closed) {
        return;
    }
    let later = ["permission_request", "post_tool_use", "post_tool_use_failure"];
    for guard in guards.iter_mut().filter(|guard| guard.state == GuardState::Open) {
        if later.contains(&ours(guard.event)) {
            guard.state = GuardState::Untried;
            "no tool gets that far".clone_into(&mut guard.detail);
        }
    }
}

fn patience(profile: &Profile, hook: &FoundHook) -> Duration {
    let per_second = match profile.form {
        Form::Grouped { per_second, .. } => per_second,
        _ => 1,
    };
    let limit = ["timeout", "timeoutSec"].iter().find_map(|key| hook.keys.get(*key)?.as_f64());
    let seconds = limit.map(|limit| limit / f64::from(per_second));
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(PATIENCE)
}

/// Says what is wrong with guards, once for those with the same fault.
fn findings(guards: &[Guard], profile: &Profile) -> Vec<Finding> {
    let mut faults: Vec<(GuardState, &str, Vec<&str>)> = Vec::new();
    for guard in guards {
        let same = |fault: &&mut (GuardState, &str, Vec<&str>)| {
            fault.0 == guard.state && fault.1 == guard.detail
        };
        match faults.iter_mut().find(same) {
            Some((.., events)) => events.push(guard.event),
            None => faults.push((guard.state, &guard.detail, vec![guard.event])),
        }
    }
    let again = format!("run `hookgate install --agent {}` again", profile.name);
    let finding = |(state, detail, events): (GuardState, &str, Vec<&str>)| {
        let events = events.join(", ");
        match state {
            GuardState::Enforced | GuardState::Empty | GuardState::Untried => None,
            GuardState::Missing => {
                Some(Finding::open(format!("there is no hook of hookgate at {events}"), &again))
            }
            GuardState::Open => {
                Some(Finding::open(format!("a canary got through at {events}: {detail}"), &again))
            }
            GuardState::Mistaken => Some(Finding::broken(
                format!(
                    "a hook has a mistake, and what it is about is denied at {events}: {detail}"
                ),
                "correct the file; `hookgate check` says all that is wrong with it",
            )),
            GuardState::Broken => Some(Finding::broken(
                format!("everything is denied at {events}: {detail}"),
                "do what the reason says",
            )),
        }
    };
    faults.into_iter().filter_map(finding).collect()
}
