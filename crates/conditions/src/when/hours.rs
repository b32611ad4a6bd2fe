//! Windows of a day: `"09:00-17:00"`, `"22:00-06:00"`.

use std::fmt;

use hookgate_contract::quote::Quoted;
use jiff::civil::DateTime;

use super::days::Days;

/// How many minutes a day has on the clock.
const DAY: u16 = 24 * 60;

/// A window of a day in minutes of the wall clock; its end is not a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hours {
    start: u16,
    end: u16,
}

impl Hours {
    /// Reads a window.
    ///
    /// # Errors
    /// What is wrong with it, and what to write.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let meant = "hours are written as \"09:00-17:00\", from 00:00 to 24:00";
        let (start, end) = text
            .split_once('-')
            .ok_or_else(|| format!("`{}` has no end; {meant}", Quoted(text)))?;
        let read = |part: &str| {
            minutes(part.trim())
                .ok_or_else(|| format!("`{}` is not a time of day; {meant}", Quoted(part.trim())))
        };
        let (start, end) = (read(start)?, read(end)?);
        if start == DAY {
            return Err("a window cannot start at 24:00; write 00:00".to_owned());
        }
        if start == end {
            return Err(format!(
                "`{}` starts when it ends; for the whole day write \"00:00-24:00\" or leave `hours` out",
                Quoted(text)
            ));
        }
        Ok(Self { start, end })
    }

    /// Tells whether a moment is in the window of one of these days. A window over midnight belongs to
    /// the day on which it starts.
    pub(crate) fn covers(self, days: Days, local: DateTime) -> bool {
        let now = minute_of(local);
        let today = days.contains(local.weekday());
        if self.start < self.end {
            return today && (self.start..self.end).contains(&now);
        }
        let yesterday = days.contains(local.weekday().previous());
        (today && now >= self.start) || (yesterday && now < self.end)
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, end } = self;
        write!(f, "{:02}:{:02}-{:02}:{:02}", start / 60, start % 60, end / 60, end % 60)
    }
}

fn minute_of(local: DateTime) -> u16 {
    u16::from(local.hour().unsigned_abs()) * 60 + u16::from(local.minute().unsigned_abs())
}

/// Reads `HH:MM`, at most 24:00.
fn minutes(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let number = |part: &str, digits: std::ops::RangeInclusive<usize>| {
        let plain = digits.contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| part.parse::<u16>().ok()).flatten()
    };
    let (hour, minute) = (number(hour, 1..=2)?, number(minute, 2..=2)?);
    let all = hour * 60 + minute;
    (minute < 60 && all <= DAY).then_some(all)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_end_is_not_a_part() {
        let hours = Hours::parse("09:00-17:00").unwrap();
        let monday = date(2026, 11, 23);
        for (hour, minute, holds) in [(8, 59, false), (9, 0, true), (16, 59, true), (17, 0, false)]
        {
            assert_eq!(hours.covers(Days::ALL, monday.at(hour, minute, 59, 0)), holds);
        }
    }

    #[test]
    fn a_window_over_midnight_belongs_to_the_day_of_its_start() {
        let (hours, friday) = (Hours::parse("22:00-06:00").unwrap(), Days::parse("fri").unwrap());
        let at = |day, hour| hours.covers(friday, date(2026, 11, day).at(hour, 0, 0, 0));
        assert!(at(20, 22) && at(21, 5), "friday evening, and saturday before six");
        assert!(!at(20, 5) && !at(21, 22) && !at(21, 6));
    }

    #[test]
    fn what_is_no_window_is_an_error() {
        for bad in [
            "9-17",
            "09:00",
            "09:00-25:00",
            "09:60-10:00",
            "24:00-06:00",
            "09:00-09:00",
            "",
            "-",
            "09:00-17:00-18:00",
            "+9:00-17:00",
            "9am-5pm",
        ] {
            assert!(Hours::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Hours::parse("9:00 - 24:00").unwrap().to_string(), "09:00-24:00");
    }
}
