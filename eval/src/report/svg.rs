//! The plots, drawn into the page as SVG: no script, no font, no network.
//!
//! A plot has a fixed width and height in its own coordinates; the page scales it. Colours are
//! classes of the page's style sheet, so that they follow the light or dark theme of the reader.
//! Nothing that comes from steps or models is written here, only numbers and the names of labels.

use std::fmt::Write as _;

use super::rows;
use crate::label::Label;
use crate::metrics::Metrics;
use crate::percentile;

/// Returns the confusion matrix as a heat map: the share of each row.
pub(super) fn confusion(metrics: &Metrics) -> String {
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

/// The bands in which kappa is usually read (Landis and Koch 1977), from their lower end.
const BANDS: [(f64, &str); 5] =
    [(0.0, "slight"), (0.2, "fair"), (0.4, "moderate"), (0.6, "substantial"), (0.8, "almost full")];

/// Returns kappa with its interval, on the scale from -0.2 to 1.
pub(super) fn kappa(metrics: &Metrics) -> String {
    const LOW: f64 = -0.2;
    let x_of = |value: f64| 20.0 + (value.clamp(LOW, 1.0) - LOW) / (1.0 - LOW) * 560.0;
    let mut out = open_svg(600.0, 110.0, "Cohen's kappa with its 95 % interval");
    for (index, (from, name)) in BANDS.into_iter().enumerate() {
        let (left, right) = (x_of(from), x_of(from + 0.2));
        let _ = write!(
            out,
            r#"<rect x="{left:.1}" y="24" width="{:.1}" height="42" class="band{}"/>"#,
            right - left,
            index % 2
        );
        write_text(&mut out, (left + right) / 2.0, 16.0, "middle", "small", name);
    }
    for tenth in [-2, 0, 2, 4, 6, 8, 10] {
        let value = f64::from(tenth) / 10.0;
        write_text(&mut out, x_of(value), 84.0, "middle", "small", &format!("{value:.1}"));
    }
    match (metrics.kappa, metrics.kappa_interval) {
        (Some(kappa), interval) => {
            if let Some((low, high)) = interval {
                let _ = write!(
                    out,
                    r#"<line x1="{:.1}" y1="45" x2="{:.1}" y2="45" class="whisker"/>"#,
                    x_of(low),
                    x_of(high)
                );
                for end in [low, high] {
                    let x = x_of(end);
                    let _ = write!(
                        out,
                        r#"<line x1="{x:.1}" y1="38" x2="{x:.1}" y2="52" class="whisker"/>"#
                    );
                }
            }
            let _ = write!(out, r#"<circle cx="{:.1}" cy="45" r="6" class="dot"/>"#, x_of(kappa));
            write_text(&mut out, 300.0, 104.0, "middle", "axis", &format!("kappa {kappa:.2}"));
        }
        (None, _) => {
            write_text(&mut out, 300.0, 104.0, "middle", "axis", "kappa is not defined here")
        }
    }
    close_svg(out)
}

/// Returns a histogram of the sorted latencies, with p50 and p95.
pub(super) fn latency(sorted: &[f64]) -> String {
    const BINS: usize = 30;
    let mut out = open_svg(600.0, 190.0, "Latency of one call");
    let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else {
        write_text(&mut out, 300.0, 90.0, "middle", "axis", "nothing was called");
        return close_svg(out);
    };
    let width = ((most - least) / BINS as f64).max(f64::MIN_POSITIVE);
    let mut bins = [0_u32; BINS];
    for value in sorted {
        // The largest value belongs into the last bin.
        let bin = (((value - least) / width) as usize).min(BINS - 1);
        if let Some(count) = bins.get_mut(bin) {
            *count += 1;
        }
    }
    let highest = bins.iter().copied().max().unwrap_or(1).max(1);
    let bar = 560.0 / BINS as f64;
    for (index, count) in bins.into_iter().enumerate() {
        let height = f64::from(count) / f64::from(highest) * 110.0;
        let _ = write!(
            out,
            r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{height:.1}" class="bar"/>"#,
            20.0 + bar * index as f64,
            150.0 - height,
            bar - 1.0
        );
    }
    let x_of = |value: f64| {
        20.0 + if most > least { (value - least) / (most - least) * 560.0 } else { 0.0 }
    };
    for (name, percent, y) in [("p50", 50.0, 14.0), ("p95", 95.0, 28.0)] {
        let Some(value) = percentile(sorted, percent) else { continue };
        let x = x_of(value);
        let _ = write!(out, r#"<line x1="{x:.1}" y1="{y}" x2="{x:.1}" y2="150" class="mark"/>"#);
        let (anchor, x) = if x > 470.0 { ("end", x - 4.0) } else { ("start", x + 4.0) };
        write_text(&mut out, x, y, anchor, "axis", &format!("{name} {}", time_label(value)));
    }
    write_text(&mut out, 20.0, 170.0, "start", "small", &time_label(least));
    write_text(&mut out, 580.0, 170.0, "end", "small", &time_label(most));
    let calls = format!("{} calls", sorted.len());
    write_text(&mut out, 300.0, 184.0, "middle", "small", &calls);
    close_svg(out)
}

fn time_label(millis: f64) -> String {
    rows::millis(Some(millis))
}

fn open_svg(width: f64, height: f64, title: &str) -> String {
    format!(
        r#"<svg viewBox="0 0 {width} {height}" role="img" xmlns="http://www.w3.org/2000/svg"><title>{title}</title>"#
    )
}

fn close_svg(mut out: String) -> String {
    out.push_str("</svg>");
    out
}

fn write_text(out: &mut String, x: f64, y: f64, anchor: &str, class: &str, text: &str) {
    // Writing to a string does not fail.
    let _ = write!(
        out,
        r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" class="{class}">{text}</text>"#
    );
}
