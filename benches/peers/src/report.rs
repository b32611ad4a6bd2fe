//! All that was measured, as it is kept in a file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::built::Built;
use crate::case::Case;
use crate::cases;
use crate::cold;
use crate::counts::{self, Instructions};
use crate::error::PeersError;
use crate::machine::Machine;
use crate::memory::{self, Kept, Memory};
use crate::policies::{self, PerStep};
use crate::profile::Profile;
use crate::proof::prove;
use crate::scale::{self, Plot};
use crate::system::System;
use crate::systems::{self, Floor};
use crate::threads::{self, Threads};
use crate::turns::{self, Timed};

/// All that was measured in one run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// Where and when.
    pub machine: Machine,
    /// The systems with their versions, hookgate first.
    pub systems: Vec<(String, String)>,
    /// How many calls each system evaluated in its proof.
    pub proven: BTreeMap<String, usize>,
    /// The cases, in the order of the page.
    pub cases: Vec<Measured>,
    /// What engines keep, by system.
    pub kept: BTreeMap<String, Kept>,
    /// What threads do, by system.
    pub threads: BTreeMap<String, Threads>,
    /// Ten rules on recorded steps: what each program timed.
    pub policies: Vec<Vec<PerStep>>,
    /// How the cost grows.
    pub plots: Vec<Plot>,
    /// How long the run took, and the footprints of programs: added when all is built and measured.
    #[serde(default)]
    pub built: Built,
}

/// One case.
#[derive(Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// What it is, in words.
    pub title: String,
    /// Under which heading it stands.
    pub group: String,
    /// How far ahead hookgate has to be, hot.
    pub bar: f64,
    /// How far ahead it has to be with evicted caches.
    pub cold_bar: f64,
    /// What was measured, by system; `floor` is one of them.
    pub systems: BTreeMap<String, Figures>,
    /// What hookgate spends its instructions on, where the page has to say why it is not further ahead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// How many lines of 64 bytes of machine code a call runs through, by system, where hookgate is behind with
    /// evicted caches.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub code: BTreeMap<String, usize>,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Time, hot.
    Hot,
    /// Instructions.
    Instructions,
    /// Time with evicted caches.
    Cold,
}

/// What was measured of one system in one case.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Instructions.
    pub instructions: Option<f64>,
    /// Allocations.
    pub allocations: Option<f64>,
    /// Bytes that were allocated.
    pub bytes: Option<f64>,
    /// Nanoseconds, hot.
    pub hot: Option<Timed>,
    /// Nanoseconds of a single call with evicted caches.
    pub cold: Option<f64>,
}

impl Report {
    /// Proves all systems and measures everything.
    ///
    /// # Errors
    /// A system that does not do what is measured of it; valgrind or the program that counts allocations fails.
    pub fn measured() -> Result<Self, PeersError> {
        let machine = Machine::this();
        let mut systems = systems::all();
        let mut proven = BTreeMap::new();
        for system in &systems {
            proven.insert(system.name().to_owned(), prove(system.as_ref())?);
        }
        let named =
            systems.iter().map(|system| (system.name().into(), system.version().into())).collect();
        eprintln!("how the cost grows …");
        let mut plots = scale::measured(&systems);
        eprintln!("threads …");
        plots.push(threads::growth(&systems));
        let threads =
            systems.iter().map(|it| (it.name().into(), threads::measured(it.as_ref()))).collect();
        systems.push(Floor::system());
        eprintln!("times …");
        let mut cases: Vec<Measured> =
            cases::all().iter().map(|case| timed(&systems, case)).collect();
        eprintln!("allocations …");
        let memory = memory::counted()?;
        eprintln!("instructions …");
        let counted = counted(&systems)?;
        cases.iter_mut().for_each(|case| case.counts(&memory, &counted));
        eprintln!("code …");
        for case in &mut cases {
            case.counts_code()?;
        }
        eprintln!("policies …");
        let policies = policies::timed()?;
        let machine = machine.ended();
        Ok(Self {
            machine,
            systems: named,
            proven,
            cases,
            kept: memory.kept,
            threads,
            policies,
            plots,
            built: Built::default(),
        })
    }
}

fn timed(systems: &[Box<dyn System>], case: &Case) -> Measured {
    eprintln!("  {}", case.name);
    let hot = turns::timed(systems, case);
    let cold = if case.cold { cold::timed(systems, case) } else { vec![None; systems.len()] };
    let figures =
        hot.into_iter().zip(cold).map(|(hot, cold)| Figures { hot, cold, ..Figures::default() });
    let by_name = systems.iter().map(|system| system.name().to_owned()).zip(figures);
    Measured {
        name: case.name.clone(),
        title: case.title.clone(),
        group: case.group.to_owned(),
        bar: case.bar(),
        cold_bar: case.cold_bar(),
        systems: by_name.collect(),
        profile: None,
        code: BTreeMap::new(),
    }
}

/// Counts the instructions of all systems, two at a time: counts do not depend on what else runs.
fn counted(systems: &[Box<dyn System>]) -> Result<BTreeMap<String, Instructions>, PeersError> {
    let mut counted = BTreeMap::new();
    for pair in systems.chunks(2) {
        let instructions: Vec<_> = std::thread::scope(|scope| {
            let running: Vec<_> = pair
                .iter()
                .map(|system| (system.name(), scope.spawn(|| counts::instructions(system.name()))))
                .collect();
            running.into_iter().map(|(name, thread)| (name, thread.join())).collect()
        });
        for (name, joined) in instructions {
            let panicked = || PeersError::Uncounted(name.to_owned());
            counted.insert(name.to_owned(), joined.map_err(|_| panicked())??);
        }
    }
    Ok(counted)
}

impl Measured {
    fn counts(&mut self, memory: &Memory, counted: &BTreeMap<String, Instructions>) {
        for (system, figures) in &mut self.systems {
            let instructions = counted.get(system).and_then(|cases| cases.get(&self.name));
            figures.instructions = instructions.map(|it| it.instructions);
            let allocated = memory.cases.get(system).and_then(|cases| cases.get(&self.name));
            figures.allocations = allocated.map(|it| it.count);
            figures.bytes = allocated.map(|it| it.bytes);
        }
        if self.is_listed() {
            let own = counted.get(HOOKGATE).and_then(|cases| cases.get(&self.name));
            self.profile = own.map(|own| Profile::of(&own.functions));
        }
    }

    /// Counts the machine code of hookgate and of the peer that is ahead or too near, with evicted caches.
    fn counts_code(&mut self) -> Result<(), PeersError> {
        let misses = if self.behind().is_empty() { self.below() } else { self.behind() };
        let Some(cold) = misses.iter().find(|miss| miss.figure == Figure::Cold) else {
            return Ok(());
        };
        let mut code = BTreeMap::new();
        for system in [HOOKGATE, cold.peer] {
            code.insert(system.to_owned(), counts::lines(system, &self.name)?);
        }
        self.code = code;
        Ok(())
    }

    /// Returns how far ahead of the best peer hookgate is by time, hot, and which that is.
    #[must_use]
    pub fn hot_lead(&self) -> Option<(f64, &str)> {
        self.least(|figures| figures.hot.and_then(|hot| hot.ratio))
    }

    /// Returns how far ahead of the best peer hookgate is by instructions.
    #[must_use]
    pub fn instruction_lead(&self) -> Option<(f64, &str)> {
        let own = self.systems.get(HOOKGATE)?.instructions?.max(1.0);
        self.least(|figures| figures.instructions.map(|count| count.max(1.0) / own))
    }

    /// Returns how far ahead of the best peer hookgate is by time with evicted caches.
    #[must_use]
    pub fn cold_lead(&self) -> Option<(f64, &str)> {
        // A single call is timed to about a hundred nanoseconds.
        let own = self.systems.get(HOOKGATE)?.cold?.max(100.0);
        self.least(|figures| figures.cold.map(|time| time.max(100.0) / own))
    }

    fn least(&self, of: impl Fn(&Figures) -> Option<f64>) -> Option<(f64, &str)> {
        let peers =
            self.systems.iter().filter(|(name, _)| ![HOOKGATE, FLOOR].contains(&name.as_str()));
        let ratios = peers.filter_map(|(name, figures)| Some((of(figures)?, name.as_str())));
        ratios.min_by(|one, other| one.0.total_cmp(&other.0))
    }
}

/// The name of the system that the others are compared with.
pub const HOOKGATE: &str = "hookgate";

/// The name of the floor.
pub const FLOOR: &str = "floor";
