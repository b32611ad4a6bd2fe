//! `[limits]`: bounds and defaults.
//!
//! ```toml
//! [limits]
//! dispatch_deadline = "60s"       # all hooks of one step together
//! payload = "1MiB"                # the largest envelope
//! output = "256KiB"               # the largest answer
//! background_queue = 1024         # waiting background calls
//! concurrency = 8                 # calls at the same time
//! processes = 64                  # of hooks, at work at the same time; by default what the machine has
//! requests = 128                  # the same for services and models
//! stop_denials = 3                # how often in a row an agent is kept from stopping
//! stop_at = "deny"                # or "ask", "halt": the hooks after it are not called
//! integers = "interoperable"      # or "exact"
//! timeout = { http = "2s" }       # deadlines by kind of handler
//! ```

use hookgate_contract::StopAt;
use hookgate_contract::json::Integers;
use hookgate_contract::settings::Settings;

use super::keys::KINDS;
use super::problem::ConfigProblem;
use super::reader::Reader;
use crate::table::{Limits, Machine};

/// The largest number of calls that can be set.
const MOST_CALLS: usize = 1 << 20;

/// The largest envelope or answer that can be set, in bytes.
const LARGEST: usize = 1 << 30;

/// Reads the limits of a file; what is not set keeps its default.
pub(super) fn read_limits(reader: &mut Reader<'_>, mut settings: Settings<'_>) -> Limits {
    let mut limits = Limits::default();
    assign(&mut limits.dispatch_deadline, settings.duration("dispatch_deadline"));
    assign(&mut limits.payload, size(&mut settings, "payload"));
    assign(&mut limits.output, size(&mut settings, "output"));
    assign(&mut limits.background_queue, settings.count("background_queue", 1..=MOST_CALLS));
    assign(&mut limits.concurrency, settings.count("concurrency", 1..=MOST_CALLS));
    limits.processes = settings.count("processes", 1..=MOST_CALLS);
    limits.requests = settings.count("requests", 1..=MOST_CALLS);
    let set = ["processes", "requests"].into_iter().find(|key| settings.has(key));
    if let Some((key, problem)) = set.zip(Machine::this().too_few_files(&limits)) {
        reader.warn(settings.span_of(key), ConfigProblem::TooFewFiles(problem));
    }
    match settings.integer("stop_denials").map(u64::try_from) {
        Some(Ok(denials)) => limits.stop_denials = denials,
        Some(Err(_)) => settings.invalid("stop_denials", "must not be negative"),
        None => {}
    }
    let names = StopAt::ALL.map(StopAt::name);
    assign(&mut limits.stop_at, settings.choice("stop_at", &names, StopAt::from_name));
    if limits.stop_at == StopAt::Ask {
        reader.warn(settings.span_of("stop_at"), ConfigProblem::StopsAtAsk);
    }
    let names = Integers::ALL.map(Integers::name);
    assign(&mut limits.integers, settings.choice("integers", &names, Integers::from_name));
    if let Some(mut timeouts) = settings.table("timeout") {
        let mut kinds = reader.registry.kinds();
        kinds.extend(KINDS.iter().map(|&kind| kind.to_owned()));
        limits.timeout = kinds
            .into_iter()
            .filter_map(|kind| Some((kind.clone(), timeouts.duration(&kind)?)))
            .collect();
        settings.absorb(timeouts.finish());
    }
    reader.finish(settings);
    limits
}

/// Replaces a default by a value that was given.
fn assign<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

/// Reads the size of something that is held in memory.
fn size(settings: &mut Settings<'_>, key: &'static str) -> Option<usize> {
    let size = settings.size(key)?;
    if size > LARGEST {
        settings.invalid(key, "larger than 1GiB");
        return None;
    }
    Some(size)
}
