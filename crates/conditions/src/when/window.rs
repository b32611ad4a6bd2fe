//! A window of time, and whether a moment is in it.

use std::time::SystemTime;

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Timestamp, ToSpan as _, Zoned};

use super::dates::Bound;
use super::days::{Days, short_name};
use super::hours::Hours;
use super::zone::Zone;

/// From how many years on a beginning is rather a mistake.
const FAR_YEARS: i64 = 5;

/// A window of time. What is not given does not restrict it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) days: Option<Days>,
    pub(crate) hours: Vec<Hours>,
    pub(crate) zone: Zone,
    pub(crate) from: Option<Bound>,
    pub(crate) until: Option<Bound>,
}

impl Window {
    /// Tells whether a moment is in the window, or `None` if the moment is beyond the calendar.
    pub(crate) fn contains(&self, moment: SystemTime) -> Option<bool> {
        Some(self.covers(self.local(moment)?.0.datetime()))
    }

    /// Says in one sentence where a moment is.
    pub(crate) fn explain(&self, moment: SystemTime) -> String {
        let Some((local, zone)) = self.local(moment) else {
            return "the clock of this machine shows a time that no calendar has".to_owned();
        };
        let now = local.strftime("%Y-%m-%d %H:%M");
        let day = short_name(local.weekday());
        let place = if self.covers(local.datetime()) { "inside of" } else { "outside of" };
        format!("now is {day} {now} ({zone}), {place} {}", self.describe())
    }

    /// Says what the window is.
    fn describe(&self) -> String {
        let days = self.days.map(|days| days.to_string());
        let hours: Vec<String> = self.hours.iter().map(Hours::to_string).collect();
        let hours = (!hours.is_empty()).then(|| hours.join(" and "));
        let from = self.from.map(|from| format!("from {from}"));
        let until = self.until.map(|until| format!("until {until}"));
        [days, hours, from, until].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Says why no moment from this one on is in the window, if that is so.
    pub(crate) fn never_again(&self, now: SystemTime) -> Option<String> {
        let (local, _) = self.local(now)?;
        let (zone, now) = (local.time_zone(), local.datetime());
        if let Some(until) = self.until.filter(|until| until.is_over(now)) {
            return Some(format!("its time is over since {until}, so that it never holds again"));
        }
        self.is_empty(now, zone).or_else(|| self.is_far(now))
    }

    /// Says that no moment of the window comes, as far as it has an end.
    fn is_empty(&self, now: DateTime, zone: &TimeZone) -> Option<String> {
        let until = self.until?;
        let start = self.from.map_or(now, |from| from.first().max(now));
        // Days and hours are the same each week.
        let minutes = (0..9 * 24 * 60).map_while(|minute| start.checked_add(minute.minutes()).ok());
        let mut minutes = minutes.take_while(|moment| !until.is_over(*moment));
        // The clock leaves out an hour when summer begins.
        let is_there = |moment: DateTime| {
            !matches!(zone.to_ambiguous_timestamp(moment).offset(), AmbiguousOffset::Gap { .. })
        };
        let some = minutes.any(|moment| self.covers(moment) && is_there(moment));
        (!some).then(|| format!("no moment until {until} is in {}", self.describe()))
    }

    /// Says that it begins so late that the year is rather a mistake.
    fn is_far(&self, now: DateTime) -> Option<String> {
        let far = now.checked_add(FAR_YEARS.years()).ok()?;
        let from = self.from.filter(|from| from.first() > far)?;
        Some(format!(
            "it begins on {from}, more than {FAR_YEARS} years from now: is the year right?"
        ))
    }

    fn covers(&self, local: DateTime) -> bool {
        let days = self.days.unwrap_or(Days::ALL);
        let begun = self.from.is_none_or(|from| from.is_reached(local));
        let over = self.until.is_some_and(|until| until.is_over(local));
        let in_hours = if self.hours.is_empty() {
            days.contains(local.weekday())
        } else {
            self.hours.iter().any(|hours| hours.covers(days, local))
        };
        begun && !over && in_hours
    }

    fn local(&self, moment: SystemTime) -> Option<(Zoned, String)> {
        let (zone, name) = self.zone.resolve();
        Some((Timestamp::try_from(moment).ok()?.to_zoned(zone), name))
    }
}
