//! The cases in which a peer is ahead, and those in which hookgate is below its own bars: from the data, with what
//! the instructions are spent on, and why.

use std::fmt::Write as _;

use super::reasons;
use super::table::{count, ratio, time};
use crate::report::{FLOOR, Figure, HOOKGATE, Measured, Report};
use crate::standing::Miss;

/// Returns the section.
pub(super) fn section(report: &Report) -> String {
    let compared = report.cases.iter().filter(|case| case.hot_lead().is_some()).count();
    let ahead = listed(report, Measured::behind);
    let below = listed(report, Measured::below);
    let mut text = format!(
        "\n## Where a peer is ahead, and where hookgate is below its bars\n\nOf {compared} cases that a peer has as \
         well, a peer is ahead in {} by time or by instructions{}\n",
        ahead.len(),
        if ahead.is_empty() { "." } else { WHY },
    );
    text += &list(&ahead);
    let _ = write!(
        text,
        "\nThe bars: no hook runs or those that run say nothing, 10 times the best peer, 20 times from ten hooks on; a \
         hook waits, speaks or reads, 3 times hot; both 2 times cold; tables are built as fast as by CPEX. Below \
         them, though ahead, are {} more{}\n",
        below.len(),
        if below.is_empty() { "." } else { ":" },
    );
    text + &list(&below)
}

const WHY: &str = ". *Why* is what the profiles show: behind each case stand the areas that its instructions are spent \
     in. With evicted caches (*cold*) each line of code comes from memory once, however often it runs, and that takes \
     longer than to run it: so what counts there is how much code a call runs through, not how many instructions:";

/// A case that is listed, and the figures for which it is.
type Listed<'r> = (&'r Measured, Vec<Miss<'r>>);

fn listed<'r>(report: &'r Report, of: fn(&'r Measured) -> Vec<Miss<'r>>) -> Vec<Listed<'r>> {
    let listed = report.cases.iter().map(|case| (case, of(case)));
    listed.filter(|(_, misses)| !misses.is_empty()).collect()
}

/// Writes the cases; beneath neighbours that have the same reason, the reason.
fn list(listed: &[Listed<'_>]) -> String {
    let mut text = String::new();
    let mut told = Vec::new();
    let reason = |(case, misses): &Listed<'_>| reasons::of(&case.name, misses);
    for group in listed.chunk_by(|one, other| reason(one) == reason(other)) {
        text.push('\n');
        for (case, misses) in group {
            let _ = writeln!(text, "- {}", line(case, misses));
        }
        let why = group.first().and_then(reason);
        let why = why.map_or_else(
            || NO_REASON.to_owned(),
            |mut texts| {
                texts.retain(|text| !told.contains(text));
                told.extend(&texts);
                if texts.is_empty() { AS_ABOVE.to_owned() } else { texts.join(" ") }
            },
        );
        let _ = writeln!(text, "\n  *Why:* {why}");
    }
    text
}

/// Instead of reasons that stand further up in the same list.
const AS_ABOVE: &str = "as above.";

const NO_REASON: &str = "no reason is known yet.";

/// Writes a case: the figures that are missed, and what is known about it beside them.
fn line(case: &Measured, misses: &[Miss<'_>]) -> String {
    let figures: Vec<String> = misses.iter().map(figure).collect();
    let group = case.group.to_lowercase();
    let mut text = format!("{group}, {}: {}.", case.title, figures.join("; "));
    for addition in [instructions(case, misses), floor(case, misses), code(case, misses)] {
        text += &addition.unwrap_or_default();
    }
    text
}

fn figure(miss: &Miss<'_>) -> String {
    let what = match miss.figure {
        Figure::Hot => "time",
        Figure::Instructions => "instructions",
        Figure::Cold => "time, cold",
    };
    let bar = if miss.bar > 1.0 { format!(", the bar is {}", miss.bar) } else { String::new() };
    format!("{what} {} of {}{bar}", ratio(miss.lead), miss.peer)
}

/// The instructions of hookgate and of the best peer, and what hookgate spends them on.
fn instructions(case: &Measured, misses: &[Miss<'_>]) -> Option<String> {
    let of = |system: &str| case.systems.get(system).and_then(|figures| figures.instructions);
    let own = of(HOOKGATE)?;
    let mut text = format!(" {} instructions", count(own));
    if let Some((lead, peer)) = case.instruction_lead() {
        let _ = write!(text, ", {peer} {}", count(of(peer)?));
        if !misses.iter().any(|miss| miss.figure == Figure::Instructions) {
            let _ = write!(text, " (hookgate is ahead by {})", ratio(lead));
        }
    }
    if let Some(profile) = &case.profile {
        let shares = profile.shares();
        let shares: Vec<_> =
            shares.iter().map(|(area, part)| format!("{area} {:.0} %", part * 100.0)).collect();
        let _ = write!(text, ": {}", shares.join(", "));
    }
    Some(text + ".")
}

/// What the floor takes of a time that is missed, where it is more than a third.
fn floor(case: &Measured, misses: &[Miss<'_>]) -> Option<String> {
    let (own, floor) = (case.systems.get(HOOKGATE)?, case.systems.get(FLOOR)?);
    let missed = |figure| misses.iter().any(|miss| miss.figure == figure);
    let hot = own.hot.zip(floor.hot).map(|(own, floor)| (own.median, floor.median));
    let times = [
        ("", hot.filter(|_| missed(Figure::Hot))),
        (" cold", own.cold.zip(floor.cold).filter(|_| missed(Figure::Cold))),
    ];
    let mut text = String::new();
    for (caches, times) in times {
        if let Some((own, floor)) = times.filter(|(own, floor)| *floor > own / 3.0) {
            let (own, floor) = (time(own), time(floor));
            let _ = write!(text, " The floor itself takes {floor} of hookgate's {own}{caches}.");
        }
    }
    Some(text)
}

/// How much code runs with evicted caches.
fn code(case: &Measured, misses: &[Miss<'_>]) -> Option<String> {
    let cold = misses.iter().find(|miss| miss.figure == Figure::Cold)?;
    let (own, peer) = (case.code.get(HOOKGATE)?, case.code.get(cold.peer)?);
    Some(format!(
        " A call runs through {own} lines of code of 64 bytes, {} through {peer}.",
        cold.peer
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::report::Figures;

    fn case(name: &str) -> Measured {
        let figures = |count| Figures { instructions: Some(count), ..Figures::default() };
        Measured {
            name: name.to_owned(),
            title: name.to_owned(),
            group: String::new(),
            bar: 1.0,
            cold_bar: 1.0,
            systems: BTreeMap::from([
                (HOOKGATE.to_owned(), figures(200.0)),
                ("CPEX".to_owned(), figures(100.0)),
            ]),
            profile: None,
            code: BTreeMap::new(),
        }
    }

    #[test]
    fn a_case_without_a_reason_is_visible() {
        let (known, invented) = (case("swap_exact_10"), case("invented_1"));
        let text = list(&[(&known, known.behind()), (&invented, invented.behind())]);
        assert!(text.contains("instructions 0.50 of CPEX. 200 instructions, CPEX 100."), "{text}");
        assert_eq!(text.matches(NO_REASON).count(), 1, "{text}");
    }

    #[test]
    fn a_reason_is_told_once() {
        let cases = [case("swap_exact_10"), case("rewrite_1"), case("swap_every_10")];
        let listed: Vec<_> = cases.iter().map(|case| (case, case.behind())).collect();
        let text = list(&listed);
        assert_eq!(text.matches("defect puts each hook into a list").count(), 1, "{text}");
        assert_eq!(text.matches(AS_ABOVE).count(), 1, "{text}");
    }
}
