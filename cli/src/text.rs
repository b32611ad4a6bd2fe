//! Text out of steps, made fit for a terminal.

use std::fmt::Display;
use std::time::Duration;

use hookgate::contract::quote::is_invisible;

/// The text in one line, at most so many characters long.
///
/// It comes from models and tools: a control character in it could move the cursor and paint over
/// the decision that stands beside it.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let mut out = String::new();
    for (index, c) in visible(text).enumerate() {
        if index == most {
            out.pop();
            out.push('…');
            break;
        }
        out.push(c);
    }
    out
}

/// The whole text in one line.
pub(crate) fn line(text: &str) -> String {
    visible(text).collect()
}

/// The text without control characters; line ends and runs of blanks become one blank.
pub(crate) fn visible(text: &str) -> impl Iterator<Item = char> {
    let mut blank = false;
    text.trim().chars().filter_map(move |c| {
        if c.is_whitespace() {
            return (!std::mem::replace(&mut blank, true)).then_some(' ');
        }
        blank = false;
        Some(if c.is_control() || is_invisible(c) { '\u{fffd}' } else { c })
    })
}

/// A duration as a person writes it.
pub(crate) fn duration(duration: Duration) -> String {
    let millis = duration.as_millis();
    if millis >= 1000 && millis.is_multiple_of(1000) {
        format!("{}s", millis / 1000)
    } else if millis > 0 {
        format!("{millis}ms")
    } else {
        format!("{}µs", duration.as_micros())
    }
}

/// A count with its noun.
pub(crate) fn count(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(one_line("a\x1b[2Jb\u{202e}c\r\n  d", 80), "a\u{fffd}[2Jb\u{fffd}c d");
    }

    #[test]
    fn a_long_line_is_cut() {
        assert_eq!(one_line("äöüß", 4), "äöüß");
        assert_eq!(one_line("äöüß!", 4), "äöü…");
    }

    #[test]
    fn durations() {
        assert_eq!(duration(Duration::from_secs(60)), "60s");
        assert_eq!(duration(Duration::from_millis(1500)), "1500ms");
        assert_eq!(duration(Duration::from_micros(12)), "12µs");
    }
}
