//! One thing that is measured, and what is expected of it.

use crate::work::Work;

/// The system that compiles each glob at each call.
const SLOW_AT_GLOBS: &str = "defect";

/// What kind of case it is, which says how far ahead hookgate has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// No hook runs, or those that run say nothing.
    Silent,
    /// A hook waits, speaks or reads.
    Speaks,
    /// A table is built or changed.
    Builds,
    /// Nothing is expected beyond being ahead.
    Other,
}

/// One thing that is measured.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name in the results.
    pub name: String,
    /// What it is, in words.
    pub title: String,
    /// Under which heading it stands.
    pub group: &'static str,
    /// What kind of case it is.
    pub kind: Kind,
    /// What one round does.
    pub work: Work,
    /// Whether it is timed with evicted caches as well.
    pub cold: bool,
    /// Whether its instructions and allocations are counted for every system: a call of defect that compiles ten
    /// thousand globs takes minutes under callgrind.
    pub counted: bool,
}

impl Case {
    /// Returns whether its instructions and allocations are counted for a system.
    #[must_use]
    pub fn is_counted(&self, system: &str) -> bool {
        self.counted || system != SLOW_AT_GLOBS
    }

    /// Returns how many times as much the best peer has to take, hot.
    #[must_use]
    pub fn bar(&self) -> f64 {
        match self.kind {
            Kind::Silent if self.work.hooks() >= 10 => 20.0,
            Kind::Silent => 10.0,
            Kind::Speaks => 3.0,
            Kind::Builds | Kind::Other => 1.0,
        }
    }

    /// Returns how many times as much the best peer has to take with evicted caches.
    #[must_use]
    pub fn cold_bar(&self) -> f64 {
        match self.kind {
            Kind::Silent | Kind::Speaks => 2.0,
            Kind::Builds | Kind::Other => 1.0,
        }
    }
}
