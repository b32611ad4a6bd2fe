//! How the latencies are distributed.

use std::fmt::Write as _;

use super::{close_svg, open_svg, write_text};
use crate::eval::report::rows;
use crate::eval::statistics::percentile;

/// How many bars the histogram has.
const BINS: usize = 30;

/// Returns a histogram of the sorted latencies, with p50 and p95.
pub(in crate::eval::report) fn latency(sorted: &[f64]) -> String {
    let mut out = open_svg(600.0, 190.0, "Latency of one call");
    let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else {
        write_text(&mut out, 300.0, 90.0, "middle", "axis", "nothing was called");
        return close_svg(out);
    };
    let bins = count_bins(sorted, least, most);
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

/// Returns how many values are in each of the bins of the same width.
fn count_bins(sorted: &[f64], least: f64, most: f64) -> [u32; BINS] {
    let width = ((most - least) / BINS as f64).max(f64::MIN_POSITIVE);
    let mut bins = [0_u32; BINS];
    for value in sorted {
        // The largest value belongs into the last bin.
        let bin = (((value - least) / width) as usize).min(BINS - 1);
        if let Some(count) = bins.get_mut(bin) {
            *count += 1;
        }
    }
    bins
}

fn time_label(millis: f64) -> String {
    rows::millis(Some(millis))
}
