//! The tables of one heading.

use std::fmt::Write as _;

use crate::report::{FLOOR, Figures, HOOKGATE, Measured, Report};
use crate::turns::RESOLUTION;

/// The cases of one heading.
pub(super) struct Table<'a> {
    pub(super) report: &'a Report,
    pub(super) cases: &'a [&'a Measured],
}

impl Table<'_> {
    /// Times with hot caches.
    pub(super) fn times(&self) -> String {
        let cell = |figures: &Figures| {
            let hot = figures.hot?;
            let spread = (hot.high - hot.low) / 2.0;
            let noisy = spread > 0.15 * hot.median && spread > 5.0;
            let noise = if noisy { format!(" ±{}", time(spread)) } else { String::new() };
            Some(time(hot.median) + &noise)
        };
        self.table("hot", cell, Measured::hot_lead)
    }

    /// Times with evicted caches, of the cases that have some.
    pub(super) fn cold(&self) -> String {
        let cases: Vec<_> =
            self.cases.iter().filter(|case| case.cold_lead().is_some()).copied().collect();
        if cases.is_empty() {
            return String::new();
        }
        let table = Table { report: self.report, cases: &cases };
        table.table("cold", |figures| figures.cold.map(time), Measured::cold_lead)
    }

    /// Instructions, and allocations beside them.
    pub(super) fn counts(&self) -> String {
        let counted =
            self.cases.iter().filter(|case| case.systems[HOOKGATE].instructions.is_some());
        let cases: Vec<_> = counted.copied().collect();
        if cases.is_empty() {
            return String::new();
        }
        let cell = |figures: &Figures| {
            let (instructions, allocations) = (figures.instructions?, figures.allocations?);
            Some(format!("{} / {}", count(instructions), count(allocations)))
        };
        let table = Table { report: self.report, cases: &cases };
        table.table("instructions / allocations", cell, Measured::instruction_lead)
    }

    fn table(
        &self,
        what: &str,
        cell: impl Fn(&Figures) -> Option<String>,
        lead: impl Fn(&Measured) -> Option<(f64, &str)>,
    ) -> String {
        let names: Vec<&str> = self.report.systems.iter().map(|(name, _)| name.as_str()).collect();
        let mut text = format!("\n| {what} | {} | {FLOOR} | lead |\n|---|", names.join(" | "));
        let _ = writeln!(text, "{}", "--:|".repeat(names.len() + 2));
        for case in self.cases {
            let _ = write!(text, "| {} |", case.title);
            for name in names.iter().copied().chain([FLOOR]) {
                let cell = case.systems.get(name).and_then(&cell);
                let _ = write!(text, " {} |", cell.unwrap_or_default());
            }
            let lead = lead(case).map(|(lead, peer)| format!("{} ({peer})", ratio(lead)));
            let _ = writeln!(text, " {} |", lead.unwrap_or_default());
        }
        text
    }
}

/// Writes nanoseconds.
pub(super) fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        nothing if nothing < RESOLUTION => "0 ns".to_owned(),
        below if below < 10.0 => format!("{below:.1} ns"),
        below if below < 1e3 => format!("{below:.0} ns"),
        below if below < 1e4 => format!("{:.1} µs", below / 1e3),
        below if below < 1e6 => format!("{:.0} µs", below / 1e3),
        below if below < 1e7 => format!("{:.1} ms", below / 1e6),
        above => format!("{:.0} ms", above / 1e6),
    }
}

/// Writes a quotient.
pub(super) fn ratio(ratio: f64) -> String {
    match ratio {
        below if below < 2.0 => format!("{below:.2}"),
        below if below < 10.0 => format!("{below:.1}"),
        above => count(above),
    }
}

/// Writes a count with thousands.
pub(super) fn count(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value <= -0.5 { format!("-{text}") } else { text }
}
