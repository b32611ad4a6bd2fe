//! Small phrases of messages and tables.

use std::fmt::Display;
use std::time::Duration;

/// Returns a duration as a person writes it: `1m 30s`.
pub(crate) fn duration(duration: Duration) -> String {
    humantime::format_duration(duration).to_string()
}

/// Returns a number with its noun: `1 hook`, `2 hooks`.
pub(crate) fn count(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_reads_as_it_is_written_in_a_config() {
        for text in ["17s", "1m 30s", "1s 500ms", "12us"] {
            assert_eq!(duration(humantime::parse_duration(text).unwrap()), text);
        }
    }

    #[test]
    fn only_one_thing_has_no_plural() {
        assert_eq!([count(0, "hook"), count(1, "hook")], ["0 hooks", "1 hook"]);
    }
}
