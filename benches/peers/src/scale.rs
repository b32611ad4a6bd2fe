//! How the cost grows: one line for each system, one plot for each thing that grows.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::call::Arguments;
use crate::case::{Case, Kind};
use crate::cases;
use crate::hooks::{About, Act};
use crate::system::System;
use crate::turns;
use crate::work::Work;

/// What a system takes longer to set up is left out, and so is everything larger.
const PATIENCE: Duration = Duration::from_secs(3);

/// One plot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Plot {
    /// Its name, and that of its file.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What grows.
    pub grows: String,
    /// What the lines show.
    #[serde(default)]
    pub shows: Shows,
    /// The lines, by system: what grows, and what comes of it.
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
}

/// What the lines of a plot show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shows {
    /// The nanoseconds of a round.
    #[default]
    Nanoseconds,
    /// How many rounds there are in a second.
    PerSecond,
}

/// Something that grows.
struct Growth {
    name: &'static str,
    title: &'static str,
    grows: &'static str,
    sizes: &'static [u32],
    work: fn(u32) -> Work,
}

const HOOKS: &[u32] = &[1, 10, 100, 1_000, 10_000, 100_000];

/// As many events as hookgate has, those of embedders excepted.
#[expect(clippy::cast_possible_truncation, reason = "there are at most 64")]
const EVENTS: u32 = hookgate::Event::NAMED.len() as u32;

const GROWTHS: &[Growth] = &[
    Growth {
        name: "other-tools",
        title: "A call that none of the hooks is about, exact names",
        grows: "hooks",
        sizes: HOOKS,
        work: |size| cases::dispatch(cases::numbered(size, cases::exact, Act::Silent), 0),
    },
    Growth {
        name: "other-globs",
        title: "A call that none of the hooks is about, globs",
        grows: "hooks",
        sizes: HOOKS,
        work: |size| cases::dispatch(cases::numbered(size, cases::glob, Act::Silent), 0),
    },
    Growth {
        name: "other-events",
        title: "A call, and hooks at another event only",
        grows: "hooks",
        sizes: HOOKS,
        work: |size| cases::dispatch(cases::numbered(size, |_| About::OtherEvent, Act::Silent), 0),
    },
    Growth {
        name: "events",
        title: "A call, and one hook at each of so many events; that of the call says nothing",
        grows: "events",
        // Those of defect and of Meerkat are 14.
        sizes: &[1, 2, 4, 8, 14, 28, EVENTS],
        work: |size| cases::dispatch(cases::numbered(size, cases::one_each, Act::Silent), 1),
    },
    Growth {
        name: "silent",
        title: "A call that all hooks are about; they say nothing",
        grows: "hooks",
        sizes: &[1, 10, 100, 1_000],
        work: |size| cases::dispatch(cases::numbered(size, cases::every, Act::Silent), size),
    },
    Growth {
        name: "payload",
        title: "One hook that takes the call as JSON",
        grows: "bytes of arguments",
        sizes: &[64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20],
        work: |size| Work::Dispatch {
            hooks: cases::numbered(1, cases::every, Act::Json),
            runs: 1,
            arguments: Arguments::Fields(size as usize),
            fresh: false,
            before: size > 512,
        },
    },
    Growth {
        name: "tools",
        title: "Calls of ever more tools in turn, and a hundred hooks for others",
        grows: "tools",
        sizes: &[1, 10, 100, 1_000, 10_000],
        work: |size| Work::InTurn {
            hooks: cases::numbered(100, cases::exact, Act::Silent),
            tools: u64::from(size),
        },
    },
    Growth {
        name: "build",
        title: "A table is built and put in force, exact names",
        grows: "hooks",
        sizes: &[1, 10, 100, 1_000, 10_000],
        work: |size| Work::Swap { hooks: cases::numbered(size, cases::exact, Act::Silent) },
    },
];

/// Times everything that grows.
#[must_use]
pub fn measured(systems: &[Box<dyn System>]) -> Vec<Plot> {
    GROWTHS.iter().map(|growth| plotted(growth, systems)).collect()
}

fn plotted(growth: &Growth, systems: &[Box<dyn System>]) -> Plot {
    let line = |system: &[Box<dyn System>]| {
        let name = system.first()?.name();
        let mut points = Vec::new();
        for &size in growth.sizes {
            let start = Instant::now();
            let work = (growth.work)(size);
            let case = Case {
                name: growth.name.to_owned(),
                title: String::new(),
                group: "",
                kind: Kind::Other,
                work,
                cold: false,
                counted: false,
            };
            let timed = turns::timed(system, &case);
            let Some(Some(timed)) = timed.first() else { break };
            points.push((f64::from(size), timed.median.max(turns::RESOLUTION)));
            if start.elapsed() > PATIENCE {
                break;
            }
        }
        (!points.is_empty()).then(|| (name.to_owned(), points))
    };
    Plot {
        name: growth.name.to_owned(),
        title: growth.title.to_owned(),
        grows: growth.grows.to_owned(),
        shows: Shows::Nanoseconds,
        lines: systems.chunks(1).filter_map(line).collect(),
    }
}
