//! The cases in which a peer is ahead, and those in which hookgate is below its own bars. They come from the data.

use std::fmt::Write as _;

use super::table::ratio;
use crate::report::{Measured, Report};

/// Returns the section.
pub(super) fn section(report: &Report) -> String {
    let compared = report.cases.iter().filter(|case| case.hot_lead().is_some()).count();
    let ahead: Vec<String> = report.cases.iter().filter_map(ahead).collect();
    let below: Vec<String> = report.cases.iter().filter_map(below).collect();
    let mut text = format!(
        "\n## Where a peer is ahead, and where hookgate is below its bars\n\nOf {compared} cases that a peer has as \
         well, a peer is ahead in {} by time or by instructions{}\n",
        ahead.len(),
        if ahead.is_empty() { "." } else { ":" },
    );
    list(&mut text, &ahead);
    let _ = write!(
        text,
        "\nThe bars: no hook runs or those that run say nothing, 10 times the best peer, 20 times from ten hooks on; a \
         hook waits, speaks or reads, 3 times hot; both 2 times cold; tables are built as fast as by CPEX. Below \
         them, though ahead, are {} more{}\n",
        below.len(),
        if below.is_empty() { "." } else { ":" },
    );
    list(&mut text, &below);
    text
}

fn list(text: &mut String, lines: &[String]) {
    if !lines.is_empty() {
        text.push('\n');
    }
    for line in lines {
        let _ = writeln!(text, "- {line}");
    }
}

/// A case in which a peer is ahead in any way.
fn ahead(case: &Measured) -> Option<String> {
    line(case, |_| 1.0, |_| 1.0)
}

/// A case in which no peer is ahead, and a bar is missed.
fn below(case: &Measured) -> Option<String> {
    if ahead(case).is_some() {
        return None;
    }
    line(case, |case| case.bar, |case| case.cold_bar)
}

fn line(
    case: &Measured,
    bar: impl Fn(&Measured) -> f64,
    cold_bar: impl Fn(&Measured) -> f64,
) -> Option<String> {
    let leads = [
        ("time", case.hot_lead(), bar(case)),
        ("instructions", case.instruction_lead(), 1.0),
        ("time, cold", case.cold_lead(), cold_bar(case)),
    ];
    let missed: Vec<String> = leads
        .into_iter()
        .filter_map(|(what, lead, bar)| {
            let (lead, peer) = lead.filter(|(lead, _)| *lead < bar)?;
            let bar = if bar > 1.0 { format!(", the bar is {bar}") } else { String::new() };
            Some(format!("{what} {} of {peer}{bar}", ratio(lead)))
        })
        .collect();
    let group = case.group.to_lowercase();
    (!missed.is_empty()).then(|| format!("{group}, {}: {}", case.title, missed.join("; ")))
}
