//! Kappa with its interval.

use std::fmt::Write as _;

use super::{close_svg, open_svg, write_text};
use crate::eval::metrics::Metrics;

/// The bands in which kappa is usually read (Landis and Koch 1977), from their lower end.
const BANDS: [(f64, &str); 5] =
    [(0.0, "slight"), (0.2, "fair"), (0.4, "moderate"), (0.6, "substantial"), (0.8, "almost full")];

/// Returns kappa with its interval, on the scale from -0.2 to 1.
pub(in crate::eval::report) fn kappa(metrics: &Metrics) -> String {
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
    match metrics.kappa {
        Some(kappa) => {
            if let Some((low, high)) = metrics.kappa_interval {
                write_whisker(&mut out, x_of(low), x_of(high));
            }
            let x = x_of(kappa);
            let _ = write!(out, r#"<circle cx="{x:.1}" cy="45" r="6" class="dot"/>"#);
            write_text(&mut out, 300.0, 104.0, "middle", "axis", &format!("kappa {kappa:.2}"));
        }
        None => write_text(&mut out, 300.0, 104.0, "middle", "axis", "kappa is not defined here"),
    }
    close_svg(out)
}

/// Draws an interval with a bar at each end.
fn write_whisker(out: &mut String, low: f64, high: f64) {
    let _ = write!(out, r#"<line x1="{low:.1}" y1="45" x2="{high:.1}" y2="45" class="whisker"/>"#);
    for x in [low, high] {
        let _ = write!(out, r#"<line x1="{x:.1}" y1="38" x2="{x:.1}" y2="52" class="whisker"/>"#);
    }
}
