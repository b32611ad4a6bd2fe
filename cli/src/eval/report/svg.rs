//! The plots, drawn into the page as SVG: no script, no font, no network.
//!
//! A plot has a fixed width and height in its own coordinates; the page scales it. Colours are
//! classes of the page's style sheet, so that they follow the light or dark theme of the reader.
//! Nothing that comes from steps or models is written here, only numbers and the names of labels.

mod confusion;
mod kappa;
mod latency;

use std::fmt::Write as _;

pub(super) use confusion::confusion;
pub(super) use kappa::kappa;
pub(super) use latency::latency;

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
