//! The time that a hook has, in seconds.

use super::event::Event;

/// The default.
const DEFAULT: u64 = 600;

/// The default and the most where the agent is about to go.
const HURRIED: (u64, u64) = (1, 3);

/// Returns the time limit of a hook. Zero becomes one.
pub(super) fn seconds(event: Option<Event>, own: Option<u64>) -> u64 {
    if event.is_some_and(Event::is_hurried) {
        let (default, most) = HURRIED;
        return own.unwrap_or(default).clamp(1, most);
    }
    own.unwrap_or(DEFAULT).max(1)
}

#[cfg(test)]
mod tests {
    use super::{Event, seconds};

    #[test]
    fn limits_have_a_default_and_bounds() {
        let cases = [
            (Event::PreToolUse, None, 600),
            (Event::PreToolUse, Some(0), 1),
            (Event::PreToolUse, Some(7_200), 7_200),
            (Event::SessionEnd, None, 1),
            (Event::SessionEnd, Some(0), 1),
            (Event::SessionEnd, Some(2), 2),
            (Event::Interrupt, Some(60), 3),
        ];
        for (event, own, expected) in cases {
            assert_eq!(seconds(Some(event), own), expected, "{event:?} {own:?}");
        }
    }
}
