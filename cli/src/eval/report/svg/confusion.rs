//! The confusion matrix.

use std::fmt::Write as _;

use super::{close_svg, open_svg, write_text};
use crate::eval::label::Label;
use crate::eval::metrics::Metrics;

/// Returns the confusion matrix as a heat map: the share of each row.
pub(in crate::eval::report) fn confusion(metrics: &Metrics) -> String {
    const CELL: f64 = 96.0;
    let mut out = open_svg(400.0, 250.0, "Confusion matrix: label by outcome");
    for (column, outcome) in Label::ALL.into_iter().enumerate() {
        let x = 110.0 + CELL * (column as f64 + 0.5);
        write_text(&mut out, x, 16.0, "middle", "axis", outcome.name());
    }
    for (row, label) in Label::ALL.into_iter().enumerate() {
        let y = 26.0 + 72.0 * row as f64;
        write_text(&mut out, 100.0, y + 38.0, "end", "axis", &format!("label {}", label.name()));
        let total: u64 =
            Label::ALL.map(|outcome| metrics.confusion_count(label, outcome)).iter().sum();
        for (column, outcome) in Label::ALL.into_iter().enumerate() {
            let count = metrics.confusion_count(label, outcome);
            let share = if total == 0 { 0.0 } else { count as f64 / total as f64 };
            let x = 110.0 + CELL * column as f64;
            let class = if label == outcome { "right" } else { "wrong" };
            let _ = write!(
                out,
                r#"<rect x="{x}" y="{y}" width="{:.0}" height="68" rx="4" class="empty"/><rect x="{x}" y="{y}" width="{:.0}" height="68" rx="4" class="{class}" fill-opacity="{share:.3}"/>"#,
                CELL - 4.0,
                CELL - 4.0,
            );
            let middle = x + (CELL - 4.0) / 2.0;
            write_text(&mut out, middle, y + 34.0, "middle", "count", &count.to_string());
            write_text(
                &mut out,
                middle,
                y + 52.0,
                "middle",
                "axis",
                &format!("{:.0} %", share * 100.0),
            );
        }
    }
    close_svg(out)
}
