//! The moment that a run takes for the present.

use std::time::SystemTime;

use jiff::Timestamp;

/// What time it is for a run.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct NowArgs {
    /// Evaluate as if it were this time, such as 2026-12-24T09:00:00+01:00: for `when`, `count`,
    /// marks and `add_date`
    #[arg(long, value_name = "TIME", value_parser = read)]
    pub(crate) now: Option<SystemTime>,
}

/// Reads a time: a date, a time of day and an offset.
///
/// # Errors
/// What is wrong with it, in words.
pub(crate) fn read(text: &str) -> Result<SystemTime, String> {
    let time: Timestamp = text.parse().map_err(|error| {
        format!(
            "{error}; a time is a date, a time of day and an offset: 2026-12-24T09:00:00+01:00, or \
             2026-12-24T08:00:00Z"
        )
    })?;
    Ok(time.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_an_offset() {
        assert_eq!(read("2026-12-24T09:00:00+01:00"), read("2026-12-24T08:00:00Z"));
        for wrong in ["2026-12-24T09:00:00", "2026-12-24", "tomorrow", ""] {
            assert!(read(wrong).unwrap_err().contains("2026-12-24T08:00:00Z"), "{wrong}");
        }
    }
}
