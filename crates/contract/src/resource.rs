//! What calls of handlers take outside of the process, and how much of it an engine gives.

use crate::fair_limit::FairLimit;
use crate::name_enum;

name_enum! {
    /// What a call takes outside of this process, of which the machine has so much and no more.
    #[non_exhaustive]
    pub enum Resource {
        /// A program that runs, with the pipes to it.
        Process = "process",
        /// A request to a service or a model, with its connection.
        Request = "request",
    }
}

impl Resource {
    /// Returns the key in `[limits]`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Process => "processes",
            Self::Request => "requests",
        }
    }

    pub(crate) fn busy(self, limit: &FairLimit) -> String {
        let (most, key) = (limit.most(), self.key());
        format!(
            "{most} of {most} {key} were at work: raise `{key}` in [limits], or the `timeout` of the hook"
        )
    }
}

/// The bounds of an engine on what its hooks do at the same time, one for each [`Resource`].
#[derive(Debug)]
pub struct Places {
    processes: FairLimit,
    requests: FairLimit,
}

impl Places {
    /// Makes bounds of so many processes and so many requests, for each of which so many calls may wait.
    #[must_use]
    pub fn new(processes: usize, requests: usize, queue: usize) -> Self {
        Self {
            processes: FairLimit::new(processes, queue),
            requests: FairLimit::new(requests, queue),
        }
    }

    /// Returns the bound of a resource.
    #[must_use]
    pub const fn of(&self, resource: Resource) -> &FairLimit {
        match resource {
            Resource::Process => &self.processes,
            Resource::Request => &self.requests,
        }
    }
}
