//! Which entries of a journal a command line asks for.

use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args as _, Command, FromArgMatches as _};
use hookgate::Outcome;
use hookgate_store::Filter;

use crate::abort::Abort;
use crate::input::now;

/// The filters of a command line.
#[derive(Debug, Clone, PartialEq, Default, clap::Args)]
#[command(next_help_heading = "Filters")]
pub(crate) struct FilterArgs {
    /// Of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// In which this hook decided, failed or rewrote the step
    #[arg(long, value_name = "ID")]
    hook: Option<String>,
    /// With one of these outcomes: allow, answered, ask, deny, halt
    #[arg(long, value_name = "OUTCOME", value_delimiter = ',', value_parser = outcome)]
    decision: Vec<Outcome>,
    /// Of this event, such as pre_tool_use
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// About this tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Decided by the config whose hash begins like this
    #[arg(long, value_name = "HASH")]
    config_hash: Option<String>,
    /// From this time on, such as 2026-12-24T09:00:00Z, or the last 24h, 30m, 7d
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// With this text in what the step or a reason says, whatever the field is called; every body is read for it
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
}

impl FilterArgs {
    /// Reads filters that do not come from a command line: the name of each without `--`, and its value.
    ///
    /// # Errors
    /// There is no such filter, or it takes no such value.
    pub(crate) fn of_pairs<'p>(
        pairs: impl IntoIterator<Item = (&'p str, &'p str)>,
    ) -> Result<Self, Abort> {
        let words = pairs.into_iter().map(|(name, value)| format!("--{name}={value}"));
        let command = Self::augment_args(Command::new("filters").no_binary_name(true));
        let read = command.disable_help_flag(true).try_get_matches_from(words);
        read.and_then(|found| Self::from_arg_matches(&found)).map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            Abort::usage(first.strip_prefix("error: ").unwrap_or(first))
        })
    }

    /// Whether anything is asked for.
    pub(crate) fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// Returns the filter.
    ///
    /// # Errors
    /// A time cannot be read.
    pub(crate) fn read(&self) -> Result<Filter, Abort> {
        let filter = with(Filter::default(), self.session.as_deref(), Filter::session);
        let filter = with(filter, self.hook.as_deref(), Filter::hook);
        let filter = with(filter, self.event.as_deref(), Filter::event);
        let filter = with(filter, self.tool.as_deref(), Filter::tool);
        let filter = with(filter, self.config_hash.as_deref(), Filter::config);
        let mut filter = with(filter, self.text.as_deref(), Filter::text);
        if !self.decision.is_empty() {
            filter = filter.decisions(self.decision.iter().copied());
        }
        if let Some(since) = &self.since {
            filter = filter.since(time("--since", since)?);
        }
        if let Some(until) = &self.until {
            filter = filter.until(time("--until", until)?);
        }
        Ok(filter)
    }
}

/// Adds what is asked for, if anything is.
fn with(filter: Filter, text: Option<&str>, add: fn(Filter, &str) -> Filter) -> Filter {
    match text {
        Some(text) => add(filter, text),
        None => filter,
    }
}

fn outcome(name: &str) -> Result<Outcome, String> {
    let refusals = [Outcome::Cancelled, Outcome::Deny, Outcome::Halt];
    let all = [Outcome::Allow, Outcome::Answered, Outcome::Ask].into_iter().chain(refusals);
    all.into_iter()
        .find(|outcome| outcome.name() == name)
        .ok_or_else(|| "an outcome is allow, answered, ask, cancelled, deny or halt".to_owned())
}

/// Reads a time, or how long ago it is.
fn time(flag: &str, text: &str) -> Result<u64, Abort> {
    let ago = humantime::parse_duration(text.strip_suffix(" ago").unwrap_or(text));
    let time = match ago {
        Ok(ago) => SystemTime::now().checked_sub(ago).unwrap_or(UNIX_EPOCH),
        Err(_) => now::read(text).map_err(|error| {
            Abort::usage(format!("{flag} {text}: {error}, or how long ago it is: 24h, 30m, 7d"))
        })?,
    };
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
