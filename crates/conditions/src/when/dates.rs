//! The first and the last moment of a window: `from` and `until`.

use std::fmt;

use hookgate_contract::quote::Quoted;
use jiff::civil::{Date, DateTime};

/// A moment on the wall clock, or a whole day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// A day, all of it.
    Day(Date),
    /// A moment.
    Moment(DateTime),
}

impl Bound {
    /// Reads `2026-12-20` or `2026-12-20T18:00`.
    ///
    /// # Errors
    /// What is wrong with it, and what to write.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let meant =
            "write a day such as \"2026-12-20\" or a local time such as \"2026-12-20T18:00\"";
        let wrong = || format!("`{}` is not a date; {meant}", Quoted(text));
        let trimmed = text.trim();
        let plain = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | 'T' | ' ');
        // The parser would take an offset and then ignore it.
        if !trimmed.chars().all(plain) || trimmed.len() > 19 {
            return Err(wrong());
        }
        if trimmed.len() == 10 {
            return trimmed.parse().map(Self::Day).map_err(|_| wrong());
        }
        if trimmed.len() < 16 || trimmed.get(16..).is_some_and(|rest| rest.contains('-')) {
            return Err(wrong());
        }
        trimmed.parse().map(Self::Moment).map_err(|_| wrong())
    }

    /// Tells whether a local time is not before it.
    pub(crate) fn is_reached(self, local: DateTime) -> bool {
        match self {
            Self::Day(day) => local.date() >= day,
            Self::Moment(moment) => local >= moment,
        }
    }

    /// Tells whether a local time is after it. A day is over when the next begins.
    pub(crate) fn is_over(self, local: DateTime) -> bool {
        match self {
            Self::Day(day) => local.date() > day,
            Self::Moment(moment) => local >= moment,
        }
    }

    /// Returns its first moment.
    pub(crate) fn first(self) -> DateTime {
        match self {
            Self::Day(day) => day.to_datetime(jiff::civil::Time::midnight()),
            Self::Moment(moment) => moment,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(f, "{day}"),
            Self::Moment(moment) => write!(f, "{}", moment.strftime("%Y-%m-%d %H:%M")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_local_times_are_read() {
        assert_eq!(Bound::parse("2026-12-20").unwrap().to_string(), "2026-12-20");
        for text in ["2026-12-20T18:00", "2026-12-20 18:00", "2026-12-20T18:00:00"] {
            assert_eq!(Bound::parse(text).unwrap().to_string(), "2026-12-20 18:00");
        }
    }

    #[test]
    fn what_is_no_local_date_is_an_error() {
        for bad in [
            "",
            "2026-13-01",
            "2026-02-29",
            "20.12.2026",
            "2026-12-20T18:00Z",
            "2026-12-20T18:00-05:00",
            "2026-12-20T18:00-05",
            "2026-12-20T25:00",
            "tomorrow",
            "2026-12",
        ] {
            assert!(Bound::parse(bad).is_err(), "{bad}");
        }
    }
}
