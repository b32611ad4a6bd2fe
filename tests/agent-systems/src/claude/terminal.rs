//! The sequences that a hook may send to the terminal: titles and notifications, nothing else.

/// The commands (OSC) that are let through.
const COMMANDS: [&str; 6] = ["0", "1", "2", "9", "99", "777"];

const BELL: char = '\u{7}';

/// Tells whether a text consists of these sequences only.
///
/// A sequence is the bell, or a command that the bell or `ESC \` ends.
pub(super) fn is_safe(text: &str) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(BELL) {
            rest = after;
            continue;
        }
        let Some(after) = rest.strip_prefix("\u{1b}]").and_then(after_command) else {
            return false;
        };
        rest = after;
    }
    !text.is_empty()
}

/// Returns what follows a command, or `None` if it is none that is let through.
fn after_command(text: &str) -> Option<&str> {
    let end = text.find(['\u{1b}', BELL])?;
    let (command, after) = text.split_at(end);
    let number = command.split(';').next()?;
    let is_plain = !command.contains(|sign: char| sign.is_control());
    let after = after.strip_prefix(BELL).or_else(|| after.strip_prefix("\u{1b}\\"))?;
    (is_plain && COMMANDS.contains(&number)).then_some(after)
}
