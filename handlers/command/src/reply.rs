//! How the exit and the output of a program become a reply (plain mode).
//!
//! | exit | stdout | reply |
//! |---|---|---|
//! | 0 | a verdict | the verdict |
//! | 0 | empty | no opinion, or a failure with `silence = "failure"` |
//! | 0 | anything else | a failure of class `malformed` |
//! | 2 | a verdict with `halt`, where the event allows it | halt, with stderr as the reason |
//! | 2 | anything else | deny, with stderr as the reason |
//! | other, signal | anything | a failure (`exit_failure`) |
//!
//! A failure keeps an ask, deny or halt that is on stdout ([`Failure::with_salvaged`]): a program that
//! says deny and crashes afterwards has still denied.

use hookgate_contract::{Failure, FailureClass, Invocation, Reply, Verdict, VerdictDecision};
use hookgate_secrets::Secrets;

use crate::exit_failure::exit_failure;
use crate::run::{Completed, ProgramExit};
use crate::settings::{ReplyFormat, Silence, StdoutFormat};

/// How many bytes of stderr make a reason.
const LONGEST_REASON: usize = 4 * 1024;

/// Reads the reply of a program that has ended.
///
/// # Errors
/// Of class `malformed`, `exit`, `signal`, `spawn` or `untrusted`.
pub(crate) fn read_reply(
    completed: &Completed,
    format: ReplyFormat,
    invocation: &Invocation<'_>,
    secrets: &Secrets,
) -> Reply {
    let salvaged = match format.stdout {
        StdoutFormat::Verdict => completed.stdout.salvage(),
        StdoutFormat::Context => None,
    };
    match completed.exit {
        ProgramExit::Status(0) => read_stdout(completed, format, salvaged),
        ProgramExit::Status(2) => Ok(denial(completed, invocation, salvaged)),
        exit => {
            let stderr = completed.stderr.lossy_text();
            Err(exit_failure("the program", exit, &stderr, secrets).with_salvaged(salvaged))
        }
    }
}

/// Reads stdout after an exit status of 0.
fn read_stdout(
    completed: &Completed,
    format: ReplyFormat,
    salvaged: Option<VerdictDecision>,
) -> Reply {
    let stdout = completed.stdout.bytes();
    let read = match format.stdout {
        StdoutFormat::Verdict => parse_verdict(stdout),
        StdoutFormat::Context => parse_context(stdout),
    };
    let is_silent = stdout.iter().all(u8::is_ascii_whitespace);
    match read {
        read if completed.is_stdout_held && (is_silent || read.is_err()) => {
            Err(held_stdout(salvaged))
        }
        Ok(_) if is_silent && format.silence == Silence::Failure => Err(Failure::new(
            FailureClass::Malformed,
            "it ended without an answer, and `silence = \"failure\"`: print `{}` for no opinion",
        )),
        read => read,
    }
}

/// Returns the verdict of an exit status of 2.
fn denial(
    completed: &Completed,
    invocation: &Invocation<'_>,
    salvaged: Option<VerdictDecision>,
) -> Verdict {
    let mut reason = completed.stderr.lossy_text();
    if reason.is_empty() {
        reason = format!("denied by `{}`", invocation.hook);
    }
    let halts = salvaged == Some(VerdictDecision::Halt)
        && invocation.contract().allows(VerdictDecision::Halt);
    if halts { Verdict::halt(reason) } else { Verdict::deny(reason) }
}

/// The rest of the answer is not known, so this is not silence.
pub(crate) fn held_stdout(salvaged: Option<VerdictDecision>) -> Failure {
    Failure::new(
        FailureClass::Malformed,
        "the program ended without a whole answer, and something that it started still held its \
         stdout: wait for it, or let it write to stderr",
    )
    .with_salvaged(salvaged)
}

/// Cuts a reason that came from stderr. Secrets must be hidden before: a piece of one could not be
/// recognised.
pub(crate) fn cut_reason(mut verdict: Verdict) -> Verdict {
    if let Some(reason) = verdict.parts_mut().and_then(|parts| parts.reason.as_mut())
        && reason.len() > LONGEST_REASON
    {
        reason.truncate(beginning(reason, LONGEST_REASON).len());
    }
    verdict
}

fn parse_verdict(stdout: &[u8]) -> Reply {
    Verdict::parse(stdout).map_err(|mut failure| {
        failure.detail.to_mut().push_str(": print one verdict to stdout, and all else to stderr");
        failure
    })
}

fn parse_context(stdout: &[u8]) -> Reply {
    let text = str::from_utf8(stdout).map_err(|error| {
        Failure::new(FailureClass::Malformed, format!("stdout is not UTF-8 text: {error}"))
    })?;
    let text = text.trim();
    Ok(if text.is_empty() { Verdict::none() } else { Verdict::none().context(text) })
}

/// Returns the beginning of a text, of at most this many bytes and without half a character.
fn beginning(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_cut_between_characters() {
        assert_eq!(beginning("aüb", 2), "a");
        assert_eq!(beginning("aüb", 3), "aü");
        assert_eq!(beginning("aüb", 9), "aüb");
    }
}
