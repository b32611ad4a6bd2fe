//! The reports, for people.

use super::report::{AgentReport, Finding, GuardState, Level};
use crate::terminal::phrase::count;
use crate::terminal::style::{BAD, BOLD, DIM, DOUBTFUL, GOOD, HELP};

/// Returns all reports as a text.
pub(super) fn all(reports: &[AgentReport]) -> String {
    if reports.is_empty() {
        return "no agent was found on this machine\n".to_owned();
    }
    let reports: Vec<String> = reports.iter().map(one).collect();
    reports.join("\n")
}

fn one(report: &AgentReport) -> String {
    let version = report.version.as_deref().unwrap_or_default();
    let program = match &report.program {
        Some(program) => program.display().to_string(),
        None => "not in the PATH".to_owned(),
    };
    let mut text = format!("{BOLD}{}{BOLD:#} {version} {DIM}{program}{DIM:#}\n", report.title);
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
    let untried: Vec<&str> = of(GuardState::Untried).map(|guard| guard.event).collect();
    if !untried.is_empty() {
        text.push_str(&format!("  {DIM}not tried{DIM:#} {}\n", untried.join(", ")));
    }
    for finding in &report.findings {
        text.push_str(&line(finding));
    }
    if report.findings.is_empty() {
        text.push_str(&format!("  {GOOD}all is well{GOOD:#}\n"));
    }
    text
}

fn line(finding: &Finding) -> String {
    let (style, label) = match finding.level {
        Level::Open => (BAD, "fails open"),
        Level::Broken => (BAD, "denies everything"),
        Level::Doubt => (DOUBTFUL, "may be"),
    };
    let file = finding.file.as_ref().map(|file| format!(" {DIM}({}){DIM:#}", file.display()));
    let file = file.unwrap_or_default();
    let Finding { about, cure, .. } = finding;
    format!("  {style}{label}{style:#} {about}{file}\n    {HELP}do:{HELP:#} {cure}\n")
}
