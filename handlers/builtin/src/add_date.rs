//! `add_date`: what day it is, for a model that cannot know.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use hookgate_contract::settings::Settings;
use hookgate_contract::system;
use hookgate_contract::{
    BuildContext, BuiltHandler, Failure, FailureClass, Invocation, Reply, Role, SyncHandler,
    Verdict,
};
use jiff::Timestamp;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::error::BuiltinError;
use crate::host::{Clock, Host, NO_CLOCK};
use crate::supports::takes_context;

/// `Today is 2026-11-21 (Saturday).`
const FORMAT: &str = "Today is %Y-%m-%d (%A).";

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "add_date",
    role: Role::Guard,
    about: "adds today's date for the model",
    supports: Some(takes_context),
    settings: &[
        SettingDoc::optional(
            "time_zone",
            SettingType::Text,
            "an IANA name; the zone of the system by default, UTC if it has none",
        ),
        SettingDoc::optional("format", SettingType::Text, "as for `strftime`")
            .default(r#""Today is %Y-%m-%d (%A).""#),
    ],
    example: r#"[[hook]]
id = "date"
event = "session_start"
builtin = { name = "add_date", time_zone = "Europe/Berlin" }
"#,
    build: Build::WithHost(build),
};

/// Adds today's date for the model.
///
/// A model knows the date of its training. With this hook at `session_start` or
/// `user_prompt_submit` it can tell "last week" from "next week".
///
/// ```toml
/// [[hook]]
/// id = "date"
/// event = "session_start"
/// builtin = { name = "add_date", time_zone = "Europe/Berlin" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `time_zone` | string | an IANA name; the zone of the system by default, UTC if it has none |
/// | `format` | string | as for `strftime`; `Today is %Y-%m-%d (%A).` by default |
///
/// It answers with `context` and without a decision, at events that take context; it is refused at
/// the others. The format is tried when the handler is made; should it fail for a later date all the
/// same, the hook fails with the class `malformed`.
///
/// ```
/// use hookgate_builtin::{AddDate, BuiltinError};
/// use hookgate_contract::BuiltHandler;
///
/// let built = BuiltHandler::from(AddDate::new().time_zone("UTC")?.format("It is %d %B %Y.")?);
/// # drop(built);
/// let unknown = AddDate::new().time_zone("Mars/Olympus").unwrap_err();
/// assert!(matches!(unknown, BuiltinError::TimeZone(_)));
/// # Ok::<(), BuiltinError>(())
/// ```
pub struct AddDate {
    /// `None` is that of the system. It is looked up when a date is written, since that reads a folder of
    /// some hundred files; jiff keeps the answer.
    zone: Option<TimeZone>,
    format: String,
    /// What time it is; that of the machine if it is not given.
    clock: Option<Clock>,
}

impl Default for AddDate {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for AddDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("AddDate");
        debug.field("zone", &self.zone).field("format", &self.format).finish_non_exhaustive()
    }
}

impl AddDate {
    /// Creates a handler with the time zone of the system and the default format.
    #[must_use]
    pub fn new() -> Self {
        Self { zone: None, format: FORMAT.to_owned(), clock: None }
    }

    /// Sets the time zone by its IANA name, such as `Europe/Berlin`.
    ///
    /// # Errors
    /// [`BuiltinError::TimeZone`] if the time zone database has no such name.
    pub fn time_zone(self, name: &str) -> Result<Self, BuiltinError> {
        let zone =
            TimeZone::get(name).map_err(|error| BuiltinError::TimeZone(error.to_string()))?;
        Ok(Self { zone: Some(zone), ..self })
    }

    /// Sets the format, with the conversions of `strftime`.
    ///
    /// # Errors
    /// [`BuiltinError::DateFormat`] if it has an unknown conversion.
    pub fn format(self, format: &str) -> Result<Self, BuiltinError> {
        let date = Self { format: format.to_owned(), ..self };
        // Whether a conversion is known does not depend on the zone.
        match date.text_in(TimeZone::UTC, Timestamp::UNIX_EPOCH) {
            Ok(_) => Ok(date),
            Err(error) => Err(BuiltinError::DateFormat(error.to_string())),
        }
    }

    fn text_at(&self, now: Timestamp) -> Result<String, jiff::Error> {
        // A container without time zone data is in UTC.
        let system = || TimeZone::try_system().unwrap_or(TimeZone::UTC);
        self.text_in(self.zone.clone().unwrap_or_else(system), now)
    }

    fn text_in(&self, zone: TimeZone, now: Timestamp) -> Result<String, jiff::Error> {
        strtime::format(&self.format, &now.to_zoned(zone))
    }
}

impl SyncHandler for AddDate {
    fn handle(&self, _: Invocation<'_>) -> Reply {
        let now = match &self.clock {
            None => system::now().ok_or_else(|| Failure::new(FailureClass::Spawn, NO_CLOCK))?,
            Some(clock) => clock(),
        };
        // A time that no calendar has is the last that there is.
        let now = Timestamp::try_from(now).unwrap_or(Timestamp::MAX);
        let text = self.text_at(now).map_err(|error| {
            Failure::new(FailureClass::Malformed, format!("the date cannot be written: {error}"))
        })?;
        Ok(Verdict::none().context(text))
    }
}

impl From<AddDate> for BuiltHandler {
    fn from(handler: AddDate) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(takes_context)
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>, host: &Host) -> Option<BuiltHandler> {
    build_with_clock(settings, host.clock.clone())
}

/// Builds a handler for which it is always 1970-01-01.
pub(crate) fn build_timeless(
    settings: &mut Settings<'_>,
    _: &BuildContext<'_>,
) -> Option<BuiltHandler> {
    build_with_clock(settings, Some(Arc::new(|| SystemTime::UNIX_EPOCH)))
}

fn build_with_clock(settings: &mut Settings<'_>, clock: Option<Clock>) -> Option<BuiltHandler> {
    let zone = settings.text("time_zone");
    let format = settings.text("format").unwrap_or(FORMAT);
    let mut date = AddDate { clock, ..AddDate::new() };
    if let Some(zone) = zone {
        let changed = date.time_zone(zone);
        date = changed.map_err(|error| settings.invalid("time_zone", error.to_string())).ok()?;
    }
    let date = date.format(format);
    Some(date.map_err(|error| settings.invalid("format", error.to_string())).ok()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_is_that_of_the_zone() {
        let evening: Timestamp = "2026-11-20T23:30:00Z".parse().unwrap();
        let text = |zone| AddDate::new().time_zone(zone).unwrap().text_at(evening).unwrap();
        assert_eq!(text("UTC"), "Today is 2026-11-20 (Friday).");
        assert_eq!(text("Europe/Berlin"), "Today is 2026-11-21 (Saturday).");
    }
}
