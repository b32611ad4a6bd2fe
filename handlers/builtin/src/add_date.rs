//! `add_date`: what day it is, for a model that cannot know.

use hookgate_contract::BuildContext;
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuiltHandler, Failure, FailureClass, Invocation, Reply, Role, SyncHandler, Verdict,
};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use jiff::{Error, Timestamp};

use crate::add_context::takes_context;

/// `Today is 2026-11-21 (Saturday).`
const FORMAT: &str = "Today is %Y-%m-%d (%A).";

/// Builds the handler.
pub(crate) fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    build_at(settings, Timestamp::now)
}

/// Builds a handler for which it is always 1970-01-01.
pub(crate) fn build_timeless(
    settings: &mut Settings<'_>,
    _: &BuildContext<'_>,
) -> Option<BuiltHandler> {
    build_at(settings, || Timestamp::UNIX_EPOCH)
}

fn build_at(settings: &mut Settings<'_>, now: fn() -> Timestamp) -> Option<BuiltHandler> {
    let zone = match settings.text("time_zone").map(TimeZone::get) {
        // A container without time zone data is in UTC.
        None => Some(TimeZone::try_system().unwrap_or(TimeZone::UTC)),
        Some(Ok(zone)) => Some(zone),
        Some(Err(error)) => {
            settings.invalid("time_zone", format!("no zone such as `Europe/Berlin`: {error}"));
            None
        }
    };
    let format = settings.text("format").unwrap_or(FORMAT).to_owned();
    let date = AddDate { zone: zone?, format, now };
    if let Err(error) = date.text(Timestamp::UNIX_EPOCH) {
        settings.invalid("format", format!("no format such as `%Y-%m-%d`: {error}"));
        return None;
    }
    Some(BuiltHandler::from_sync(date).role(Role::Guard).supports(takes_context))
}

struct AddDate {
    zone: TimeZone,
    format: String,
    now: fn() -> Timestamp,
}

impl AddDate {
    fn text(&self, now: Timestamp) -> Result<String, Error> {
        strtime::format(&self.format, &now.to_zoned(self.zone.clone()))
    }
}

impl SyncHandler for AddDate {
    fn handle(&self, _: Invocation<'_>) -> Reply {
        let text = self.text((self.now)()).map_err(|error| {
            Failure::new(FailureClass::Malformed, format!("the date cannot be written: {error}"))
        })?;
        Ok(Verdict::none().context(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_is_that_of_the_zone() {
        let evening: Timestamp = "2026-11-20T23:30:00Z".parse().unwrap();
        let date = |zone: &str| AddDate {
            zone: TimeZone::get(zone).unwrap(),
            format: FORMAT.to_owned(),
            now: Timestamp::now,
        };
        assert_eq!(date("UTC").text(evening).unwrap(), "Today is 2026-11-20 (Friday).");
        assert_eq!(date("Europe/Berlin").text(evening).unwrap(), "Today is 2026-11-21 (Saturday).");
    }
}
