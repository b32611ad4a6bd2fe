//! What class a call is of, as a host tells it.

use hookgate_contract::payload::Safety;
use hookgate_contract::{Envelope, name_enum};

/// Says what class a call is of, for `safer_shell`.
///
/// The crate of effects knows this; it is asked through a trait, so that this crate needs no parser.
pub trait CallClasses: Send + Sync {
    /// Returns the class of a call; `None` if the step is none.
    fn class_of(&self, step: &Envelope<'_>) -> Option<CallClass>;
}

name_enum! {
    /// How far what a call does reaches.
    #[non_exhaustive]
    pub enum BlastRadius {
        /// It changes nothing.
        None = "none",
        /// Files below the folder of the session.
        Project = "project",
        /// Other files of the machine.
        Machine = "machine",
        /// Other machines.
        Network = "network",
        /// It cannot be told.
        Unclear = "unclear",
    }
}

/// The class of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallClass {
    /// The most dangerous thing that it does.
    pub safety: Safety,
    /// How far that reaches.
    pub blast_radius: BlastRadius,
    /// What it does, in a word: `read`, `write`, `delete`, `push`, `network`, `unclear`.
    pub category: String,
    /// Why it is of this class, in words for a person.
    pub reason: String,
}

impl CallClass {
    /// Makes a class.
    #[must_use]
    pub fn new(
        safety: Safety,
        blast_radius: BlastRadius,
        category: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self { safety, blast_radius, category: category.into(), reason: reason.into() }
    }
}
