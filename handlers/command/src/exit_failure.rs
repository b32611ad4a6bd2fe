//! The failure of a program that ended badly, in words that help to mend it.
//!
//! A plain program and a worker use the same: what happened, what it mostly means, and the last lines
//! of stderr. A traceback has its cause at the end, so the last lines are quoted, not the first.

use hookgate_contract::{Failure, FailureClass};
use hookgate_secrets::Secrets;

use crate::run::{ProgramExit, shim_failure};

/// How many characters of stderr a failure quotes.
const LONGEST_QUOTE: usize = 200;

/// Returns the failure of `what` (the program, the worker), which ended so and wrote this to stderr.
///
/// The class is `exit` or `signal`; if the shim has not started the program, `spawn` or `untrusted`.
pub(crate) fn exit_failure(
    what: &str,
    exit: ProgramExit,
    stderr: &str,
    secrets: &Secrets,
) -> Failure {
    // Before anything is cut or joined: a secret in pieces could not be recognised.
    let stderr = &secrets.hide(stderr);
    match exit {
        ProgramExit::Status(code) => shim_failure(code, stderr).unwrap_or_else(|| {
            Failure::new(FailureClass::Exit, with_quote(describe_status(what, code), stderr))
        }),
        ProgramExit::Signal(signal) => Failure::new(
            FailureClass::Signal,
            with_quote(
                format!("{what} was killed by signal {signal}{}", signal_hint(signal)),
                stderr,
            ),
        ),
        ProgramExit::Unknown => Failure::new(
            FailureClass::Exit,
            format!("the end of {what} was not seen: other code in the host reaps its children"),
        ),
    }
}

/// Describes an exit status, with what it means by convention of shells.
fn describe_status(what: &str, code: i32) -> String {
    match code {
        // A server says what it says in its answers, however it ends.
        1 if what != "the server" => {
            "exit status 1 (a failure: to deny, exit 2 or print a verdict)".to_owned()
        }
        126 => "exit status 126 (found, but not executable: `chmod +x` it)".to_owned(),
        127 => "exit status 127 (command not found: is it in PATH?)".to_owned(),
        129..=192 => {
            let signal = code - 128;
            format!(
                "exit status {code} (a program in it was killed by signal {signal}{})",
                signal_hint(signal)
            )
        }
        _ => format!("exit status {code}"),
    }
}

/// Returns what a signal mostly means, to be put behind its number.
const fn signal_hint(signal: i32) -> &'static str {
    match signal {
        6 => ", abort",
        9 => ", perhaps for want of memory",
        11 => ", a crash",
        24 => ", over limits.cpu",
        25 => ", over a limit of file sizes",
        31 => ", a forbidden system call",
        _ => "",
    }
}

/// Adds the last lines of stderr, as many as fit.
fn with_quote(mut detail: String, stderr: &str) -> String {
    let mut lines = Vec::new();
    let mut left = LONGEST_QUOTE;
    for line in stderr.lines().rev().map(str::trim).filter(|line| !line.is_empty()) {
        let length = line.chars().count();
        if length > left {
            // A single line is worth its beginning; any other is left out.
            if lines.is_empty() {
                lines.push(line.chars().take(left).collect());
            }
            break;
        }
        left -= length;
        lines.push(line.to_owned());
    }
    if !lines.is_empty() {
        lines.reverse();
        detail.push_str(": ");
        detail.push_str(&lines.join(" | "));
    }
    detail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_quoted() {
        let quoted = |stderr: &str| with_quote("exit".to_owned(), stderr);
        assert_eq!(quoted(""), "exit");
        assert_eq!(quoted("Traceback\n\n  ValueError: x\n"), "exit: Traceback | ValueError: x");
        assert_eq!(quoted(&format!("{}\nlast", "x".repeat(300))), "exit: last");
        assert_eq!(quoted(&"ü".repeat(300)), format!("exit: {}", "ü".repeat(200)));
    }
}
