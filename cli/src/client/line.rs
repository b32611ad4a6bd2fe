//! The command line of a call that a daemon can answer.

use std::ffi::OsString;
use std::time::Duration;

use crate::commands::hook::{TIMEOUT, VERB};
use crate::daemon::Request;
use crate::seconds::seconds;

const LIMIT: &str = "--timeout";

/// What a command line says, as `hookgate install` writes it: each option and its value are words of their own.
#[derive(Debug, Default)]
pub(super) struct Line {
    agent: String,
    event: Option<String>,
    config: Vec<String>,
    strict: bool,
    trusted: Vec<String>,
    /// After how much time the step is refused.
    pub(super) timeout: Duration,
    /// After how much time without a call the daemon ends, if the command line asks for one.
    pub(super) daemon: Option<Duration>,
}

impl Line {
    /// Reads the arguments. Returns `None` for everything else than a call without a mistake: the full program
    /// knows more of command lines.
    pub(super) fn parse(arguments: &[OsString]) -> Option<Self> {
        let (mut agent, mut timeout) = (None, None);
        let mut line = Self::default();
        let mut words = arguments.iter().map(|word| word.to_str());
        if words.next()?? != VERB {
            return None;
        }
        while let Some(word) = words.next() {
            let option = word?;
            if option == "--strict" && !line.strict {
                line.strict = true;
                continue;
            }
            let value = words.next()??;
            if value.is_empty() || value.starts_with('-') {
                return None;
            }
            match option {
                "--agent" => once(&mut agent, value.to_owned())?,
                "--event" => once(&mut line.event, value.to_owned())?,
                "--config" | "-c" => line.config.push(value.to_owned()),
                LIMIT => once(&mut timeout, seconds(value).ok()?)?,
                "--daemon" => once(&mut line.daemon, seconds(value).ok()?)?,
                "--trust-hash" => line.trusted.push(value.to_owned()),
                _ => return None,
            }
        }
        Some(Self { agent: agent?, timeout: timeout.unwrap_or(TIMEOUT), ..line })
    }

    /// Makes a request of it; `rest` is the time that is left.
    pub(super) fn request(self, envelope: String, rest: Duration) -> Request {
        let Self { agent, event, config, strict, trusted, .. } = self;
        let rest = rest.as_millis().try_into().unwrap_or(u64::MAX);
        Request { agent, event, config, strict, trusted, rest, envelope }
    }
}

/// Sets an option that may be there only once.
fn once<T>(option: &mut Option<T>, value: T) -> Option<()> {
    option.replace(value).is_none().then_some(())
}

/// Returns arguments of which a [`Line`] was read, with another time after which the step is refused.
pub(super) fn with_timeout(arguments: &[OsString], timeout: Duration) -> Vec<OsString> {
    let mut words = arguments.iter();
    let mut changed = Vec::new();
    while let Some(word) = words.next() {
        if word == LIMIT {
            words.next();
        } else {
            changed.push(word.clone());
        }
    }
    changed.extend([LIMIT.into(), timeout.as_secs_f64().to_string().into()]);
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(Into::into).collect()
    }

    #[test]
    fn what_install_writes_is_read() {
        let text = "hook --agent codex --timeout 8 --daemon 300 --config /a.toml --event Stop";
        let line = Line::parse(&words(text)).unwrap();
        assert_eq!((line.timeout, line.daemon), (TIMEOUT, Some(Duration::from_secs(300))));
        let request = line.request("{}".to_owned(), Duration::from_millis(1500));
        assert_eq!((request.agent.as_str(), request.event.as_deref()), ("codex", Some("Stop")));
        assert_eq!(
            (request.config, request.rest, request.strict),
            (vec!["/a.toml".into()], 1500, false)
        );
        let with = "hook --agent a --strict -c one --trust-hash x -c two --trust-hash y";
        let request = Line::parse(&words(with)).unwrap().request(String::new(), Duration::ZERO);
        assert_eq!((request.config, request.strict), (vec!["one".into(), "two".into()], true));
        assert_eq!(request.trusted, ["x", "y"]);
    }

    #[test]
    fn all_else_is_for_the_full_program() {
        let others = [
            "",
            "hook",
            "check",
            "hook --agent",
            "hook --agent=a",
            "hook --agent --strict",
            "hook --event Stop",
            "hook --agent a --agent b",
            "hook --agent a --strict --strict",
            "hook --agent a --timeout soon",
            "hook --agent a --timeout 0",
            "hook --agent a --daemon -1",
            "hook --agent a b",
            "hook --agent a --help",
            "hook --agent a --new-option 1",
            "hook --agent a -- --strict",
            "hook --agent a -cfile",
            "hook --agent a --timeout 8 --timeout 9",
            "--agent a hook",
            "hook --agent  --strict",
        ];
        for text in others {
            assert!(Line::parse(&words(text)).is_none(), "{text}");
        }
    }

    #[test]
    fn the_time_that_is_left_takes_the_place_of_the_time() {
        let changed = |text| with_timeout(&words(text), Duration::from_millis(200));
        assert_eq!(changed("hook --timeout 8 --agent a"), words("hook --agent a --timeout 0.2"));
        assert_eq!(changed("hook --agent a"), words("hook --agent a --timeout 0.2"));
    }
}
