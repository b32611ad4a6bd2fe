//! How much of the machine hooks may use at the same time, where a config does not say it.
//!
//! | | at the same time, if `[limits]` does not say it |
//! |---|---|
//! | processes | 16 for each core, but not more than an eighth of the files that this process may have open |
//! | requests | 256, but not more than an eighth of those files |
//!
//! A process takes four files of its host (three pipes, and one by which its end is seen), a request takes one. So hooks
//! have at most five eighths of the files open, and the host has the rest.

use std::thread::available_parallelism;

use hookgate_contract::Resource;

use super::limits::Limits;

/// How many open files there are taken to be where the system does not say it: the default of macOS.
const USUAL_FILES: usize = 256;

/// How many processes a core is given: most of them wait for something most of their time.
const FOR_EACH_CORE: usize = 16;

/// How many requests there are at most.
const MOST_REQUESTS: usize = 256;

/// How many files a process of a hook, and a request, takes of the host.
const FILES_OF_PROCESS: usize = 4;

/// What the machine has for this process.
///
/// ```
/// use hookgate::contract::Resource;
/// use hookgate::table::{Limits, Machine};
///
/// let machine = Machine::of(4, 1024);
/// assert_eq!(machine.places(Resource::Process, &Limits::new()), 64);
/// assert_eq!(machine.places(Resource::Process, &Limits::new().processes(200)), 200);
/// // So many need more files than there are.
/// assert!(machine.too_few_files(&Limits::new().processes(300)).is_some());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Machine {
    /// How many cores this process may use.
    pub cores: usize,
    /// How many files this process may have open (`ulimit -n`).
    pub open_files: usize,
}

impl Machine {
    /// Returns a machine of so many cores and open files.
    #[must_use]
    pub const fn of(cores: usize, open_files: usize) -> Self {
        Self { cores, open_files }
    }

    /// Returns what this process has now: on Linux the soft limit of open files, and elsewhere 256 files.
    #[must_use]
    pub fn this() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
        Self::of(cores, open_files(&limits).unwrap_or(USUAL_FILES))
    }

    /// Returns how many calls may take a resource at the same time by these limits.
    #[must_use]
    pub fn places(self, resource: Resource, limits: &Limits) -> usize {
        let (given, usual) = match resource {
            Resource::Process => (limits.processes, self.cores.saturating_mul(FOR_EACH_CORE)),
            _ => (limits.requests, MOST_REQUESTS),
        };
        given.unwrap_or_else(|| usual.min(self.open_files / 8)).max(1)
    }

    /// Returns what is wrong if processes and requests of hooks, so many as the limits allow, need more files than this
    /// process may have open.
    #[must_use]
    pub fn too_few_files(self, limits: &Limits) -> Option<String> {
        let processes = self.places(Resource::Process, limits);
        let requests = self.places(Resource::Request, limits);
        let needed = processes.saturating_mul(FILES_OF_PROCESS).saturating_add(requests);
        let Self { open_files, .. } = self;
        (needed > open_files).then(|| {
            format!(
                "`[limits]` lets {processes} processes and {requests} requests of hooks be at work at once: these need \
                 {needed} open files, and this process may have {open_files} (`ulimit -n`). Lower `processes` or \
                 `requests`, or raise that limit: a hook that cannot be started fails"
            )
        })
    }
}

/// Reads the soft limit of open files; a process without one may have as many as it likes.
fn open_files(limits: &str) -> Option<usize> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(usize::MAX),
        soft => soft.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smaller_of_cores_and_files_counts() {
        let places = |cores, files| {
            let machine = Machine::of(cores, files);
            [Resource::Process, Resource::Request].map(|it| machine.places(it, &Limits::new()))
        };
        assert_eq!(places(2, 1024), [32, 128]);
        assert_eq!(places(64, 1024), [128, 128]);
        assert_eq!(places(2, usize::MAX), [32, 256]);
        assert_eq!(places(2, 4), [1, 1]);
    }

    #[test]
    fn the_defaults_fit_into_the_files_of_any_machine() {
        for (cores, files) in [(1, 64), (2, 256), (64, 1024), (8, 1 << 20)] {
            assert_eq!(Machine::of(cores, files).too_few_files(&Limits::new()), None);
        }
        let problem = Machine::of(2, 256).too_few_files(&Limits::new().processes(64)).unwrap();
        assert!(problem.contains("64 processes and 32 requests"), "{problem}");
        assert!(problem.contains("288 open files"), "{problem}");
    }

    #[test]
    fn the_soft_limit_is_read() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max processes             94743                94743                processes \n\
                      Max open files            1024                 524288               files     \n";
        assert_eq!(open_files(limits), Some(1024));
        assert_eq!(
            open_files("Max open files            unlimited            unlimited"),
            Some(usize::MAX)
        );
        assert_eq!(open_files(""), None);
    }
}
