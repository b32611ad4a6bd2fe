//! Projects, for people. Everything in their configs may have been written to deceive whoever reads it here: it is
//! shown whole, and made fit for a terminal.

use std::path::Path;

use crate::terminal::phrase::count;
use crate::terminal::sanitize::one_line;
use crate::terminal::style::{BAD, BOLD, DIM, DOUBTFUL, GOOD};
use crate::trust::{Content, Difference, Examined, State};

/// How far what a hook does is moved in.
const DEPTH: &str = "      ";

/// Shows a project, with all that it is made of.
pub(super) fn project(project: &Examined) -> String {
    let mut text = head(project);
    if let Some(content) = &project.content {
        text.push_str(&content_text(content));
    }
    text
}

/// Shows a project about which its user is asked: also what has changed.
pub(super) fn to_be_trusted(examined: &Examined) -> String {
    let mut text = project(examined);
    if examined.state == State::Changed {
        text.push_str(&format!("  {BOLD}what has changed{BOLD:#}\n"));
        text.push_str(&change_lines(&super::changes(examined)));
    }
    text
}

/// Shows what has changed.
pub(super) fn difference(project: &Examined, changes: &[Difference]) -> String {
    head(project) + &change_lines(changes)
}

/// Says that a project is trusted now.
pub(super) fn done(project: &Examined) -> String {
    let root = whole(&project.root.display().to_string());
    format!("{GOOD}trusted{GOOD:#} {root}: its hooks are in force\n")
}

/// Says that a project is not trusted any more.
pub(super) fn revoked(root: &Path, was_there: bool) -> String {
    let root = whole(&root.display().to_string());
    if was_there {
        format!("{GOOD}revoked{GOOD:#} {root}\n")
    } else {
        format!("{DIM}was not trusted{DIM:#} {root}\n")
    }
}

fn head(project: &Examined) -> String {
    let root = whole(&project.root.display().to_string());
    let since = project.record.as_ref().map(|record| whole(&record.trusted_at));
    let since = since.map(|since| format!(" since {since}")).unwrap_or_default();
    let (style, state) = match project.state {
        State::Trusted => (GOOD, format!("trusted{since}")),
        State::Untrusted => (DOUBTFUL, "not trusted".to_owned()),
        State::Changed => (DOUBTFUL, "changed since it was trusted".to_owned()),
        State::Refused => (BAD, "cannot be trusted".to_owned()),
        State::Broken => (BAD, "cannot be loaded".to_owned()),
        State::Gone => (DIM, "gone".to_owned()),
    };
    let mut text = format!("{BOLD}{root}{BOLD:#} {style}{state}{style:#}\n");
    let faults =
        project.content.as_ref().map(|content| content.faults.as_slice()).unwrap_or_default();
    if faults.is_empty()
        && let Some(why) = &project.why
    {
        text.push_str(&format!("  {}\n", whole(why)));
    }
    for fault in faults {
        text.push_str(&format!("  {BAD}fault{BAD:#} {}\n", whole(fault)));
    }
    text
}

fn content_text(content: &Content) -> String {
    let mut text = format!("  {DIM}{}{DIM:#}\n  {BOLD}made of{BOLD:#}\n", content.hash);
    for file in &content.files {
        text.push_str(&format!("    {} {DIM}{}{DIM:#}\n", whole(&file.path), whole(&file.sum)));
    }
    let needs = content.hooks.iter().filter(|hook| hook.needs_trust);
    text.push_str(&format!("  {BOLD}what will run{BOLD:#}\n"));
    for hook in needs.clone() {
        text.push_str(&format!(
            "    {BOLD}{}{BOLD:#} {DIM}{} at{DIM:#} {}\n",
            whole(&hook.id),
            whole(&hook.kind),
            whole(&hook.events.join(", "))
        ));
        for line in hook.does.lines() {
            text.push_str(&format!("{DEPTH}{}\n", whole(line)));
        }
    }
    if needs.count() == 0 {
        text.push_str(&format!("    {DIM}nothing{DIM:#}\n"));
    }
    let others = content.hooks.iter().filter(|hook| !hook.needs_trust).count();
    if others > 0 {
        let others = count(others, "hook");
        text.push_str(&format!(
            "  {DIM}and {others} in force in any case: to refuse, ask or note{DIM:#}\n"
        ));
    }
    text
}

fn change_lines(changes: &[Difference]) -> String {
    if changes.is_empty() {
        return format!("  {DIM}no change{DIM:#}\n");
    }
    let mut text = String::new();
    for change in changes {
        text.push_str(&format!("  {} {BOLD}{}{BOLD:#}\n", change.what, whole(&change.name)));
        let sides = [("-", BAD, &change.before), ("+", GOOD, &change.after)];
        for (sign, style, side) in sides {
            for line in side.iter().flat_map(|side| side.lines()) {
                text.push_str(&format!("    {style}{sign} {}{style:#}\n", whole(line)));
            }
        }
    }
    text
}

/// Returns a text in one line, whole: what is cut off is not agreed to.
fn whole(text: &str) -> String {
    one_line(text, usize::MAX)
}
