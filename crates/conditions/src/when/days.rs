//! Days of the week: `"mon"`, `"mon-fri"`, `"fri-mon"`.

use std::fmt;

use hookgate_contract::quote::Quoted;
use hookgate_contract::suggest::Suggestion;
use jiff::civil::Weekday;

/// The days, each with its short and its long name.
const NAMES: [(Weekday, &str, &str); 7] = [
    (Weekday::Monday, "mon", "monday"),
    (Weekday::Tuesday, "tue", "tuesday"),
    (Weekday::Wednesday, "wed", "wednesday"),
    (Weekday::Thursday, "thu", "thursday"),
    (Weekday::Friday, "fri", "friday"),
    (Weekday::Saturday, "sat", "saturday"),
    (Weekday::Sunday, "sun", "sunday"),
];

/// Returns the short name of a day.
pub(crate) fn short_name(day: Weekday) -> &'static str {
    NAMES.iter().find(|(known, ..)| *known == day).map_or("?", |(_, short, _)| short)
}

/// A set of days, one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Days(u8);

impl Days {
    /// Every day.
    pub(crate) const ALL: Self = Self(0b111_1111);

    /// Tells whether a day is one of them.
    pub(crate) fn contains(self, day: Weekday) -> bool {
        self.0 & bit(day) != 0
    }

    /// Returns the days of both.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Reads a day or a range of days. The range may go over Sunday.
    ///
    /// # Errors
    /// What is wrong with it, and what to write.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (day(first, text)?, day(last, text)?);
        let mut days = Self(bit(last));
        let mut each = first;
        while each != last {
            days = days.and(Self(bit(each)));
            each = each.next();
        }
        Ok(days)
    }
}

impl fmt::Display for Days {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            NAMES.iter().filter(|(day, ..)| self.contains(*day)).map(|(_, short, _)| *short);
        f.write_str(&names.collect::<Vec<_>>().join(", "))
    }
}

fn bit(day: Weekday) -> u8 {
    1 << day.to_monday_zero_offset()
}

fn day(name: &str, whole: &str) -> Result<Weekday, String> {
    let lower = name.trim().to_lowercase();
    let found = NAMES.iter().find(|(_, short, long)| lower == *short || lower == *long);
    found.map(|(day, ..)| *day).ok_or_else(|| {
        let all = NAMES.iter().flat_map(|(_, short, long)| [*short, *long]);
        let near = Suggestion::nearest(&lower, &all.collect::<Vec<_>>());
        let hint = if near.as_deref().is_some() { near.to_string() } else { String::new() };
        let which = if name == whole { String::new() } else { format!(" in `{}`", Quoted(whole)) };
        format!(
            "`{}`{which} is not a day{hint}; days are mon, tue, wed, thu, fri, sat, sun, and ranges such as \"mon-fri\"",
            Quoted(name),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_may_go_over_sunday() {
        assert_eq!(Days::parse("fri-mon").unwrap().to_string(), "mon, fri, sat, sun");
        assert_eq!(Days::parse("Mon").unwrap().to_string(), "mon");
        assert_eq!(Days::parse("monday-SUNDAY").unwrap(), Days::ALL);
    }

    #[test]
    fn a_day_that_does_not_exist_is_named() {
        let wrong = Days::parse("mon-fry").unwrap_err();
        assert!(
            wrong.starts_with("`fry` in `mon-fry` is not a day; did you mean `fri`?"),
            "{wrong}"
        );
        assert!(Days::parse("").is_err() && Days::parse("mon-tue-wed").is_err());
    }
}
