//! What a case of hookgate spends its instructions on, in areas that a reader knows.

use serde::{Deserialize, Serialize};

use crate::counts::Functions;

/// What one round spends its instructions on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The areas with their instructions, the largest first.
    pub areas: Vec<(String, f64)>,
}

/// What is below this part of all is told together.
const SMALL: f64 = 0.03;

/// What belongs to no other area.
pub const OTHER: &str = "other";

const MALLOC: &str = "malloc and free";
const MEMORY: &str = "copying and comparing memory";
const TIMER: &str = "tokio: timer";
const RUNTIME: &str = "tokio: runtime";
const CLOCK: &str = "the clock";
const JSON: &str = "serde_json";
const TEXTS: &str = "hookgate: texts of JSON";
const STANDARD: &str = "vectors, maps and drops";
const TEXT: &str = "text: search and replace";
const HASHING: &str = "hash maps";
const CALL: &str = "the call that is dropped";
const HOOK: &str = "the hook itself";
const LOOP: &str = "the loop, with what is inlined there";
const DISPATCH: &str = "hookgate: dispatch";
const ANSWERS: &str = "hookgate: check of what hooks say";
const DECISION: &str = "hookgate: decision";
const TABLE: &str = "hookgate: table and match";
const ENVELOPE: &str = "hookgate: envelope";

/// What a name contains, and its area. The first that fits counts: what is special comes before what contains it.
const AREAS: &[(&[&str], &str)] = &[
    (
        &[
            "SyncHandler>::handle",
            "hookgate_peers::systems::hookgate::ready",
            "systems::hookgate::waits",
        ],
        HOOK,
    ),
    (
        &[
            "_int_malloc",
            "malloc_consolidate",
            "unlink_chunk",
            "_int_free",
            "__rdl_",
            "__rust_alloc",
        ],
        MALLOC,
    ),
    (&["__rust_dealloc", "__rust_realloc", "_int_realloc", "alloc_perturb", "sysmalloc"], MALLOC),
    (&["__memcpy", "__memmove", "__memset", "__memcmp", "memchr"], MEMORY),
    (
        &[
            "tokio::time::",
            "tokio::runtime::time::",
            "option::Option<tokio::runtime::Timer",
            "hookgate::timer",
        ],
        TIMER,
    ),
    (&["atomic_waker"], TIMER),
    (&["std::time::", "::unix::time::", "clock_gettime"], CLOCK),
    (
        &["hookgate::clock::", "uuid::", "hookgate_contract::envelope", "hookgate::envelope"],
        ENVELOPE,
    ),
    (&["AnyPayload", "hookgate_contract::payload"], ENVELOPE),
    (&["hookgate_contract::input::json::write::write_text"], TEXTS),
    (&["hookgate_contract::input::json::write"], JSON),
    (&["serde_json::ser", "serde_core::ser", "itoa::", "zmij::", "serde_json::value::ser"], JSON),
    (
        &[
            "serde_json::value::index",
            "Value>::pointer",
            "Value::pointer",
            "serde_json::value::Serializer",
        ],
        JSON,
    ),
    (
        &[
            "Hookgate as hookgate_peers::system::Adapter>::swap",
            "systems::hookgate::hook",
            "systems::hookgate::table",
        ],
        TABLE,
    ),
    (&["hookgate_peers::systems::hookgate::acting"], TABLE),
    (
        &[
            "drop_in_place<hookgate::step::gate::Gate<",
            "drop_in_place<hookgate::step::tool::ToolUse",
        ],
        CALL,
    ),
    (&["drop_in_place<serde_json::value::Value"], CALL),
    (&["hookgate_peers::"], LOOP),
    (
        &[
            "hookgate::dispatch::validate",
            "hookgate::dispatch::legality",
            "hookgate::dispatch::patch",
        ],
        ANSWERS,
    ),
    (
        &["hookgate_contract::input::", "hookgate_contract::verdict", "hookgate_contract::build"],
        ANSWERS,
    ),
    (&["hookgate::decision", "hookgate_contract::decision"], DECISION),
    (&["hookgate::table", "hookgate::matcher", "arc_swap::", "hookgate_contract::event"], TABLE),
    (&["hookgate_contract::contract", "hookgate_contract::role", "hookgate::hook_id"], TABLE),
    (
        &["hookgate::dispatch", "hookgate::engine", "hookgate::step", "hookgate::panic_boundary"],
        DISPATCH,
    ),
    (&["hookgate_contract::handler", "hookgate_contract::failure", "hookgate::events"], DISPATCH),
    (&["hookgate::", "hookgate_contract::"], DISPATCH),
    (&["tokio::", "tokio_util::", "futures_util::", "futures_core::"], RUNTIME),
    (&["alloc::str::", "core::str::"], TEXT),
    (&["core::hash::", "hashbrown::", "std::hash::"], HASHING),
    (&["alloc::", "core::", "std::", "smallvec::"], STANDARD),
];

/// Names that are the whole name of a function of libc.
const MALLOCS: &[&str] = &["malloc", "free", "realloc", "calloc"];

impl Profile {
    /// Sums up functions by area.
    #[must_use]
    pub fn of(functions: &Functions) -> Self {
        let mut areas: Vec<(String, f64)> = Vec::new();
        for (name, count) in functions {
            let area = area(name);
            match areas.iter_mut().find(|(known, _)| known == area) {
                Some((_, sum)) => *sum += count,
                None => areas.push((area.to_owned(), *count)),
            }
        }
        areas.sort_by(|one, other| other.1.total_cmp(&one.1));
        Self { areas }
    }

    /// Returns the parts of all that the areas have, the largest first, and what is below three percent together
    /// at the end.
    #[must_use]
    pub fn shares(&self) -> Vec<(&str, f64)> {
        let all: f64 = self.areas.iter().map(|(_, count)| count).sum();
        let parts = self.areas.iter().map(|(area, count)| (area.as_str(), count / all.max(1.0)));
        let (mut shares, small): (Vec<_>, Vec<_>) =
            parts.partition(|(area, part)| *part >= SMALL && *area != OTHER);
        let rest: f64 = small.iter().map(|(_, part)| part).sum();
        // Making the call is subtracted: what it takes elsewhere may be less than nothing.
        if rest.abs() >= 0.005 {
            shares.push((OTHER, rest));
        }
        shares
    }
}

/// Returns the area of a function.
fn area(name: &str) -> &'static str {
    // callgrind tells functions that call themselves apart: `free'2`.
    let name = name.split_once('\'').map_or(name, |(name, _)| name);
    if MALLOCS.contains(&name) {
        return MALLOC;
    }
    let fits = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    AREAS.iter().find(|(parts, _)| fits(parts)).map_or(OTHER, |(_, area)| area)
}
