//! The time zone in which a window is meant.

use hookgate_contract::quote::Quoted;
use hookgate_contract::suggest::Suggestion;
use jiff::tz::{TimeZone, db};

/// A time zone: named in the config, or that of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Zone {
    /// One that the config names.
    Named(TimeZone),
    /// That of the machine, looked up at each step: a laptop travels.
    Machine,
}

impl Zone {
    /// Finds a zone by its IANA name.
    ///
    /// # Errors
    /// There is no such zone; the error names the nearest.
    pub(crate) fn parse(name: &str) -> Result<Self, String> {
        db().get(name).map(Self::Named).map_err(|_| {
            let known: Vec<String> = db().available().map(|zone| zone.to_string()).collect();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            // "Berlin" is meant as the city of a zone.
            let city = known.iter().find(|zone| {
                let city = zone.rsplit('/').next().unwrap_or_default();
                city.eq_ignore_ascii_case(name) || city.replace('_', " ").eq_ignore_ascii_case(name)
            });
            let hint = match city {
                Some(zone) => format!("; did you mean `{zone}`?"),
                None => Suggestion::nearest(name, &known).to_string(),
            };
            format!(
                "`{}` is not a time zone{hint}; write a name such as \"Europe/Berlin\" or \"UTC\"",
                Quoted(name)
            )
        })
    }

    /// Returns the zone and what to call it.
    pub(crate) fn resolve(&self) -> (TimeZone, String) {
        match self {
            Self::Named(zone) => (zone.clone(), zone.iana_name().unwrap_or("UTC").to_owned()),
            Self::Machine => match TimeZone::try_system() {
                Ok(zone) => {
                    let name = zone.iana_name().map_or_else(
                        || "the zone of this machine".to_owned(),
                        |name| format!("{name}, the zone of this machine"),
                    );
                    (zone, name)
                }
                // As other programs do where no zone is set.
                Err(_) => (TimeZone::UTC, "UTC, since this machine has no zone".to_owned()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_that_does_not_exist_is_named_with_its_neighbour() {
        let wrong = |name: &str| Zone::parse(name).unwrap_err();
        assert!(wrong("Europe/Berln").contains("did you mean `Europe/Berlin`?"));
        assert!(wrong("berlin").contains("did you mean `Europe/Berlin`?"));
        assert!(wrong("New York").contains("did you mean `America/New_York`?"));
        assert!(wrong("+02:00").contains("write a name such as"));
        assert!(Zone::parse("UTC").is_ok());
    }
}
