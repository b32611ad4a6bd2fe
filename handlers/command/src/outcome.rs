//! What the end of a program means.

use hookgate_contract::{Failure, FailureClass, Invocation, Reply, Verdict, VerdictDecision};
use hookgate_secrets::Secrets;

use crate::launch::refused_by_shim;
use crate::leader::End;
use crate::process::Finished;

/// How much of stderr makes a reason.
const REASON: usize = 4 * 1024;

/// How many characters of stderr a failure quotes.
const QUOTE: usize = 200;

/// What stdout is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// A verdict.
    Verdict,
    /// Text for the model.
    Context,
}

impl Output {
    /// The names in files.
    pub(crate) const NAMES: &[&str] = &["verdict", "context"];

    /// The output of a name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "verdict" => Some(Self::Verdict),
            "context" => Some(Self::Context),
            _ => None,
        }
    }
}

/// What an exit status of 0 without an answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Silence {
    /// No opinion.
    #[default]
    Abstain,
    /// A failure: the hook always answers.
    Failure,
}

impl Silence {
    /// The names in files.
    pub(crate) const NAMES: &[&str] = &["abstain", "failure"];

    /// The meaning of a name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "abstain" => Some(Self::Abstain),
            "failure" => Some(Self::Failure),
            _ => None,
        }
    }
}

/// How the answer of a program is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) output: Output,
    pub(crate) silence: Silence,
}

/// What a program answered.
pub(crate) fn reply(
    finished: &Finished,
    reading: Reading,
    invocation: &Invocation<'_>,
    secrets: &Secrets,
) -> Reply {
    let stdout = finished.stdout.bytes();
    let stands = match reading.output {
        Output::Verdict => finished.stdout.salvage(),
        Output::Context => None,
    };
    match finished.end {
        End::Exit(0) => {
            let read = match reading.output {
                Output::Verdict => verdict(stdout),
                Output::Context => context(stdout),
            };
            let silent = stdout.iter().all(u8::is_ascii_whitespace);
            match read {
                read if finished.held && (silent || read.is_err()) => Err(held(stands)),
                Ok(_) if silent && reading.silence == Silence::Failure => Err(Failure::new(
                    FailureClass::Malformed,
                    "it ended without an answer, and `silence = \"failure\"`: print `{}` for no \
                     opinion",
                )),
                read => read,
            }
        }
        End::Exit(2) => {
            let said = finished.stderr.text();
            let said =
                if said.is_empty() { format!("denied by `{}`", invocation.hook) } else { said };
            let halts = stands == Some(VerdictDecision::Halt)
                && invocation.contract().allows(VerdictDecision::Halt);
            Ok(if halts { Verdict::halt(said) } else { Verdict::deny(said) })
        }
        end => {
            let stderr = finished.stderr.text();
            Err(failure("the program", end, &stderr, secrets).with_salvaged(stands))
        }
    }
}

/// Nobody knows what was still to be written.
fn held(stands: Option<VerdictDecision>) -> Failure {
    Failure::new(
        FailureClass::Malformed,
        "the program ended without a whole answer, and something that it started still held its \
         stdout: wait for it, or let it write to stderr",
    )
    .with_salvaged(stands)
}

/// Cuts a reason that came from stderr, once nothing in it needs to be hidden any more.
pub(crate) fn cut_reason(mut verdict: Verdict) -> Verdict {
    if let Some(reason) = verdict.parts_mut().and_then(|parts| parts.reason.as_mut())
        && reason.len() > REASON
    {
        reason.truncate(cut(reason, REASON).len());
    }
    verdict
}

/// The failure of `who` that ended so and wrote this to stderr.
pub(crate) fn failure(who: &str, end: End, stderr: &str, secrets: &Secrets) -> Failure {
    // Before anything is cut or joined: of a secret in pieces nothing could be found.
    let stderr = &secrets.hide(stderr);
    match end {
        End::Exit(code) => refused_by_shim(code, stderr)
            .unwrap_or_else(|| Failure::new(FailureClass::Exit, quoting(exit(code), stderr))),
        End::Signal(signal) => Failure::new(
            FailureClass::Signal,
            quoting(format!("{who} was killed by signal {signal}{}", hint(signal)), stderr),
        ),
        End::Unknown => Failure::new(
            FailureClass::Exit,
            format!(
                "the end of {who} was not seen: something else in the host buries its children"
            ),
        ),
    }
}

fn exit(code: i32) -> String {
    match code {
        1 => "exit status 1 (a failure: to deny, exit 2 or print a verdict)".to_owned(),
        126 => "exit status 126 (found, but not executable: `chmod +x` it)".to_owned(),
        127 => "exit status 127 (command not found: is it in PATH?)".to_owned(),
        129..=192 => {
            let signal = code - 128;
            format!(
                "exit status {code} (a program in it was killed by signal {signal}{})",
                hint(signal)
            )
        }
        _ => format!("exit status {code}"),
    }
}

/// What a signal mostly means.
const fn hint(signal: i32) -> &'static str {
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

fn verdict(stdout: &[u8]) -> Reply {
    Verdict::parse(stdout).map_err(|mut failure| {
        failure.detail.to_mut().push_str(": print one verdict to stdout, and all else to stderr");
        failure
    })
}

fn context(stdout: &[u8]) -> Reply {
    let text = str::from_utf8(stdout).map_err(|error| {
        Failure::new(FailureClass::Malformed, format!("stdout is no text: {error}"))
    })?;
    let text = text.trim();
    Ok(if text.is_empty() { Verdict::none() } else { Verdict::none().context(text) })
}

/// Adds the last lines of stderr, as many as fit: what went wrong stands at the end of a trace.
fn quoting(mut detail: String, stderr: &str) -> String {
    let mut lines = Vec::new();
    let mut left = QUOTE;
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

/// The beginning of a text, at most so many bytes of it.
fn cut(text: &str, most: usize) -> &str {
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
        assert_eq!(cut("aüb", 2), "a");
        assert_eq!(cut("aüb", 3), "aü");
        assert_eq!(cut("aüb", 9), "aüb");
    }

    #[test]
    fn the_last_lines_are_quoted() {
        let quoted = |stderr: &str| quoting("exit".to_owned(), stderr);
        assert_eq!(quoted(""), "exit");
        assert_eq!(quoted("Traceback\n\n  ValueError: x\n"), "exit: Traceback | ValueError: x");
        assert_eq!(quoted(&format!("{}\nlast", "x".repeat(300))), "exit: last");
        assert_eq!(quoted(&"ü".repeat(300)), format!("exit: {}", "ü".repeat(200)));
    }
}
