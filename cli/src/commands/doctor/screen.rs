//! The reports, for people.

use super::machine::MachineReport;
use super::report::{AgentReport, Finding, GuardState, Level};
use crate::agents::PROFILES;
use crate::terminal::phrase::count;
use crate::terminal::style::{BAD, BOLD, DIM, DOUBTFUL, GOOD, HELP};

/// Returns all reports as a text.
pub(super) fn all(machine: Option<&MachineReport>, reports: &[AgentReport]) -> String {
    let mut parts: Vec<String> = machine.map(of_machine).into_iter().collect();
    parts.extend(reports.iter().map(one));
    if reports.is_empty() {
        let names: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
        parts
            .push(format!("no agent was found on this machine; looked for {}\n", names.join(", ")));
    }
    parts.join("\n")
}

fn of_machine(report: &MachineReport) -> String {
    let program =
        report.program.as_ref().map(|program| program.display().to_string()).unwrap_or_default();
    let mut text = format!("{BOLD}hookgate{BOLD:#} {} {DIM}{program}{DIM:#}\n", report.version);
    for config in &report.configs {
        let hooks =
            config.hooks.map_or_else(|| "cannot be read".to_owned(), |hooks| count(hooks, "hook"));
        let path = config.path.display();
        text.push_str(&format!("  {DIM}{}{DIM:#} {path}: {hooks}\n", config.layer));
    }
    text.push_str(&findings(&report.findings));
    text
}

/// Returns what is wrong, or that nothing is.
fn findings(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return format!("  {GOOD}all is well{GOOD:#}\n");
    }
    findings.iter().map(line).collect()
}

fn one(report: &AgentReport) -> String {
    let version = report.version.as_deref().unwrap_or_default();
    let program = match &report.program {
        Some(program) => program.display().to_string(),
        None => "not in the PATH".to_owned(),
    };
    let mut text = format!("{BOLD}{}{BOLD:#} {version} {DIM}{program}{DIM:#}\n", report.title);
    if let Some(note) = &report.not_tried {
        text.push_str(&format!("  {DOUBTFUL}note{DOUBTFUL:#} {note}\n"));
    }
    for file in &report.files {
        let ours = count(file.hookgate, "hook");
        let others =
            if file.others > 0 { format!(", {} of others", file.others) } else { String::new() };
        let path = file.path.display();
        text.push_str(&format!(
            "  {DIM}{}{DIM:#} {path}: {ours} of hookgate{others}\n",
            file.scope
        ));
    }
    let of = |state| report.guards.iter().filter(move |guard| guard.state == state);
    let enforced: Vec<String> = of(GuardState::Enforced)
        .map(|guard| format!("{} ({})", guard.event, guard.detail))
        .collect();
    if !enforced.is_empty() {
        text.push_str(&format!("  {GOOD}enforced{GOOD:#} {}\n", enforced.join(", ")));
    }
    let empty: Vec<&str> = of(GuardState::Empty).map(|guard| guard.event).collect();
    if !empty.is_empty() {
        text.push_str(&format!("  {DIM}no hook of yours at{DIM:#} {}\n", empty.join(", ")));
    }
    let untried: Vec<&str> = of(GuardState::Untried).map(|guard| guard.event).collect();
    if !untried.is_empty() {
        text.push_str(&format!("  {DIM}not tried{DIM:#} {}\n", untried.join(", ")));
    }
    text.push_str(&findings(&report.findings));
    text
}

fn line(finding: &Finding) -> String {
    let (style, label) = match finding.level {
        Level::Open => (BAD, "fails open"),
        Level::Broken => (BAD, "denies"),
        Level::Idle => (DOUBTFUL, "does nothing"),
        Level::Doubt => (DOUBTFUL, "may be"),
    };
    let file = finding.file.as_ref().map(|file| format!(" {DIM}({}){DIM:#}", file.display()));
    let file = file.unwrap_or_default();
    let Finding { about, cure, .. } = finding;
    format!("  {style}{label}{style:#} {about}{file}\n    {HELP}do:{HELP:#} {cure}\n")
}
