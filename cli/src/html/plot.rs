//! The plots, drawn as SVG: no script, no font, no network.
//!
//! A plot has a fixed width in its own coordinates; the page scales it. Colours are classes of the style sheet. Each
//! number is written beside what it is drawn as, so that a plot says the same without colours.

use std::fmt::Write as _;

use hookgate::contract::visible;
use minijinja::HtmlEscape;

use super::view::Plot;

/// How wide a plot is.
const WIDTH: f64 = 460.0;

/// How high a row is.
const ROW: f64 = 22.0;

/// Where bars begin: to the left are the names.
const LEFT: f64 = 150.0;

/// How much room there is to the right of bars, for numbers.
const RIGHT: f64 = 124.0;

/// How many characters of a name are shown.
const NAME: usize = 22;

/// How many rows a plot has at most.
const ROWS: usize = 14;

/// A name with a value that half of all do not exceed, and one that most do not.
#[derive(Debug)]
pub(crate) struct Span {
    pub(crate) name: String,
    pub(crate) half: u64,
    pub(crate) most: u64,
}

/// Draws one number for each name; the greatest come first. `None` if all are 0.
pub(crate) fn bars(title: &'static str, numbers: &[(String, u64)]) -> Option<Plot> {
    let mut rows: Vec<&(String, u64)> = numbers.iter().filter(|(_, number)| *number > 0).collect();
    rows.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    rows.truncate(ROWS);
    let most = rows.first()?.1 as f64;
    let mut out = open(rows.len(), title);
    for (index, (name, number)) in rows.into_iter().enumerate() {
        let (y, width) = (row(&mut out, index, name), *number as f64 / most * room());
        rect(&mut out, LEFT, y, width.max(1.0), "bar");
        text(&mut out, LEFT + width + 6.0, y + 12.0, "start", &number.to_string());
    }
    Some(close(title, out))
}

/// Draws spans, those that take longest first, each as far as a logarithm says. `None` if there is none.
pub(crate) fn spans(
    title: &'static str,
    mut spans: Vec<Span>,
    label: fn(u64) -> String,
) -> Option<Plot> {
    spans.retain(|span| span.most > 0);
    spans.sort_by_key(|span| std::cmp::Reverse(span.most));
    spans.truncate(ROWS);
    let most = spans.first()?.most as f64;
    let place = |value: u64| (1.0 + value as f64).ln() / (1.0 + most).ln() * room();
    let mut out = open(spans.len(), title);
    for (index, span) in spans.iter().enumerate() {
        let y = row(&mut out, index, &span.name);
        rect(&mut out, LEFT, y, place(span.most).max(2.0), "faint");
        rect(&mut out, LEFT, y, place(span.half).max(1.0), "bar");
        let numbers = format!("{} · {}", label(span.half), label(span.most));
        text(&mut out, WIDTH, y + 12.0, "end", &numbers);
    }
    Some(close(title, out))
}

/// Draws numbers over time, from a first label to a last. `None` if all are 0.
pub(crate) fn over_time(
    title: &'static str,
    numbers: &[u64],
    first: &str,
    last: &str,
) -> Option<Plot> {
    let most = numbers.iter().copied().max().filter(|most| *most > 0)?;
    let (high, step) = (90.0, WIDTH / numbers.len() as f64);
    let mut out = open(6, title);
    for (index, number) in numbers.iter().enumerate().filter(|(_, number)| **number > 0) {
        let height = (*number as f64 / most as f64 * high).max(1.0);
        let (x, y) = (step * index as f64, 16.0 + high - height);
        let width = step - 2.0;
        let _ = write!(
            out,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" class="bar"/>"#
        );
        let number = number.to_string();
        text(&mut out, x + width / 2.0, y - 3.0, "middle", &number);
    }
    let _ =
        write!(out, r#"<line x1="0" y1="{0}" x2="{WIDTH}" y2="{0}" class="axis"/>"#, 16.0 + high);
    text(&mut out, 0.0, 16.0 + high + 15.0, "start", first);
    text(&mut out, WIDTH, 16.0 + high + 15.0, "end", last);
    Some(close(title, out))
}

fn room() -> f64 {
    WIDTH - LEFT - RIGHT
}

fn open(rows: usize, title: &str) -> String {
    let height = rows as f64 * ROW;
    format!(
        r#"<svg viewBox="0 0 {WIDTH} {height}" role="img" xmlns="http://www.w3.org/2000/svg"><title>{}</title>"#,
        HtmlEscape(title)
    )
}

fn close(title: &'static str, mut svg: String) -> Plot {
    svg.push_str("</svg>");
    Plot { title, svg }
}

/// Writes the name of a row, and returns where its bar begins.
fn row(out: &mut String, index: usize, name: &str) -> f64 {
    let y = index as f64 * ROW + 3.0;
    text(out, LEFT - 8.0, y + 12.0, "end", &visible::line(name, NAME));
    y
}

fn rect(out: &mut String, x: f64, y: f64, width: f64, class: &str) {
    // Writing to a string does not fail, here and below.
    let _ = write!(
        out,
        r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="16" class="{class}"/>"#
    );
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    let text = HtmlEscape(text);
    let _ = write!(out, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_become_markup() {
        let name = "</text><script>1".to_owned();
        let plot = bars("asked", &[(name, 3), ("none".to_owned(), 0)]).unwrap();
        assert!(plot.svg.contains("&lt;script&gt;") && !plot.svg.contains("<script"), "{plot:?}");
        assert_eq!(plot.svg.matches("<rect").count(), 1, "the control");
        assert!(bars("asked", &[]).is_none());
    }
}
